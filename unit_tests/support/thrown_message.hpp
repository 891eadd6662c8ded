#pragma once

#include <stdexcept>
#include <string>

namespace riffle::test {

/// The text of the `Exception` that `call` throws.
template <class Exception = std::invalid_argument, class Call>
std::string thrown_message(Call const& call) {
  try {
    call();
  } catch (Exception const& exception) {
    return exception.what();
  }
  return "nothing was thrown";
}

}  // namespace riffle::test
