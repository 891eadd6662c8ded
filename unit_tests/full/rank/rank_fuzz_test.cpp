// Ranks by comparisons that are not strict weak orderings: nothing outside of the Views is written, and ordinal ranks are a
// permutation. (Sanitizers detect reads outside of the Views.)

#include <Kokkos_Core.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_groups.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/rank_unsorted_groups.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/fuzzed_comparisons.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_fuzz_test {
namespace {

std::vector<std::size_t> sizes() { return {1, 17, 1025, 8193, 70'001}; }

/// Keys in random order, so that the elements of a group are scattered.
std::vector<std::int32_t> keys_of_groups(std::size_t n) {
  std::vector<std::int32_t> keys;
  for (auto const& record : fuzzed_records(n)) {
    keys.push_back(static_cast<std::int32_t>(record.hash % 7));
  }
  return keys;
}

template <class Exec>
class RankFuzz : public ::testing::Test {
 protected:
  using Records = GuardedView<Exec, Record>;
  using Ranks = GuardedView<Exec, std::int32_t>;
  using Options = RankOptions<FuzzedComparison>;

  static Options options(FuzzedComparison const& comparison) {
    return {.order = comparison, .first = 0};
  }

  /// Expects ranks from 0 to n - 1; ranks within groups may only be smaller.
  void expect_ranks(Ranks const& ranks, std::size_t n) {
    exec.fence();
    for (auto const rank : ranks.values()) {
      ASSERT_GE(rank, 0);
      ASSERT_LT(rank, static_cast<std::int64_t>(n));
    }
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RankFuzz, ExecutionSpaces, SpaceNames);

/// The data are not sorted by any of these comparisons.
TYPED_TEST(RankFuzz, Rank) {
  for_each_fuzzed(sizes(), [&](std::size_t n, FuzzedComparison const& comparison) {
    typename TestFixture::Records const data(fuzzed_records(n));
    typename TestFixture::Ranks const ranks(n);
    riffle::rank(Context(this->exec, this->workspace), data.view(), ranks.view(), ties::Random{1},
                 this->options(comparison), DefaultRanking{});
    this->expect_ranks(ranks, n);
    riffle::rank(Context(this->exec, this->workspace), data.view(), ranks.view(), ties::Dense{},
                 this->options(comparison), DefaultRanking{});
    this->expect_ranks(ranks, n);
  });
}

TYPED_TEST(RankFuzz, RankGroups) {
  for_each_fuzzed(sizes(), [&](std::size_t n, FuzzedComparison const& comparison) {
    auto sorted_keys = keys_of_groups(n);
    std::sort(sorted_keys.begin(), sorted_keys.end());
    auto const keys = to_view<TypeParam>(sorted_keys);
    typename TestFixture::Records const data(fuzzed_records(n));
    typename TestFixture::Ranks const ranks(n);
    riffle::rank_groups(Context(this->exec, this->workspace), keys, data.view(), ranks.view(),
                        ties::Competition{}, this->options(comparison));
    this->exec.fence();
    ranks.values();
  });
}

TYPED_TEST(RankFuzz, RankUnsorted) {
  for_each_fuzzed(sizes(), [&](std::size_t n, FuzzedComparison const& comparison) {
    typename TestFixture::Records const data(fuzzed_records(n));
    typename TestFixture::Ranks const ranks(n);
    riffle::rank_unsorted(Context(this->exec, this->workspace), data.view(), ranks.view(),
                          ties::Ordinal{}, this->options(comparison));
    this->exec.fence();
    EXPECT_TRUE(is_permutation_of_iota(ranks.values()));
    riffle::rank_unsorted(Context(this->exec, this->workspace), data.view(), ranks.view(),
                          ties::ModifiedCompetition{}, this->options(comparison));
    this->expect_ranks(ranks, n);
  });
}

TYPED_TEST(RankFuzz, RankUnsortedGroups) {
  for_each_fuzzed(sizes(), [&](std::size_t n, FuzzedComparison const& comparison) {
    auto const keys = to_view<TypeParam>(keys_of_groups(n));
    typename TestFixture::Records const data(fuzzed_records(n));
    typename TestFixture::Ranks const ranks(n);
    riffle::rank_unsorted_groups(Context(this->exec, this->workspace), keys, data.view(),
                                 ranks.view(), ties::Dense{}, this->options(comparison));
    this->expect_ranks(ranks, n);
  });
}

TYPED_TEST(RankFuzz, RankUnsortedRows) {
  for_each_fuzzed({70'000}, [&](std::size_t n, FuzzedComparison const& comparison) {
    typename TestFixture::Records const data(fuzzed_records(n));
    typename TestFixture::Ranks const ranks(n);
    using Space = typename TypeParam::memory_space;
    auto const as_rows = [](auto const& view) {
      using T = typename std::decay_t<decltype(view)>::value_type;
      return Kokkos::View<T**, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged>(
          view.data(), view.extent(0) / 1000, 1000);
    };
    riffle::rank_unsorted_rows(Context(this->exec, this->workspace), as_rows(data.view()),
                               as_rows(ranks.view()), ties::Competition{},
                               this->options(comparison));
    this->expect_ranks(ranks, 1000);
  });
}

/// Comparisons whose answers change: ranks are unspecified, but nothing outside of the Views is written.
TYPED_TEST(RankFuzz, RandomComparisonsStayInTheirViews) {
  for_each_coin<TypeParam>({17, 1025, 4097, 20'000}, [&](std::size_t n,
                                                         FuzzedComparison const& coin) {
    Context const context(this->exec, this->workspace);
    typename TestFixture::Records const data(fuzzed_records(n));
    typename TestFixture::Ranks const ranks(n);
    auto const options = this->options(coin);
    auto const keys = to_view<TypeParam>(keys_of_groups(n));
    auto const expect_guards = [&] {
      this->exec.fence();
      ranks.values();
    };
    riffle::rank(context, data.view(), ranks.view(), ties::Random{1}, options, DefaultRanking{});
    expect_guards();
    riffle::rank(context, data.view(), ranks.view(), ties::Dense{}, options, DefaultRanking{});
    expect_guards();
    riffle::rank_unsorted(context, data.view(), ranks.view(), ties::Ordinal{}, options);
    expect_guards();
    riffle::rank_unsorted(context, data.view(), ranks.view(), ties::ModifiedCompetition{}, options);
    expect_guards();
    riffle::rank_unsorted_groups(context, keys, data.view(), ranks.view(), ties::Dense{}, options);
    expect_guards();
    EXPECT_TRUE(are_fuzzed_records(data.values()));
  });
}

}  // namespace
}  // namespace riffle::test::rank_fuzz_test
