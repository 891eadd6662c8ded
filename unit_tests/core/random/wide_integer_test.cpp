#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <riffle/random/integers.hpp>

#include "support/execution_spaces.hpp"
#include "support/kernels.hpp"

namespace wide_integer_test {
namespace {

namespace detail = riffle::detail;

constexpr auto all_ones = std::numeric_limits<std::uint64_t>::max();

static_assert(sizeof(detail::uint128) == 16 && sizeof(detail::int128) == 16);
static_assert(static_cast<detail::int128>(-1) < 0 && static_cast<detail::uint128>(-1) > 0);
static_assert(detail::multiply_high(std::uint32_t{1} << 31, std::uint32_t{6}) == 3);
static_assert(detail::multiply_high(std::uint64_t{1} << 63, std::uint64_t{6}) == 3);
static_assert(detail::multiply_high(all_ones, all_ones) == all_ones - 1);
static_assert(detail::inverse_of_odd(3) * 3 == 1);
static_assert(detail::bit_width(0) == 0 && detail::bit_width(all_ones) == 64);

// The powers of two and their neighbours, and random numbers.
std::vector<std::uint64_t> interesting_numbers() {
  std::vector<std::uint64_t> numbers{0, all_ones};
  for (int bit = 0; bit < 64; ++bit) {
    std::uint64_t const power = std::uint64_t{1} << bit;
    numbers.insert(numbers.end(), {power - 1, power, power + 1});
  }
  std::mt19937_64 generator(1);
  for (int i = 0; i < 100; ++i) numbers.push_back(generator() >> (i % 64));
  return numbers;
}

// The upper half of a product by long multiplication, with digits of 32 bits.
std::uint64_t long_multiplication_high(std::uint64_t a, std::uint64_t b) {
  std::uint64_t const a0 = a & 0xFFFFFFFFu, a1 = a >> 32;
  std::uint64_t const b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
  std::uint64_t const middle = a1 * b0 + (a0 * b0 >> 32);
  std::uint64_t const carry = a0 * b1 + (middle & 0xFFFFFFFFu);
  return a1 * b1 + (middle >> 32) + (carry >> 32);
}

TEST(WideInteger, MultiplyHighIsLongMultiplication) {
  for (auto const a : interesting_numbers()) {
    for (auto const b : interesting_numbers()) {
      ASSERT_EQ(detail::multiply_high(a, b), long_multiplication_high(a, b)) << a << " * " << b;
      auto const a32 = static_cast<std::uint32_t>(a);
      auto const b32 = static_cast<std::uint32_t>(b);
      ASSERT_EQ(detail::multiply_high(a32, b32), std::uint64_t{a32} * b32 / (1ull << 32));
    }
  }
}

TEST(WideInteger, InverseOfOddTimesNumberIsOne) {
  for (auto const a : interesting_numbers()) ASSERT_EQ(detail::inverse_of_odd(a | 1) * (a | 1), 1u);
}

TEST(WideInteger, BitWidthMatchesTheStandardLibrary) {
  for (auto const x : interesting_numbers())
    ASSERT_EQ(detail::bit_width(x), static_cast<int>(std::bit_width(x))) << x;
}

struct Everything {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t x) const {
    return detail::multiply_high(x, x ^ 0x9E3779B97F4A7C15u) ^ detail::inverse_of_odd(x | 1) ^
           static_cast<std::uint64_t>(detail::bit_width(x)) ^
           detail::multiply_high(static_cast<std::uint32_t>(x), 0x85EBCA6Bu);
  }
};

template <class Exec>
class WideIntegerInKernels : public ::testing::Test {};
TYPED_TEST_SUITE(WideIntegerInKernels, riffle::test::ExecutionSpaces, riffle::test::SpaceNames);

TYPED_TEST(WideIntegerInKernels, MatchesTheHost) {
  auto const numbers = interesting_numbers();
  EXPECT_EQ(riffle::test::map_in_kernel<TypeParam>(Everything{}, numbers),
            riffle::test::map_on_host(Everything{}, numbers));
}

}  // namespace
}  // namespace wide_integer_test
