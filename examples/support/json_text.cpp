#include "json_text.hpp"

#include <nlohmann/json.hpp>

namespace example {
namespace {

constexpr auto replace_invalid = nlohmann::json::error_handler_t::replace;

// Escapes U+007F to U+009F, which JSON allows unescaped but some terminals interpret as commands.
std::string with_escaped_controls(std::string const& json) {
  std::string out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    auto const next = i + 1 < json.size() ? static_cast<unsigned char>(json[i + 1]) : 0U;
    if (json[i] == '\x7F') {
      out += "\\u007f";
    } else if (json[i] == '\xC2' && next >= 0x80 && next < 0xA0) {
      out += next < 0x90 ? "\\u008" : "\\u009";
      out += "0123456789abcdef"[next & 0xFU];
      ++i;
    } else {
      out += json[i];
    }
  }
  return out;
}

}  // namespace

std::string json_line(nlohmann::ordered_json const& object) {
  return with_escaped_controls(object.dump(-1, ' ', false, replace_invalid)) + '\n';
}

std::string valid_utf8(std::string const& text) {
  return nlohmann::json::parse(nlohmann::json(text).dump(-1, ' ', false, replace_invalid));
}

}  // namespace example
