#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "support/thrown_message.hpp"

namespace riffle::test {

/// Expects that `call` throws std::invalid_argument with a text that begins "riffle::<function>: " and names the argument
/// with its value, as in "n = 3:".
template <class Call>
void expect_invalid_argument(Call const& call, std::string const& function,
                             std::string const& argument) {
  std::string const text = thrown_message<std::invalid_argument>(call);
  EXPECT_EQ(text.rfind("riffle::" + function + ": ", 0), 0u) << text;
  EXPECT_NE(text.find(" " + argument + ":"), std::string::npos) << text;
}

}  // namespace riffle::test
