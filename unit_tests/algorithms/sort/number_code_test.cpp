// The codes of numbers are in the order of sorts, and are a bijection of bits.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/sort/number_code.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "support/number_order.hpp"

namespace riffle::test::number_code_test {
namespace {

template <class T>
using Bits = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Bits around zeros, infinities, NaNs of least and greatest payload, and the least and greatest
/// integers; and random bits.
template <class T>
std::vector<T> values() {
  constexpr Bits<T> sign = static_cast<Bits<T>>(Bits<T>{1} << (8 * sizeof(T) - 1));
  std::vector<Bits<T>> edges{0, sign};
  if constexpr (std::is_floating_point_v<T>) {
    auto const infinity = std::bit_cast<Bits<T>>(std::numeric_limits<T>::infinity());
    edges.push_back(infinity);
    edges.push_back(infinity | sign);
  }
  std::vector<T> all;
  for (auto const edge : edges) {
    for (int d = -3; d <= 3; ++d) {
      all.push_back(std::bit_cast<T>(static_cast<Bits<T>>(edge + static_cast<Bits<T>>(d))));
    }
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) all.push_back(std::bit_cast<T>(static_cast<Bits<T>>(random())));
  return all;
}

template <class T>
class NumberCodeTest : public ::testing::Test {};
using Numbers = ::testing::Types<float, double, std::int8_t, std::uint16_t, std::int32_t,
                                 std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(NumberCodeTest, Numbers);

template <class Order, class T>
void expect_order_and_bits() {
  using Code = detail::sort::NumberCode<T, Order>;
  auto const all = values<T>();
  for (T const a : all) {
    auto const code = Code::encode(a);
    EXPECT_EQ(std::bit_cast<Bits<T>>(Code::decode(code)), std::bit_cast<Bits<T>>(a));
    for (T const b : all) {
      ASSERT_EQ(code < Code::encode(b), is_sorted_before<Order>(a, b)) << +a << " and " << +b;
    }
  }
}

TYPED_TEST(NumberCodeTest, OrderAndBits) {
  expect_order_and_bits<Ascending, TypeParam>();
  expect_order_and_bits<Descending, TypeParam>();
}

/// A WordCode, which kernels get as a parameter, has the same codes.
TYPED_TEST(NumberCodeTest, CodesOfWords) {
  using Code = detail::sort::NumberCode<TypeParam, Descending>;
  if constexpr (sizeof(TypeParam) >= 4) {
    auto const words = Code::of_words();
    for (TypeParam const a : values<TypeParam>()) {
      auto const bits = std::bit_cast<typename Code::Word>(a);
      EXPECT_EQ(words.encode(bits), Code::encode(a));
      EXPECT_EQ(words.decode(words.encode(bits)), bits);
    }
  }
}

TEST(NumberCode, Booleans) {
  using Up = detail::sort::NumberCode<bool, Ascending>;
  using Down = detail::sort::NumberCode<bool, Descending>;
  EXPECT_LT(Up::encode(false), Up::encode(true));
  EXPECT_LT(Down::encode(true), Down::encode(false));
  for (bool const x : {false, true}) {
    EXPECT_EQ(Up::decode(Up::encode(x)), x);
    EXPECT_EQ(Down::decode(Down::encode(x)), x);
  }
}

}  // namespace
}  // namespace riffle::test::number_code_test
