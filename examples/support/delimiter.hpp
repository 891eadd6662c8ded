#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace example {

/// The character between two cells of a row.
enum class Delimiter : char { comma = ',', semicolon = ';', tab = '\t' };

/// Parses "comma", "semicolon", "tab", one of the characters, or "\t"; empty for any other text.
std::optional<Delimiter> to_delimiter(std::string_view text);

/// "commas", "semicolons" or "tabs".
std::string plural_of(Delimiter);

/// The delimiter that is most frequent outside quotes in the first line that is not blank. If two are equally
/// frequent, comma is preferred to semicolon, and semicolon to tab.
Delimiter detect_delimiter(std::string_view text);

}  // namespace example
