#include "csv_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "input_error.hpp"
#include "text.hpp"

namespace example {
namespace {

void check_header(std::string const& file, std::vector<std::string> const& columns) {
  std::unordered_set<std::string_view> seen;
  for (auto const& name : columns) {
    if (!seen.insert(name).second) {
      throw InputError(file + ": two columns have the name " + in_quotes(name));
    }
  }
}

}  // namespace

CsvTable::CsvTable(std::string file, std::string_view text, std::optional<Delimiter> delimiter)
    : file_(std::move(file)) {
  std::vector<CsvRow> rows;
  delimiter_ = for_each_csv_row(file_, text, delimiter,
                                [&rows](CsvRow& row) { rows.push_back(std::move(row)); });
  if (rows.empty()) throw InputError(file_ + ": the file is empty");
  columns_ = std::move(rows.front().cells);
  check_header(file_, columns_);
  if (rows.size() == 1) throw InputError(file_ + ": no rows below the header");
  lines_.reserve(rows.size() - 1);
  cells_.reserve((rows.size() - 1) * columns_.size());
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
    check_width(file_, *row, columns_.size(), delimiter_);
    lines_.push_back(row->line);
    std::move(row->cells.begin(), row->cells.end(), std::back_inserter(cells_));
  }
}

std::size_t CsvTable::column(std::string const& name) const {
  auto const at = std::find(columns_.begin(), columns_.end(), name);
  if (at == columns_.end()) {
    throw InputError(file_ + ": no column " + in_quotes(name) + "; its columns are " +
                     list_in_quotes(columns_));
  }
  return static_cast<std::size_t>(at - columns_.begin());
}

std::string CsvTable::place(std::size_t row, std::size_t column) const {
  return file_ + ": line " + std::to_string(lines_[row]) + ", column " +
         in_quotes(columns_[column]) + ": ";
}

bool CsvTable::is_missing(std::size_t row, std::size_t column) const {
  return is_missing_value(cell(row, column));
}

std::string const& CsvTable::text(std::size_t row, std::size_t column) const {
  auto const& found = cell(row, column);
  if (is_missing(row, column)) {
    throw InputError(
        place(row, column) +
        (found.empty() ? "the cell is empty" : in_quotes(found) + " is a missing value") +
        " (--skip-missing leaves such rows out)");
  }
  return found;
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  auto const& found = text(row, column);
  if (auto const number = finite_number(found)) return *number;
  throw InputError(place(row, column) + in_quotes(found) + number_error(found));
}

CsvTable read_csv(std::string const& file, std::optional<Delimiter> delimiter) {
  return {name_in_messages(file), text_of_file(file), delimiter};
}

}  // namespace example
