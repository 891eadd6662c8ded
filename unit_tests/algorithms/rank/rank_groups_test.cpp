// Ranks within groups, with and without NaNs, compared with ranks of each group by their definitions; and groups in other
// orders.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_groups.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/segments.hpp"
#include "support/thrown_message.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_groups_test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// The data of most tests: of one type, with NaNs or without, so that less is compiled.
using Groups = Segments<float>;

/// Adds a segment of ascending data with ties, also to the segment before.
void add_ascending(Groups& segments, std::size_t size, unsigned values) {
  auto const seed = static_cast<unsigned>(segments.values.size()) + values;
  auto segment = few_values<float>(size, values, seed);
  std::sort(segment.begin(), segment.end());
  segments.add(segment);
}

/// Ranks within segments, and within the groups of their keys.
template <class Exec>
class RankGroupsBase : public ::testing::Test {
 protected:
  template <class Rank, class Rule, class Order = Ascending, class Before = std::less<float>>
  void expect_ranks(Groups const& segments, Rule const& rule, RankOptions<Order> const& options,
                    Before const& is_before = {}) {
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    auto const expected =
        segments.values_by([&](auto const& s) { return rank_oracle(s, rule, oracle, is_before); });
    auto const sorted = to_view<Exec>(segments.values);
    auto const ranks = to_view<Exec>(std::vector<Rank>(segments.values.size(), Rank(77)));
    riffle::rank_segments(Context(exec, workspace), to_view<Exec>(segments.offsets), sorted, ranks,
                          rule, options);
    exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), expected));
    Kokkos::deep_copy(ranks, Rank(77));
    riffle::rank_groups(Context(exec, workspace), to_view<Exec>(segments.keys()), sorted, ranks,
                        rule, options);
    exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), expected));
  }

  /// Expects ranks of type double, by every rule.
  void expect_all_rules(Groups const& segments, RankOptions<> const& options) {
    expect_ranks<double>(segments, ties::Competition{}, options);
    expect_ranks<double>(segments, ties::ModifiedCompetition{}, options);
    expect_ranks<double>(segments, ties::Dense{}, options);
    expect_ranks<double>(segments, ties::Ordinal{}, options);
    expect_ranks<double>(segments, ties::Fractional{}, options);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};

// --- numbers ---

template <class Exec>
class RankGroupsTest : public RankGroupsBase<Exec> {
 protected:
  void expect_ranks(Groups const& segments) {
    this->expect_all_rules(segments, {.first = 0});
    this->expect_all_rules(segments, {.relative = true});
  }
};
TYPED_TEST_SUITE(RankGroupsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankGroupsTest, SegmentsOfAllSizes) {
  Groups segments;
  for (std::size_t const size : {1, 0, 2, 3, 0, 0, 31, 32, 33, 1, 1, 127, 128, 129, 1000, 5000}) {
    add_ascending(segments, size, 10);
  }
  this->expect_ranks(segments);
}

TYPED_TEST(RankGroupsTest, ManyShortSegments) {
  Groups segments;
  for (std::size_t s = 0; s < 20'000; ++s) add_ascending(segments, s % 4, 2);
  this->expect_ranks(segments);
}

// All segments have the same value.
TYPED_TEST(RankGroupsTest, TiesEndWithTheSegment) {
  Groups segments;
  for (std::size_t const size : {4095, 1, 4097, 8192, 7}) add_ascending(segments, size, 1);
  this->expect_ranks(segments);
}

TYPED_TEST(RankGroupsTest, NoSegmentAndOneSegment) {
  Groups segments;
  this->expect_ranks(segments);
  add_ascending(segments, 3000, 100);
  this->expect_ranks(segments);
}

// For any offsets, nothing is written outside of the ranks.
TYPED_TEST(RankGroupsTest, RejectsInvalidOffsets) {
  auto const sorted = zeros<TypeParam, float>(1000);
  auto const all = to_view<TypeParam>(std::vector<double>(1200, -7));
  decltype(zeros<TypeParam, double>(0)) const ranks =
      Kokkos::subview(all, std::pair<int, int>(100, 1100));
  auto const offsets = to_view<TypeParam>(std::vector<long>{500, -3, 5'000'000, 20, 900, 70});
  riffle::rank_segments(this->exec, offsets, sorted, ranks, ties::Dense{});
  this->exec.fence();
  auto const written = to_vector(all);
  EXPECT_EQ(std::count(written.begin(), written.begin() + 100, -7), 100);
  EXPECT_EQ(std::count(written.end() - 100, written.end(), -7), 100);
}

TYPED_TEST(RankGroupsTest, RejectsInvalidArguments) {
  auto const sorted = zeros<TypeParam, float>(300);
  auto const ranks = zeros<TypeParam, double>(300);
  EXPECT_EQ(thrown_message([&] {
              riffle::rank_groups(this->exec, zeros<TypeParam, short>(299), sorted, ranks);
            }),
            "riffle::rank_groups: keys.extent(0) = 299 and sorted.extent(0) = 300: must be equal");
  EXPECT_EQ(
      thrown_message(
          [&] { riffle::rank_segments(this->exec, zeros<TypeParam, int>(0), sorted, ranks); }),
      "riffle::rank_segments: offsets.extent(0) = 0 and sorted.extent(0) = 300: there must be "
      "one offset more than there are segments");
  auto const offsets = zeros<TypeParam, int>(300);
  EXPECT_NE(thrown_message([&] {
              riffle::rank_segments(this->exec, offsets, sorted, offsets, ties::Ordinal{});
            }).find("overlap"),
            std::string::npos);
}

// --- numbers and NaNs ---

/// A group of `numbers` elements, sorted by a Before, with NaNs before or after them.
template <class Before>
std::vector<float> sorted_group(std::size_t numbers, std::size_t missing, bool has_nans_first,
                                Before const& is_before) {
  auto group = few_values<float>(numbers, 5, static_cast<unsigned>(numbers + missing));
  std::sort(group.begin(), group.end(), is_before);
  group.insert(has_nans_first ? group.begin() : group.end(), missing, nan);
  return group;
}

/// Groups without NaNs, with some, and with NaNs only, which begin and end near the edges of tiles.
template <class Before = std::less<float>>
Groups groups_with_nans(bool has_nans_first = false, Before const& is_before = {}) {
  Groups segments;
  auto const add = [&](std::size_t numbers, std::size_t missing) {
    segments.add(sorted_group(numbers, missing, has_nans_first, is_before));
  };
  for (std::size_t const numbers : {0, 1, 2, 5, 1023, 1024, 1025, 4095}) {
    for (std::size_t const missing : {0, 1, 2, 33}) add(numbers, missing);
  }
  for (std::size_t const missing : {4096, 4097}) add(3, missing);
  add(4097, 0);
  for (std::size_t s = 0; s < 3000; ++s) add(s % 3, s % 2);
  return segments;
}

template <class Exec>
class RankGroupsMissingTest : public RankGroupsBase<Exec> {
 protected:
  void expect_all(Groups const& segments, Missing missing) {
    for (bool const relative : {false, true}) {
      this->expect_all_rules(segments, {.missing = missing, .relative = relative});
    }
  }
};
TYPED_TEST_SUITE(RankGroupsMissingTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankGroupsMissingTest, Excluded) {
  for (bool const has_nans_first : {false, true}) {
    this->expect_all(groups_with_nans(has_nans_first), Missing::excluded);
  }
}

TYPED_TEST(RankGroupsMissingTest, Ranked) { this->expect_all(groups_with_nans(), Missing::ranked); }

// By rules that do not need runs; rank_rows_missing_test.cpp has one that does.
TYPED_TEST(RankGroupsMissingTest, ExcludedFromDescendingGroups) {
  std::greater<float> const is_before;
  auto const segments = groups_with_nans(true, is_before);
  for (bool const relative : {false, true}) {
    RankOptions<Descending> const options{.missing = Missing::excluded, .relative = relative};
    this->template expect_ranks<double>(segments, ties::Dense{}, options, is_before);
    this->template expect_ranks<double>(segments, ties::Ordinal{}, options, is_before);
  }
}

// RandomAmongTies has a rule that needs runs.
TYPED_TEST(RankGroupsMissingTest, IntegersFromZero) {
  std::greater<float> const is_before;
  auto const segments = groups_with_nans(false, is_before);
  RankOptions<Descending> const options{.missing = Missing::excluded, .first = 0};
  this->template expect_ranks<int>(segments, ties::Dense{}, options, is_before);
  this->template expect_ranks<long>(segments, ties::Ordinal{}, options, is_before);
}

TYPED_TEST(RankGroupsMissingTest, OnlyNaNsAndEmptyGroups) {
  Groups segments;
  this->expect_all(segments, Missing::excluded);
  segments.add({nan});
  this->expect_all(segments, Missing::excluded);
  segments.add(std::vector<float>(5000, nan));
  this->expect_all(segments, Missing::excluded);
}

// The ranks of tied elements are a permutation of the ranks of their run; the rank of a NaN is -1, as an integer.
TYPED_TEST(RankGroupsMissingTest, RandomAmongTies) {
  auto const segments = groups_with_nans();
  RankOptions<> options;
  options.missing = Missing::excluded;
  auto const ranks = zeros<TypeParam, int>(segments.values.size());
  riffle::rank_segments(this->exec, to_view<TypeParam>(segments.offsets),
                        to_view<TypeParam>(segments.values), ranks, ties::Random{3}, options);
  this->exec.fence();
  auto random = to_vector(ranks);
  RankOracleOptions const oracle{.excludes_missing = true};
  // Sorted within each run, they are the ranks of Ordinal.
  for (std::size_t begin = 0, i = 1; i <= random.size(); ++i) {
    bool const is_tied = i < random.size() && segments.group_of(i) == segments.group_of(begin) &&
                         segments.values[i] == segments.values[begin];
    if (is_tied) continue;
    auto const from = random.begin();
    std::sort(from + static_cast<std::ptrdiff_t>(begin), from + static_cast<std::ptrdiff_t>(i));
    begin = i;
  }
  EXPECT_TRUE(same_ranks(random, segments.values_by([&](auto const& s) {
    return rank_oracle(s, ties::Ordinal{}, oracle);
  })));
}

struct ByTens {
  KOKKOS_FUNCTION bool operator()(int const& a, int const& b) const { return a / 10 > b / 10; }
};

// Views that are not contiguous, keys without an order, and integers by a comparison.
TYPED_TEST(RankGroupsMissingTest, StridedViewsByUserComparison) {
  Segments<int> segments;
  for (std::size_t const size : {1, 2, 1, 300, 5000, 0, 1, 4096}) {
    auto group = few_values<int>(size, 100);
    std::sort(group.begin(), group.end(), ByTens{});
    segments.add(group);
  }
  std::size_t const n = segments.values.size();
  auto const sorted = make_strided<TypeParam, int>(n);
  auto const keys = make_strided<TypeParam, short>(n);
  auto const ranks = make_strided<TypeParam, float>(n);
  fill(sorted, segments.values);
  fill(keys, segments.keys());
  RankOptions<ByTens> options;
  options.missing = Missing::excluded;  // does not matter for integers
  riffle::rank_groups(this->exec, keys, sorted, ranks, ties::Fractional{}, options);
  this->exec.fence();
  EXPECT_TRUE(same_ranks(to_vector(ranks), segments.values_by([](auto const& s) {
    return rank_oracle(s, ties::Fractional{}, {}, ByTens{});
  })));
}

}  // namespace
}  // namespace riffle::test::rank_groups_test
