// Ranks within groups, against ranks of each group alone by their definitions.

#include <Kokkos_Core.hpp>
#include <riffle/rank_groups.hpp>
#include <riffle/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/rank_oracle.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test {
namespace {

/// Segments of some sizes, and data that ascend in each, with ties, and across their borders, too.
struct Segments {
  std::vector<int> offsets{0};
  std::vector<float> sorted;

  void add(std::size_t size, unsigned values) {
    std::mt19937 generator(static_cast<unsigned>(sorted.size()) + values);
    std::vector<float> segment(size);
    for (auto& x : segment) x = static_cast<float>(generator() % values);
    std::sort(segment.begin(), segment.end());
    sorted.insert(sorted.end(), segment.begin(), segment.end());
    offsets.push_back(static_cast<int>(sorted.size()));
  }

  /// Different keys of neighbouring segments that are not empty, in no order.
  std::vector<short> keys() const {
    std::vector<short> keys(sorted.size());
    for (std::size_t s = 1; s < offsets.size(); ++s) {
      std::fill(keys.begin() + offsets[s - 1], keys.begin() + offsets[s],
                static_cast<short>(s * 12'345));
    }
    return keys;
  }

  template <class Rule>
  std::vector<double> ranks(Rule const& rule, RankOracleOptions const& options) const {
    std::vector<double> all;
    for (std::size_t s = 1; s < offsets.size(); ++s) {
      std::vector<float> const segment(sorted.begin() + offsets[s - 1],
                                       sorted.begin() + offsets[s]);
      auto const own = rank_oracle(segment, rule, options);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }
};

template <class Exec>
class RankGroupsTest : public ::testing::Test {
 protected:
  template <class Rule>
  void expect_ranks(Segments const& segments, Rule const& rule, bool relative) {
    RankOptions<> options;
    options.relative = relative;
    options.first = relative ? 1 : 0;
    auto const expected =
        segments.ranks(rule, {.first = options.first, .is_relative = options.relative});
    std::size_t const n = segments.sorted.size();
    auto const sorted = to_view<Exec>(segments.sorted);
    auto const ranks = to_view<Exec>(std::vector<double>(n, -7));
    riffle::rank_segments(exec, to_view<Exec>(segments.offsets), sorted, ranks, rule, options,
                          workspace);
    exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), expected));
    Kokkos::deep_copy(ranks, -7.0);
    riffle::rank_groups(exec, to_view<Exec>(segments.keys()), sorted, ranks, rule, options,
                        workspace);
    exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), expected));
  }

  void expect_ranks(Segments const& segments) {
    for (bool const relative : {false, true}) {
      expect_ranks(segments, ties::Competition{}, relative);
      expect_ranks(segments, ties::Dense{}, relative);
      expect_ranks(segments, ties::Ordinal{}, relative);
      expect_ranks(segments, ties::Fractional{}, relative);
    }
    expect_ranks(segments, ties::ModifiedCompetition{}, true);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RankGroupsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankGroupsTest, SegmentsOfAllSizes) {
  Segments segments;
  for (std::size_t const size : {1, 0, 2, 3, 0, 0, 31, 32, 33, 1, 1, 127, 128, 129, 1000, 5000}) {
    segments.add(size, 10);
  }
  this->expect_ranks(segments);
}

TYPED_TEST(RankGroupsTest, ManyShortOnes) {
  Segments segments;
  for (std::size_t s = 0; s < 20'000; ++s) segments.add(s % 4, 2);
  this->expect_ranks(segments);
}

// The same value in all of them.
TYPED_TEST(RankGroupsTest, TiesEndWithTheSegment) {
  Segments segments;
  for (std::size_t const size : {4095, 1, 4097, 8192, 7}) segments.add(size, 1);
  this->expect_ranks(segments);
}

TYPED_TEST(RankGroupsTest, OneSegmentAndNone) {
  Segments segments;
  this->expect_ranks(segments);
  segments.add(3000, 100);
  this->expect_ranks(segments);
}

// Whatever the offsets are, nothing is written beside the ranks.
TYPED_TEST(RankGroupsTest, OffsetsThatAreNone) {
  auto const sorted = zeros<TypeParam, float>(1000);
  auto const all = to_view<TypeParam>(std::vector<int>(1200, -7));
  auto const ranks = Kokkos::subview(all, std::pair<int, int>(100, 1100));
  auto const offsets = to_view<TypeParam>(std::vector<long>{500, -3, 5'000'000, 20, 900, 70});
  riffle::rank_segments(this->exec, offsets, sorted, ranks, ties::Dense{});
  this->exec.fence();
  auto const written = to_vector(all);
  EXPECT_EQ(std::count(written.begin(), written.begin() + 100, -7), 100);
  EXPECT_EQ(std::count(written.end() - 100, written.end(), -7), 100);
}

TYPED_TEST(RankGroupsTest, RefusesWhatItCannotRank) {
  auto const sorted = zeros<TypeParam, float>(300);
  auto const ranks = zeros<TypeParam, int>(300);
  EXPECT_EQ(thrown_message([&] {
              riffle::rank_groups(this->exec, zeros<TypeParam, int>(299), sorted, ranks);
            }),
            "riffle::rank_groups: keys.extent(0) = 299 and sorted.extent(0) = 300: must be equal");
  EXPECT_EQ(
      thrown_message(
          [&] { riffle::rank_segments(this->exec, zeros<TypeParam, int>(0), sorted, ranks); }),
      "riffle::rank_segments: offsets.extent(0) = 0 and sorted.extent(0) = 300: there must be "
      "one offset more than there are segments");
  EXPECT_NE(thrown_message([&] {
              riffle::rank_segments(this->exec, ranks, sorted, ranks);
            }).find("overlap"),
            std::string::npos);
}

}  // namespace
}  // namespace riffle::test
