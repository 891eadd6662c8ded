// Ranks within groups of unsorted data with other orders, types of keys and kinds of Views, compared with a sort of each group
// and the oracle. Most data have one type, which is smaller than most keys, so that the tests compile one sort.
// (rank_unsorted_groups_test.cpp has doubles.)

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_unsorted_groups.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/ranks_by_group.hpp"
#include "support/thrown_message.hpp"
#include "support/unsorted_data.hpp"
#include "support/unsorted_ranks.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_unsorted_groups_types_test {
namespace {

template <class Exec>
class RankUnsortedGroupsTypesTest : public ::testing::Test {
 protected:
  template <class Rank, class Key, class T, class Rule, class Order, class Before>
  void expect_ranks(std::vector<Key> const& keys, std::vector<T> const& data, Rule const& rule,
                    RankOptions<Order> const& options, Before const& is_before) {
    auto const ranks = to_view<Exec>(std::vector<Rank>(data.size(), Rank(77)));
    riffle::rank_unsorted_groups(Context(exec, workspace), to_view<Exec>(keys), to_view<Exec>(data),
                                 ranks, rule, options);
    exec.fence();
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    EXPECT_TRUE(same_ranks(to_vector(ranks), ranks_by_group(keys, data, rule, oracle, is_before,
                                                            options.missing == Missing::first)));
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RankUnsortedGroupsTypesTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankUnsortedGroupsTypesTest, DescendingIntegersFromZero) {
  RankOptions<Descending> options;
  options.first = 0;
  this->template expect_ranks<int>(random_keys(3000, 256), few_values<short>(3000, 9),
                                   ties::Competition{}, options, std::greater<short>{});
}

TYPED_TEST(RankUnsortedGroupsTypesTest, CompetitionRanksOfDoubles) {
  auto const expect_both = [&](std::vector<int> const& keys, std::vector<double> const& data,
                               RankOptions<> const& options) {
    std::less<double> const is_before;
    this->template expect_ranks<double>(keys, data, ties::Competition{}, options, is_before);
    this->template expect_ranks<double>(keys, data, ties::ModifiedCompetition{}, options,
                                        is_before);
  };
  for (std::size_t const n : {0, 1, 2, 1000, 4096, 20'001}) {
    for (unsigned const groups : {1, 2, 300, 10'000}) {
      expect_both(random_keys(n, groups), few_values<double>(n, 20), {});
    }
    expect_both(iota<int>(n), std::vector<double>(n, 0.5), {});
  }
  auto const data = special_values<double>(5000);
  for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
    for (unsigned const groups : {1, 30, 3000}) {
      expect_both(random_keys(5000, groups), data, {.missing = missing});
      expect_both(random_keys(5000, groups), data, {.missing = missing, .relative = true});
    }
  }
}

// The keys are the View that the ranks are written to, so they are integers.
TYPED_TEST(RankUnsortedGroupsTypesTest, RejectsKeysThatAreRanks) {
  auto const data = zeros<TypeParam, double>(300);
  auto const keys = zeros<TypeParam, int>(300);
  EXPECT_NE(thrown_message([&] {
              rank_unsorted_groups(this->exec, keys, data, keys, ties::Ordinal{});
            }).find("overlap"),
            std::string::npos);
}

TYPED_TEST(RankUnsortedGroupsTypesTest, StructsByUserComparison) {
  auto const particles = particles_of(few_values<float>(9000, 50));
  this->template expect_ranks<double>(random_keys(9000, 40), particles, ties::Fractional{},
                                      RankOptions<HigherEnergy>{}, HigherEnergy{});
}

// Zeros of both signs are one key, and all NaNs are one key.
TYPED_TEST(RankUnsortedGroupsTypesTest, KeysOfFloatingPoint) {
  auto const keys = special_values<float>(2000);
  auto const data = few_values<short>(2000, 30);
  std::vector<double> groups(keys.begin(), keys.end());
  for (double& key : groups) {
    if (is_nan(key)) key = 1e300;
  }
  auto const ranks = zeros<TypeParam, int>(2000);
  riffle::rank_unsorted_groups(this->exec, to_view<TypeParam>(keys), to_view<TypeParam>(data),
                               ranks, ties::Ordinal{});
  this->exec.fence();
  EXPECT_TRUE(same_ranks(to_vector(ranks),
                         ranks_by_group(groups, data, ties::Ordinal{}, {}, std::less<short>{})));
}

// The results of pandas: DataFrame({'g': list('babab'), 'x': [3, 1, 3, 1, 2]}).groupby('g').x.rank(), and method='dense'.
TYPED_TEST(RankUnsortedGroupsTypesTest, AsPandasRanks) {
  auto const keys = to_view<TypeParam>(std::vector<char>{'b', 'a', 'b', 'a', 'b'});
  auto const data = to_view<TypeParam>(std::vector<short>{3, 1, 3, 1, 2});
  auto const ranks = zeros<TypeParam, double>(5);
  riffle::rank_unsorted_groups(this->exec, keys, data, ranks, ties::Fractional{});
  this->exec.fence();
  EXPECT_EQ(to_vector(ranks), (std::vector<double>{2.5, 1.5, 2.5, 1.5, 1}));
  riffle::rank_unsorted_groups(this->exec, keys, data, ranks, ties::Dense{});
  this->exec.fence();
  EXPECT_EQ(to_vector(ranks), (std::vector<double>{2, 1, 2, 1, 1}));
}

TYPED_TEST(RankUnsortedGroupsTypesTest, StridedViews) {
  std::size_t const n = 3000;
  auto const keys = make_strided<TypeParam, int>(n);
  auto const data = make_strided<TypeParam, short>(n);
  auto const ranks = make_strided<TypeParam, double>(n);
  auto const values = few_values<short>(n, 11);
  fill(keys, random_keys(n, 60));
  fill(data, values);
  riffle::rank_unsorted_groups(this->exec, keys, data, ranks, ties::Dense{});
  this->exec.fence();
  EXPECT_TRUE(same_ranks(to_vector(ranks), ranks_by_group(random_keys(n, 60), values, ties::Dense{},
                                                          {}, std::less<>{})));
}

// The ranks of each group are 1, 2, ...; lower values precede higher ones; another seed gives other ranks.
TYPED_TEST(RankUnsortedGroupsTypesTest, RandomAmongTies) {
  auto const keys = random_keys(2000, 10);
  auto const data = few_values<short>(2000, 4);
  auto const ranks_by = [&](std::uint64_t seed) {
    auto const ranks = zeros<TypeParam, int>(data.size());
    riffle::rank_unsorted_groups(Context(this->exec, this->workspace), to_view<TypeParam>(keys),
                                 to_view<TypeParam>(data), ranks, ties::Random{seed});
    this->exec.fence();
    return to_vector(ranks);
  };
  auto const ranks = ranks_by(1);
  std::vector<short> const as_data(ranks.begin(), ranks.end());
  std::less<short> const less;
  // Sorted by these ranks, the data have no ties; and the ranks are between the lowest and the highest rank of each tie.
  EXPECT_TRUE(same_ranks(ranks, ranks_by_group(keys, as_data, ties::Competition{}, {}, less)));
  auto const lowest = ranks_by_group(keys, data, ties::Competition{}, {}, less);
  auto const highest = ranks_by_group(keys, data, ties::ModifiedCompetition{}, {}, less);
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_LE(lowest[i], ranks[i]);
    EXPECT_GE(highest[i], ranks[i]);
  }
  EXPECT_EQ(ranks, ranks_by(1));
  EXPECT_NE(ranks, ranks_by(2));
}

}  // namespace
}  // namespace riffle::test::rank_unsorted_groups_types_test
