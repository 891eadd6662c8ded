#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_and_count_ties.hpp>
#include <riffle/rank/tie_statistics.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/rank_oracle.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_and_count_ties_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Exec>
using TiesView = Kokkos::View<TieStatistics, typename Exec::memory_space>;

template <class Exec>
using RanksOf = Kokkos::View<double*, typename Exec::memory_space>;

template <class Exec>
TieStatistics fetched(TiesView<Exec> const& ties) {
  TieStatistics found;
  Kokkos::deep_copy(found, ties);
  return found;
}

/// All tests use one type, since each rule of each order takes long to compile.
using Data = std::vector<double>;

/// The expected statistics, by a loop over the runs; NaNs are left out if they are excluded.
template <class Order>
TieStatistics counted(Data const& data, Order const& order, bool excludes_missing) {
  Data sorted;
  for (std::size_t const i : order_oracle(data, order)) {
    if (!excludes_missing || !is_nan(data[i])) sorted.push_back(data[i]);
  }
  TieStatistics sum;
  if (sorted.empty()) return sum;
  for (auto const& run : runs_of_ties(sorted, order)) {
    std::uint64_t const t = run.last - run.first + 1;
    ++sum.groups;
    sum.elements += t;
    sum.tie_sum_low += t * t * t - t;  // less than 2^64, as elements are few
    sum.largest = std::max(sum.largest, t);
  }
  return sum;
}

void expect_equal(TieStatistics const& actual, TieStatistics const& expected) {
  EXPECT_EQ(actual.elements, expected.elements);
  EXPECT_EQ(actual.groups, expected.groups);
  EXPECT_EQ(actual.tie_sum_low, expected.tie_sum_low);
  EXPECT_EQ(actual.tie_sum_high, expected.tie_sum_high);
  EXPECT_EQ(actual.largest, expected.largest);
}

template <class Exec>
class RankAndCountTiesTest : public ::testing::Test {
 protected:
  using Ranks = RanksOf<Exec>;

  RankAndCountTiesTest() {
    // Earlier contents of the View must not matter.
    Kokkos::deep_copy(ties, TieStatistics::of_group(77));
  }

  template <class Rule, class Order = Ascending>
  void expect_ranks_and_ties(Data const& sorted, Rule const& rule,
                             RankOptions<Order> const& options = {}) {
    SCOPED_TRACE(sorted.size());
    Ranks const ranks("ranks", sorted.size());
    rank_and_count_ties(Context(exec, workspace), to_view<Exec>(sorted), ranks, ties, rule,
                        options);
    expect(sorted, ranks, rule, options);
  }

  template <class Rule, class Order = Ascending>
  void expect_of_unsorted(Data const& data, Rule const& rule,
                          RankOptions<Order> const& options = {}) {
    SCOPED_TRACE(data.size());
    Ranks const ranks("ranks", data.size());
    rank_unsorted_and_count_ties(Context(exec, workspace), to_view<Exec>(data), ranks, ties, rule,
                                 options);
    expect(data, ranks, rule, options);
  }

  Exec exec;
  TiesView<Exec> ties{"ties"};
  Workspace<Exec> workspace;

 private:
  template <class Rule, class Order>
  void expect(Data const& data, Ranks const& ranks, Rule const& rule,
              RankOptions<Order> const& options) {
    bool const excludes = options.missing == Missing::excluded;
    RankOracleOptions const of_oracle{excludes, options.first, options.relative};
    EXPECT_TRUE(
        same_ranks(to_vector(ranks), unsorted_rank_oracle(data, rule, of_oracle, options.order)));
    expect_equal(fetched<Exec>(ties), counted(data, options.order, excludes));
  }
};
TYPED_TEST_SUITE(RankAndCountTiesTest, ExecutionSpaces, SpaceNames);

template <class Use>
void for_each_rule(Use const& use) {
  use(ties::Competition{});
  use(ties::ModifiedCompetition{});
  use(ties::Dense{});
  use(ties::Ordinal{});
  use(ties::Fractional{});
}

TYPED_TEST(RankAndCountTiesTest, FewElements) {
  for (auto const& data : std::vector<Data>{{}, {7}, {7, 7}, {7, 8}, {1, 2, 2, 3, 3, 3}}) {
    for_each_rule([&](auto rule) { this->expect_ranks_and_ties(data, rule); });
    this->expect_of_unsorted(data, ties::Competition{});
  }
}

TYPED_TEST(RankAndCountTiesTest, RandomRuns) {
  for (std::size_t const n : {33, 5000, 70001}) {
    for (double const recurring : {0.0, 0.5, 0.999, 1.0}) {
      auto const data = random_runs<double>(n, recurring);
      for_each_rule([&](auto rule) { this->expect_ranks_and_ties(data, rule); });
    }
  }
}

// One element before, at, and one after the edges of blocks on a CPU and of tiles on a GPU.
TYPED_TEST(RankAndCountTiesTest, RunsNearTheEdgesOfTiles) {
  for (std::size_t const edge : {1024, 4096}) {
    for (auto const& data : runs_near(edge, 3)) {
      this->expect_ranks_and_ties(Data(data.begin(), data.end()), ties::Competition{});
    }
  }
}

TYPED_TEST(RankAndCountTiesTest, UnsortedData) {
  for (std::uint32_t const values : {1u, 3u, 1000u, 1u << 30}) {
    Data data;
    for (auto const x : random_values<std::uint32_t>(60000, 3)) data.push_back(x % values);
    this->expect_of_unsorted(data, ties::Competition{});
    this->expect_of_unsorted(data, ties::Dense{});
    this->expect_of_unsorted(data, ties::Fractional{});
  }
}

TYPED_TEST(RankAndCountTiesTest, MissingValuesAreGroupsOrExcluded) {
  Data data(5000, nan);
  for (std::size_t i = 0; i < 3000; ++i) data[i] = static_cast<double>(i / 3);
  for (auto const missing : {Missing::ranked, Missing::excluded}) {
    RankOptions<> options;
    options.missing = missing;
    for_each_rule([&](auto rule) { this->expect_ranks_and_ties(data, rule, options); });
    this->expect_of_unsorted(data, ties::Dense{}, options);
    this->expect_of_unsorted(data, ties::Fractional{}, options);
    this->expect_ranks_and_ties(Data(40, nan), ties::Competition{}, options);
  }
}

TYPED_TEST(RankAndCountTiesTest, OptionsAndOrders) {
  auto data = random_runs<double>(3000, 0.5);
  RankOptions<> relative;
  relative.relative = true;
  this->expect_of_unsorted(data, ties::Fractional{}, relative);
  std::reverse(data.begin(), data.end());
  RankOptions<Descending> options;
  options.first = 0;
  this->expect_ranks_and_ties(data, ties::Fractional{}, options);
}

// 3 10^6 ties have a sum of more than 64 bits; the last one adds 3 (k^2 + k), which has 45 bits.
TYPED_TEST(RankAndCountTiesTest, SumsBeyond64Bits) {
  auto const data = runs_that_end_at<double>(3000007, {3000000, 3000005});
  auto const sorted = to_view<TypeParam>(data);
  RanksOf<TypeParam> const ranks("ranks", data.size());
  auto const expect_ties = [&] {
    auto const found = fetched<TypeParam>(this->ties);
    EXPECT_EQ(found.groups, 3u);
    EXPECT_EQ(found.largest, 3000000u);
    EXPECT_EQ(found.tie_sum_high, 1u);
    EXPECT_EQ(found.tie_sum_low, 8553255926287448510u);  // 27 10^18 - 3 10^6 + 120 + 6 - 2^64
  };
  rank_and_count_ties(this->exec, sorted, ranks, this->ties);
  expect_ties();
  rank_unsorted_and_count_ties(this->exec, sorted, ranks, this->ties);
  expect_ties();
}

TYPED_TEST(RankAndCountTiesTest, Refuses) {
  auto const data = zeros<TypeParam, double>(5);
  auto const few = zeros<TypeParam, double>(4);
  EXPECT_EQ(
      thrown_message([&] { rank_and_count_ties(this->exec, data, few, this->ties); }),
      "riffle::rank_and_count_ties: sorted.extent(0) = 5 and ranks.extent(0) = 4: must be equal");
  EXPECT_EQ(
      thrown_message([&] { rank_unsorted_and_count_ties(this->exec, data, few, this->ties); }),
      "riffle::rank_unsorted_and_count_ties: data.extent(0) = 5 and ranks.extent(0) = 4: must be "
      "equal");
  expect_equal(fetched<TypeParam>(this->ties), TieStatistics::of_group(77));
}

TYPED_TEST(RankAndCountTiesTest, ToolsSeeLabelsAndTheInstance) {
  auto const data = to_view<TypeParam>(random_runs<double>(20000, 0.6));
  auto const exec = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  RanksOf<TypeParam> const ranks("ranks", 20000);
  auto const call = [&](auto const& on) { rank_and_count_ties(on, data, ranks, this->ties); };
  expect_labels_and_instance(exec, call);
}

}  // namespace
}  // namespace riffle::test::rank_and_count_ties_test
