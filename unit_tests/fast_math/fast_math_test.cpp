// This file is compiled with -ffast-math. NaNs and infinities must still be found, although the compiler assumes finite values,
// and results of integer computations must not change. NaNs are made from bits, since the compiler may remove others.

#include <Kokkos_Core.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/monte_carlo/benjamini_hochberg.hpp>
#include <riffle/monte_carlo/detail/variables/per_variable_n.hpp>
#include <riffle/monte_carlo/detail/variables/residuals.hpp>
#include <riffle/monte_carlo/p_value_interval.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/order.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/argsort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "support/thrown_message.hpp"

#if !defined(__FAST_MATH__)
#error "to be compiled with -ffast-math"
#endif

namespace riffle::test::fast_math_test {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Values = std::vector<double>;
using Doubles = Kokkos::View<double*, Kokkos::HostSpace>;

double nan() { return detail::hidden_nan(); }
double infinite() { return detail::hidden_infinity(); }

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
bool has_bits_of_nan(double x) { return bits(x) << 1 > std::uint64_t{0x7ff} << 53; }

Doubles to_view(Values const& values) {
  Doubles const view("view", values.size());
  std::copy(values.begin(), values.end(), view.data());
  return view;
}

template <class T>
class FastMathValues : public ::testing::Test {
 protected:
  /// Converts a value that is known at run time only, so that the compiler folds nothing.
  static T made_of(double x) {
    double volatile const hidden = x;
    return static_cast<T>(static_cast<double>(hidden));
  }
};
#if defined(__FLT16_MANT_DIG__)
using Types = ::testing::Types<float, double, long double, Kokkos::Experimental::half_t,
                               Kokkos::Experimental::bhalf_t, detail::CompilersHalf>;
#else
using Types = ::testing::Types<float, double, long double, Kokkos::Experimental::half_t,
                               Kokkos::Experimental::bhalf_t>;
#endif
TYPED_TEST_SUITE(FastMathValues, Types);

TYPED_TEST(FastMathValues, AreClassified) {
  TypeParam const missing = this->made_of(nan());
  TypeParam const negative = this->made_of(std::bit_cast<double>(~std::uint64_t{0}));
  TypeParam const above = this->made_of(infinite());
  TypeParam const below = this->made_of(-infinite());
  TypeParam const numbers[] = {this->made_of(0), this->made_of(-0.0), this->made_of(1),
                               this->made_of(-2.5), this->made_of(0.0009765625)};
  for (TypeParam const& x : {missing, negative}) {
    EXPECT_TRUE(detail::is_nan(x));
    EXPECT_FALSE(detail::is_infinite(x));
    EXPECT_FALSE(detail::is_finite(x));
  }
  for (TypeParam const& x : {above, below}) {
    EXPECT_FALSE(detail::is_nan(x));
    EXPECT_TRUE(detail::is_infinite(x));
    EXPECT_FALSE(detail::is_finite(x));
  }
  for (TypeParam const& x : numbers) {
    EXPECT_FALSE(detail::is_nan(x));
    EXPECT_FALSE(detail::is_infinite(x));
    EXPECT_TRUE(detail::is_finite(x));
  }
}

TYPED_TEST(FastMathValues, HaveTheirOrderAndTies) {
  TypeParam const missing = this->made_of(nan());
  TypeParam const one = this->made_of(1);
  TypeParam const zero = this->made_of(0);
  auto const expect = [&]<class Order>(Order const& order) {
    EXPECT_TRUE(detail::is_before(order, one, missing));
    EXPECT_FALSE(detail::is_before(order, missing, one));
    EXPECT_FALSE(detail::is_before(order, missing, missing));
    EXPECT_TRUE(detail::differ(order, one, missing));
    EXPECT_TRUE(detail::differ(order, missing, one));
    EXPECT_TRUE(detail::differ(order, zero, one));
    EXPECT_FALSE(detail::differ(order, missing, missing));
    EXPECT_FALSE(detail::differ(order, zero, this->made_of(-0.0)));
  };
  expect(Ascending{});
  expect(Descending{});
}

TEST(FastMathTest, PermutationTestsRejectValuesThatAreNotFinite) {
  Exec const exec;
  Doubles const good = to_view({4.1, 5.0, 6.2, 5.5, 7.25});
  for (double const bad : {nan(), infinite(), -infinite()}) {
    Doubles const data = to_view({7.3, 6.8, 8.1, bad, 9.4});
    auto const expect = [&](auto const statistic) {
      EXPECT_THROW(riffle::permutation_test(exec, statistic, data, good), std::invalid_argument);
      EXPECT_THROW(riffle::permutation_test(exec, statistic, good, data), std::invalid_argument);
    };
    expect(DifferenceOfMeans{});
    expect(WelchT{});
  }
  EXPECT_EQ(thrown_message([&] {
              riffle::permutation_test(exec, DifferenceOfMeans{}, good, to_view({1, nan(), 2}));
            }),
            "riffle::permutation_test: y(1) = NaN: must be a finite number");
}

/// The first image (0 to 3) of 24 permutations of 4; NaN for replicate `nan_at`.
struct FirstImage {
  std::uint64_t nan_at;
  double nan;

  KOKKOS_FUNCTION double operator()(RandomPermutation const& sigma) const {
    return sigma(0) == nan_at ? nan : static_cast<double>(sigma(0));
  }
};

TEST(FastMathTest, ReplicatesThatAreNaNCountOnBothSides) {
  PermutationTestOptions options;
  options.enumerate = true;
  auto const result = riffle::permutation_test(Exec(), 4, FirstImage{2, nan()}, options);
  EXPECT_EQ(result.replicates, 24u);
  EXPECT_EQ(result.less_equal, 12u) << "6 of image 0, 6 NaNs";
  EXPECT_EQ(result.greater_equal, 24u);
  EXPECT_EQ(
      thrown_message([&] {
        riffle::permutation_test(Exec(), 4, FirstImage{0, nan()});
      }),
      "riffle::permutation_test: the statistic of the data as they are is NaN: no replicate can "
      "be compared with it");
}

// The counts of SciPy, and golden counts of permutation_test_test.cpp and permutation_test_random_test.cpp.
TEST(FastMathTest, PermutationTestsHaveTheSameCounts) {
  Doubles const x = to_view({4.1, 5.0, 6.2, 5.5});
  Doubles const y = to_view({7.3, 6.8, 8.1, 5.9, 9.4, 7.7, 6.1});
  auto const expect = [&](auto const statistic, double observed) {
    auto const exact = riffle::permutation_test(Exec(), statistic, x, y);
    EXPECT_NEAR(exact.statistic, observed, 1e-13);
    EXPECT_EQ(exact.replicates, 330u);
    EXPECT_EQ(exact.less_equal, 3u);
    EXPECT_EQ(exact.greater_equal, 328u);
    PermutationTestOptions options;
    options.enumerate = false;
    options.replicates = 3000;
    options.seed = 7;
    auto const random = riffle::permutation_test(Exec(), statistic, x, y, options);
    EXPECT_EQ(random.less_equal, 20u);
    EXPECT_EQ(random.greater_equal, 2987u);
  };
  expect(DifferenceOfMeans{}, -2.128571428571429);
  expect(WelchT{}, -3.3413615499964715);
}

// The power of two that scales such values to integers overflows unless it is applied as two factors; the sum of two of the
// values overflows, too.
TEST(FastMathTest, PermutationTestsTakeTheSmallestAndTheLargestValues) {
  auto const counts = [](double unit) {
    auto const times = [&](Values values) {
      for (double& value : values) value *= unit;
      return to_view(values);
    };
    auto const result = riffle::permutation_test(
        Exec(), DifferenceOfMeans{}, times({16, 20, 25, 22}), times({29, 27, 32, 24, 38, 31, 24}));
    return std::vector{result.less_equal, result.greater_equal};
  };
  EXPECT_EQ(counts(0x1p-1010), counts(1));
  EXPECT_EQ(counts(0x1.8p1018), counts(1));
}

TEST(FastMathTest, NaNsAreExcludedFromRanks) {
  std::size_t constexpr n = 50'000;
  std::size_t constexpr missing = 20'001;
  Values data(n);
  for (std::size_t i = 0; i < n; ++i) data[i] = i < missing ? nan() : static_cast<double>(n - i);
  Doubles const ranks("ranks", n);
  riffle::rank_unsorted(Exec(), to_view(data), ranks, ties::Competition{},
                        RankOptions<>{.missing = Missing::excluded});
  for (std::size_t i = 0; i < n; ++i) {
    if (i < missing) {
      ASSERT_TRUE(has_bits_of_nan(ranks(i))) << i;
    } else {
      ASSERT_EQ(ranks(i), static_cast<double>(n - i)) << i;
    }
  }
}

TEST(FastMathTest, SortedNaNsAreOneRun) {
  Doubles const sorted = to_view({-0.0, 0, 1, 2, 2, nan(), nan(), nan()});
  Kokkos::View<int*, Kokkos::HostSpace> const ranks("ranks", sorted.extent(0));
  riffle::rank(Exec(), sorted, ranks, ties::Competition{});
  EXPECT_EQ(std::vector<int>(ranks.data(), ranks.data() + ranks.size()),
            (std::vector{1, 1, 3, 4, 4, 6, 6, 6}));
  riffle::rank(Exec(), sorted, ranks, ties::Dense{});
  EXPECT_EQ(std::vector<int>(ranks.data(), ranks.data() + ranks.size()),
            (std::vector{1, 1, 2, 3, 3, 4, 4, 4}));
  EXPECT_EQ(riffle::first_unsorted(Exec(), sorted), 8u);
  EXPECT_EQ(riffle::first_unsorted(Exec(), to_view({1, nan(), 2, 3})), 2u);
}

TEST(FastMathTest, NaNsAreSortedLast) {
  std::size_t constexpr n = 10'000;
  Values data(n);
  for (std::size_t i = 0; i < n; ++i) {
    data[i] = i % 3 == 0 ? nan() : static_cast<double>(i * 7919 % n);
  }
  std::size_t const numbers = n - (n + 2) / 3;
  auto const expect = [&]<class Order>(Order const& order) {
    Doubles const view = to_view(data);
    riffle::sort(Exec(), view, order);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(has_bits_of_nan(view(i)), i >= numbers) << i;
      ASSERT_TRUE(i == 0 || i >= numbers || order(view(i - 1), view(i))) << i;
    }
    Kokkos::View<std::uint32_t*, Kokkos::HostSpace> const indices("indices", n);
    riffle::argsort(Exec(), to_view(data), indices, order);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(bits(data[indices(i)]), bits(view(i))) << i;
      ASSERT_TRUE(i <= numbers || indices(i - 1) < indices(i)) << i;
    }
  };
  expect(Ascending{});
  expect(Descending{});
}

TEST(FastMathTest, PValuesThatAreNaNStayNaN) {
  Values const adjusted = benjamini_hochberg({0.01, nan(), 0.04, 0.02});
  EXPECT_TRUE(has_bits_of_nan(adjusted[1]));
  EXPECT_NEAR(adjusted[0], 0.03, 1e-15);
  EXPECT_NEAR(adjusted[3], 0.03, 1e-15);
  EXPECT_NEAR(adjusted[2], 0.04, 1e-15);
  EXPECT_THROW(benjamini_hochberg({infinite()}), std::invalid_argument);
}

TEST(FastMathTest, RejectsLevelsThatAreNaN) {
  auto const result = riffle::permutation_test(Exec(), DifferenceOfMeans{}, to_view({1, 2, 3.5}),
                                               to_view({2, 4, 8.25}));
  EXPECT_THROW(riffle::p_value_interval(result, nan()), std::invalid_argument);
}

// 2^53 + 1 is not a double: the 1 is kept in the second part.
TEST(FastMathTest, CompensatedSumsKeepRoundingErrors) {
  detail::variables::DoubledSum sum;
  sum.add_product(0x1p53, 1);
  for (int i = 0; i < 3; ++i) sum.add_product(1, 1);
  sum.add_product(-0x1p53, 1);
  EXPECT_EQ(sum.high(), 3);
  detail::variables::DoubledSum kept;
  kept.add_product(0x1p53, 1);
  kept.add_product(1, 1);
  EXPECT_EQ(kept.high(), 0x1p53);
  EXPECT_EQ(kept.low(), 1);
}

TEST(FastMathTest, SlicesAreWholeNumbers) {
  double const x = 0.7310585786300049;
  double sum = 0;
  double weight = 1;
  detail::variables::slice(x, 1, 4, 0x1p14, [&](int, double part) {
    EXPECT_EQ(part, static_cast<double>(std::llrint(part)));
    weight *= 0x1p-14;
    sum += part * weight;
  });
  EXPECT_EQ(sum, x);
  EXPECT_EQ(detail::variables::unit_above(nan()), 0);
}

}  // namespace
}  // namespace riffle::test::fast_math_test
