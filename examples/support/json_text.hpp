#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace example {

/// `object` on one line. Bytes that are not valid UTF-8, as in names from a file, are replaced, because JSON must be UTF-8.
std::string json_line(nlohmann::ordered_json const& object);

/// Replaces invalid UTF-8, for the texts of a picture.
std::string valid_utf8(std::string const& text);

}  // namespace example
