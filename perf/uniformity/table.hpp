#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace perf::quality {

/// A table printed line by line, as results come: columns have their width from the start.
class Table {
 public:
  struct Column {
    std::string title;
    int width;
    bool is_number = false;  // set to the right
  };

  /// Prints the titles.
  Table(std::ostream& out, std::vector<Column> columns);

  void print(std::vector<std::string> const& cells) const;

 private:
  std::ostream& out_;
  std::vector<Column> columns_;
};

/// With so many significant digits.
std::string rounded(double number, int digits = 3);

}  // namespace perf::quality
