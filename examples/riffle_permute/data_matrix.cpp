#include "data_matrix.hpp"

#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_set>
#include <utility>

#include "csv_rows.hpp"
#include "input_error.hpp"
#include "text.hpp"

namespace example::permute {
namespace {

// The matrix as it is in the file: rows and columns with names.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  void take(CsvRow& row, Delimiter delimiter) {
    if (columns_.empty()) {
      columns_ = std::move(row.cells);
      return;
    }
    if (rows_.empty()) read_header(row.cells.size());
    check_width(file_, row, columns_.size() + 1, delimiter);
    if (row.cells[0].empty()) {
      throw InputError(file_ + ": line " + std::to_string(row.line) + ": the row has no name");
    }
    rows_.push_back(std::move(row.cells[0]));
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      values_.push_back(value(row, column));
    }
  }

  DataMatrix matrix() && {
    if (columns_.empty()) throw InputError(file_ + ": the file is empty");
    if (rows_.empty()) throw InputError(file_ + ": no rows below the header");
    DataMatrix matrix;
    matrix.file = file_;
    matrix.variables = std::move(rows_);
    matrix.observations = std::move(columns_);
    matrix.values = std::move(values_);
    return matrix;
  }

 private:
  // R's write.table and some other programs write no name for the column of row names.
  void read_header(std::size_t cells) {
    if (cells != columns_.size() + 1) columns_.erase(columns_.begin());
    if (columns_.empty()) throw InputError(file_ + ": the header has one cell: no values");
  }

  double value(CsvRow const& row, std::size_t column) const {
    auto const& cell = row.cells[column + 1];
    if (is_missing_value(cell)) return std::numeric_limits<double>::quiet_NaN();
    if (auto const number = finite_number(cell)) return *number;
    throw InputError(file_ + ": line " + std::to_string(row.line) + ", column " +
                     in_quotes(columns_[column]) + ": " + in_quotes(cell) + number_error(cell));
  }

  std::string file_;
  std::vector<std::string> columns_;
  std::vector<std::string> rows_;
  std::vector<double> values_;
};

DataMatrix transposed(DataMatrix const& matrix) {
  DataMatrix result;
  result.file = matrix.file;
  result.variables = matrix.observations;
  result.observations = matrix.variables;
  result.values.resize(matrix.values.size());
  for (std::size_t row = 0; row < matrix.variables.size(); ++row) {
    for (std::size_t column = 0; column < matrix.observations.size(); ++column) {
      result.at(column, row) = matrix.at(row, column);
    }
  }
  return result;
}

void check_names(DataMatrix const& matrix) {
  std::unordered_set<std::string> seen;
  for (auto const& name : matrix.observations) {
    if (!seen.insert(name).second) {
      throw InputError(matrix.file + ": two observations have the name " + in_quotes(name));
    }
  }
}

}  // namespace

void DataMatrix::keep(std::vector<std::size_t> const& kept) {
  std::vector<double> fewer;
  fewer.reserve(variables.size() * kept.size());
  for (std::size_t variable = 0; variable < variables.size(); ++variable) {
    for (auto const observation : kept) fewer.push_back(at(variable, observation));
  }
  std::vector<std::string> names;
  for (auto const observation : kept) names.push_back(observations[observation]);
  values = std::move(fewer);
  observations = std::move(names);
}

DataMatrix read_data(std::string const& file, std::optional<Delimiter> delimiter,
                     bool observations_in_rows) {
  std::string const name = name_in_messages(file);
  std::string const text = text_of_file(file);
  Reader reader(name);
  auto const found = delimiter.value_or(detect_delimiter(text));
  for_each_csv_row(name, text, found, [&](CsvRow& row) { reader.take(row, found); });
  auto matrix = std::move(reader).matrix();
  if (observations_in_rows) matrix = transposed(matrix);
  matrix.delimiter = found;
  check_names(matrix);
  return matrix;
}

}  // namespace example::permute
