// The intervals of the p-values of many variables, compared with SciPy and with exact p-values.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/p_value_intervals.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "algorithms/monte_carlo/oracles/simulated_data.hpp"
#include "support/execution_spaces.hpp"
#include "support/permutation_tests_tables.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::p_value_intervals_test {
namespace {

using Doubles = PermutationTestsResult::Values<double>;
constexpr std::uint64_t replicates = 9999;

/// Returns the p-values (b + 1) / (m + 1) of these counts b; NaN for a negative count.
Doubles p_of(std::vector<double> const& counts) {
  Doubles const p("p", counts.size());
  for (std::size_t g = 0; g < counts.size(); ++g) {
    p(g) = counts[g] < 0 ? std::numeric_limits<double>::quiet_NaN()
                         : (counts[g] + 1) / (static_cast<double>(replicates) + 1);
  }
  return p;
}

PermutationTestsResult result_of(std::vector<double> const& p,
                                 std::vector<double> const& single_step,
                                 std::vector<double> const& step_down) {
  PermutationTestsResult result;
  result.p = p_of(p);
  result.p_single_step = p_of(single_step);
  result.p_step_down = p_of(step_down);
  result.replicates = replicates;
  return result;
}

void expect_near(Interval const& found, double lower, double upper) {
  EXPECT_NEAR(found.lower, lower, 1e-10 * lower);
  EXPECT_NEAR(found.upper, upper, 1e-10 * upper);
}

bool are_nan(Interval const& interval) {
  return std::isnan(interval.lower) && std::isnan(interval.upper);
}

// SciPy 1.10.1: scipy.stats.beta.ppf((1 - level) / 2, b, 9999 - b + 1), scipy.stats.beta.isf((1 - level) / 2, b + 1, 9999 - b).
TEST(PValueIntervalsTest, AgreeWithSciPy) {
  auto const result = result_of({17, 0, 1000}, {499, 24, 9999}, {24, 17, 9999});
  auto const intervals = p_value_intervals(result);
  ASSERT_EQ(intervals.size(), 3U);
  expect_near(intervals[0].p, 0.0009907138346107608, 0.0027207458493718915);
  expect_near(intervals[0].p_single_step, 0.04571860220967452, 0.054355934102656926);
  expect_near(intervals[0].p_step_down, 0.001538465791352224, 0.003569275266366259);
  expect_near(intervals[1].p, 0, 0.0003688567934951887);
  expect_near(intervals[1].p_single_step, 0.001538465791352224, 0.003569275266366259);
  expect_near(intervals[1].p_step_down, 0.0009907138346107608, 0.0027207458493718915);
  expect_near(intervals[2].p, 0.09419666124697142, 0.10605746996117633);
  expect_near(intervals[2].p_step_down, 0.9996311432065048, 1);
  for (auto const& of_variable : intervals) {
    EXPECT_TRUE(are_nan(of_variable.p_single_step_min_p));
    EXPECT_TRUE(are_nan(of_variable.p_step_down_min_p));
  }
  auto const one = p_value_intervals_of_variable(result, 0, 0.99);
  expect_near(one.p, 0.0008254661099676012, 0.0030772434828293853);
}

TEST(PValueIntervalsTest, IncludeTheMinimumOfPValues) {
  auto result = result_of({0}, {0}, {0});
  result.p_single_step_min_p = p_of({499});
  result.p_step_down_min_p = p_of({1000});
  auto const found = p_value_intervals_of_variable(result, 0);
  expect_near(found.p_single_step_min_p, 0.04571860220967452, 0.054355934102656926);
  expect_near(found.p_step_down_min_p, 0.09419666124697142, 0.10605746996117633);
}

TEST(PValueIntervalsTest, ExactTestsAndMissingVariables) {
  auto result = result_of({17, -1}, {24, -1}, {24, -1});
  EXPECT_TRUE(are_nan(p_value_intervals(result)[1].p));
  EXPECT_TRUE(are_nan(p_value_intervals(result)[1].p_step_down));
  result.exact = true;
  auto const [p, single_step, step_down, single_min_p, step_min_p] = p_value_intervals(result)[0];
  EXPECT_EQ(p.lower, result.p(0));
  EXPECT_EQ(p.upper, result.p(0));
  EXPECT_EQ(single_step.lower, result.p_single_step(0));
  EXPECT_EQ(single_step.upper, result.p_single_step(0));
  EXPECT_EQ(step_down.upper, result.p_step_down(0));
  EXPECT_TRUE(are_nan(single_min_p));
  EXPECT_TRUE(are_nan(step_min_p));
  EXPECT_TRUE(are_nan(p_value_intervals(result)[1].p));
  EXPECT_TRUE(p_value_intervals({}).empty());
}

// Each count is recovered from its p-value, up to the largest number of replicates that the command line accepts.
TEST(PValueIntervalsTest, CountsOfManyReplicates) {
  auto result = result_of({0}, {0}, {0});
  result.replicates = 1'000'000'000;
  for (std::uint64_t const count : {0U, 1U, 2U, 49'999'999U, 333'333'333U, 999'999'999U}) {
    result.p(0) = static_cast<double>(count + 1) / 1'000'000'001.0;
    auto const found = p_value_intervals_of_variable(result, 0);
    auto const wanted = clopper_pearson(count, result.replicates, 0.95);
    EXPECT_EQ(found.p.lower, wanted.lower);
    EXPECT_EQ(found.p.upper, wanted.upper);
  }
}

TEST(PValueIntervalsTest, RejectInvalidLevelsAndVariables) {
  auto const result = result_of({17}, {17}, {17});
  EXPECT_EQ(thrown_message([&] { p_value_intervals(result, 1); }),
            "riffle::p_value_intervals: level = 1: must lie between 0 and 1");
  EXPECT_EQ(thrown_message([&] { p_value_intervals({}, 0); }),
            "riffle::p_value_intervals: level = 0: must lie between 0 and 1");
  EXPECT_EQ(
      thrown_message([&] { p_value_intervals(result, std::numeric_limits<double>::quiet_NaN()); }),
      "riffle::p_value_intervals: level = nan: must lie between 0 and 1");
  EXPECT_EQ(thrown_message([&] { p_value_intervals_of_variable(result, 1); }),
            "riffle::p_value_intervals: g = 1: must be less than the number of variables, 1");
}

template <class Exec>
class PValueIntervalsOfTests : public ::testing::Test {};
TYPED_TEST_SUITE(PValueIntervalsOfTests, ExecutionSpaces, SpaceNames);

// The exact p-values are from all 252 arrangements; multtest confirms them (permutation_tests_multtest_test.cpp).
TYPED_TEST(PValueIntervalsOfTests, CoverExactPValuesNearlyAlways) {
  TypeParam const exec;
  auto const data =
      matrix_of_rows<TypeParam, double, Kokkos::LayoutRight>(oracles::noise_tenths, 10);
  auto const by =
      to_view<TypeParam>(std::vector<int>{oracles::labels_5_5.begin(), oracles::labels_5_5.end()});
  auto const exact = permutation_tests(exec, StudentT{}, data, by);
  ASSERT_TRUE(exact.exact);
  PermutationTestsOptions options;
  options.enumerate = false;
  options.replicates = 400;
  int of_p = 0;
  int of_single_step = 0;
  int of_step_down = 0;
  int all = 0;
  auto const covers = [](Interval const& interval, double p) {
    return interval.lower <= p && p <= interval.upper ? 1 : 0;
  };
  for (options.seed = 0; options.seed < 50; ++options.seed) {
    auto const intervals =
        p_value_intervals(permutation_tests(exec, StudentT{}, data, by, options));
    for (std::size_t g = 0; g < intervals.size(); ++g, ++all) {
      of_p += covers(intervals[g].p, exact.p(g));
      of_single_step += covers(intervals[g].p_single_step, exact.p_single_step(g));
      of_step_down += covers(intervals[g].p_step_down, exact.p_step_down(g));
    }
  }
  for (int const covered : {of_p, of_single_step, of_step_down}) {
    EXPECT_GE(covered, 9 * all / 10);
    EXPECT_LT(covered, all);
  }
}

}  // namespace
}  // namespace riffle::test::p_value_intervals_test
