// Ranks within segments of data in any order, against a sort of each segment and ranks by their definitions.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank_unsorted_groups.hpp>
#include <riffle/ties.hpp>
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
#include "support/segments.hpp"
#include "support/thrown_message.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test {
namespace {

template <class Exec>
class RankUnsortedSegmentsTest : public ::testing::Test {
 protected:
  template <class Rule>
  void expect_ranks(Segments<float> const& segments, Rule const& rule,
                    RankOptions<> const& options) {
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    auto const ranks = to_view<Exec>(std::vector<double>(segments.values.size(), 77));
    riffle::rank_unsorted_segments(exec, to_view<Exec>(segments.offsets),
                                   to_view<Exec>(segments.values), ranks, rule, options, workspace);
    exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), segments.values_by([&](auto const& segment) {
      return unsorted_rank_oracle(segment, rule, oracle, std::less<float>{},
                                  options.missing == Missing::first);
    })));
  }

  void expect_ranks(Segments<float> const& segments) {
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
  Segments<float> segments;
  for (std::size_t const size : {1, 0, 2, 3, 0, 0, 33, 1, 1023, 1024, 1025, 4095, 4096, 4097}) {
    segments.add(few_values<float>(size, 10));
    segments.add(special_values<float>(size));
  }
  this->expect_ranks(segments);
}

TYPED_TEST(RankUnsortedSegmentsTest, ManyShortOnes) {
  Segments<float> segments;
  for (std::size_t s = 0; s < 5000; ++s) {
    segments.add(few_values<float>(s % 4, 3, static_cast<unsigned>(s)));
  }
  this->expect_ranks(segments);
}

TYPED_TEST(RankUnsortedSegmentsTest, NoneAndOne) {
  Segments<float> segments;
  this->expect_ranks(segments);
  segments.add(special_values<float>(1));
  this->expect_ranks(segments);
  segments = {};
  segments.add(special_values<float>(9000));
  this->expect_ranks(segments);
}

// Whatever the offsets are, each element has a rank, and nothing is written beside them.
TYPED_TEST(RankUnsortedSegmentsTest, OffsetsThatAreNone) {
  auto const data = to_view<TypeParam>(few_values<float>(1000, 30));
  auto const all = to_view<TypeParam>(std::vector<double>(1200, -7));
  auto const ranks = Kokkos::subview(all, std::pair<int, int>(100, 1100));
  auto const offsets = to_view<TypeParam>(std::vector<long>{500, -3, 5'000'000, 20, 900, 70});
  riffle::rank_unsorted_segments(this->exec, offsets, data, ranks, ties::Dense{});
  this->exec.fence();
  auto const written = to_vector(all);
  EXPECT_EQ(std::count(written.begin(), written.begin() + 100, -7), 100);
  EXPECT_EQ(std::count(written.begin() + 100, written.end() - 100, -7), 0);
  EXPECT_EQ(std::count(written.end() - 100, written.end(), -7), 100);
}

TYPED_TEST(RankUnsortedSegmentsTest, RefusesWhatItCannotRank) {
  auto const data = zeros<TypeParam, float>(300);
  auto const ranks = zeros<TypeParam, double>(300);
  EXPECT_EQ(thrown_message(
                [&] { rank_unsorted_segments(this->exec, zeros<TypeParam, int>(0), data, ranks); }),
            "riffle::rank_unsorted_segments: offsets.extent(0) = 0 and data.extent(0) = 300: there "
            "must be one offset more than there are segments");
  EXPECT_NE(thrown_message([&] {
              rank_unsorted_segments(this->exec, zeros<TypeParam, int>(2), ranks, ranks);
            }).find("overlap"),
            std::string::npos);
}

}  // namespace
}  // namespace riffle::test
