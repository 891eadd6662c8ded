// Numbers with values sorted by splitters: on an emulated GPU, and on GPUs, against the standard library's stable sort.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/sort_by_splitters.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::sort_by_splitters_pairs_test {
namespace {

/// Values are the indices, so that they tell keys apart that tie.
template <class T, class Order>
struct SortedPairs {
  explicit SortedPairs(std::vector<T> const& unsorted) : keys(sorted_oracle(unsorted, Order{})) {
    values.resize(unsorted.size());
    std::iota(values.begin(), values.end(), 0u);
    std::stable_sort(values.begin(), values.end(), [&](std::uint32_t a, std::uint32_t b) {
      return is_sorted_before<Order>(unsorted[a], unsorted[b]);
    });
  }

  std::vector<T> keys;
  std::vector<std::uint32_t> values;
};

template <class Order, class T>
Outcome sort_pairs_emulated(std::vector<T>& keys, std::vector<std::uint32_t>& values, int depth) {
  std::vector<std::uint32_t> indices(keys.size());
  auto const words = ss::words_of<Order>(HostView<T>(keys.data(), keys.size()));
  auto const companions =
      ss::companions_of(HostView<std::uint32_t>(values.data(), values.size()), nullptr);
  return sort_emulated(
      ss::PairsIn<std::uint64_t, std::uint32_t>{words, companions},
      ss::PairsOut<std::uint64_t, std::uint32_t>{words, companions, indices.data()}, keys.size(),
      depth);
}

template <class T, class Order = Ascending>
ss::Index expect_sorts_emulated(std::vector<T> keys, int depth) {
  SortedPairs<T, Order> const expected(keys);
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  Outcome const outcome = sort_pairs_emulated<Order>(keys, values, depth);
  EXPECT_TRUE(outcome.is_sorted);
  EXPECT_TRUE(are_same_bits(keys, expected.keys));
  EXPECT_TRUE(values == expected.values);
  return outcome.crowded;
}

TEST(SortPairsBySplittersGpu, MostTie) {
  // Nearly all splitters have the one key, and are told apart by indices.
  auto keys = unlucky_values<std::int64_t>(12'001, true);
  for (std::size_t i = 0; i < keys.size(); i += 2) keys[i] = -1;
  expect_sorts_emulated(keys, 1);
}

// Nearly all are the least that there is, which ends all buckets but the last: that one has the others.
TEST(SortPairsBySplittersGpu, NearlyAllAreTheLeast) {
  std::vector<std::int64_t> keys(5000, std::numeric_limits<std::int64_t>::min());
  keys[100] = 3;
  keys[2000] = 2;
  keys[4900] = 1;
  expect_sorts_emulated(keys, 2);
}

TEST(SortPairsBySplittersGpu, OverfullParts) {
  auto keys = unlucky_values<double>(7000, false);
  for (auto& key : keys) {
    if (key >= 0) key = std::floor(key / 1000);
  }
  EXPECT_GE((expect_sorts_emulated<double, Descending>(keys, 1)), 1u);
}

// The sample is before all others, which are in the last bucket.
TEST(SortPairsBySplittersGpu, WritesNothingWhereABucketIsOverfull) {
  auto keys = unlucky_values<std::int64_t>(24'000, false);
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  auto const keys_before = keys;
  auto const values_before = values;
  EXPECT_FALSE(sort_pairs_emulated<Ascending>(keys, values, 1).is_sorted);
  EXPECT_EQ(keys, keys_before);
  EXPECT_EQ(values, values_before);
}

// --- on a GPU, where there is one: hosts do not sort so ---

template <class Exec>
class SortPairsBySplittersTest : public ::testing::Test {
 protected:
  /// Where splitters cannot sort, nothing has moved.
  template <class T, class Order = Ascending>
  bool sort(std::vector<T> const& keys) {
    SortedPairs<T, Order> const expected(keys);
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 0u);
    auto const keys_view = to_view<Exec>(keys);
    auto const values_view = to_view<Exec>(values);
    bool const is_sorted =
        bs::sort_pairs<Order>(Context(exec_, "test", workspace_), keys_view, values_view);
    exec_.fence();
    EXPECT_TRUE(are_same_bits(to_vector(keys_view), is_sorted ? expected.keys : keys));
    EXPECT_TRUE(to_vector(values_view) == (is_sorted ? expected.values : values));
    return is_sorted;
  }

  Exec exec_;
  Workspace<Exec> workspace_;
};

TYPED_TEST_SUITE(SortPairsBySplittersTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SortPairsBySplittersTest, EveryKindOfData) {
  if constexpr (!backend::is_cpu<TypeParam>) {
    for (auto const& keys : every_kind_of_data<double>(300'001)) this->sort(keys);
    for (auto const& keys : every_kind_of_data<std::int64_t>(1u << 20)) {
      this->template sort<std::int64_t, Descending>(keys);
    }
  }
}

TYPED_TEST(SortPairsBySplittersTest, AcceptsSizesWithinItsLimits) {
  if constexpr (!backend::is_cpu<TypeParam>) {
    auto keys = uniform_values<double>(1u << 20);
    EXPECT_TRUE(this->sort(keys));
    std::sort(keys.begin(), keys.end());
    EXPECT_TRUE(this->sort(keys));
    std::reverse(keys.begin(), keys.end());
    EXPECT_TRUE((this->template sort<double, Descending>(keys)));
    EXPECT_TRUE(this->sort(few_signed_values<double>(1u << 20, 100)));
  }
}

/// A value smaller than its place in an element; and what is asked of the public function.
TYPED_TEST(SortPairsBySplittersTest, TheFewestAndMore) {
  if constexpr (!backend::is_cpu<TypeParam>) {
    std::uint64_t const most = detail::sort::max_pairs_by_parts<double>;
    for (std::uint64_t const n : {most, most + 1, 2 * most + 79}) {
      auto const keys = uniform_values<double>(n);
      SortedPairs<double, Ascending> const expected(keys);
      std::vector<std::uint16_t> values(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint16_t>(i * 40'503);
      auto const keys_view = to_view<TypeParam>(keys);
      auto const values_view = to_view<TypeParam>(values);
      sort_by_key(Context(this->exec_, this->workspace_), keys_view, values_view);
      this->exec_.fence();
      EXPECT_TRUE(are_same_bits(to_vector(keys_view), expected.keys)) << n << " keys";
      auto const sorted_values = to_vector(values_view);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) wrong += sorted_values[i] != values[expected.values[i]];
      EXPECT_EQ(wrong, 0u) << n << " keys";
    }
  }
}

}  // namespace
}  // namespace riffle::test::sort_by_splitters_pairs_test
