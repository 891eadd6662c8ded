#pragma once

#include <stdexcept>

namespace example {

/// What the user gave cannot be used. The message is one line; the program ends with exit code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace example
