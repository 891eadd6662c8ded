#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// A text as one line that is safe to print: control characters and bytes that are not UTF-8 become \x1B and the like. The
/// function is idempotent.
std::string visible(std::string_view text);

/// 'text' in quotes, on one line and of bounded length.
std::string in_quotes(std::string_view text);

/// 'a', 'b', 'c'; a long list is truncated, with the number of omitted names.
std::string list_in_quotes(std::vector<std::string> const& names);

/// Parses the whole text as a double in the C locale: "1.5", "-2e3", "+4", "inf". Empty if the text is anything else or the
/// number is out of range.
std::optional<double> to_double(std::string_view text);

/// Parses a finite number that a double can represent. number_error() gives the reason if this fails, such as " is not a
/// number".
std::optional<double> finite_number(std::string_view text);
std::string number_error(std::string_view text);

/// Whether a cell of a table has no value: it is empty, NA or NaN.
bool is_missing_value(std::string const& text);

/// Parses the whole text as an unsigned integer in base 10.
std::optional<std::uint64_t> to_unsigned(std::string_view text);

/// A rate, such as "1.25 million".
std::string rate_text(double number);

/// "2 h 5 min", "1 min 10 s" or "0.42 s".
std::string time_text(double seconds);

/// Splits at commas; there is at least one part.
std::vector<std::string> split_at_commas(std::string const& text);

/// Splits at commas as CSV does: a part in double quotes may have commas, and doubled quotes stand for one. Empty if a quote is
/// not closed, or if a part continues after its closing quote.
std::optional<std::vector<std::string>> split_quoted_at_commas(std::string_view text);

/// The distinct names: sorted by value if all are numbers, otherwise as text.
std::vector<std::string> sorted_levels(std::vector<std::string> levels);

/// The alternative in words, from its option name; two-sided ones say what is compared. `symbol` is the statistic about its
/// mean.
std::string alternative_text(std::string const& name, std::string const& symbol = "T");

/// The shortest text that reads back as the same double.
std::string shortest(double number);

/// Rounded to `digits` significant digits, without an exponent if the result stays readable.
std::string rounded(double number, int digits = 4);

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t number);

/// "1 variable", "2 variables": the count and the noun, with an s unless the count is 1.
std::string plural(std::uint64_t count, std::string const& noun);

}  // namespace example
