#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>
#include <string>

#include <riffle/errors.hpp>

#include "support/exceptions.hpp"

namespace errors_test {
namespace {

using riffle::detail::check;
using riffle::detail::concatenate;

struct CountsPrints {
  int* prints;
};

std::ostream& operator<<(std::ostream& out, CountsPrints const& value) {
  ++*value.prints;
  return out << "printed";
}

TEST(Errors, ConcatenateWritesEveryPart) {
  EXPECT_EQ(concatenate("n = ", 3, ", x = ", 0.5, ", label = ", std::string("a b")),
            "n = 3, x = 0.5, label = a b");
}

TEST(Errors, CheckThatHoldsReturns) {
  int prints = 0;
  EXPECT_NO_THROW(check(true, "f", CountsPrints{&prints}));
  EXPECT_EQ(prints, 0) << "the text is made only on failure";
}

TEST(Errors, CheckThatFailsNamesFunctionArgumentAndValue) {
  auto const call = [] { check(false, "shuffle", "n = ", -1, ": must not be negative"); };
  riffle::test::expect_invalid_argument(call, "shuffle", "n = -1");
  try {
    call();
  } catch (std::invalid_argument const& error) {
    EXPECT_STREQ(error.what(), "riffle::shuffle: n = -1: must not be negative");
  }
}

TEST(Errors, CheckThrowsTheExceptionAskedFor) {
  EXPECT_THROW(check<std::length_error>(false, "f", "too long"), std::length_error);
  EXPECT_NO_THROW(check<std::length_error>(true, "f", "too long"));
}

}  // namespace
}  // namespace errors_test
