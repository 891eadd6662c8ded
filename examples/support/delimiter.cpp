#include "delimiter.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace example {
namespace {

using namespace std::string_view_literals;

constexpr std::array delimiters{
    std::pair{"comma"sv, Delimiter::comma},
    std::pair{"semicolon"sv, Delimiter::semicolon},
    std::pair{"tab"sv, Delimiter::tab},
};

char character(Delimiter delimiter) { return static_cast<char>(delimiter); }

// The text from the first character of the header on.
std::string_view from_header(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of("\r\n \t"), text.size()));
}

// Counts in the first line; line ends inside quotes do not end it.
std::size_t count_in_line(std::string_view text, char wanted) {
  std::size_t count = 0;
  bool quoted = false;
  for (char const c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\r' || c == '\n') break;
    if (c == wanted) ++count;
  }
  return count;
}

}  // namespace

std::optional<Delimiter> to_delimiter(std::string_view text) {
  if (text == R"(\t)") return Delimiter::tab;
  for (auto const& [name, delimiter] : delimiters) {
    if (text == name || (text.size() == 1 && text[0] == character(delimiter))) return delimiter;
  }
  return std::nullopt;
}

std::string plural_of(Delimiter delimiter) {
  auto const at = std::find_if(delimiters.begin(), delimiters.end(),
                               [=](auto const& named) { return named.second == delimiter; });
  return std::string(at->first) + "s";
}

Delimiter detect_delimiter(std::string_view text) {
  auto const header = from_header(text);
  auto const count = [&](auto const& named) {
    return count_in_line(header, character(named.second));
  };
  // The first of the most frequent delimiters.
  return std::max_element(delimiters.begin(), delimiters.end(),
                          [&](auto const& a, auto const& b) { return count(a) < count(b); })
      ->second;
}

}  // namespace example
