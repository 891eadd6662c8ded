#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "csv_table.hpp"
#include "data_matrix.hpp"
#include "settings.hpp"

namespace example::permute {

/// The CSV file of the design, with its rows matched to the observations of the data.
///
/// By default rows are matched by the names in the first column: each observation must have a row, and rows without an
/// observation are ignored. With settings.skip_missing, observations without a row are removed from `data`, and rows without
/// a name are ignored. With settings.by_order, row i belongs to observation i, and both files must have the same number.
class DesignFile {
 public:
  /// Throws InputError.
  DesignFile(CsvTable table, Settings const& settings, DataMatrix& data);

  std::string const& file() const { return table_.file(); }
  bool is_by_name() const { return is_by_name_; }
  std::size_t observations() const { return rows_.size(); }
  std::size_t rows_left_over() const { return table_.rows() - rows_.size(); }
  /// The names of the columns, without the column of observation names.
  std::vector<std::string> columns() const;

  bool is_missing(std::size_t observation, std::string const& column) const {
    return table_.is_missing(rows_[observation], table_.column(column));
  }
  /// Whether every cell of a column is a number or missing.
  bool is_numeric(std::string const& column) const;
  std::string const& text(std::size_t observation, std::string const& column) const {
    return table_.text(rows_[observation], table_.column(column));
  }
  std::vector<std::string> texts(std::string const& column) const;
  std::vector<double> numbers(std::string const& column) const;

  /// The line of the file that holds an observation.
  std::size_t line(std::size_t observation) const { return table_.line(rows_[observation]); }

  void keep(std::vector<std::size_t> const& kept);

 private:
  void match_by_order(DataMatrix const& data);
  void match_by_name(bool skips_missing, DataMatrix& data);

  CsvTable table_;
  bool is_by_name_;
  std::vector<std::size_t> rows_;  // row of each observation
};

}  // namespace example::permute
