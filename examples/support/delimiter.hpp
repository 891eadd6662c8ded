#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace example {

/// The character between two cells of a row.
enum class Delimiter : char { comma = ',', semicolon = ';', tab = '\t' };

/// By its name, "comma", "semicolon" or "tab", by itself, or "\t" for a tab; nothing where it is none of these.
std::optional<Delimiter> to_delimiter(std::string_view text);

/// "commas", "semicolons" or "tabs".
std::string plural_of(Delimiter);

/// The one that the header, the first line that is not blank, has most of outside of quotes; a comma where none is ahead.
Delimiter recognise_delimiter(std::string_view text);

}  // namespace example
