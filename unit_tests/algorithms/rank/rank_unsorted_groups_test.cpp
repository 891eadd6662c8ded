// Ranks within groups and segments of unsorted data, compared with a sort of each group and ranks by their definitions.
// Data and ranks have one type, and there is one rule of each kind: a rule that needs both ends of runs, counts of runs, and no
// runs. So less is compiled; rank_unsorted_groups_types_test.cpp has other types and rules.

#include <Kokkos_Core.hpp>
#include <riffle/rank/rank_unsorted_groups.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/rank_oracle.hpp"
#include "support/ranks_by_group.hpp"
#include "support/segments.hpp"
#include "support/thrown_message.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_unsorted_groups_test {
namespace {

template <class Exec>
class RankUnsortedGroupsTest : public ::testing::Test {
 protected:
  template <class Rule>
  void expect_ranks(std::vector<int> const& keys, std::vector<double> const& data, Rule const& rule,
                    RankOptions<> const& options) {
    auto const ranks = to_view<Exec>(std::vector<double>(data.size(), 77));
    riffle::rank_unsorted_groups(Context(exec, workspace), to_view<Exec>(keys), to_view<Exec>(data),
                                 ranks, rule, options);
    exec.fence();
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    EXPECT_TRUE(
        same_ranks(to_vector(ranks), ranks_by_group(keys, data, rule, oracle, std::less<double>{},
                                                    options.missing == Missing::first)));
  }

  void expect_each_kind(std::vector<int> const& keys, std::vector<double> const& data,
                        RankOptions<> const& options = {}) {
    expect_ranks(keys, data, ties::Dense{}, options);
    expect_ranks(keys, data, ties::Ordinal{}, options);
    expect_ranks(keys, data, ties::Fractional{}, options);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RankUnsortedGroupsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankUnsortedGroupsTest, EachKindOfRule) {
  for (std::size_t const n : {0, 1, 2, 1000, 4096, 20'001}) {
    for (unsigned const groups : {1, 2, 300, 10'000}) {
      this->expect_each_kind(random_keys(n, groups), few_values<double>(n, 20));
    }
    this->expect_each_kind(iota<int>(n), std::vector<double>(n, 0.5));
  }
}

TYPED_TEST(RankUnsortedGroupsTest, NaNsLastFirstAndExcluded) {
  auto const data = special_values<double>(5000);
  for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
    for (unsigned const groups : {1, 30, 3000}) {
      RankOptions<> options;
      options.missing = missing;
      this->expect_each_kind(random_keys(5000, groups), data, options);
      options.relative = true;
      this->expect_each_kind(random_keys(5000, groups), data, options);
    }
  }
}

TYPED_TEST(RankUnsortedGroupsTest, RejectsInvalidArguments) {
  auto const data = zeros<TypeParam, double>(300);
  auto const ranks = zeros<TypeParam, double>(300);
  auto const keys = zeros<TypeParam, int>(300);
  auto const refusal = [&](auto const& of, auto const& to, auto const& rule) {
    return thrown_message([&] { rank_unsorted_groups(this->exec, of, data, to, rule); });
  };
  ties::Fractional const rule;
  EXPECT_EQ(refusal(zeros<TypeParam, int>(299), ranks, rule),
            "riffle::rank_unsorted_groups: keys.extent(0) = 299 and data.extent(0) = 300: must be "
            "equal");
  EXPECT_EQ(refusal(keys, zeros<TypeParam, double>(299), rule),
            "riffle::rank_unsorted_groups: data.extent(0) = 300 and ranks.extent(0) = 299: must be "
            "equal");
  EXPECT_NE(refusal(keys, data, rule).find("overlap"), std::string::npos);
  decltype(keys) const in_ranks(reinterpret_cast<int*>(ranks.data()), 300);
  EXPECT_NE(refusal(in_ranks, ranks, rule).find("overlap"), std::string::npos);
}

// --- segments ---

template <class Exec>
class RankUnsortedSegmentsTest : public ::testing::Test {
 protected:
  template <class Rule>
  void expect_ranks(Segments<double> const& segments, Rule const& rule,
                    RankOptions<> const& options) {
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    auto const ranks = to_view<Exec>(std::vector<double>(segments.values.size(), 77));
    riffle::rank_unsorted_segments(Context(exec, workspace), to_view<Exec>(segments.offsets),
                                   to_view<Exec>(segments.values), ranks, rule, options);
    exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), segments.values_by([&](auto const& segment) {
      return unsorted_rank_oracle(segment, rule, oracle, std::less<double>{},
                                  options.missing == Missing::first);
    })));
  }

  void expect_ranks(Segments<double> const& segments) {
    for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
      for (bool const relative : {false, true}) {
        RankOptions<> options;
        options.missing = missing;
        options.relative = relative;
        options.first = relative ? 0 : 1;
        expect_ranks(segments, ties::Dense{}, options);
        expect_ranks(segments, ties::Ordinal{}, options);
        expect_ranks(segments, ties::Fractional{}, options);
      }
    }
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RankUnsortedSegmentsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankUnsortedSegmentsTest, OfAllSizes) {
  Segments<double> segments;
  for (std::size_t const size : {1, 0, 2, 3, 0, 0, 33, 1, 1023, 1024, 1025, 4095, 4096, 4097}) {
    segments.add(few_values<double>(size, 10));
    segments.add(special_values<double>(size));
  }
  this->expect_ranks(segments);
}

TYPED_TEST(RankUnsortedSegmentsTest, ManyShortSegments) {
  Segments<double> segments;
  for (std::size_t s = 0; s < 5000; ++s) {
    segments.add(few_values<double>(s % 4, 3, static_cast<unsigned>(s)));
  }
  this->expect_ranks(segments);
}

TYPED_TEST(RankUnsortedSegmentsTest, NoSegmentAndOneSegment) {
  Segments<double> segments;
  this->expect_ranks(segments);
  segments.add(special_values<double>(1));
  this->expect_ranks(segments);
  segments = {};
  segments.add(special_values<double>(9000));
  this->expect_ranks(segments);
}

// For any offsets, each element has a rank, and nothing is written outside of the ranks.
TYPED_TEST(RankUnsortedSegmentsTest, RejectsInvalidOffsets) {
  auto const data = to_view<TypeParam>(few_values<double>(1000, 30));
  auto const all = to_view<TypeParam>(std::vector<double>(1200, -7));
  decltype(zeros<TypeParam, double>(0)) const ranks =
      Kokkos::subview(all, std::pair<int, int>(100, 1100));
  auto const offsets = to_view<TypeParam>(std::vector<long>{500, -3, 5'000'000, 20, 900, 70});
  riffle::rank_unsorted_segments(this->exec, offsets, data, ranks, ties::Dense{});
  this->exec.fence();
  auto const written = to_vector(all);
  EXPECT_EQ(std::count(written.begin(), written.begin() + 100, -7), 100);
  EXPECT_EQ(std::count(written.begin() + 100, written.end() - 100, -7), 0);
  EXPECT_EQ(std::count(written.end() - 100, written.end(), -7), 100);
}

TYPED_TEST(RankUnsortedSegmentsTest, RejectsInvalidArguments) {
  auto const ranks = zeros<TypeParam, double>(300);
  auto const refusal = [&](std::size_t offsets, auto const& data) {
    return thrown_message([&] {
      rank_unsorted_segments(this->exec, zeros<TypeParam, int>(offsets), data, ranks,
                             ties::Fractional{});
    });
  };
  EXPECT_EQ(
      refusal(0, zeros<TypeParam, double>(300)),
      "riffle::rank_unsorted_segments: offsets.extent(0) = 0 and ranks.extent(0) = 300: there "
      "must be one offset more than there are segments");
  EXPECT_NE(refusal(2, ranks).find("overlap"), std::string::npos);
}

}  // namespace
}  // namespace riffle::test::rank_unsorted_groups_test
