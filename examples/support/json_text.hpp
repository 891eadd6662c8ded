#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace example {

/// `object` on one line. Names in a file need not be valid UTF-8, JSON must be: what is not is replaced.
std::string json_line(nlohmann::ordered_json const& object);

/// The same replacement, for the texts of a picture.
std::string valid_utf8(std::string const& text);

}  // namespace example
