#include <riffle/uniformity/detail/collision_test.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <riffle/random/lehmer.hpp>
#include <riffle/uniformity.hpp>

#include "support/execution_spaces.hpp"
#include "support/lehmer_sampler.hpp"

namespace riffle::test::uniformity_collision_test {
namespace {

using namespace detail::uniformity;
using Exec = Kokkos::DefaultExecutionSpace;

/// The probability of each number of collisions, by enumeration of all cells^balls throws.
std::vector<double> collisions_by_brute_force(std::uint64_t balls, std::uint64_t cells) {
  std::uint64_t ways = 1;
  for (std::uint64_t i = 0; i < balls; ++i) ways *= cells;
  std::vector<double> chances(balls + 1);
  for (std::uint64_t way = 0; way < ways; ++way) {
    std::set<std::uint64_t> taken;
    std::uint64_t rest = way;
    for (std::uint64_t i = 0; i < balls; ++i, rest /= cells) taken.insert(rest % cells);
    chances[balls - taken.size()] += 1 / static_cast<double>(ways);
  }
  return chances;
}

TEST(UniformityOccupancy, DistributionMatchesAllThrows) {
  for (std::uint64_t const cells : {1, 2, 3, 5}) {
    for (std::uint64_t const balls : {0, 1, 2, 3, 6}) {
      auto const expected = collisions_by_brute_force(balls, cells);
      auto const actual = collision_distribution(balls, cells);
      for (std::size_t c = 0; c < expected.size(); ++c)
        EXPECT_NEAR(actual.probability(static_cast<std::int64_t>(c)), expected[c], 1e-13)
            << c << " collisions of " << balls << " balls in " << cells << " cells";
    }
  }
}

void expect_near_relative(double actual, double expected, double tolerance) {
  EXPECT_NEAR(actual, expected, tolerance * expected);
}

TEST(UniformityOccupancy, MomentsMatchTheDistribution) {
  for (std::uint64_t const cells : {2, 7, 120, 1000000}) {
    for (std::uint64_t const balls : {2, 3, 50, 700}) {
      auto const moments = collision_moments(balls, cells);
      auto const exact = collision_distribution(balls, cells);
      expect_near_relative(exact.mean(), moments.mean, 1e-10);
      EXPECT_NEAR(exact.variance(), moments.variance, 1e-10 * moments.mean);
    }
  }
}

// The closed forms cancel: the fewer collisions compared with balls, the more digits they lose.
TEST(UniformityOccupancy, MomentsMatchTheClosedForms) {
  long double const cells = 1000;
  for (std::uint64_t const balls : {100, 1000, 5000}) {
    auto const m = static_cast<long double>(balls);
    long double const one_empty = std::exp(m * std::log1p(-1 / cells));
    long double const two_empty = std::exp(m * std::log1p(-2 / cells));
    auto const moments = collision_moments(balls, 1000);
    expect_near_relative(moments.mean, static_cast<double>(m - cells * (1 - one_empty)), 1e-12);
    long double const variance =
        cells * (cells - 1) * two_empty + cells * one_empty - cells * cells * one_empty * one_empty;
    expect_near_relative(moments.variance, static_cast<double>(variance), 1e-11);
    expect_near_relative(expected_empty_cells(balls, 1000), static_cast<double>(cells * one_empty),
                         1e-12);
  }
}

// A pair of balls collides with probability 1 / cells.
TEST(UniformityOccupancy, MomentsOfTwoBallsKeepAllDigits) {
  std::uint64_t const cells = std::uint64_t{1} << 26;
  auto const moments = collision_moments(2, cells);
  double const chance = 1 / static_cast<double>(cells);
  EXPECT_DOUBLE_EQ(moments.mean, chance);
  EXPECT_DOUBLE_EQ(moments.variance, chance * (1 - chance));
}

TEST(UniformityCollision, TakesAsManyImagesAsFit) {
  auto const expect = [](std::uint64_t n, std::uint64_t length, std::uint64_t arrangements) {
    auto const prefix = longest_prefix(n);
    EXPECT_EQ(prefix.length, length) << n;
    EXPECT_EQ(prefix.arrangements, arrangements) << n;
  };
  expect(2, 2, 2);
  expect(5, 5, 120);
  expect(11, 11, 39916800);
  expect(12, 8, 19958400);
  expect(8192, 2, 67100672);
  expect(8193, 1, 8193);
  expect(std::uint64_t{1} << 26, 1, std::uint64_t{1} << 26);
}

template <class Exec>
class UniformityCollisionInKernels : public ::testing::Test {};
TYPED_TEST_SUITE(UniformityCollisionInKernels, ExecutionSpaces, SpaceNames);

// On a GPU, teams examine samples of n = 40.
TYPED_TEST(UniformityCollisionInKernels, MarksTheCellsOfAllSamples) {
  FisherYates const sampler{3};
  for (std::uint64_t const n : {3, 5, 13, 40}) {
    std::uint64_t const samples = n < 5 ? 5 : 100;
    auto const length = static_cast<std::ptrdiff_t>(longest_prefix(n).length);
    std::set<std::vector<std::uint32_t>> prefixes;
    for (std::uint64_t r = 0; r < samples; ++r) {
      auto const sigma = permutation_of(sampler, n, r);
      prefixes.insert({sigma.begin(), sigma.begin() + length});
    }
    TypeParam const exec;
    auto const observer = CollisionTest{}.plan(n, samples).observer(exec);
    observe_draws(Context(exec, "test"), "test", {n, samples}, sampler, observer_list(observer));
    std::size_t marked = 0;
    for (auto const word : counts_of<TypeParam>(exec, observer.counters))
      marked += static_cast<std::size_t>(std::popcount(word));
    EXPECT_EQ(marked, prefixes.size()) << "n = " << n;
  }
}

// Every permutation has a rank of its own, and the largest rank is below the number of arrangements.
TEST(UniformityCollision, RanksAreLexicographic) {
  for (std::uint64_t rank = 0; rank < factorial(5); ++rank) {
    LehmerPermutation const sigma(5, rank);
    std::vector<std::uint32_t> images;
    for (std::uint64_t i = 0; i < 5; ++i) images.push_back(static_cast<std::uint32_t>(sigma(i)));
    Row const row{images.data(), 1};
    EXPECT_EQ(prefix_rank(Sample{5, row, row, {row, row}}, 5), rank);
    EXPECT_EQ(prefix_rank(Sample{5, row, row, {row, row}}, 2), rank / 6);
  }
}

template <class Sampler>
TestResult examine(Sampler const& sampler, std::uint64_t n, std::uint64_t samples) {
  return uniformity::test(Exec(), CollisionTest{}, sampler, n, samples);
}

void expect_acceptance(std::uint64_t n, std::uint64_t samples, std::string const& null) {
  auto const result = examine(FisherYates{1}, n, samples);
  EXPECT_GT(result.p_value, 0.001) << "n = " << n;
  // The p-value of a discrete statistic may be 1.
  if (null == "normal") {
    EXPECT_LT(result.p_value, 0.999) << "n = " << n;
  }
  EXPECT_EQ(result.null.substr(0, null.size()), null) << "n = " << n;
}

TEST(UniformityCollision, AcceptsUniformPermutations) {
  expect_acceptance(5, 300, "collisions in 120 cells");
  expect_acceptance(30, 20000, "collisions in ");
  expect_acceptance(7, 5000, "normal");
  expect_acceptance(13, 150000, "normal");
}

TEST(UniformityCollision, RejectsRepetition) {
  EXPECT_LT(examine(Repeated<FisherYates>{2, {}}, 50, 2000).p_value, 1e-6);
  EXPECT_LT(examine(Repeated<FisherYates>{3, {}}, 5, 200).p_value, 1e-6);
}

/// No permutation is repeated before all have occurred.
struct InOrder {
  KOKKOS_FUNCTION LehmerPermutation operator()(std::uint64_t n, std::uint64_t r) const {
    auto const points = static_cast<int>(n);
    return {points, r % factorial(points)};
  }
};

TEST(UniformityCollision, RejectsTooFewCollisions) {
  EXPECT_LT(examine(InOrder{}, 5, 100).p_value, 1e-6);
  EXPECT_LT(examine(InOrder{}, 9, 100000).p_value, 1e-6);
}

TEST(UniformityCollision, UsesTheNumberOfCollisions) {
  auto const plan = CollisionTest{}.plan(5, 100);
  // 62 and 8 of 120 cells are occupied.
  auto const result = plan.evaluate({(std::uint64_t{1} << 62) - 1, 255});
  EXPECT_EQ(result.statistic, 30);
  auto const tails = discrete_tails(collision_distribution(100, 120), 30);
  EXPECT_DOUBLE_EQ(result.p_value, two_sided_p(tails));
}

TEST(UniformityCollision, RejectsInvalidArguments) {
  auto const refusal = [](std::uint64_t n, std::uint64_t samples) {
    return CollisionTest{}.plan(n, samples).refusal;
  };
  EXPECT_EQ(refusal(1, 100), "n must be at least 2");
  EXPECT_EQ(refusal((std::uint64_t{1} << 26) + 1, 100), "n must be at most 67108864");
  EXPECT_EQ(refusal(5, 0), "samples must be more: 0 collisions are expected");
  EXPECT_EQ(refusal(8192, 1000).substr(0, 29), "samples must be more: 0.00744");
  EXPECT_EQ(refusal(5, 600), "samples must be fewer: nearly all of 120 cells would be taken");
  EXPECT_EQ(refusal(7, 20000), "samples must be fewer: nearly all of 5040 cells would be taken");
  EXPECT_EQ(refusal(5, 570), "");
  EXPECT_EQ(refusal(7, 15000), "");
}

}  // namespace
}  // namespace riffle::test::uniformity_collision_test
