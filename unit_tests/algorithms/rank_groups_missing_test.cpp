// Ranks within groups some of whose elements are NaNs, against ranks of each group alone by their definitions; and
// groups in other orders.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank_groups.hpp>
#include <riffle/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/segments.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// A group of `numbers` elements of some values, among which a Before orders, and NaNs before or behind them.
template <class Before>
std::vector<float> sorted_group(std::size_t numbers, std::size_t missing, bool has_nans_first,
                                Before const& is_before) {
  auto group = few_values<float>(numbers, 5, static_cast<unsigned>(numbers + missing));
  std::sort(group.begin(), group.end(), is_before);
  group.insert(has_nans_first ? group.begin() : group.end(), missing, nan);
  return group;
}

/// Groups with no NaN, some, and nothing else, that begin and end beside tiles.
template <class Before = std::less<float>>
Segments<float> groups_with_nans(bool has_nans_first = false, Before const& is_before = {}) {
  Segments<float> segments;
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
class RankGroupsMissingTest : public ::testing::Test {
 protected:
  template <class Rank, class Rule, class Order = Ascending, class Before = std::less<float>>
  void expect_ranks(Segments<float> const& segments, Rule const& rule,
                    RankOptions<Order> const& options, Before const& is_before = {}) {
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    auto const expected =
        segments.values_by([&](auto const& s) { return rank_oracle(s, rule, oracle, is_before); });
    auto const sorted = to_view<Exec>(segments.values);
    auto const ranks = to_view<Exec>(std::vector<Rank>(segments.values.size(), Rank(77)));
    riffle::rank_segments(exec, to_view<Exec>(segments.offsets), sorted, ranks, rule, options,
                          workspace);
    exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), expected));
    Kokkos::deep_copy(ranks, Rank(77));
    riffle::rank_groups(exec, to_view<Exec>(segments.keys()), sorted, ranks, rule, options,
                        workspace);
    exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), expected));
  }

  template <class Order = Ascending, class Before = std::less<float>>
  void expect_all_rules(Segments<float> const& segments, RankOptions<Order> options,
                        Before const& is_before = {}) {
    for (bool const relative : {false, true}) {
      options.relative = relative;
      expect_ranks<double>(segments, ties::Competition{}, options, is_before);
      expect_ranks<double>(segments, ties::ModifiedCompetition{}, options, is_before);
      expect_ranks<double>(segments, ties::Dense{}, options, is_before);
      expect_ranks<double>(segments, ties::Ordinal{}, options, is_before);
      expect_ranks<double>(segments, ties::Fractional{}, options, is_before);
    }
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RankGroupsMissingTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankGroupsMissingTest, KeptOut) {
  RankOptions<> options;
  options.missing = Missing::excluded;
  for (bool const has_nans_first : {false, true}) {
    this->expect_all_rules(groups_with_nans(has_nans_first), options);
  }
}

TYPED_TEST(RankGroupsMissingTest, Ranked) {
  this->expect_all_rules(groups_with_nans(), RankOptions<>{});
}

TYPED_TEST(RankGroupsMissingTest, KeptOutOfDescendingGroups) {
  RankOptions<Descending> options;
  options.missing = Missing::excluded;
  this->expect_all_rules(groups_with_nans(true, std::greater<float>{}), options,
                         std::greater<float>{});
}

TYPED_TEST(RankGroupsMissingTest, IntegersFromZero) {
  auto const segments = groups_with_nans();
  RankOptions<> options;
  options.missing = Missing::excluded;
  options.first = 0;
  this->template expect_ranks<int>(segments, ties::Competition{}, options);
  this->template expect_ranks<int>(segments, ties::Dense{}, options);
  this->template expect_ranks<long>(segments, ties::Ordinal{}, options);
}

TYPED_TEST(RankGroupsMissingTest, NothingButNaNsAndNothing) {
  RankOptions<> options;
  options.missing = Missing::excluded;
  Segments<float> segments;
  this->expect_all_rules(segments, options);
  segments.add({nan});
  this->expect_all_rules(segments, options);
  segments.add(std::vector<float>(5000, nan));
  this->expect_all_rules(segments, options);
}

// Each element's rank is one of its tie's, no two of which are equal, and a NaN has none.
TYPED_TEST(RankGroupsMissingTest, RandomAmongTies) {
  auto const segments = groups_with_nans();
  RankOptions<> options;
  options.missing = Missing::excluded;
  auto const ranks = zeros<TypeParam, double>(segments.values.size());
  riffle::rank_segments(this->exec, to_view<TypeParam>(segments.offsets),
                        to_view<TypeParam>(segments.values), ranks, ties::Random{3}, options);
  this->exec.fence();
  auto random = to_vector(ranks);
  RankOracleOptions const oracle{.excludes_missing = true};
  // In order among ties, they are those of Ordinal.
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

// Views that are not contiguous, keys that are no numbers' order, integers by a comparison.
TYPED_TEST(RankGroupsMissingTest, StridedViewsByAnOrderOfOnesOwn) {
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
  options.missing = Missing::excluded;  // of no account for integers
  riffle::rank_groups(this->exec, keys, sorted, ranks, ties::Fractional{}, options);
  this->exec.fence();
  EXPECT_TRUE(same_ranks(to_vector(ranks), segments.values_by([](auto const& s) {
    return rank_oracle(s, ties::Fractional{}, {}, ByTens{});
  })));
}

}  // namespace
}  // namespace riffle::test
