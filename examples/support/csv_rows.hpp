#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delimiter.hpp"

namespace example {

/// The name of standard input among files, as in other programs.
inline constexpr std::string_view standard_input = "-";

/// "standard input", or the file as it is.
std::string name_in_messages(std::string const& file);

/// All of a file, or of standard input, decompressed where it is compressed by gzip (encoding.hpp). Throws InputError.
std::string text_of_file(std::string const& file);

struct CsvRow {
  std::size_t line = 0;  // where it begins in the file
  std::vector<std::string> cells;
};

/// Hands the rows to `take` one after the other, the header first, so that a large file need not be held cell by cell.
/// `take` may move the cells away. Without a delimiter it is recognised, and returned. `file` stands in messages. Throws
/// InputError, and what `take` throws.
Delimiter for_each_csv_row(std::string const& file, std::string_view text,
                           std::optional<Delimiter> delimiter,
                           std::function<void(CsvRow&)> const& take);

/// Throws InputError where a row has another number of cells than the header.
void check_width(std::string const& file, CsvRow const& row, std::size_t width,
                 Delimiter delimiter);

}  // namespace example
