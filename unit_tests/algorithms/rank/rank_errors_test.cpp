// Errors of rankings, before which nothing is written; and unsorted elements, for which ranks are unspecified.

#include <Kokkos_Core.hpp>
#include <riffle/errors.hpp>
#include <riffle/published/competition_ranking/hybrid_ranking.hpp>
#include <riffle/published/competition_ranking/naive_prefix_ranking.hpp>
#include <riffle/published/competition_ranking/packed_scan_ranking.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/rank_oracle.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_errors_test {
namespace {

using Range = Kokkos::pair<std::size_t, std::size_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Some elements of a View, as a View of the same type, for which nothing more is compiled.
template <class View>
View part(View const& view, std::size_t begin, std::size_t end) {
  return Kokkos::subview(view, Range(begin, end));
}

template <class Exec>
class RankErrorsTest : public ::testing::Test {
 protected:
  using Integers = Kokkos::View<int*, typename Exec::memory_space>;

  /// Expects that a call throws "riffle::<function>: " and `text`.
  template <class Call>
  void expect_refused(std::string const& function, std::string const& text, Call const& call) {
    EXPECT_EQ(thrown_message(call), "riffle::" + function + ": " + text);
  }

  /// Expects this of rankings: of integers by several rules and methods; of other types, whose checks differ, by one.
  template <class Sorted, class Ranks>
  void expect_refused(Sorted const& sorted, Ranks const& ranks, std::string const& text,
                      RankOptions<> const& options = {}) {
    auto const if_sorted = [&](auto const& rule) {
      riffle::rank_if_sorted(exec, sorted, ranks, rule, options);
    };
    if constexpr (std::is_same_v<Sorted, Integers> && std::is_same_v<Ranks, Integers>) {
      ties::Competition const rule;
      riffle::Workspace<Exec> workspace(exec);
      expect_refused("rank", text, [&] { riffle::rank(exec, sorted, ranks, rule, options); });
      expect_refused("rank", text,
                     [&] { riffle::rank(exec, sorted, ranks, ties::Dense{}, options); });
      expect_refused("rank", text, [&] {
        riffle::rank(Context(exec, "user", workspace), sorted, ranks, rule, options,
                     PackedScanRanking{});
      });
      expect_refused("rank_if_sorted", text, [&] { if_sorted(rule); });
      EXPECT_EQ(workspace.bytes(), 0u);
    } else {
      ties::Ordinal const rule;
      expect_refused("rank", text, [&] { riffle::rank(exec, sorted, ranks, rule, options); });
      expect_refused("rank_if_sorted", text, [&] { if_sorted(rule); });
    }
  }

  template <class Sorted, class Ranks>
  void expect_overlap(Sorted const& sorted, Ranks const& ranks) {
    expect_refused(sorted, ranks,
                   "sorted (\"" + sorted.label() + "\") and ranks (\"" + ranks.label() +
                       "\") overlap: must share no element");
  }

  /// Views that no ranking accesses.
  template <class T>
  auto untouched(std::size_t n) {
    return Kokkos::View<T*, typename Exec::memory_space>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "untouched"), n);
  }

  Exec exec;
};
TYPED_TEST_SUITE(RankErrorsTest, ExecutionSpaces, SpaceNames);

// --- errors ---

TYPED_TEST(RankErrorsTest, ExtentsDiffer) {
  auto const sorted = to_view<TypeParam>(iota<int>(4));
  auto const ranks = to_view<TypeParam>(std::vector<int>(5, 77));
  auto const none = zeros<TypeParam, int>(0);
  this->expect_refused(sorted, ranks,
                       "sorted.extent(0) = 4 and ranks.extent(0) = 5: must be equal");
  this->expect_refused(ranks, sorted,
                       "sorted.extent(0) = 5 and ranks.extent(0) = 4: must be equal");
  this->expect_refused(none, ranks, "sorted.extent(0) = 0 and ranks.extent(0) = 5: must be equal");
  EXPECT_EQ(to_vector(sorted), iota<int>(4));
  EXPECT_EQ(to_vector(ranks), std::vector<int>(5, 77));
}

TYPED_TEST(RankErrorsTest, ViewsOverlap) {
  auto const data = to_view<TypeParam>(iota<int>(100));
  this->expect_overlap(data, data);
  this->expect_overlap(part(data, 0, 99), part(data, 1, 100));
  this->expect_overlap(part(data, 49, 99), part(data, 0, 50));  // one element
  EXPECT_EQ(to_vector(data), iota<int>(100));
}

// With one element less they share no element, which is valid.
TYPED_TEST(RankErrorsTest, AdjacentViewsAreAccepted) {
  auto const data = to_view<TypeParam>(iota<int>(100));
  riffle::rank(this->exec, part(data, 50, 100), part(data, 0, 50));
  this->exec.fence();
  auto expected = iota<int>(100);
  for (std::size_t i = 0; i < 50; ++i) ++expected[i];
  EXPECT_EQ(to_vector(data), expected);
}

TYPED_TEST(RankErrorsTest, FirstIsNeither0Nor1) {
  auto const sorted = to_view<TypeParam>(iota<int>(10));
  auto const ranks = to_view<TypeParam>(std::vector<int>(10, 77));
  RankOptions<> options;
  for (int const first : {2, -1, 1'000'000}) {
    options.first = first;
    this->expect_refused(sorted, ranks,
                         "options.first = " + std::to_string(first) + ": must be 0 or 1", options);
  }
  EXPECT_EQ(to_vector(ranks), std::vector<int>(10, 77));
}

TYPED_TEST(RankErrorsTest, RelativeRanksNeedFloatingPoint) {
  auto const sorted = to_view<TypeParam>(iota<int>(10));
  auto const ranks = to_view<TypeParam>(std::vector<int>(10, 77));
  RankOptions<> options;
  options.relative = true;
  this->expect_refused(sorted, ranks,
                       "options.relative = true: relative ranks are no integers; ranks must be of "
                       "floating point",
                       options);
  EXPECT_EQ(to_vector(ranks), std::vector<int>(10, 77));
}

TYPED_TEST(RankErrorsTest, UnsignedRanksOfExcludedNans) {
  std::vector<double> const data{1, 2, nan};
  auto const sorted = to_view<TypeParam>(data);
  auto const ranks = to_view<TypeParam>(std::vector<unsigned>(3, 77));
  RankOptions<> options;
  options.missing = Missing::excluded;
  std::string const text =
      "options.missing = excluded: ranks of NaNs are -1, which their unsigned type does not hold";
  this->expect_refused(sorted, ranks, text, options);
  EXPECT_EQ(thrown_message([&] {
              riffle::rank_unsorted(this->exec, sorted, ranks, ties::Ordinal{}, options);
            }),
            "riffle::rank_unsorted: " + text);
  EXPECT_EQ(to_vector(ranks), std::vector<unsigned>(3, 77));

  // Integers are never missing.
  auto const integers = to_view<TypeParam>(iota<int>(3));
  riffle::rank(this->exec, integers, ranks, ties::Ordinal{}, options);
  this->exec.fence();
  EXPECT_EQ(to_vector(ranks), (std::vector<unsigned>{1, 2, 3}));
}

TYPED_TEST(RankErrorsTest, RejectsInvalidMissing) {
  auto const sorted = to_view<TypeParam>(iota<int>(10));
  auto const ranks = to_view<TypeParam>(std::vector<int>(10, 77));
  RankOptions<> options;
  options.missing = static_cast<Missing>(3);
  this->expect_refused(sorted, ranks, "options.missing = 3: must be ranked, first or excluded",
                       options);
}

TYPED_TEST(RankErrorsTest, BytesHold127) {
  using Byte = std::int8_t;
  auto const sorted = to_view<TypeParam>(iota<int>(129));
  auto const ranks = to_view<TypeParam>(std::vector<Byte>(129, 77));
  auto const head = [](auto const& view, std::size_t n) { return part(view, 0, n); };
  RankOptions<> from_zero;
  from_zero.first = 0;
  std::string const text = ": the value type of ranks holds no rank above 127";
  this->expect_refused(head(sorted, 128), head(ranks, 128), "n = 128" + text);
  this->expect_refused(sorted, ranks, "n = 129" + text, from_zero);
  EXPECT_EQ(to_vector(ranks), std::vector<Byte>(129, 77));

  riffle::rank(this->exec, head(sorted, 127), head(ranks, 127), ties::Ordinal{});
  this->exec.fence();
  EXPECT_EQ(to_vector(ranks)[126], 127);
  EXPECT_EQ(to_vector(ranks)[127], 77);
  riffle::rank(this->exec, head(sorted, 128), head(ranks, 128), ties::Ordinal{}, from_zero);
  this->exec.fence();
  EXPECT_EQ(to_vector(ranks)[127], 127);
  EXPECT_EQ(to_vector(ranks)[128], 77);
}

// A float holds halves exactly up to 2^23.
TYPED_TEST(RankErrorsTest, FloatsHoldHalvesExactly) {
  std::size_t const most = std::size_t{1} << 23;
  auto const sorted = this->template untouched<std::int8_t>(most + 1);
  auto const ranks = this->template untouched<float>(most + 1);
  this->expect_refused(sorted, ranks,
                       "n = 8388609: the value type of ranks holds no rank above 8388608");
  EXPECT_EQ(thrown_message([&] {
              detail::rank::check_rank("rank", "sorted", part(sorted, 0, most),
                                       part(ranks, 0, most), RankOptions<>{});
            }),
            "nothing was thrown");
  // Relative ranks are at most 1, for any number of elements.
  EXPECT_EQ(thrown_message([&] {
              detail::rank::check_rank("rank", "sorted", sorted, ranks,
                                       RankOptions<>{.relative = true});
            }),
            "nothing was thrown");
}

TYPED_TEST(RankErrorsTest, EmptyViewsAreAccepted) {
  auto const data = to_view<TypeParam>(iota<int>(10));
  auto const nothing = part(data, 5, 5);
  riffle::rank(this->exec, nothing, nothing);
  riffle::rank_if_sorted(this->exec, nothing, nothing);
  EXPECT_TRUE(riffle::is_sorted_for(this->exec, nothing));
  EXPECT_EQ(riffle::first_unsorted(this->exec, nothing), 0u);
  EXPECT_EQ(to_vector(data), iota<int>(10));
}

// --- whether data are sorted ---

TYPED_TEST(RankErrorsTest, RankIfSortedNamesTheFirstOutOfOrder) {
  auto data = iota<int>(5000);
  data[4000] = 0;
  data[3000] = 2998;
  auto const sorted = to_view<TypeParam>(data);
  auto const ranks = to_view<TypeParam>(std::vector<int>(5000, 77));
  EXPECT_EQ(thrown_message([&] { riffle::rank_if_sorted(this->exec, sorted, ranks); }),
            "riffle::rank_if_sorted: sorted(3000) is before sorted(2999): must be sorted by "
            "options.order");
  EXPECT_EQ(thrown_message([&] {
              riffle::rank_if_sorted(this->exec, sorted, ranks, ties::Dense{},
                                     RankOptions<Descending>{});
            }),
            "riffle::rank_if_sorted: sorted(1) is before sorted(0): must be sorted by "
            "options.order");
  this->exec.fence();
  EXPECT_EQ(to_vector(ranks), std::vector<int>(5000, 77));
}

TYPED_TEST(RankErrorsTest, RankIfSortedRanksSortedData) {
  auto const data = random_runs(5000, 0.7);
  auto const ranks = zeros<TypeParam, double>(5000);
  riffle::rank_if_sorted(this->exec, to_view<TypeParam>(data), ranks, ties::Fractional{});
  this->exec.fence();
  EXPECT_TRUE(same_ranks(to_vector(ranks), rank_oracle(data, ties::Fractional{})));
}

template <class Exec>
class FirstUnsortedTest : public ::testing::Test {
 protected:
  template <class Order = Ascending>
  std::uint64_t first_unsorted(std::vector<double> const& data, Order const& order = {}) {
    Exec const exec;
    auto const sorted = to_view<Exec>(data);
    auto const first = riffle::first_unsorted(exec, sorted, order);
    EXPECT_EQ(riffle::is_sorted_for(exec, sorted, order), first == data.size());
    return first;
  }
};
TYPED_TEST_SUITE(FirstUnsortedTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(FirstUnsortedTest, IsNForSortedData) {
  EXPECT_EQ(this->first_unsorted({}), 0u);
  EXPECT_EQ(this->first_unsorted({1}), 1u);
  EXPECT_EQ(this->first_unsorted({1, 1, 2}), 3u);
  EXPECT_EQ(this->first_unsorted({0.0, -0.0, 0.0}), 3u);
  EXPECT_EQ(this->first_unsorted({3, 2, 2}, Descending{}), 3u);
}

TYPED_TEST(FirstUnsortedTest, IsTheFirstOfSeveral) {
  EXPECT_EQ(this->first_unsorted({2, 1}), 1u);
  EXPECT_EQ(this->first_unsorted({1, 2, 2, 1, 0}), 3u);
  EXPECT_EQ(this->first_unsorted({2, 2, 3}, Descending{}), 2u);
  for (std::size_t const first : {1, 700, 9999}) {
    std::vector<double> data(10'000, 5);
    for (std::size_t i = first; i < data.size(); i += 100) data[i] = 4;
    EXPECT_EQ(this->first_unsorted(data), first);
  }
}

TYPED_TEST(FirstUnsortedTest, NaNsMayLieAtEitherEnd) {
  EXPECT_EQ(this->first_unsorted({nan}), 1u);
  EXPECT_EQ(this->first_unsorted({nan, nan, nan}), 3u);
  EXPECT_EQ(this->first_unsorted({nan, nan, 1, 2}), 4u);
  EXPECT_EQ(this->first_unsorted({1, 2, nan, nan}), 4u);
  EXPECT_EQ(this->first_unsorted({nan, nan, 2, 1}, Descending{}), 4u);
  EXPECT_EQ(this->first_unsorted({nan, nan, 2, 1}), 3u);
}

TYPED_TEST(FirstUnsortedTest, NaNsBetweenNumbersAreOutOfOrder) {
  EXPECT_EQ(this->first_unsorted({1, nan, 2}), 2u);
  EXPECT_EQ(this->first_unsorted({nan, 1, nan, 2}), 2u);
  EXPECT_EQ(this->first_unsorted({1, nan, 2, nan}), 2u);
}

TYPED_TEST(FirstUnsortedTest, NaNsAtBothEndsAreOutOfOrder) {
  EXPECT_EQ(this->first_unsorted({nan, 1, 1, nan, nan}), 3u);
  EXPECT_EQ(this->first_unsorted({nan, 1, nan, 2, nan}), 2u);
}

// --- unsorted elements, which are not checked ---

std::vector<std::vector<int>> unsorted_data(std::size_t n) {
  std::mt19937 generator(1);
  std::vector<std::vector<int>> data(4, std::vector<int>(n));
  for (std::size_t i = 0; i < n; ++i) {
    data[0][i] = static_cast<int>(generator());
    data[1][i] = static_cast<int>(generator() % 2);
    data[2][i] = static_cast<int>((n - i) / 50);
    data[3][i] = static_cast<int>(i % 2);
  }
  return data;
}

// Ranks are unspecified, but the kernels end, and write nothing outside of the View.
template <class Exec, class Rule, class Method>
void expect_in_bounds(Exec const& exec, std::vector<int> const& data, Rule const& rule,
                      Method const& method) {
  std::size_t const guard = 100;
  std::vector<double> const untouched(data.size() + 2 * guard, -7);
  auto const whole = to_view<Exec>(untouched);
  auto const ranks = part(whole, guard, guard + data.size());
  riffle::rank(exec, to_view<Exec>(data), ranks, rule, {}, method);
  exec.fence();
  auto result = to_vector(whole);
  EXPECT_EQ(std::count(result.begin(), result.end(), -7), 2 * std::ptrdiff_t{guard});
  std::fill(result.begin() + guard, result.end() - guard, -7);
  EXPECT_EQ(result, untouched);
}

TYPED_TEST(RankErrorsTest, UnsortedDataStayInBounds) {
  for (std::size_t const n : {2, 100, 1025, 50'000}) {
    for (auto const& data : unsorted_data(n)) {
      ties::Competition const competition;
      expect_in_bounds(this->exec, data, competition, DefaultRanking{});
      expect_in_bounds(this->exec, data, competition, HybridRanking{});
      expect_in_bounds(this->exec, data, competition, PackedScanRanking{});
      expect_in_bounds(this->exec, data, competition, NaivePrefixRanking{});
      expect_in_bounds(this->exec, data, ties::Fractional{}, DefaultRanking{});
      expect_in_bounds(this->exec, data, ties::Fractional{}, HybridRanking{});
      expect_in_bounds(this->exec, data, ties::Random{1}, DefaultRanking{});
      expect_in_bounds(this->exec, data, ties::Dense{}, DefaultRanking{});
    }
  }
}

// Also with NaNs at any places, which are counted by searches that expect them at the ends.
TYPED_TEST(RankErrorsTest, UnsortedNaNsStayInBounds) {
  std::mt19937 generator(1);
  RankOptions<> options;
  options.missing = Missing::excluded;
  for (std::size_t const n : {2, 100, 1025, 50'000}) {
    std::vector<double> data(n);
    for (auto& x : data) x = generator() % 4 == 0 ? 1.0 : nan;
    std::vector<double> const untouched(n + 200, -7);
    auto const whole = to_view<TypeParam>(untouched);
    riffle::rank(this->exec, to_view<TypeParam>(data), part(whole, 100, n + 100), ties::Random{1},
                 options);
    this->exec.fence();
    auto result = to_vector(whole);
    std::fill(result.begin() + 100, result.end() - 100, -7);
    EXPECT_EQ(result, untouched);
  }
}

}  // namespace
}  // namespace riffle::test::rank_errors_test
