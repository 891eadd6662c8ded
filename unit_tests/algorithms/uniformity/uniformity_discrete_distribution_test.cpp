#include <riffle/uniformity/detail/nulls/cells.hpp>
#include <riffle/uniformity/detail/nulls/chi_square.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/detail/nulls/tails.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/thrown_message.hpp"

namespace riffle::test::uniformity_discrete_distribution_test {
namespace {

using namespace detail::uniformity;

double const not_a_number = std::numeric_limits<double>::quiet_NaN();
double const infinity = std::numeric_limits<double>::infinity();

// The values 3, 4, 5 and 6.
DiscreteDistribution const four{3, {0.1, 0.2, 0.3, 0.4}};

TEST(UniformityDistribution, HasValuesAndMoments) {
  EXPECT_EQ(four.last(), 6);
  EXPECT_EQ(four.probability(2), 0.0);
  EXPECT_EQ(four.probability(3), 0.1);
  EXPECT_EQ(four.probability(6), 0.4);
  EXPECT_EQ(four.probability(7), 0.0);
  EXPECT_DOUBLE_EQ(four.mean(), 5);
  EXPECT_DOUBLE_EQ(four.variance(), 1);
}

TEST(UniformityDistribution, SumsItsTails) {
  double const lower[] = {0, 0, 0.1, 0.3, 0.6, 1, 1};
  double const upper[] = {1, 1, 1, 0.9, 0.7, 0.4, 0};
  for (int i = 0; i < 7; ++i) {
    EXPECT_DOUBLE_EQ(four.lower_tail(1 + i), lower[i]) << 1 + i;
    EXPECT_DOUBLE_EQ(four.upper_tail(1 + i), upper[i]) << 1 + i;
  }
  auto const extreme = std::numeric_limits<std::int64_t>::max();
  EXPECT_DOUBLE_EQ(four.lower_tail(extreme), 1);
  EXPECT_EQ(four.upper_tail(extreme), 0);
  EXPECT_EQ(four.lower_tail(-extreme), 0);
  EXPECT_DOUBLE_EQ(four.upper_tail(-extreme), 1);
}

TEST(UniformityDistribution, UniformDistribution) {
  EXPECT_EQ(uniform_distribution(4).probabilities, (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(uniform_distribution(4).first, 0);
  EXPECT_EQ(thrown_message([] { uniform_distribution(0); }),
            "riffle::uniform_distribution: count = 0: must be at least 1");
}

TEST(UniformityTails, GiveTwiceTheSmallerOneAsP) {
  EXPECT_DOUBLE_EQ(two_sided_p(discrete_tails(four, 3)), 0.2);
  EXPECT_DOUBLE_EQ(two_sided_p(discrete_tails(four, 4)), 0.6);
  EXPECT_DOUBLE_EQ(two_sided_p(discrete_tails(four, 6)), 0.8);
  EXPECT_EQ(two_sided_p(discrete_tails(four, 5)), 1.0);
  EXPECT_EQ(two_sided_p(discrete_tails(four, 7)), 0.0);
}

TEST(UniformityTails, OfBinomialHoldTheCountItself) {
  EXPECT_NEAR(binomial_tails(0, 4, 0.5).lower, 1.0 / 16, 1e-15);
  EXPECT_EQ(binomial_tails(0, 4, 0.5).upper, 1.0);
  EXPECT_NEAR(binomial_tails(3, 4, 0.5).lower, 15.0 / 16, 1e-15);
  EXPECT_NEAR(binomial_tails(3, 4, 0.5).upper, 5.0 / 16, 1e-15);
  EXPECT_EQ(binomial_tails(4, 4, 0.5).lower, 1.0);
}

TEST(UniformityTails, OfTheNormalAreBothItsTails) {
  EXPECT_EQ(normal_p(0), 1.0);
  EXPECT_EQ(normal_p(infinity), 0.0);
  for (double const z : {0.5, 1.959963984540054, 10.0}) {
    EXPECT_NEAR(normal_p(z) / std::erfc(z / std::sqrt(2.0)), 1, 1e-12);
    EXPECT_EQ(normal_p(-z), normal_p(z));
  }
}

TEST(UniformityTails, RejectInvalidArguments) {
  EXPECT_EQ(thrown_message([] { binomial_tails(1, 2, 1); }),
            "riffle::binomial_tails: probability = 1: must lie between 0 and 1");
  EXPECT_EQ(thrown_message([] { binomial_tails(3, 2, 0.5); }),
            "riffle::binomial_tails: successes = 3: must not exceed trials = 2");
  EXPECT_EQ(thrown_message([] { normal_p(not_a_number); }),
            "riffle::normal_p: z = nan: must be a number");
}

TEST(UniformityCells, GatherUntilEnoughIsExpected) {
  // 100 samples expect 10, 20, 30 and 40.
  EXPECT_EQ(make_cells(four, 100, 10).last_values, (std::vector<std::int64_t>{3, 4, 5, 6}));
  EXPECT_EQ(make_cells(four, 100, 11).last_values, (std::vector<std::int64_t>{4, 5, 6}));
  EXPECT_EQ(make_cells(four, 100, 31).last_values, (std::vector<std::int64_t>{5, 6}));
  EXPECT_EQ(make_cells(four, 100, 41).last_values, (std::vector<std::int64_t>{6}));
  EXPECT_EQ(make_cells(four, 100, 1000).last_values, (std::vector<std::int64_t>{6}));
  EXPECT_EQ(make_cells(four, 0).last_values, (std::vector<std::int64_t>{6}));
  auto const cells = make_cells(four, 100, 11);
  ASSERT_EQ(cells.probabilities.size(), 3u);
  EXPECT_DOUBLE_EQ(cells.probabilities[0], 0.3);
  EXPECT_DOUBLE_EQ(cells.probabilities[1], 0.3);
  EXPECT_DOUBLE_EQ(cells.probabilities[2], 0.4);
}

TEST(UniformityCells, GiveALastRemainderToTheGroupBelow) {
  DiscreteDistribution const rare{0, {0.5, 0.47, 0.02, 0.01}};
  auto const cells = make_cells(rare, 100);
  EXPECT_EQ(cells.last_values, (std::vector<std::int64_t>{0, 3}));
  EXPECT_DOUBLE_EQ(cells.probabilities[1], 0.5);
}

TEST(UniformityCells, AreOpenAtBothEnds) {
  auto const cells = make_cells(four, 100, 11);
  std::vector<std::size_t> const expected{0, 0, 0, 1, 2, 2, 2};
  for (std::int64_t x = 2; x <= 8; ++x)
    EXPECT_EQ(cells.index(x), expected[static_cast<std::size_t>(x - 2)]) << x;
  EXPECT_EQ(make_cells(four, 0).index(100), 0u);
}

TEST(UniformityCells, RejectInvalidDistributions) {
  EXPECT_EQ(thrown_message([] { make_cells({}, 10); }),
            "riffle::make_cells: distribution: must have values");
  EXPECT_EQ(thrown_message([] { make_cells(four, 10, 0); }),
            "riffle::make_cells: min_expected = 0: must be positive and finite");
}

TEST(UniformityChiSquare, IsPearsons) {
  // Expected 10, 20, 70: 4/10 + 1/20 + 1/70. With two degrees p = exp(-x / 2).
  auto const result = chi_square_p({12, 19, 69}, {0.1, 0.2, 0.7});
  EXPECT_DOUBLE_EQ(result.statistic, 0.4 + 0.05 + 1.0 / 70);
  EXPECT_EQ(result.degrees, 2);
  EXPECT_NEAR(result.p, std::exp(-result.statistic / 2), 1e-15);
}

TEST(UniformityChiSquare, KeepsSmallPValues) {
  auto const result = chi_square_p({400, 100, 100}, {1.0 / 3, 1.0 / 3, 1.0 / 3});
  EXPECT_NEAR(result.p / std::exp(-150.0), 1, 1e-10);
}

TEST(UniformityChiSquare, OneCellHasPOne) {
  EXPECT_EQ(chi_square_p({7}, {1.0}).p, 1.0);
  EXPECT_EQ(chi_square_p({7}, {1.0}).degrees, 0);
}

TEST(UniformityChiSquare, RejectsInvalidCells) {
  EXPECT_EQ(thrown_message([] { chi_square_p({}, {}); }),
            "riffle::chi_square_p: counts: must not be empty");
  EXPECT_EQ(thrown_message([] {
              chi_square_p({1, 2}, {1.0});
            }),
            "riffle::chi_square_p: counts.size() = 2: must be probabilities.size() = 1");
  EXPECT_EQ(thrown_message([] {
              chi_square_p({1, 2}, {1.0, 0.0});
            }),
            "riffle::chi_square_p: probabilities[1] = 0: must be positive");
  EXPECT_EQ(thrown_message([] {
              chi_square_p({1, 2}, {0.5, not_a_number});
            }),
            "riffle::chi_square_p: probabilities[1] = nan: must be positive");
  EXPECT_EQ(thrown_message([] {
              chi_square_p({1, 2}, {0.5, 0.25});
            }),
            "riffle::chi_square_p: probabilities sum to 0.75: must be 1");
  EXPECT_EQ(thrown_message([] {
              chi_square_p({0, 0}, {0.5, 0.5});
            }),
            "riffle::chi_square_p: counts sum to 0: must be at least 1");
}

}  // namespace
}  // namespace riffle::test::uniformity_discrete_distribution_test
