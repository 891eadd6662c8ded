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
#include "support/sorted_groups.hpp"
#include "support/thrown_message.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_groups_test {
namespace {

// Every rule ranks segments. Groups by keys are ranked by one rule of each kind, since a rule does not depend on how groups are
// given: by a rule that needs both ends of runs, by counts of runs, and without runs. rank_groups_types_test.cpp has the others.

template <class Exec>
class RankGroupsOfAllRules : public RankGroupsBase<Exec> {
 protected:
  void expect_all_rules(SortedGroups const& segments, RankOptions<> const& options) {
    this->template expect_ranks_in_segments<double>(segments, ties::Competition{}, options);
    this->template expect_ranks_in_segments<double>(segments, ties::ModifiedCompetition{}, options);
    expect_both(segments, ties::Dense{}, options);
    expect_both(segments, ties::Ordinal{}, options);
    expect_both(segments, ties::Fractional{}, options);
  }

 private:
  template <class Rule>
  void expect_both(SortedGroups const& segments, Rule const& rule, RankOptions<> const& options) {
    this->template expect_ranks_in_segments<double>(segments, rule, options);
    this->template expect_ranks_in_groups<double>(segments, rule, options);
  }
};

// --- numbers ---

template <class Exec>
class RankGroupsTest : public RankGroupsOfAllRules<Exec> {
 protected:
  void expect_ranks(SortedGroups const& segments) {
    this->expect_all_rules(segments, {.first = 0});
    this->expect_all_rules(segments, {.relative = true});
  }
};
TYPED_TEST_SUITE(RankGroupsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankGroupsTest, SegmentsOfAllSizes) { this->expect_ranks(groups_of_all_sizes()); }

TYPED_TEST(RankGroupsTest, ManyShortSegments) { this->expect_ranks(many_short_groups()); }

TYPED_TEST(RankGroupsTest, TiesEndWithTheSegment) { this->expect_ranks(groups_of_one_value()); }

TYPED_TEST(RankGroupsTest, NoSegmentAndOneSegment) {
  SortedGroups segments;
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
              riffle::rank_groups(this->exec, zeros<TypeParam, short>(299), sorted, ranks,
                                  ties::Fractional{});
            }),
            "riffle::rank_groups: keys.extent(0) = 299 and sorted.extent(0) = 300: must be equal");
  EXPECT_EQ(thrown_message([&] {
              riffle::rank_segments(this->exec, zeros<TypeParam, int>(0), sorted, ranks);
            }),
            "riffle::rank_segments: offsets.extent(0) = 0 and ranks.extent(0) = 300: there must be "
            "one offset more than there are segments");
  auto const offsets = zeros<TypeParam, int>(300);
  EXPECT_NE(thrown_message([&] {
              riffle::rank_segments(this->exec, offsets, sorted, offsets, ties::Random{3});
            }).find("overlap"),
            std::string::npos);
}

// --- numbers and NaNs ---

template <class Exec>
class RankGroupsMissingTest : public RankGroupsOfAllRules<Exec> {
 protected:
  void expect_all(SortedGroups const& segments, Missing missing) {
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

// RandomAmongTies has a rule that needs runs.
TYPED_TEST(RankGroupsMissingTest, IntegersFromZeroOfDescendingGroups) {
  std::greater<float> const is_before;
  auto const segments = groups_with_nans(false, is_before);
  RankOptions<Descending> const options{.missing = Missing::excluded, .first = 0};
  this->template expect_ranks_in_segments<int>(segments, ties::Dense{}, options, is_before);
  this->template expect_ranks_in_groups<int>(segments, ties::Ordinal{}, options, is_before);
}

TYPED_TEST(RankGroupsMissingTest, OnlyNaNsAndEmptyGroups) {
  SortedGroups segments;
  this->expect_all(segments, Missing::excluded);
  segments.add({std::numeric_limits<float>::quiet_NaN()});
  this->expect_all(segments, Missing::excluded);
  segments.add(std::vector<float>(5000, std::numeric_limits<float>::quiet_NaN()));
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
