#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delimiter.hpp"

namespace example {

/// The file name that stands for standard input.
inline constexpr std::string_view standard_input = "-";

/// "standard input", or the name of the file.
std::string name_in_messages(std::string const& file);

/// The content of a file or of standard input, decompressed if it is compressed by gzip (encoding.hpp). Throws InputError.
std::string text_of_file(std::string const& file);

struct CsvRow {
  std::size_t line = 0;  // line of the file on which the row begins
  std::vector<std::string> cells;
};

/// Calls `take` for each row in order, beginning with the header; `take` may move the cells away. A large file is thus never
/// held cell by cell. Without a delimiter, it is detected. Returns the delimiter. `file` is used in messages. Throws
/// InputError, and exceptions thrown by `take`.
Delimiter for_each_csv_row(std::string const& file, std::string_view text,
                           std::optional<Delimiter> delimiter,
                           std::function<void(CsvRow&)> const& take);

/// Throws InputError if a row and the header differ in the number of cells.
void check_width(std::string const& file, CsvRow const& row, std::size_t width,
                 Delimiter delimiter);

}  // namespace example
