#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "csv_table.hpp"
#include "data_matrix.hpp"
#include "settings.hpp"

namespace example::permute {

/// The design's CSV file, with its rows matched to the data's observations.
///
/// Rows go by the names in the first column: rows of no observation are left over, and each observation must have a row. By
/// settings.skip_missing, observations without a row are left out of `data`, and rows without a name are left over. By
/// settings.by_order, rows go by order, and must be as many as observations.
class DesignFile {
 public:
  /// Throws InputError.
  DesignFile(CsvTable table, Settings const& settings, DataMatrix& data);

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
  void match_by_order(DataMatrix const& data);
  void match_by_name(bool skips_missing, DataMatrix& data);

  CsvTable table_;
  bool is_by_name_;
  std::vector<std::size_t> rows_;  // of each observation
};

}  // namespace example::permute
