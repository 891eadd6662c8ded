// Ranks within sorted groups by more rules, orders and types of ranks than in rank_groups_test.cpp.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ties.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/sorted_groups.hpp"

namespace riffle::test::rank_groups_types_test {
namespace {

template <class Exec>
class RankGroupsTypesTest : public RankGroupsBase<Exec> {
 protected:
  void expect_ranks(SortedGroups const& segments, RankOptions<> const& options) {
    this->template expect_ranks_in_groups<double>(segments, ties::Competition{}, options);
    this->template expect_ranks_in_groups<double>(segments, ties::ModifiedCompetition{}, options);
  }

  void expect_ranks(SortedGroups const& segments) {
    expect_ranks(segments, {.first = 0});
    expect_ranks(segments, {.relative = true});
  }

  void expect_ranks_with_nans(SortedGroups const& segments, Missing missing) {
    for (bool const relative : {false, true}) {
      expect_ranks(segments, {.missing = missing, .relative = relative});
    }
  }

  /// Expects ranks within segments, and within groups by keys.
  template <class Rank, class Rule>
  void expect_both(SortedGroups const& segments, Rule const& rule,
                   RankOptions<Descending> const& options) {
    std::greater<float> const is_before;
    this->template expect_ranks_in_segments<Rank>(segments, rule, options, is_before);
    this->template expect_ranks_in_groups<Rank>(segments, rule, options, is_before);
  }
};
TYPED_TEST_SUITE(RankGroupsTypesTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankGroupsTypesTest, GroupsOfNumbers) {
  this->expect_ranks(groups_of_all_sizes());
  this->expect_ranks(many_short_groups());
  this->expect_ranks(groups_of_one_value());
  SortedGroups one;
  this->expect_ranks(one);
  add_ascending(one, 3000, 100);
  this->expect_ranks(one);
}

TYPED_TEST(RankGroupsTypesTest, GroupsWithNaNs) {
  for (bool const has_nans_first : {false, true}) {
    this->expect_ranks_with_nans(groups_with_nans(has_nans_first), Missing::excluded);
  }
  this->expect_ranks_with_nans(groups_with_nans(), Missing::ranked);
}

TYPED_TEST(RankGroupsTypesTest, OnlyNaNsAndEmptyGroups) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  SortedGroups segments;
  this->expect_ranks_with_nans(segments, Missing::excluded);
  segments.add({nan});
  this->expect_ranks_with_nans(segments, Missing::excluded);
  segments.add(std::vector<float>(5000, nan));
  this->expect_ranks_with_nans(segments, Missing::excluded);
}

// By rules that do not need runs; rank_rows_missing_test.cpp has one that does.
TYPED_TEST(RankGroupsTypesTest, ExcludedFromDescendingGroups) {
  auto const segments = groups_with_nans(true, std::greater<float>{});
  for (bool const relative : {false, true}) {
    RankOptions<Descending> const options{.missing = Missing::excluded, .relative = relative};
    this->template expect_both<double>(segments, ties::Dense{}, options);
    this->template expect_both<double>(segments, ties::Ordinal{}, options);
  }
}

TYPED_TEST(RankGroupsTypesTest, IntegersFromZero) {
  auto const segments = groups_with_nans(false, std::greater<float>{});
  RankOptions<Descending> const options{.missing = Missing::excluded, .first = 0};
  this->template expect_both<int>(segments, ties::Dense{}, options);
  this->template expect_both<long>(segments, ties::Ordinal{}, options);
}

}  // namespace
}  // namespace riffle::test::rank_groups_types_test
