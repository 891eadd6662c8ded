#include "uniformity/table.hpp"

#include <cstdio>
#include <ostream>
#include <utility>

namespace perf::quality {
namespace {

std::string padded(std::string const& text, Table::Column const& column) {
  auto const width = static_cast<std::size_t>(column.width);
  std::string const space(width > text.size() ? width - text.size() : 0, ' ');
  return column.is_number ? space + text : text + space;
}

}  // namespace

Table::Table(std::ostream& out, std::vector<Column> columns)
    : out_(out), columns_(std::move(columns)) {
  std::vector<std::string> titles;
  for (auto const& column : columns_) titles.push_back(column.title);
  print(titles);
}

void Table::print(std::vector<std::string> const& cells) const {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    line += (c == 0 ? "" : "  ") + padded(cells[c], columns_[c]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out_ << line << std::endl;  // flushed, because a run may take hours
}

std::string rounded(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, number);
  return text;
}

}  // namespace perf::quality
