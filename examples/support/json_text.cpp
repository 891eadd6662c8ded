#include "json_text.hpp"

#include <nlohmann/json.hpp>

namespace example {
namespace {

constexpr auto replace_invalid = nlohmann::json::error_handler_t::replace;

}  // namespace

std::string one_line(nlohmann::ordered_json const& object) {
  return object.dump(-1, ' ', false, replace_invalid) + '\n';
}

std::string valid_utf8(std::string const& text) {
  return nlohmann::json::parse(nlohmann::json(text).dump(-1, ' ', false, replace_invalid));
}

}  // namespace example
