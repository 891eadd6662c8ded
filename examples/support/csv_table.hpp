#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv_rows.hpp"
#include "delimiter.hpp"

namespace example {

/// A CSV file as text: a header, and rows with the same number of cells as the header.
class CsvTable {
 public:
  /// Parses `text`; `file` is used in messages. Without a delimiter, it is detected. Throws InputError.
  CsvTable(std::string file, std::string_view text,
           std::optional<Delimiter> delimiter = std::nullopt);

  std::string const& file() const { return file_; }
  Delimiter delimiter() const { return delimiter_; }
  std::size_t rows() const { return lines_.size(); }
  std::vector<std::string> const& columns() const { return columns_; }

  /// The index of a column. Throws InputError, which lists the existing columns, if there is none of this name.
  std::size_t column(std::string const& name) const;

  std::string const& cell(std::size_t row, std::size_t column) const {
    return cells_[row * columns_.size() + column];
  }
  /// The line of the file on which a row begins.
  std::size_t line(std::size_t row) const { return lines_[row]; }
  /// Whether a cell has no value: it is empty, NA or NaN.
  bool is_missing(std::size_t row, std::size_t column) const;
  /// A cell that must have a value. Throws InputError.
  std::string const& text(std::size_t row, std::size_t column) const;
  /// A cell that must be a finite number. Throws InputError.
  double number(std::size_t row, std::size_t column) const;

 private:
  std::string place(std::size_t row, std::size_t column) const;

  std::string file_;
  Delimiter delimiter_ = Delimiter::comma;
  std::vector<std::string> columns_;
  std::vector<std::string> cells_;  // row-major
  std::vector<std::size_t> lines_;  // line of the file on which each row begins
};

/// Reads and parses a file, or standard input. Throws InputError.
CsvTable read_csv(std::string const& file, std::optional<Delimiter> delimiter = std::nullopt);

}  // namespace example
