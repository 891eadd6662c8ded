// The observed statistics compared with textbook formulas.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/statistics.hpp"
#include "support/views.hpp"

namespace riffle::test::statistics_test {
namespace {

using Values = std::vector<double>;

struct Samples {
  Values x;
  Values y;
};

Values wave(std::size_t n, double phase, double offset, double scale) {
  Values values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(offset + scale * std::sin(1.7 * static_cast<double>(i * i) + phase));
  return values;
}

std::vector<Samples> two_samples() {
  return {
      // Student (1908), hours of sleep gained; Darwin (1876), heights of plants in inches.
      {{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0},
       {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}},
      {{23.5, 12, 21, 22, 19.125, 21.5, 22.125, 20.375, 18.25, 21.625, 23.25, 21, 22.125, 23, 12},
       {17.375, 20.375, 20, 20, 18.375, 18.625, 18.625, 15.25, 16.5, 18, 16.25, 18, 12.75, 15.5,
        18}},
      {{1, 2}, {3, 5}},
      {{1, 2, 2}, {2, 3, 1, 4}},
      {{0, 0, 0, 1}, {1, 1}},
      {wave(7, 0, 0, 1), wave(200, 1, 0.25, 3)},
      {wave(2000, 0, 0, 1), wave(3000, 2, 0.01, 1)},
      {wave(30, 0, 1e6, 1), wave(40, 1, 1e6, 2)},
      {wave(30, 0, 0, 1e300), wave(40, 1, 0, 1e300)},
      {wave(30, 0, 0, 1e-300), wave(40, 1, 0, 1e-300)},
      {wave(30, 0, 0, 1e-306), wave(40, 1, 0, 1e-306)},
  };
}

template <class Exec, class Statistic, class X, class Y>
double observed(Statistic statistic, std::vector<X> const& x, std::vector<Y> const& y) {
  riffle::PermutationTestOptions options;
  options.replicates = 1;
  options.enumerate = false;
  return riffle::permutation_test(Exec(), statistic, to_view<Exec>(x), to_view<Exec>(y), options)
      .statistic;
}

/// A bound of rounding errors: a few units in the last place of the largest value.
double rounding(Samples const& samples) {
  double largest = 0;
  for (auto const* sample : {&samples.x, &samples.y})
    for (double const value : *sample) largest = std::max(largest, std::abs(value));
  return 8 * largest * std::numeric_limits<double>::epsilon();
}

/// The same bound relative to the spread of the data.
double relative_rounding(Samples const& samples) {
  Values both = samples.x;
  both.insert(both.end(), samples.y.begin(), samples.y.end());
  auto const spread = std::sqrt(sum_of_squares(both) / static_cast<long double>(both.size()));
  return 10 * rounding(samples) / static_cast<double>(spread);
}

TEST(StatisticsTest, TagsAreEmpty) {
  static_assert(std::is_empty_v<riffle::DifferenceOfMeans>);
  static_assert(std::is_empty_v<riffle::WelchT>);
  static_assert(std::is_empty_v<riffle::FStatistic>);
  static_assert(std::is_empty_v<riffle::PearsonCorrelation>);
}

template <class Exec>
class ObservedStatisticTest : public ::testing::Test {};
TYPED_TEST_SUITE(ObservedStatisticTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ObservedStatisticTest, DifferenceOfMeans) {
  for (auto const& samples : two_samples()) {
    EXPECT_NEAR(observed<TypeParam>(riffle::DifferenceOfMeans{}, samples.x, samples.y),
                difference_of_means(samples.x, samples.y), rounding(samples));
    EXPECT_NEAR(observed<TypeParam>(riffle::DifferenceOfMeans{}, samples.y, samples.x),
                difference_of_means(samples.y, samples.x), rounding(samples));
  }
  EXPECT_NEAR(observed<TypeParam>(riffle::DifferenceOfMeans{}, Values{3.5}, Values{1.25}), 2.25,
              1e-15);
  EXPECT_EQ(observed<TypeParam>(riffle::DifferenceOfMeans{}, Values{4, 4}, Values{4, 4, 4}), 0);
}

// A unit of the fixed-point numbers is below the smallest double.
TYPED_TEST(ObservedStatisticTest, DifferenceOfMeansOfTheSmallestNumbers) {
  for (double const scale : {1e-306, 1e-307, 1e-310, 1e-320}) {
    Samples const samples{{-1 * scale, 0, 2 * scale}, {3 * scale, 7 * scale}};
    double const expected = difference_of_means(samples.x, samples.y);
    EXPECT_NEAR(observed<TypeParam>(riffle::DifferenceOfMeans{}, samples.x, samples.y), expected,
                std::max(1e-14 * std::abs(expected), 2e-323))
        << scale;
  }
}

TYPED_TEST(ObservedStatisticTest, DifferenceOfMeansOfTheLargestNumbers) {
  Samples const samples{{-0.8e308, 0, 0.5e308}, {0.25e308, 0.9e308, 0.75e308, 0.5e308}};
  double const expected = difference_of_means(samples.x, samples.y);
  EXPECT_NEAR(observed<TypeParam>(riffle::DifferenceOfMeans{}, samples.x, samples.y), expected,
              1e-14 * std::abs(expected));
}

TYPED_TEST(ObservedStatisticTest, WelchT) {
  for (auto const& samples : two_samples()) {
    double const expected = welch_t(samples.x, samples.y);
    double const error = relative_rounding(samples) * std::max(1.0, std::abs(expected));
    EXPECT_NEAR(observed<TypeParam>(riffle::WelchT{}, samples.x, samples.y), expected, error);
    EXPECT_NEAR(observed<TypeParam>(riffle::WelchT{}, samples.y, samples.x), -expected, error);
  }
  // One of two samples is constant.
  EXPECT_NEAR(observed<TypeParam>(riffle::WelchT{}, Values{1, 1}, Values{2, 4, 3}),
              welch_t({1, 1}, {2, 4, 3}), 1e-14);
}

// Both samples are constant: they have no variance.
TYPED_TEST(ObservedStatisticTest, WelchTOfConstantSamplesIsInfinite) {
  double const infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(observed<TypeParam>(riffle::WelchT{}, Values{1, 1}, Values{2, 2}), -infinity);
  EXPECT_EQ(observed<TypeParam>(riffle::WelchT{}, Values{2, 2}, Values{1, 1}), infinity);
}

TYPED_TEST(ObservedStatisticTest, PearsonCorrelation) {
  for (auto const& samples :
       {Samples{{1, 2}, {5, 3}}, Samples{{1, 2, 4}, {2, 4, 8}},
        Samples{{1, 2.5, 3.1, 4.7, 5.2, 6.6, 7.9}, {2.1, 1.9, 4.4, 3.9, 6.1, 5.2, 5.8}},
        Samples{wave(100, 0, 0, 1), wave(100, 1, 5, 7)},
        Samples{wave(5000, 0, 0, 1), wave(5000, 1, 5, 7)},
        Samples{wave(50, 0, 1e6, 1), wave(50, 0.3, -1e5, 1)},
        Samples{wave(50, 0, 0, 1e300), wave(50, 0.3, 0, 1e-300)}}) {
    double const expected = pearson_correlation(samples.x, samples.y);
    double const error =
        relative_rounding({samples.x, samples.x}) + relative_rounding({samples.y, samples.y});
    double const actual = observed<TypeParam>(riffle::PearsonCorrelation{}, samples.x, samples.y);
    EXPECT_NEAR(actual, expected, error);
    EXPECT_LE(std::abs(actual), 1);
    EXPECT_NEAR(observed<TypeParam>(riffle::PearsonCorrelation{}, samples.y, samples.x), expected,
                error);
    EXPECT_NEAR(observed<TypeParam>(riffle::PearsonCorrelation{}, samples.x, samples.x), 1, 1e-14);
  }
}

TYPED_TEST(ObservedStatisticTest, FStatistic) {
  for (int const groups : {2, 3, 4, 5, 16, 17, 20, 64}) {
    auto const n = static_cast<std::size_t>(3 * groups + 5);
    Values const values = wave(n, 0.5, 10, 4);
    std::vector<int> in_turn, in_order;
    for (std::size_t i = 0; i < n; ++i) {
      in_turn.push_back(static_cast<int>(i) % groups);
      in_order.push_back(static_cast<int>(i * static_cast<std::size_t>(groups) / n));
    }
    for (auto const& labels : {in_turn, in_order}) {
      double const expected = f_statistic(values, labels, groups);
      EXPECT_NEAR(observed<TypeParam>(riffle::FStatistic{}, values, labels), expected,
                  1e-13 * std::max(1.0, expected))
          << groups;
    }
  }
  // A group with one value, and one with many.
  Values const values = wave(100, 0.5, 0, 1);
  std::vector<int> labels(100, 2);
  labels[17] = 0;
  labels[50] = labels[51] = 1;
  EXPECT_NEAR(observed<TypeParam>(riffle::FStatistic{}, values, labels),
              f_statistic(values, labels, 3), 1e-12);
}

// F of two groups is the square of Student's t, which equals Welch's t if the groups have equal sizes.
TYPED_TEST(ObservedStatisticTest, FStatisticOfTwoGroupsIsTSquared) {
  Samples const sleep = two_samples()[0];
  Values both = sleep.x;
  both.insert(both.end(), sleep.y.begin(), sleep.y.end());
  std::vector<int> labels(20, 0);
  std::fill(labels.begin() + 10, labels.end(), 1);
  double const t = observed<TypeParam>(riffle::WelchT{}, sleep.x, sleep.y);
  EXPECT_NEAR(observed<TypeParam>(riffle::FStatistic{}, both, labels), t * t, 1e-13);
}

}  // namespace
}  // namespace riffle::test::statistics_test
