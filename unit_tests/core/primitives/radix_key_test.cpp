// Radix keys have the order and the ties of their numbers.

#include <riffle/primitives/radix_key.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include <riffle/order.hpp>

#include "support/type_names.hpp"

namespace riffle::test::radix_key_test {
namespace {

/// Numbers of each kind of a type, in ascending order.
template <class T>
std::vector<T> ascending_values() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (Limits::is_integer) {
    auto const low = static_cast<T>(Limits::min() + 1);
    auto const high = static_cast<T>(Limits::max() - 1);
    if constexpr (Limits::is_signed) return {Limits::min(), low, -1, 0, 1, high, Limits::max()};
    return {Limits::min(), low, 100, 101, high, Limits::max()};
  } else {
    return {-Limits::infinity(),  Limits::lowest(),      T(-1.5),
            -Limits::min(),       -Limits::denorm_min(), T(0),
            Limits::denorm_min(), Limits::min(),         T(1.5),
            Limits::max(),        Limits::infinity()};
  }
}

template <class T>
class RadixKeyTest : public ::testing::Test {};
using Numbers =
    ::testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                     std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(RadixKeyTest, Numbers, TypeNames);

TYPED_TEST(RadixKeyTest, IsOrderedAsTheNumbersAre) {
  detail::RadixKey<TypeParam, Ascending> const ascending;
  detail::RadixKey<TypeParam, Descending> const descending;
  auto const values = ascending_values<TypeParam>();
  for (std::size_t i = 1; i < values.size(); ++i) {
    EXPECT_LT(ascending(values[i - 1]), ascending(values[i])) << i;
    EXPECT_GT(descending(values[i - 1]), descending(values[i])) << i;
  }
  if constexpr (ascending.bits < 32) {
    EXPECT_LT(ascending(values.back()), 1u << ascending.bits);
    EXPECT_LT(descending(values.front()), 1u << ascending.bits);
  }
}

template <class T>
class RadixKeyOfNaNTest : public ::testing::Test {};
using FloatingPoint = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RadixKeyOfNaNTest, FloatingPoint, TypeNames);

TYPED_TEST(RadixKeyOfNaNTest, IsAfterOrBeforeAllNumbers) {
  using Limits = std::numeric_limits<TypeParam>;
  auto const check = [](auto const& nans_last, auto const& nans_first) {
    for (auto const nan : {Limits::quiet_NaN(), -Limits::quiet_NaN()}) {
      for (auto const number : ascending_values<TypeParam>()) {
        EXPECT_GT(nans_last(nan), nans_last(number));
        EXPECT_LT(nans_first(nan), nans_first(number));
        EXPECT_FALSE(nans_last.is_nan_key(nans_last(number)));
      }
      EXPECT_EQ(nans_last(nan), nans_last(Limits::signaling_NaN()));
      EXPECT_TRUE(nans_last.is_nan_key(nans_last(nan)));
      EXPECT_TRUE(nans_first.is_nan_key(nans_first(nan)));
    }
    EXPECT_EQ(nans_last(TypeParam(0)), nans_last(-TypeParam(0)));
  };
  check(detail::RadixKey<TypeParam, Ascending>(false),
        detail::RadixKey<TypeParam, Ascending>(true));
  check(detail::RadixKey<TypeParam, Descending>(false),
        detail::RadixKey<TypeParam, Descending>(true));
}

}  // namespace
}  // namespace riffle::test::radix_key_test
