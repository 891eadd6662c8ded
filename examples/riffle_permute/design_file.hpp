#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "csv_table.hpp"
#include "data_matrix.hpp"

namespace example::permute {

/// The design's CSV file, with its rows matched to the data's observations.
///
/// Where the first column holds any of the observations' names, it must hold all of them: rows go by name, and rows of
/// others are left over. Otherwise rows go by order, and must be as many as observations.
class DesignFile {
 public:
  /// Throws InputError.
  DesignFile(CsvTable table, DataMatrix const& data);

  std::string const& file() const { return table_.file(); }
  bool is_by_name() const { return is_by_name_; }
  std::size_t observations() const { return rows_.size(); }
  std::size_t rows_left_over() const { return table_.rows() - rows_.size(); }
  /// The columns' names, without the column of the observations' names.
  std::vector<std::string> columns() const;

  bool is_missing(std::size_t observation, std::string const& column) const {
    return table_.is_missing(rows_[observation], table_.column(column));
  }
  /// Whether all cells of a column are numbers, or missing.
  bool is_numeric(std::string const& column) const;
  std::string const& text(std::size_t observation, std::string const& column) const {
    return table_.text(rows_[observation], table_.column(column));
  }
  std::vector<std::string> texts(std::string const& column) const;
  std::vector<double> numbers(std::string const& column) const;

  /// The line of the file that an observation is on.
  std::size_t line(std::size_t observation) const { return table_.line(rows_[observation]); }

  void keep(std::vector<std::size_t> const& kept);

 private:
  void match_by_name(DataMatrix const& data);

  CsvTable table_;
  bool is_by_name_ = false;
  std::vector<std::size_t> rows_;  // of each observation
};

}  // namespace example::permute
