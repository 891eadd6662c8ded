// Divisions by a Divider, compared with the operator /.

#include <Kokkos_Core.hpp>
#include <riffle/random/integers.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/type_names.hpp"

namespace riffle::test::divider_test {
namespace {

template <class Word>
class DividerTest : public ::testing::Test {
 protected:
  static constexpr int bits = 8 * sizeof(Word) - 1;
  static constexpr Word largest = std::numeric_limits<Word>::max() / 2;

  /// Powers of two, their neighbours, and random numbers.
  static std::vector<Word> numbers() {
    std::vector<Word> all{0, largest, largest - 1, largest / 3};
    for (int bit = 0; bit < bits; ++bit) {
      Word const power = Word{1} << bit;
      all.insert(all.end(), {static_cast<Word>(power - 1), power, static_cast<Word>(power + 1)});
    }
    std::mt19937_64 generator(1);
    for (int k = 0; k < 500; ++k) {
      all.push_back(static_cast<Word>(generator()) >> (1 + generator() % (bits - 1)));
    }
    return all;
  }

  /// Returns whether quotient and multiple of the divider are right.
  static bool is_right(detail::Divider<Word> const& divider, Word divisor, Word i) {
    return i > largest || (divider.quotient(i) == i / divisor &&
                           divider.multiple(i) == static_cast<Word>(i - i % divisor));
  }
};
using Words = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(DividerTest, Words, TypeNames);

TYPED_TEST(DividerTest, QuotientsOfAllSizes) {
  for (TypeParam const divisor : this->numbers()) {
    if (divisor == 0 || divisor > this->largest) continue;
    detail::Divider<TypeParam> const divider(divisor);
    EXPECT_EQ(divider.divisor(), divisor);
    for (TypeParam const i : this->numbers()) {
      EXPECT_TRUE(this->is_right(divider, divisor, i)) << i << " / " << divisor;
      TypeParam const multiple = i - i % divisor;
      EXPECT_TRUE(this->is_right(divider, divisor, multiple)) << multiple << " / " << divisor;
      if (multiple == 0) continue;
      EXPECT_TRUE(this->is_right(divider, divisor, multiple - 1)) << multiple << " / " << divisor;
    }
  }
}

}  // namespace
}  // namespace riffle::test::divider_test
