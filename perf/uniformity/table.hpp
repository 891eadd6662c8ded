#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace perf::quality {

/// A table that is printed line by line as results arrive; the widths of columns are fixed.
class Table {
 public:
  struct Column {
    std::string title;
    int width;
    bool is_number = false;  // aligned to the right
  };

  /// Prints the header.
  Table(std::ostream& out, std::vector<Column> columns);

  void print(std::vector<std::string> const& cells) const;

 private:
  std::ostream& out_;
  std::vector<Column> columns_;
};

/// The number with `digits` significant digits.
std::string rounded(double number, int digits = 3);

}  // namespace perf::quality
