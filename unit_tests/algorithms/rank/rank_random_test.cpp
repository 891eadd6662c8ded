// Random ranks among ties: a permutation of each run, with all orders equally likely.

#include <Kokkos_Core.hpp>
#include <riffle/published/competition_ranking/hybrid_ranking.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/chi_square.hpp"
#include "support/execution_spaces.hpp"
#include "support/rank_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_random_test {
namespace {

/// Whether the ranks of each run of the data, counted from 0, are a permutation of the places of its elements.
bool permutes_runs(std::vector<int> const& data, std::vector<int> ranks) {
  for (std::size_t begin = 0, end = 0; begin < data.size(); begin = end) {
    while (end < data.size() && data[end] == data[begin]) ++end;
    std::sort(ranks.begin() + static_cast<std::ptrdiff_t>(begin),
              ranks.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return ranks == iota<int>(data.size());
}

/// The number of the order, one of 6, of three different ranks.
std::size_t order_of_three(int a, int b, int c) {
  std::size_t const first = (a > b ? 1u : 0u) + (a > c ? 1u : 0u);
  return 2 * first + (b > c ? 1u : 0u);
}

template <class Exec>
class RankRandomTest : public ::testing::Test {
 protected:
  template <class Method = DefaultRanking>
  std::vector<int> ranks(std::vector<int> const& data, std::uint64_t seed,
                         Method const& method = {}) {
    RankOptions<> options;
    options.first = 0;
    auto const out = zeros<Exec, int>(data.size());
    riffle::rank(exec, to_view<Exec>(data), out, ties::Random{seed}, options, method);
    exec.fence();
    return to_vector(out);
  }

  Exec exec;
};
TYPED_TEST_SUITE(RankRandomTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankRandomTest, PermutesEachRun) {
  for (std::size_t const n : {0, 1, 2, 3, 1000, 50'000}) {
    for (double const probability : {0.0, 0.5, 0.9, 0.999, 1.0}) {
      auto const data = random_runs(n, probability);
      EXPECT_TRUE(permutes_runs(data, this->ranks(data, n))) << n << ", " << probability;
    }
  }
}

TYPED_TEST(RankRandomTest, MethodsAgree) {
  auto const data = random_runs(20'000, 0.99);
  EXPECT_EQ(this->ranks(data, 5, HybridRanking{}), this->ranks(data, 5));
}

TYPED_TEST(RankRandomTest, DependsOnTheSeed) {
  auto const data = random_runs(1000, 0.99);
  EXPECT_EQ(this->ranks(data, 1), this->ranks(data, 1));
  EXPECT_NE(this->ranks(data, 1), this->ranks(data, 2));
  EXPECT_NE(this->ranks(data, 1), this->ranks(data, 1 + (std::uint64_t{1} << 32)));
  EXPECT_NE(this->ranks(data, 1), iota<int>(1000));
}

// The runs of the data have equal lengths; their orders differ.
TYPED_TEST(RankRandomTest, RunsDiffer) {
  auto ranks = this->ranks(runs_that_end_at(200, {100}), 1);
  for (std::size_t i = 100; i < 200; ++i) ranks[i] -= 100;
  EXPECT_FALSE(std::equal(ranks.begin(), ranks.begin() + 100, ranks.begin() + 100));
}

// Counts of the orders of the first run, of a later one, and of the pairs of both.
TYPED_TEST(RankRandomTest, EveryOrderIsEquallyLikely) {
  auto const data = runs_that_end_at(8, {3, 5});
  std::vector<std::uint64_t> first(6);
  std::vector<std::uint64_t> last(6);
  std::vector<std::uint64_t> pairs(36);
  for (std::uint64_t seed = 0; seed < 7200; ++seed) {
    auto const ranks = this->ranks(data, seed);
    auto const a = order_of_three(ranks[0], ranks[1], ranks[2]);
    auto const b = order_of_three(ranks[5], ranks[6], ranks[7]);
    ++first[a];
    ++last[b];
    ++pairs[6 * a + b];
  }
  // The values that chi-square exceeds with probability 10^-4, for 5 and for 35 degrees of freedom.
  EXPECT_LT(chi_square(first), 25.7);
  EXPECT_LT(chi_square(last), 25.7);
  EXPECT_LT(chi_square(pairs), 74.9);
}

// The same on every back end.
TYPED_TEST(RankRandomTest, GoldenRanks) {
  std::vector<int> const data{1, 1, 1, 2, 3, 3, 3, 3, 3, 4, 4, 5, 6, 6, 6, 6};
  EXPECT_EQ(this->ranks(data, 0),
            (std::vector<int>{1, 2, 0, 3, 6, 7, 5, 4, 8, 9, 10, 11, 13, 12, 14, 15}));
  EXPECT_EQ(this->ranks(data, 42),
            (std::vector<int>{0, 1, 2, 3, 4, 8, 7, 6, 5, 9, 10, 11, 12, 15, 13, 14}));
}

// The order of a run does not depend on the number of NaNs before it.
TYPED_TEST(RankRandomTest, NaNsAreExcluded) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  RankOptions<> options;
  options.missing = Missing::excluded;
  auto const ranks_of = [&](std::vector<double> const& data) {
    auto const out = zeros<TypeParam, int>(data.size());
    riffle::rank(this->exec, to_view<TypeParam>(data), out, ties::Random{3}, options);
    this->exec.fence();
    return to_vector(out);
  };
  auto expected = ranks_of({1, 2, 2, 2, 2, 2, 2});
  expected.insert(expected.begin(), 3, -1);
  EXPECT_EQ(ranks_of({nan, nan, nan, 1, 2, 2, 2, 2, 2, 2}), expected);
}

}  // namespace
}  // namespace riffle::test::rank_random_test
