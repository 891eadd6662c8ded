#pragma once

#include <stdexcept>

namespace example {

/// An error in the user's input. The message is one line; the program ends with exit code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace example
