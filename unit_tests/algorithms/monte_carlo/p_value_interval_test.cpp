// The interval of a p-value compared with sums of binomial probabilities: its bounds by their definition, and its
// coverage.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/p_value_interval.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "support/execution_spaces.hpp"
#include "support/samples.hpp"
#include "support/test_results.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::p_value_interval_test {
namespace {

/// Returns the probability of k successes in m trials. Requires: 0 < p < 1.
double binomial(std::uint64_t m, std::uint64_t k, double p) {
  auto const log_factorial = [](std::uint64_t n) {
    return std::lgamma(static_cast<double>(n) + 1);
  };
  return std::exp(log_factorial(m) - log_factorial(k) - log_factorial(m - k) +
                  static_cast<double>(k) * std::log(p) +
                  static_cast<double>(m - k) * std::log1p(-p));
}

/// Returns the probability of first, ..., last successes.
double sum_of_binomials(std::uint64_t m, std::uint64_t first, std::uint64_t last, double p) {
  double sum = 0;
  for (std::uint64_t k = first; k <= last; ++k) sum += binomial(m, k, p);
  return sum;
}

// By definition: if the p-value were a bound, counts at least as far away as b would have the probability (1 - level) /
// 2.
TEST(PValueIntervalTest, BoundsLeaveHalfOfTheRestOnEachSide) {
  for (std::uint64_t const m : {2, 7, 100, 999}) {
    for (std::uint64_t const b : {std::uint64_t{1}, m / 3, m / 2}) {
      if (b == 0) continue;
      for (double const level : {0.5, 0.95, 0.999}) {
        SCOPED_TRACE(::testing::Message() << b << " of " << m << ", level " << level);
        double const rest = (1 - level) / 2;
        for (auto const& result : {random_result(m, b, m, Alternative::less),
                                   random_result(m, m, b, Alternative::greater)}) {
          auto const [lower, upper] = p_value_interval(result, level);
          EXPECT_NEAR(sum_of_binomials(m, b, m, lower), rest, 1e-10);
          EXPECT_NEAR(sum_of_binomials(m, 0, b, upper), rest, 1e-10);
        }
      }
    }
  }
}

TEST(PValueIntervalTest, TwoSidedIsTwiceTheIntervalOfTheSmallerSide) {
  // For 5 of 100, twice the upper bound is less than 1; for 60 of 100, both bounds are limited to 1.
  auto const one_sided = p_value_interval(random_result(100, 5, 95, Alternative::less));
  for (auto const& [less_equal, greater_equal] : {std::pair{5, 95}, std::pair{95, 5}}) {
    auto const two_sided = p_value_interval(
        random_result(100, static_cast<std::uint64_t>(less_equal),
                      static_cast<std::uint64_t>(greater_equal), Alternative::two_sided_doubled));
    EXPECT_DOUBLE_EQ(two_sided.lower, 2 * one_sided.lower);
    EXPECT_DOUBLE_EQ(two_sided.upper, 2 * one_sided.upper);
  }
  auto const in_the_middle =
      p_value_interval(random_result(99, 60, 55, Alternative::two_sided_doubled));
  EXPECT_LT(in_the_middle.lower, 1);
  EXPECT_EQ(in_the_middle.upper, 1);
  auto const all_tie = p_value_interval(random_result(99, 99, 99, Alternative::two_sided_doubled));
  EXPECT_EQ(all_tie.lower, 1);
  EXPECT_EQ(all_tie.upper, 1);
}

TEST(PValueIntervalTest, NoneAndAllOfFewReplicates) {
  auto const none = p_value_interval(random_result(1, 0, 1, Alternative::less), 0.9);
  EXPECT_EQ(none.lower, 0);
  EXPECT_NEAR(none.upper, 0.95, 1e-12);
  auto const all = p_value_interval(random_result(1, 0, 1, Alternative::greater), 0.9);
  EXPECT_NEAR(all.lower, 0.05, 1e-12);
  EXPECT_EQ(all.upper, 1);
  auto const either = p_value_interval(random_result(1, 0, 1, Alternative::two_sided_doubled), 0.9);
  EXPECT_EQ(either.lower, 0);
  EXPECT_EQ(either.upper, 1);
}

TEST(PValueIntervalTest, OfAnExactTestIsItsPValue) {
  for (auto const alternative :
       {Alternative::less, Alternative::greater, Alternative::two_sided_doubled}) {
    auto const result = exact_result(20, 3, 18, alternative);
    auto const [lower, upper] = p_value_interval(result);
    EXPECT_EQ(lower, result.p_value());
    EXPECT_EQ(upper, result.p_value());
  }
  // The only arrangement of equal values is the observed one.
  auto const [lower, upper] =
      p_value_interval(exact_result(1, 1, 1, Alternative::two_sided_doubled));
  EXPECT_EQ(lower, 1);
  EXPECT_EQ(upper, 1);
}

/// Returns the probability that the interval of m replicates covers the p-value, where `side` is the p-value of `less`.
double coverage(std::uint64_t m, double side, Alternative alternative, double level) {
  double const other_side = 1 - side;
  double const p = alternative == Alternative::less      ? side
                   : alternative == Alternative::greater ? other_side
                                                         : 2 * std::min(side, other_side);
  double covered = 0;
  for (std::uint64_t b = 0; b <= m; ++b) {
    auto const [lower, upper] = p_value_interval(random_result(m, b, m - b, alternative), level);
    if (lower <= p && p <= upper) covered += binomial(m, b, side);
  }
  return covered;
}

TEST(PValueIntervalTest, CoversAtLeastAtItsLevel) {
  for (std::uint64_t const m : {1, 9, 50}) {
    for (double const side : {0.001, 0.04, 0.3, 0.5, 0.77, 0.999}) {
      for (double const level : {0.5, 0.9, 0.99}) {
        for (auto const alternative :
             {Alternative::less, Alternative::greater, Alternative::two_sided_doubled}) {
          EXPECT_GE(coverage(m, side, alternative, level), level - 1e-12)
              << m << ' ' << side << ' ' << level << ' ' << static_cast<int>(alternative);
        }
      }
    }
  }
  // The interval does not always cover it.
  EXPECT_LT(coverage(50, 0.3, Alternative::less, 0.5), 0.7);
  EXPECT_LT(coverage(50, 0.3, Alternative::two_sided_doubled, 0.5), 0.7);
}

TEST(PValueIntervalTest, RejectsInvalidLevels) {
  for (auto const& result :
       {random_result(100, 5, 95, Alternative::less), exact_result(20, 3, 18, Alternative::less)}) {
    auto const message = [&](double level) {
      return thrown_message([&] { p_value_interval(result, level); });
    };
    EXPECT_EQ(message(1), "riffle::clopper_pearson: level = 1: must lie between 0 and 1");
    EXPECT_EQ(message(0), "riffle::clopper_pearson: level = 0: must lie between 0 and 1");
    EXPECT_EQ(message(std::numeric_limits<double>::quiet_NaN()),
              "riffle::clopper_pearson: level = nan: must lie between 0 and 1");
  }
}

template <class Exec>
class PValueIntervalOfATest : public ::testing::Test {
 protected:
  PermutationTestResult run(PermutationTestOptions const& options) const {
    return riffle::permutation_test(exec, riffle::DifferenceOfMeans{}, x, y, options);
  }

  Exec exec;
  Kokkos::View<double*, typename Exec::memory_space> x = to_view<Exec>(sleep_x);
  Kokkos::View<double*, typename Exec::memory_space> y = to_view<Exec>(sleep_y);
};
TYPED_TEST_SUITE(PValueIntervalOfATest, ExecutionSpaces, SpaceNames);

// SciPy's exact p-value, as in permutation_test_test.cpp.
TYPED_TEST(PValueIntervalOfATest, CoversTheExactPValueNearlyAlways) {
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    PermutationTestOptions options;
    options.replicates = 400;
    options.seed = seed;
    auto const interval = p_value_interval(this->run(options));
    covered += interval.lower <= 0.08144796380090498 && 0.08144796380090498 <= interval.upper;
  }
  EXPECT_GE(covered, 88);
  EXPECT_LT(covered, 100);
}

}  // namespace
}  // namespace riffle::test::p_value_interval_test
