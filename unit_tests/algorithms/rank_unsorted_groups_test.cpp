// Ranks within groups of data in any order, against a sort of each group and ranks by their definitions.

#include <Kokkos_Core.hpp>
#include <riffle/rank_unsorted_groups.hpp>
#include <riffle/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/rank_oracle.hpp"
#include "support/ranks_by_group.hpp"
#include "support/thrown_message.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test {
namespace {

template <class Exec>
class RankUnsortedGroupsTest : public ::testing::Test {
 protected:
  template <class Rule>
  void expect_ranks(std::vector<int> const& keys, std::vector<double> const& data, Rule const& rule,
                    RankOptions<> const& options) {
    auto const ranks = to_view<Exec>(std::vector<double>(data.size(), 77));
    riffle::rank_unsorted_groups(exec, to_view<Exec>(keys), to_view<Exec>(data), ranks, rule,
                                 options, workspace);
    exec.fence();
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    EXPECT_TRUE(
        same_ranks(to_vector(ranks), ranks_by_group(keys, data, rule, oracle, std::less<double>{},
                                                    options.missing == Missing::first)));
  }

  void expect_all_rules(std::vector<int> const& keys, std::vector<double> const& data,
                        RankOptions<> const& options = {}) {
    expect_ranks(keys, data, ties::Competition{}, options);
    expect_ranks(keys, data, ties::ModifiedCompetition{}, options);
    expect_ranks(keys, data, ties::Dense{}, options);
    expect_ranks(keys, data, ties::Ordinal{}, options);
    expect_ranks(keys, data, ties::Fractional{}, options);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RankUnsortedGroupsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankUnsortedGroupsTest, EveryRule) {
  for (std::size_t const n : {0, 1, 2, 1000, 4096, 20'001}) {
    for (unsigned const groups : {1, 2, 300, 10'000}) {
      this->expect_all_rules(any_keys(n, groups), few_values<double>(n, 20));
    }
    this->expect_all_rules(iota<int>(n), std::vector<double>(n, 0.5));
  }
}

TYPED_TEST(RankUnsortedGroupsTest, NaNsBehindBeforeAndKeptOut) {
  auto const data = special_values<double>(5000);
  for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
    for (unsigned const groups : {1, 30, 3000}) {
      RankOptions<> options;
      options.missing = missing;
      this->expect_all_rules(any_keys(5000, groups), data, options);
      options.relative = true;
      this->expect_all_rules(any_keys(5000, groups), data, options);
    }
  }
}

TYPED_TEST(RankUnsortedGroupsTest, RefusesWhatItCannotRank) {
  auto const data = zeros<TypeParam, double>(300);
  auto const ranks = zeros<TypeParam, int>(300);
  auto const refusal = [&](auto const& keys, auto const& to) {
    return thrown_message([&] { rank_unsorted_groups(this->exec, keys, data, to); });
  };
  EXPECT_EQ(refusal(zeros<TypeParam, int>(299), ranks),
            "riffle::rank_unsorted_groups: keys.extent(0) = 299 and data.extent(0) = 300: must be "
            "equal");
  EXPECT_EQ(refusal(zeros<TypeParam, int>(300), zeros<TypeParam, int>(299)),
            "riffle::rank_unsorted_groups: data.extent(0) = 300 and ranks.extent(0) = 299: must be "
            "equal");
  EXPECT_NE(refusal(ranks, ranks).find("overlap"), std::string::npos);
  EXPECT_NE(refusal(data, data).find("overlap"), std::string::npos);
}

}  // namespace
}  // namespace riffle::test
