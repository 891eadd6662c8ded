#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace riffle::detail {

template <class... Parts>
std::string concatenate(Parts const&... parts) {
  std::ostringstream text;
  static_cast<void>((text << ... << parts));
  return text.str();
}

/// Throws `Exception` with the text `riffle::<function>: <parts...>` unless `ok`. The parts name
/// the argument, its value and the requirement. The text is built only on failure.
template <class Exception = std::invalid_argument, class... Parts>
void check(bool ok, char const* function, Parts const&... parts) {
  if (!ok) throw Exception(concatenate("riffle::", function, ": ", parts...));
}

}  // namespace riffle::detail
