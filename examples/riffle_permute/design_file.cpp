#include "design_file.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "input_error.hpp"
#include "text.hpp"

namespace example::permute {
namespace {

std::string first_in_quotes(std::vector<std::string> const& names) {
  constexpr std::size_t most = 3;
  bool const has_more = names.size() > most;
  return list_in_quotes({names.begin(), names.begin() + (has_more ? most : names.size())}) +
         (has_more ? ", ..." : "");
}

}  // namespace

DesignFile::DesignFile(CsvTable table, Settings const& settings, DataMatrix& data)
    : table_(std::move(table)), is_by_name_(!settings.by_order) {
  if (settings.by_order) {
    match_by_order(data);
  } else {
    match_by_name(settings.skip_missing, data);
  }
}

void DesignFile::match_by_order(DataMatrix const& data) {
  if (table_.rows() != data.observations.size()) {
    throw InputError(file() + ": " + plural(table_.rows(), "row") + ", but " + data.file + " has " +
                     std::to_string(data.observations.size()) +
                     " observations: --by-order needs the same number of rows");
  }
  rows_.resize(table_.rows());
  std::iota(rows_.begin(), rows_.end(), std::size_t{0});
}

void DesignFile::match_by_name(bool skips_missing, DataMatrix& data) {
  std::unordered_map<std::string, std::size_t> row_of;
  std::vector<std::string> names;
  for (std::size_t row = 0; row < table_.rows(); ++row) {
    if (table_.is_missing(row, 0)) continue;
    auto const& name = names.emplace_back(table_.cell(row, 0));
    if (!row_of.try_emplace(name, row).second) {
      throw InputError(file() + ": line " + std::to_string(table_.line(row)) +
                       ": two rows have the name " + in_quotes(name));
    }
  }
  std::vector<std::size_t> with_row;
  std::vector<std::string> without_row;
  for (std::size_t i = 0; i < data.observations.size(); ++i) {
    auto const at = row_of.find(data.observations[i]);
    if (at == row_of.end()) {
      without_row.push_back(data.observations[i]);
    } else {
      with_row.push_back(i);
      rows_.push_back(at->second);
    }
  }
  std::string const first_column = "the first column, " + in_quotes(table_.columns()[0]);
  if (with_row.empty()) {
    throw InputError(file() + ": no name in " + first_column +
                     ", is the name of an observation: it has " + first_in_quotes(names) +
                     ", but the names in " + data.file + " are " + first_in_quotes(without_row) +
                     " (--by-order matches rows by order)");
  }
  if (skips_missing) {
    if (!without_row.empty()) data.keep(with_row);
    return;
  }
  for (std::size_t row = 0; row < table_.rows(); ++row)
    table_.text(row, 0);  // throws if the name is missing
  if (!without_row.empty()) {
    throw InputError(file() + ": observation " + in_quotes(without_row[0]) + " of " + data.file +
                     " has no row: it is not in " + first_column +
                     " (--skip-missing leaves such observations out)");
  }
}

std::vector<std::string> DesignFile::columns() const {
  auto const& all = table_.columns();
  return {all.begin() + (is_by_name_ ? 1 : 0), all.end()};
}

bool DesignFile::is_numeric(std::string const& name) const {
  auto const column = table_.column(name);
  return std::all_of(rows_.begin(), rows_.end(), [&](std::size_t row) {
    return table_.is_missing(row, column) || to_double(table_.cell(row, column));
  });
}

std::vector<std::string> DesignFile::texts(std::string const& name) const {
  auto const column = table_.column(name);
  std::vector<std::string> values;
  for (auto const row : rows_) values.push_back(table_.text(row, column));
  return values;
}

std::vector<double> DesignFile::numbers(std::string const& name) const {
  auto const column = table_.column(name);
  std::vector<double> values;
  for (auto const row : rows_) values.push_back(table_.number(row, column));
  return values;
}

void DesignFile::keep(std::vector<std::size_t> const& kept) {
  std::vector<std::size_t> fewer;
  for (auto const observation : kept) fewer.push_back(rows_[observation]);
  rows_ = std::move(fewer);
}

}  // namespace example::permute
