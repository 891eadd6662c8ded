#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace example {

/// Names in a file need not be valid UTF-8, JSON and SVG must be.
inline constexpr auto replace_invalid = nlohmann::json::error_handler_t::replace;

inline std::string valid_utf8(std::string const& text) {
  return nlohmann::json::parse(nlohmann::json(text).dump(-1, ' ', false, replace_invalid));
}

}  // namespace example
