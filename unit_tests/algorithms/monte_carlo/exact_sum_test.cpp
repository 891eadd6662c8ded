#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/exact_sum.hpp>
#include <riffle/random/integers.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::exact_sum_test {
namespace {

using detail::ExactSum;
using detail::int128;

std::vector<int128> edge_values() {
  std::vector<int128> values{0};
  for (int bit : {0, 1, 31, 32, 33, 63, 64, 65, 95, 96, 120}) {
    int128 const power = static_cast<int128>(1) << bit;
    for (int128 const value : {power, power - 1, power + 1}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  return values;
}

TEST(ExactSumTest, HoldsEveryValue) {
  EXPECT_TRUE(ExactSum().value() == 0);
  for (auto const value : edge_values()) EXPECT_TRUE(ExactSum(value).value() == value);
}

TEST(ExactSumTest, AddsEveryPair) {
  for (auto const a : edge_values()) {
    for (auto const b : edge_values()) {
      ExactSum sum(a);
      sum += ExactSum(b);
      EXPECT_TRUE(sum.value() == a + b);
    }
  }
}

template <class Factors>
struct AddProducts {
  Factors x;
  Factors y;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, ExactSum& sum) const {
    sum += ExactSum(static_cast<int128>(x(i)) * y(i));
  }
};

template <class Exec>
int128 sum_of_products(std::vector<std::int64_t> const& x, std::vector<std::int64_t> const& y) {
  auto const x_view = to_view<Exec>(x);
  auto const y_view = to_view<Exec>(y);
  ExactSum sum;
  Kokkos::parallel_reduce("sum_of_products", Kokkos::RangePolicy<Exec>(0, x.size()),
                          AddProducts<decltype(x_view)>{x_view, y_view},
                          Kokkos::Sum<ExactSum>(sum));
  return sum.value();
}

template <class Exec>
class ExactSumReductionTest : public ::testing::Test {};
TYPED_TEST_SUITE(ExactSumReductionTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ExactSumReductionTest, ReducesWithoutRounding) {
  for (std::size_t const n : {0, 1, 2, 1000, 100001}) {
    std::vector<std::int64_t> x, y;
    int128 expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      auto const k = static_cast<std::int64_t>(i);
      x.push_back((std::int64_t{1} << 54) - k * 987654321);
      y.push_back((i % 3 == 0 ? -1 : 1) * (std::int64_t{1} << 53) + k);
      expected += static_cast<int128>(x.back()) * y.back();
    }
    EXPECT_TRUE(sum_of_products<TypeParam>(x, y) == expected) << n;
  }
}

}  // namespace
}  // namespace riffle::test::exact_sum_test
