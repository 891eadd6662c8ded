#include "text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace example {
namespace {

// Longer texts are truncated: a message must remain one readable line even if a whole file was parsed as one cell.
constexpr std::size_t longest_quote = 60;
constexpr std::size_t longest_list = 12;

constexpr bool continues_utf8(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string_view cut_between_characters(std::string_view text, std::size_t length) {
  while (length > 0 && continues_utf8(text[length])) --length;
  return text.substr(0, length);
}

// The length of the character at `at`; 0 if it is not valid UTF-8 or is a control character.
std::size_t length_of_character(std::string_view text, std::size_t at) {
  auto const byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  auto const first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  std::size_t const length = first < 0xC2   ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  auto const second = byte(1);
  bool const is_bad = (first == 0xC2 && second < 0xA0) ||  // control characters
                      (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return is_bad ? 0 : length;
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class... Format>
std::string number_to_text(double number, Format... format) {
  std::array<char, 512> buffer{};
  auto const [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format...);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

// Whether the text has digits only, and a double cannot represent this number.
bool loses_digits(std::string_view text, double number) {
  constexpr std::size_t always_held = 15;
  if (text.size() <= always_held) return false;
  if (text[0] == '+' || text[0] == '-') text.remove_prefix(1);
  while (text.size() > 1 && text[0] == '0') text.remove_prefix(1);
  bool const is_whole =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_whole && number_to_text(std::abs(number), std::chars_format::fixed, 0) != text;
}

}  // namespace

std::string visible(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (auto const length = length_of_character(text, i)) {
      out += text.substr(i, length);
      i += length;
      continue;
    }
    auto const byte = static_cast<unsigned char>(text[i++]);
    out += "\\x";
    out += digits[byte >> 4U];
    out += digits[byte & 0xFU];
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= longest_quote) return "'" + visible(text) + "'";
  return "'" + visible(cut_between_characters(text, longest_quote)) + "...'";
}

std::string list_in_quotes(std::vector<std::string> const& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), longest_list); ++i) {
    if (i > 0) out += ", ";
    out += in_quotes(names[i]);
  }
  if (names.size() > longest_list) {
    out += " and " + std::to_string(names.size() - longest_list) + " more";
  }
  return out;
}

std::optional<double> to_double(std::string_view text) {
  // from_chars does not accept a leading plus, which is common in files.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return whole_number<double>(text);
}

std::optional<double> finite_number(std::string_view text) {
  auto const number = to_double(text);
  if (!number || !std::isfinite(*number) || loses_digits(text, *number)) return std::nullopt;
  return number;
}

std::string number_error(std::string_view text) {
  auto const number = to_double(text);
  if (!number) return " is not a number";
  if (!std::isfinite(*number)) return " is not a finite number";
  return " has more digits than a double can store: subtract a constant, or round it";
}

std::optional<std::uint64_t> to_unsigned(std::string_view text) {
  return whole_number<std::uint64_t>(text);
}

bool is_missing_value(std::string const& text) {
  if (text.empty() || text == "NA") return true;
  auto const number = to_double(text);
  return number && std::isnan(*number);
}

std::string shortest(double number) { return number_to_text(number); }

std::string rounded(double number, int digits) {
  return number_to_text(number, std::chars_format::general, digits);
}

std::string grouped(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t i = out.size(); i > 3;) {
    i -= 3;
    out.insert(i, 1, ',');
  }
  return out;
}

std::string plural(std::uint64_t count, std::string const& noun) {
  return grouped(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string rate_text(double number) {
  if (number < 1e6) return grouped(static_cast<std::uint64_t>(number));
  if (number < 1e9) return rounded(number / 1e6, 3) + " million";
  return rounded(number / 1e9, 3) + " billion";
}

std::string time_text(double seconds) {
  if (seconds < 60) return rounded(seconds, 2) + " s";
  auto const whole = static_cast<std::uint64_t>(std::round(seconds));
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return grouped(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

std::vector<std::string> sorted_levels(std::vector<std::string> levels) {
  bool const numeric = std::all_of(levels.begin(), levels.end(),
                                   [](auto const& level) { return to_double(level).has_value(); });
  std::sort(levels.begin(), levels.end(), [numeric](auto const& a, auto const& b) {
    if (!numeric) return a < b;
    auto const x = to_double(a);
    auto const y = to_double(b);
    return *x != *y ? *x < *y : a < b;
  });
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

std::string alternative_text(std::string const& name, std::string const& symbol) {
  if (name == "two-sided") return "two-sided by |" + symbol + "|";
  return name == "two-sided-doubled" ? "two-sided by twice the smaller tail" : name;
}

std::vector<std::string> split_at_commas(std::string const& text) {
  std::vector<std::string> parts(1);
  for (char const c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<std::vector<std::string>> split_quoted_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    std::string part;
    if (!text.empty() && text[0] == '"') {
      for (bool is_first = true; !text.empty() && text[0] == '"'; is_first = false) {
        auto const end = text.find('"', 1);
        if (end == std::string_view::npos) return std::nullopt;
        if (!is_first) part += '"';
        part += text.substr(1, end - 1);
        text.remove_prefix(end + 1);
      }
    } else {
      part = text.substr(0, text.find(','));
      text.remove_prefix(part.size());
    }
    parts.push_back(std::move(part));
    if (text.empty()) return parts;
    if (text[0] != ',') return std::nullopt;
    text.remove_prefix(1);
  }
}

}  // namespace example
