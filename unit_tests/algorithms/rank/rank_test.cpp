// Ranks by every method and every rule, for runs of many lengths.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/published/competition_ranking/hybrid_ranking.hpp>
#include <riffle/published/competition_ranking/naive_prefix_ranking.hpp>
#include <riffle/published/competition_ranking/packed_scan_ranking.hpp>
#include <riffle/published/competition_ranking/segment_search_ranking.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/rank_oracle.hpp"
#include "support/views.hpp"
#include "support/watched_arena.hpp"

namespace riffle::test::rank_test {
namespace {

std::vector<double> probabilities() { return {0, 0.5, 0.9, 0.99, 0.999, 1}; }

/// Sizes near the edges of warps, of a warp's steps, of blocks and of chunks.
std::vector<std::size_t> sizes() {
  std::vector<std::size_t> sizes{0, 1, 2, 3};
  for (std::size_t const edge : {32, 128, 512, 1024, 4096, 8192}) {
    for (std::size_t const n : {edge - 1, edge, edge + 1}) sizes.push_back(n);
  }
  return sizes;
}

std::vector<int> all_equal(std::size_t n) { return runs_that_end_at(n, {}); }
std::vector<int> two_values(std::size_t n) { return runs_that_end_at(n, {n / 3}); }

template <class Exec>
class RankTest : public ::testing::Test {
 protected:
  /// Expects the oracle's ranks of `data` by a rule, from each of some methods.
  template <class Rule, class... Methods>
  void expect_ranks(std::vector<int> const& data, Rule const& rule, Methods const&... methods) {
    auto const sorted = to_view<Exec>(data);
    auto const expected = rank_oracle(data, rule);
    int number = 0;
    auto const expect = [&](auto const& method) {
      auto const ranks = to_view<Exec>(std::vector<double>(data.size(), -7));
      riffle::rank(Context(exec, "ranks", workspace), sorted, ranks, rule, {}, method);
      exec.fence();
      EXPECT_TRUE(same_ranks(to_vector(ranks), expected)) << "method " << number;
      ++number;
    };
    (expect(methods), ...);
  }

  /// Tests every method with every rule that it supports.
  void expect_ranks(std::vector<int> const& data) {
    expect_ranks(data, ties::Competition{}, NaivePrefixRanking{}, PackedScanRanking{});
    expect_ranks_in_one_pass(data);
  }

  /// Tests the methods that search for run boundaries from the edges of the elements that they rank at a time.
  void expect_ranks_in_one_pass(std::vector<int> const& data) {
    HybridRanking const hybrid;
    DefaultRanking const by_default;
    // On a GPU this is the default once more.
    std::conditional_t<backend::is_cpu<Exec>, SegmentSearchRanking, DefaultRanking> const segments;
    expect_ranks(data, ties::Competition{}, hybrid, segments, by_default);
    expect_ranks(data, ties::ModifiedCompetition{}, hybrid, segments, by_default);
    expect_ranks(data, ties::Fractional{}, hybrid, segments, by_default);
    expect_ranks(data, ties::Dense{}, by_default);
    expect_ranks(data, ties::Ordinal{}, by_default);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RankTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankTest, RandomRuns) {
  for (std::size_t const n : sizes()) {
    for (double const probability : probabilities()) {
      SCOPED_TRACE(probability);
      this->expect_ranks(random_runs(n, probability));
    }
  }
}

TYPED_TEST(RankTest, AllEqual) {
  for (std::size_t const n : sizes()) this->expect_ranks(all_equal(n));
}

TYPED_TEST(RankTest, AllDifferent) {
  for (std::size_t const n : sizes()) this->expect_ranks(iota<int>(n));
}

TYPED_TEST(RankTest, TwoValues) {
  for (std::size_t const n : sizes()) this->expect_ranks(two_values(n));
}

// Several threads have segments.
TYPED_TEST(RankTest, ManySegments) {
  std::size_t const n = 100'003;
  for (double const probability : probabilities()) {
    SCOPED_TRACE(probability);
    this->expect_ranks(random_runs(n, probability));
  }
  this->expect_ranks(two_values(n));
}

TYPED_TEST(RankTest, RunsThatEndNearEdges) {
  for (std::size_t const edge : {32, 128, 256, 512, 1024, 4096, 16384}) {
    SCOPED_TRACE(edge);
    for (auto const& data : runs_near(edge, 5)) this->expect_ranks(data);
  }
}

TYPED_TEST(RankTest, LongRunsNearEdges) {
  for (std::size_t const chunk : {1024, 4096, 16384}) {
    SCOPED_TRACE(chunk);
    std::size_t const chunks = chunk < 16384 ? 5 : 2;
    for (auto const& data : long_runs(chunk, chunks)) this->expect_ranks_in_one_pass(data);
  }
}

// Some runs end one element before the end of a vector's elements.
TYPED_TEST(RankTest, RunsOfEveryLength) {
  std::vector<int> data(600);
  for (std::size_t length = 1; length <= 300; ++length) {
    SCOPED_TRACE(length);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i / length);
    this->expect_ranks_in_one_pass(data);
  }
}

// One element differs: the last one ends searches from the left, the first one searches from the right.
TYPED_TEST(RankTest, OneElementApart) {
  for (std::size_t const n : {2, 33, 1025, 40'000}) {
    this->expect_ranks(runs_that_end_at(n, {1}));
    this->expect_ranks(runs_that_end_at(n, {n - 1}));
  }
}

// A call with a label, and one with Views only.
TYPED_TEST(RankTest, CompetitionRanksByDefault) {
  std::vector<int> const data{3, 3, 4, 7, 7, 7, 9};
  auto const ranks = zeros<TypeParam, int>(data.size());
  riffle::rank(this->exec, to_view<TypeParam>(data), ranks);
  this->exec.fence();
  EXPECT_EQ(to_vector(ranks), (std::vector<int>{1, 1, 3, 4, 4, 4, 7}));
}

// Named methods that need memory report how much, and take no more.
TYPED_TEST(RankTest, TheDefaultNeedsNoMemory) {
  UnwatchedArenas const unwatched;
  auto const data = to_view<TypeParam>(random_runs(5000, 0.5));
  auto const ranks = zeros<TypeParam, double>(5000);
  riffle::rank(Context(this->exec, "ranks", this->workspace), data, ranks, ties::Fractional{});
  riffle::rank(Context(this->exec, "ranks", this->workspace), data, ranks, ties::Ordinal{});
  EXPECT_EQ(this->workspace.bytes(), 0u);
  riffle::rank(Context(this->exec, "ranks", this->workspace), data, ranks, ties::Competition{}, {},
               NaivePrefixRanking{});
  EXPECT_EQ(this->workspace.bytes(), detail::aligned_bytes(2 * 5000 * sizeof(std::uint32_t)));
}

}  // namespace
}  // namespace riffle::test::rank_test
