#include <riffle/uniformity.hpp>
#include <riffle/uniformity/detail/nulls/cycles.hpp>
#include <riffle/uniformity/detail/nulls/successions.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/thrown_message.hpp"
#include "support/uniformity_oracle.hpp"

namespace riffle::test::uniformity_cycles_test {
namespace {

using namespace detail::uniformity;
using oracle::expect_exact;
using oracle::expect_moments;
using oracle::Permutation;

double const e_inverse = std::exp(-1.0);

TEST(UniformityCycles, OfOneLengthMatchEnumeration) {
  for (std::size_t n = 0; n <= 8; ++n) {
    for (std::size_t length = 1; length <= n + 1; ++length) {
      expect_exact(cycles_of_length_distribution(n, length), n, [&](Permutation const& sigma) {
        return oracle::cycles_of_length(sigma, length);
      });
    }
  }
}

TEST(UniformityCycles, FixedPointsAreTheRencontresNumbers) {
  // n = 5: 44, 45, 20, 10, 0, 1.
  std::vector<double> const counts{44, 45, 20, 10, 0, 1};
  auto const distribution = fixed_point_distribution(5);
  ASSERT_EQ(distribution.last(), 5);
  for (std::size_t k = 0; k <= 5; ++k)
    EXPECT_NEAR(distribution.probabilities[k], counts[k] / 120, 1e-16) << k;
}

TEST(UniformityCycles, FixedPointsBecomePoisson) {
  for (std::uint64_t const n : {25u, 30u, 1000u, 1u << 20}) {
    auto const distribution = fixed_point_distribution(n);
    double factorial = 1;
    for (std::int64_t k = 0; k <= 20; ++k) {
      if (k > 0) factorial *= static_cast<double>(k);
      ASSERT_NEAR(distribution.probability(k), e_inverse / factorial, 1e-15) << k << " of " << n;
    }
  }
}

TEST(UniformityCycles, OfOneLengthHaveTheirMoments) {
  for (std::uint64_t const n : {2u, 10u, 24u, 25u, 100u, 1u << 20}) {
    for (std::uint64_t length = 1; length <= 6 && length <= n; ++length) {
      double const rate = 1 / static_cast<double>(length);
      // If two cycles of this length do not fit, the number is a Bernoulli variable.
      double const variance = 2 * length <= n ? rate : rate * (1 - rate);
      expect_moments(cycles_of_length_distribution(n, length), {rate, variance}, 1e-13);
    }
  }
}

TEST(UniformityCycles, InAllMatchEnumeration) {
  for (std::size_t n = 0; n <= 8; ++n) expect_exact(cycle_distribution(n), n, oracle::cycles);
}

TEST(UniformityCycles, InAllHaveTheirMoments) {
  for (std::uint64_t const n : {1u, 2u, 20u, 127u, 128u, 129u, 1000u, 1u << 20}) {
    double mean = 0;
    double variance = 0;
    for (std::uint64_t i = n; i >= 1; --i) {
      double const begins = 1 / static_cast<double>(i);
      mean += begins;
      variance += begins * (1 - begins);
    }
    expect_moments(cycle_distribution(n), {mean, variance});
  }
}

TEST(UniformityCycles, InAllAreStirlingNumbersInTheTailToo) {
  // [20, 1] = 19!, [20, 18] = 16 815, [20, 19] = 190 and [20, 20] = 1, over 20!.
  auto const distribution = cycle_distribution(20);
  double const factorial = 2432902008176640000.0;
  EXPECT_NEAR(distribution.probability(1), 1.0 / 20, 1e-16);
  EXPECT_NEAR(distribution.probability(18) * factorial, 16815, 1e-10);
  EXPECT_NEAR(distribution.probability(19) * factorial, 190, 1e-11);
  EXPECT_NEAR(distribution.probability(20) * factorial, 1, 1e-13);
  EXPECT_EQ(distribution.probability(0), 0.0);
}

TEST(UniformityCycles, RejectInvalidArguments) {
  EXPECT_EQ(thrown_message([] { cycles_of_length_distribution(5, 0); }),
            "riffle::cycles_of_length_distribution: length = 0: must be at least 1");
  EXPECT_EQ(thrown_message([] { cycle_distribution((1u << 24) + 1); }),
            "riffle::cycle_distribution: n = 16777217: must be at most 16777216");
  EXPECT_EQ(riffle::uniformity::Cycles{}.plan((1u << 24) + 1, 1000).refusal,
            "n must be at most 16777216");
}

TEST(UniformitySuccessions, MatchEnumeration) {
  for (std::size_t n = 0; n <= 8; ++n)
    expect_exact(succession_distribution(n), n, oracle::successions);
}

TEST(UniformitySuccessions, HaveTheirMoments) {
  for (std::uint64_t const n : {1u, 2u, 10u, 25u, 26u, 27u, 127u, 130u, 1u << 20}) {
    auto const x = static_cast<double>(n);
    // n - 1 events with probability 1 / n; any two of them have probability 1 / (n (n - 1)).
    double const variance = n == 1 ? 0 : 1 - 1 / x - 1 / (x * x);
    expect_moments(succession_distribution(n), {(x - 1) / x, variance}, 1e-13);
  }
}

TEST(UniformitySuccessions, BecomePoisson) {
  auto const distribution = succession_distribution(std::uint64_t{1} << 40);
  EXPECT_NEAR(distribution.probability(0), e_inverse, 1e-11);
  EXPECT_NEAR(distribution.probability(3), e_inverse / 6, 1e-11);
}

}  // namespace
}  // namespace riffle::test::uniformity_cycles_test
