#include "design_file.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "input_error.hpp"
#include "text.hpp"

namespace example::permute {

DesignFile::DesignFile(CsvTable table, DataMatrix const& data) : table_(std::move(table)) {
  std::unordered_map<std::string, bool> is_observation;
  for (auto const& name : data.observations) is_observation[name] = true;
  for (std::size_t row = 0; row < table_.rows(); ++row) {
    is_by_name_ = is_by_name_ || is_observation.count(table_.cell(row, 0)) > 0;
  }
  if (is_by_name_) {
    match_by_name(data);
    return;
  }
  if (table_.rows() != data.observations.size()) {
    throw InputError(file() + ": " + std::to_string(table_.rows()) + " rows, where " + data.file +
                     " has " + std::to_string(data.observations.size()) +
                     " observations, and none of their names (" + in_quotes(data.observations[0]) +
                     ", ...) is in the first column");
  }
  rows_.resize(table_.rows());
  std::iota(rows_.begin(), rows_.end(), std::size_t{0});
}

void DesignFile::match_by_name(DataMatrix const& data) {
  std::unordered_map<std::string, std::size_t> row_of;
  for (std::size_t row = 0; row < table_.rows(); ++row) {
    if (!row_of.try_emplace(table_.text(row, 0), row).second) {
      throw InputError(file() + ": two rows have the name " + in_quotes(table_.cell(row, 0)));
    }
  }
  for (auto const& name : data.observations) {
    auto const at = row_of.find(name);
    if (at == row_of.end()) {
      throw InputError(file() + ": no row has the name " + in_quotes(name) +
                       " in the first column, an observation of " + data.file);
    }
    rows_.push_back(at->second);
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
