#include <riffle/uniformity/detail/nulls/footrule.hpp>
#include <riffle/uniformity/detail/nulls/squared_differences.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/thrown_message.hpp"
#include "support/uniformity_oracle.hpp"

namespace riffle::test::uniformity_displacement_test {
namespace {

using namespace detail::uniformity;
using oracle::expect_exact;
using oracle::expect_moments;

TEST(UniformityFootrule, MatchesEnumeration) {
  for (std::size_t n = 0; n <= 8; ++n) expect_exact(footrule_distribution(n), n, oracle::footrule);
}

TEST(UniformityFootrule, HasItsMoments) {
  for (std::uint64_t const n : {0u, 1u, 2u, 3u, 9u, 10u, 63u, 128u})
    expect_moments(footrule_distribution(n), footrule_moments(n));
}

TEST(UniformityFootrule, IsExactInBothTails) {
  // 19 pairs of neighbours among 20 elements can be swapped; (10!)^2 permutations swap the two halves.
  double const factorial = 2432902008176640000.0;
  double const swaps = 3628800.0 * 3628800.0;
  auto const distribution = footrule_distribution(20);
  EXPECT_NEAR(distribution.probability(0) * factorial, 1, 1e-13);
  EXPECT_NEAR(distribution.probability(2) * factorial, 19, 1e-12);
  EXPECT_EQ(distribution.last(), 200);
  EXPECT_NEAR(distribution.probability(200) * factorial / swaps, 1, 1e-13);
}

TEST(UniformitySquaredDifferences, MatchEnumeration) {
  for (std::size_t n = 0; n <= 8; ++n)
    expect_exact(squared_difference_distribution(n), n, oracle::squared_differences);
}

TEST(UniformitySquaredDifferences, HaveTheirMoments) {
  for (std::uint64_t const n : {0u, 1u, 2u, 3u, 9u, 12u})
    expect_moments(squared_difference_distribution(n), squared_difference_moments(n));
}

// n = 1000: E = (n^3 - n) / 6 and its square over n - 1.
TEST(UniformitySquaredDifferences, HaveTheMomentsOfARankCorrelation) {
  double const mean = 166666500;
  EXPECT_DOUBLE_EQ(squared_difference_moments(1000).mean, mean);
  EXPECT_DOUBLE_EQ(squared_difference_moments(1000).variance, mean * mean / 999);
}

TEST(UniformityDisplacement, RejectsTooLargeN) {
  EXPECT_EQ(thrown_message([] { footrule_distribution(129); }),
            "riffle::footrule_distribution: n = 129: must be at most 128");
  EXPECT_EQ(thrown_message([] { squared_difference_distribution(13); }),
            "riffle::squared_difference_distribution: n = 13: must be at most 12");
}

}  // namespace
}  // namespace riffle::test::uniformity_displacement_test
