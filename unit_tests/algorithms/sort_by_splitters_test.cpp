// Sorts by splitters: on an emulated GPU, and as the public sort on all back ends, against the standard library's
// stable sort, bit by bit.

#include <Kokkos_Core.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort_by_key.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test {
namespace {

namespace bs = detail::sort::by_splitters;
using bs::Verdict;

// --- data ---

template <class T>
std::vector<T> random_values(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<T> values(n);
  for (auto& value : values) {
    auto const bits = static_cast<std::int64_t>(random());
    value = static_cast<T>(bits);
    if constexpr (std::is_floating_point_v<T>) value /= T{1e15f};
  }
  return values;
}

template <class T>
std::vector<T> few_values(std::size_t n, std::uint64_t distinct) {
  std::mt19937_64 random(n + distinct);
  std::vector<T> values(n);
  for (auto& value : values) value = static_cast<T>(random() % distinct) - T{5};
  return values;
}

/// Value k is there about n / k^2 times.
template <class T>
std::vector<T> zipf_values(std::size_t n) {
  std::mt19937_64 random(n);
  std::uniform_real_distribution<double> uniform(1e-6, 1);
  std::vector<T> values(n);
  for (auto& value : values) value = static_cast<T>(std::floor(1 / uniform(random)));
  return values;
}

/// Clusters of neighbours far from each other, of which a part has some: classes are crowded there.
template <class T>
std::vector<T> clustered_values(std::size_t n, std::uint64_t clusters) {
  std::mt19937_64 random(n);
  std::vector<T> values(n);
  for (auto& value : values) {
    auto const center = static_cast<std::int64_t>(random() % clusters * (~0ull / clusters));
    value = static_cast<T>(center / 1024 + static_cast<std::int64_t>(random() % 65536));
  }
  return values;
}

template <class T>
std::vector<std::vector<T>> all_data(std::size_t n) {
  auto sorted = random_values<T>(n);
  std::sort(sorted.begin(), sorted.end());
  std::vector<T> const reversed(sorted.rbegin(), sorted.rend());
  auto half_zero = random_values<T>(n);
  for (std::size_t i = 0; i < n; i += 2) half_zero[i] = 0;
  return {random_values<T>(n),
          sorted,
          reversed,
          few_values<T>(n, 1),
          few_values<T>(n, 2),
          few_values<T>(n, 1000),
          zipf_values<T>(n),
          clustered_values<T>(n, 997),
          half_zero};
}

struct OwnIndex {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i; }
};

/// Random ones, but those of the sample are in order before all others, which thus are in the last bucket; or, where
/// they are alike, in a bucket of their own.
template <class T>
std::vector<T> unlucky_values(std::uint64_t n, bool are_alike) {
  std::vector<T> values = random_values<T>(n);
  for (auto& value : values) value = value < T{0} ? -(value + 1) : value;
  bs::RandomElements<OwnIndex> const drawn{{}, n, 0, static_cast<bs::Index>(n), bs::sample_size};
  for (int i = 0; i < bs::sample_size; ++i) {
    values[drawn(i)] = -1 - (are_alike ? T{0} : static_cast<T>(drawn(i)));
  }
  return values;
}

template <class T, class Order>
std::vector<T> sorted_oracle(std::vector<T> values, Order const&) {
  std::stable_sort(values.begin(), values.end(), [](T const& a, T const& b) {
    if (std::isnan(static_cast<double>(a))) return false;
    if (std::isnan(static_cast<double>(b))) return true;
    return std::is_same_v<Order, Descending> ? b < a : a < b;
  });
  return values;
}

template <class T>
bool are_same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// --- on an emulated GPU ---

struct Outcome {
  Verdict verdict;
  bs::Index crowded;  // parts
};

template <class T>
using HostView = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

template <class Kind, class In, class Out>
Outcome sort_emulated(In const& in, Out const& out, std::uint64_t n, int depth) {
  detail::sort::ArrayMemory counted(nullptr);
  bs::Arrays<Kind>(counted, n, depth);
  // Garbage, as memory is that others have used.
  std::vector<std::byte> bytes(counted.used(), std::byte{0xA5});
  detail::sort::ArrayMemory memory(bytes.data());
  bs::Arrays<Kind> const arrays(memory, n, depth);
  auto const launch = [&](char const*, int teams, auto const& kernel) {
    EmulatedGpu(3, 5).run(teams, kernel.threads, kernel.scratch_bytes(), kernel);
  };
  bs::Passes<Kind, In, Out, decltype(launch)> const passes(in, out, arrays, launch);
  passes.sample();
  passes.count();
  std::uint32_t worst = 0;
  for (std::uint64_t b = 0; b < bs::buckets; ++b) bs::JudgeBuckets<Kind>{arrays}(b, worst);
  auto const verdict = static_cast<Verdict>(worst);
  if (verdict == Verdict::can_sort) passes.sort();
  return {verdict, *arrays.crowded_count};
}

template <class T, class Order = Ascending>
Outcome sort_emulated(std::vector<T>& values, int depth) {
  HostView<T> const view(values.data(), values.size());
  return sort_emulated<bs::Numbers<T, Order>>(view, view, values.size(), depth);
}

/// Returns how many parts were crowded.
template <class T, class Order = Ascending>
bs::Index expect_sorts_emulated(std::vector<T> values, int depth) {
  auto const expected = sorted_oracle(values, Order{});
  Outcome const outcome = sort_emulated<T, Order>(values, depth);
  EXPECT_EQ(outcome.verdict, Verdict::can_sort);
  EXPECT_TRUE(are_same_bits(values, expected)) << values.size() << " values, depth " << depth;
  return outcome.crowded;
}

// Emulation is slow: of all buckets two have keys.

TEST(SortBySplittersGpu, OneBucketOfManyTiles) {
  // Of four parts of some 2000 keys scratch memory does not hold all.
  EXPECT_GE(expect_sorts_emulated(unlucky_values<std::int64_t>(12'001, true), 2), 1u);
}

TEST(SortBySplittersGpu, CrowdedParts) {
  auto values = unlucky_values<std::int64_t>(7000, true);
  for (auto& value : values) {
    if (value >= 0)
      value = value / (std::int64_t{1} << 60) * (std::int64_t{1} << 60) + value % 4096;
  }
  EXPECT_GE(expect_sorts_emulated(values, 2), 2u);
}

TEST(SortBySplittersGpu, DescendingAndSmallNumbers) {
  auto values = unlucky_values<float>(10'000, true);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = -1;
  // Scratch memory holds all parts; one has a wide gap above its numbers.
  EXPECT_LE((expect_sorts_emulated<float, Descending>(values, 2)), 1u);
}

TEST(SortBySplittersGpu, LeavesWhatBitsDoNotTell) {
  auto values = random_values<double>(5000);
  values[17] = 0.0;
  values[4444] = -0.0;
  auto const zeros = values;
  EXPECT_EQ(sort_emulated(values, 1).verdict, Verdict::cannot_sort);
  EXPECT_TRUE(are_same_bits(values, zeros));
  values[3000] = -std::numeric_limits<double>::quiet_NaN();
  auto const nans = values;
  EXPECT_EQ(sort_emulated(values, 1).verdict, Verdict::has_nans);
  EXPECT_TRUE(are_same_bits(values, nans));
}

// --- with values ---

/// Values are the indices, so that they tell keys apart that tie.
template <class T, class Order>
struct SortedPairs {
  explicit SortedPairs(std::vector<T> const& unsorted) : keys(sorted_oracle(unsorted, Order{})) {
    values.resize(unsorted.size());
    std::iota(values.begin(), values.end(), 0u);
    std::stable_sort(values.begin(), values.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::is_same_v<Order, Descending> ? unsorted[b] < unsorted[a]
                                               : unsorted[a] < unsorted[b];
    });
  }

  std::vector<T> keys;
  std::vector<std::uint32_t> values;
};

template <class T, class Order = Ascending>
bs::Index expect_sorts_pairs_emulated(std::vector<T> keys, int depth) {
  SortedPairs<T, Order> const expected(keys);
  using Codes = bs::NumberCodes<T, Order>;
  using Keys = HostView<T>;
  using Values = HostView<std::uint32_t>;
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  std::vector<std::uint32_t> indices(keys.size());
  Keys const keys_view(keys.data(), keys.size());
  Values const values_view(values.data(), values.size());
  Outcome const outcome = sort_emulated<bs::IndexedCodes<Codes>>(
      bs::UnsortedKeysAndValues<Keys, Values, Codes>{keys_view, values_view},
      bs::KeysAndValues<Keys, Values, Codes>{keys_view, values_view, indices.data()}, keys.size(),
      depth);
  EXPECT_EQ(outcome.verdict, Verdict::can_sort);
  EXPECT_TRUE(are_same_bits(keys, expected.keys));
  EXPECT_TRUE(values == expected.values);
  return outcome.crowded;
}

TEST(SortBySplittersGpu, PairsOfWhichMostTie) {
  // Nearly all splitters have the one key, and are told apart by indices.
  auto keys = unlucky_values<std::int64_t>(12'001, true);
  for (std::size_t i = 0; i < keys.size(); i += 2) keys[i] = -1;
  expect_sorts_pairs_emulated(keys, 1);
}

TEST(SortBySplittersGpu, CrowdedPairs) {
  auto keys = unlucky_values<double>(7000, false);
  for (auto& key : keys) {
    if (key >= 0) key = std::floor(key / 1000);
  }
  EXPECT_GE((expect_sorts_pairs_emulated<double, Descending>(keys, 1)), 1u);
}

// --- on every back end ---

/// As the public function does, but of few elements, too.
template <class Order, class Exec, class Values>
void sort_by_splitters(Exec const& exec, Values const& values, Workspace<Exec>& workspace) {
  if constexpr (lanes::has_vector_threads<Exec>) {
    riffle::sort(exec, values, Order{}, workspace);
  } else {
    detail::sort::sort_numbers_by_splitters<Order>("test", exec, values, values, workspace);
  }
}

template <class Exec>
class SortBySplittersTest : public ::testing::Test {
 protected:
  template <class T, class Order = Ascending>
  void expect_sorts(std::vector<T> const& values) {
    auto const view = to_view<Exec>(values);
    sort_by_splitters<Order>(exec_, view, workspace_);
    exec_.fence();
    EXPECT_TRUE(are_same_bits(to_vector(view), sorted_oracle(values, Order{})))
        << values.size() << " values";
  }

  template <class T>
  void expect_public_sorts(std::vector<T> const& values) {
    auto const view = to_view<Exec>(values);
    riffle::sort(exec_, view, Ascending{}, workspace_);
    exec_.fence();
    EXPECT_TRUE(are_same_bits(to_vector(view), sorted_oracle(values, Ascending{})))
        << values.size() << " values";
  }

  template <class T>
  void expect_sorts_pairs(std::vector<T> const& keys) {
    SortedPairs<T, Ascending> const expected(keys);
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 0u);
    auto const keys_view = to_view<Exec>(keys);
    auto const values_view = to_view<Exec>(values);
    if constexpr (lanes::has_vector_threads<Exec>) {
      sort_by_key(exec_, keys_view, values_view, Ascending{}, workspace_);
    } else if (bs::sort_pairs<Ascending>("test", exec_, keys_view, values_view, workspace_) !=
               Verdict::can_sort) {
      EXPECT_TRUE(are_same_bits(to_vector(keys_view), keys));
      EXPECT_TRUE(to_vector(values_view) == values);
      return;
    }
    exec_.fence();
    EXPECT_TRUE(are_same_bits(to_vector(keys_view), expected.keys)) << keys.size() << " keys";
    EXPECT_TRUE(to_vector(values_view) == expected.values) << keys.size() << " keys";
  }

  Exec exec_;
  Workspace<Exec> workspace_;
};

TYPED_TEST_SUITE(SortBySplittersTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SortBySplittersTest, Sizes) {
  for (std::size_t const n : {1u << 17, (1u << 18) + 1, (1u << 19) - 1, 1u << 20}) {
    this->expect_sorts(random_values<double>(n));
  }
}

TYPED_TEST(SortBySplittersTest, EveryKindOfData) {
  for (auto const& values : all_data<double>(300'001)) this->expect_sorts(values);
}

TYPED_TEST(SortBySplittersTest, OneBucketHuge) {
  this->expect_sorts(unlucky_values<std::int64_t>(std::uint64_t{1} << 20, false));
  this->expect_sorts(unlucky_values<std::int64_t>(std::uint64_t{3} << 20, false));
}

TYPED_TEST(SortBySplittersTest, Descending) {
  this->template expect_sorts<std::int64_t, Descending>(random_values<std::int64_t>(200'000));
}

TYPED_TEST(SortBySplittersTest, WhatBitsDoNotTell) {
  auto values = random_values<double>(150'000);
  for (std::size_t i = 0; i < values.size(); i += 7) values[i] = i % 2 == 0 ? 0.0 : -0.0;
  this->expect_sorts(values);
  for (std::size_t i = 0; i < values.size(); i += 999) values[i] = std::nan("1");
  this->expect_sorts(values);
}

TYPED_TEST(SortBySplittersTest, PairsOfEveryKindOfData) {
  for (auto const& keys : all_data<double>(300'001)) this->expect_sorts_pairs(keys);
  for (auto const& keys : all_data<std::int64_t>(1u << 20)) this->expect_sorts_pairs(keys);
}

/// A value smaller than its place in an element; and what is asked of the public function.
TYPED_TEST(SortBySplittersTest, PairsOfTheFewestAndMore) {
  if (lanes::has_vector_threads<TypeParam>) return;
  for (std::uint64_t const n :
       {bs::fewest_pairs - 1, bs::fewest_pairs, 2 * bs::fewest_pairs + 77}) {
    auto const keys = random_values<double>(n);
    SortedPairs<double, Ascending> const expected(keys);
    std::vector<std::uint16_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint16_t>(i * 40'503);
    auto const keys_view = to_view<TypeParam>(keys);
    auto const values_view = to_view<TypeParam>(values);
    sort_by_key(this->exec_, keys_view, values_view, Ascending{}, this->workspace_);
    this->exec_.fence();
    EXPECT_TRUE(are_same_bits(to_vector(keys_view), expected.keys)) << n << " keys";
    auto const sorted_values = to_vector(values_view);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += sorted_values[i] != values[expected.values[i]];
    EXPECT_EQ(wrong, 0u) << n << " keys";
  }
}

TYPED_TEST(SortBySplittersTest, AroundTheFewest) {
  // Where there is a GPU: others have no such size.
  if (lanes::has_vector_threads<TypeParam>) return;
  for (std::uint64_t const n :
       {bs::fewest_elements - 1, bs::fewest_elements, 3 * bs::fewest_elements}) {
    this->expect_public_sorts(random_values<double>(n));
  }
}

}  // namespace
}  // namespace riffle::test
