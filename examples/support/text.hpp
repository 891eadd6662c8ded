#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// A text for a terminal, on one line: control characters, which a terminal obeys, and bytes that are not UTF-8 are
/// written as \x1B. Texts that were made visible stay the same.
std::string visible(std::string_view text);

/// 'text' between quotes, on one line and of bounded length whatever the text holds.
std::string in_quotes(std::string_view text);

/// 'a', 'b', 'c'; long lists are cut with a count of what is left out.
std::string list_in_quotes(std::vector<std::string> const& names);

/// The whole text as a double, in the C locale whatever the user's: "1.5", "-2e3", "+4", "inf".
/// Nothing where there is anything else in it, or where a double cannot hold the number.
std::optional<double> to_double(std::string_view text);

/// The same of a finite number, which is not of whole digits of which a double cannot hold all; and what is wrong otherwise:
/// " is not a number".
std::optional<double> finite_number(std::string_view text);
std::string fault_of_number(std::string_view text);

/// Whether a cell of a table says that there is no value: empty, NA, or what a double takes for NaN.
bool holds_no_value(std::string const& text);

/// The whole text as an unsigned integer in base 10, or nothing.
std::optional<std::uint64_t> to_unsigned(std::string_view text);

/// "1.25 million" of a number per second, or whatever else is large.
std::string rate_text(double number);

/// "2 h 5 min", "1 min 10 s" or "0.42 s".
std::string time_text(double seconds);

/// The parts between commas, at least one.
std::vector<std::string> split_at_commas(std::string const& text);

/// The same of parts as CSV has them: one in double quotes may have commas, and doubled quotes for single ones. Nothing where
/// a quote is not closed, or where a part goes on after its closing quote.
std::optional<std::vector<std::string>> split_quoted_at_commas(std::string_view text);

/// Numbers by their size, other texts as they are; each once.
std::vector<std::string> sorted_levels(std::vector<std::string> levels);

/// An alternative as reports name it, by its name among options: of two-sided ones, what is compared. `symbol` is that of the
/// statistic about its mean.
std::string alternative_text(std::string const& name, std::string const& symbol = "T");

/// The shortest text that reads back as the same double.
std::string shortest(double number);

/// Rounded to so many significant digits, without an exponent where that stays readable.
std::string rounded(double number, int digits = 4);

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t number);

}  // namespace example
