// Samplesort of two levels for numbers with values, on an emulated GPU and on GPUs, compared with
// the standard library's stable sort.

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
#include "support/samplesort_one_level.hpp"
#include "support/samplesort_two_levels.hpp"
#include "support/views.hpp"

namespace riffle::test::samplesort_pairs_test {
namespace {

/// Values are indices, so that they distinguish tied keys.
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

/// Keys with values in memory, as an input and an output.
template <class T, class Order>
struct Pairs {
  using In = ss::PairsIn<std::uint64_t, std::uint32_t>;
  using Out = ss::PairsOut<std::uint64_t, std::uint32_t>;

  explicit Pairs(std::vector<T> const& keys_)
      : keys(keys_), values(keys_.size()), indices(keys_.size()) {
    std::iota(values.begin(), values.end(), 0u);
  }

  In in() { return {words(), payloads()}; }
  Out out() { return {words(), payloads(), indices.data()}; }

  std::vector<T> keys;
  std::vector<std::uint32_t> values;
  std::vector<std::uint32_t> indices;

 private:
  auto words() { return ss::words_of<Order>(HostView<T>(keys.data(), keys.size())); }
  auto payloads() {
    return ss::payloads_of(HostView<std::uint32_t>(values.data(), values.size()), nullptr);
  }
};

/// Returns the number of overfull parts.
template <class T, class Order = Ascending>
ss::Index expect_sorts_emulated(std::vector<T> const& keys, int depth) {
  SortedPairs<T, Order> const expected(keys);
  Pairs<T, Order> pairs(keys);
  Found const found = samplesort_two_levels_emulated(pairs.in(), pairs.out(), keys.size(), depth);
  EXPECT_EQ(found.overfull_buckets, 0u);
  EXPECT_TRUE(are_same_bits(pairs.keys, expected.keys));
  EXPECT_TRUE(pairs.values == expected.values);
  return found.overfull_parts;
}

/// The size of the sample for buckets of 2^(depth - 8) parts.
constexpr ss::Index sampled(int depth) { return two_levels::sample_per_part << depth; }

// --- the sample, and the division of elements ---

/// The sorted sample is in the order of codes and of indices in the input, though it was sorted by
/// places in the sample.
TEST(SamplesortOfPairs, SortedSamples) {
  std::uint64_t const n = 20'000;
  Pairs<std::int64_t, Ascending> pairs(few_signed_values<std::int64_t>(n, 700));
  ss::Sample const sample(static_cast<ss::Index>(n), sampled(9));
  std::vector<ss::IndexedCode> sorted(sample.size());
  samplesort_one_level_emulated(two_levels::SampleIn<decltype(pairs.in())>{pairs.in(), sample},
                                two_levels::SampleOut{sample, sorted.data()}, sample.size());
  std::vector<ss::IndexedCode> expected;
  for (ss::Index j = 0; j < sample.size(); ++j) {
    ss::Index const i = sample.index(j);
    expected.push_back({pairs.in()(i).code, i, 0});
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(sorted == expected);
}

/// Each element of the sample is in the range of the bucket to which the kernels move it, for any
/// ties of codes.
void expect_ranges_are_buckets(std::vector<std::int64_t> const& keys) {
  using Word = ss::IndexedCode;
  Pairs<std::int64_t, Ascending> pairs(keys);
  two_levels::BucketDivision<Word> const division(keys.size(), 9);
  detail::ArrayMemory counted(nullptr);
  two_levels::BucketArrays<Word>(counted, division);
  std::vector<std::byte> bytes(counted.used(), std::byte{0xA5});
  detail::ArrayMemory memory(bytes.data());
  two_levels::BucketArrays<Word> const arrays(memory, division);
  sample_emulated(pairs.in(), arrays);
  for (ss::Index b = 0; b < arrays.buckets(); ++b) two_levels::FindRanges<Word>{arrays}(b);
  two_levels::StoreSplitters<Word> const store{arrays};
  EmulatedGpu(3, 5).run(store.teams(), store.threads, store.scratch_bytes, store);
  ss::Index end = 0;
  for (ss::Index b = 0; b < arrays.buckets(); ++b) {
    EXPECT_EQ(arrays.ranges[b].begin, end);
    end += arrays.ranges[b].size;
    for (ss::Index j = arrays.ranges[b].begin; j < end; ++j) {
      Word const word[] = {arrays.sample[j]};
      int found[1];
      arrays.bucket_splitters().find(word, found);
      ASSERT_EQ(static_cast<ss::Index>(found[0]), b) << j;
    }
  }
  EXPECT_EQ(end, arrays.sample_size());
}

TEST(SamplesortOfPairs, RangesAreBuckets) {
  expect_ranges_are_buckets(uniform_values<std::int64_t>(9000));
  for (std::uint64_t const distinct : {1, 2, 200, 400, 1000}) {
    expect_ranges_are_buckets(few_signed_values<std::int64_t>(9000, distinct));
  }
  expect_ranges_are_buckets(zipf_values<std::int64_t>(9000));
}

// --- on an emulated GPU ---

TEST(SamplesortOfPairsOnEmulatedGpu, UniformAndInOrder) {
  auto keys = uniform_values<std::int64_t>(20'000);
  expect_sorts_emulated(keys, 10);
  std::sort(keys.begin(), keys.end());
  expect_sorts_emulated<std::int64_t, Descending>(keys, 9);
}

/// Buckets of 16 parts: most of them by interpolation, but not where keys are clustered or tie.
TEST(SamplesortOfPairsOnEmulatedGpu, PartsByInterpolation) {
  auto keys = uniform_values<std::int64_t>(70'000);
  for (std::size_t i = 0; i < keys.size(); i += 8) keys[i] = keys[i] % 1'000'000;
  for (std::size_t i = 4; i < keys.size(); i += 16) keys[i] = keys[20];
  expect_sorts_emulated(keys, 12);
}

/// Splitters with equal codes are distinguished by their indices.
TEST(SamplesortOfPairsOnEmulatedGpu, Ties) {
  for (std::uint64_t const distinct : {1, 2, 300}) {
    expect_sorts_emulated(few_signed_values<std::int64_t>(17'000, distinct), 9);
  }
  expect_sorts_emulated(zipf_values<double>(17'000), 9);
}

/// Nearly all keys are the least of the type.
TEST(SamplesortOfPairsOnEmulatedGpu, NearlyAllKeysAreTheLeast) {
  std::vector<std::int64_t> keys(17'000, std::numeric_limits<std::int64_t>::min());
  keys[100] = 3;
  keys[2000] = 2;
  keys[4900] = 1;
  expect_sorts_emulated(keys, 9);
}

/// All keys of the sample are equal, and most other keys tie with them; the few greater keys are in
/// the last bucket.
TEST(SamplesortOfPairsOnEmulatedGpu, MostTieWithTheSample) {
  auto keys = unlucky_values<std::int64_t>(17'000, sampled(9), true);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 50 != 0) keys[i] = -1;
  }
  expect_sorts_emulated(keys, 9);
}

/// The keys of the sample are spread, and all others are in one bucket, which becomes overfull:
/// nothing is written.
TEST(SamplesortOfPairsOnEmulatedGpu, UnluckySample) {
  auto const keys = unlucky_values<double>(40'000, sampled(9), false);
  Pairs<double, Ascending> pairs(keys);
  Pairs<double, Ascending> const before(keys);
  EXPECT_EQ(
      samplesort_two_levels_emulated(pairs.in(), pairs.out(), keys.size(), 9).overfull_buckets, 1u);
  EXPECT_TRUE(are_same_bits(pairs.keys, before.keys));
  EXPECT_TRUE(pairs.values == before.values);
}

/// All other keys are next to each other, between the first two of the sample, which are far apart;
/// many tie.
TEST(SamplesortOfPairsOnEmulatedGpu, OverfullParts) {
  std::uint64_t const n = 9700;
  ss::Sample const sample(static_cast<ss::Index>(n), sampled(9));
  std::vector<std::int64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = 2 + static_cast<std::int64_t>(i * 7919 % 301);
  for (ss::Index j = 0; j < sample.size(); ++j) {
    keys[sample.index(j)] = j == 0 ? 0 : (std::int64_t{1} << 40) + j;
  }
  EXPECT_EQ((expect_sorts_emulated<std::int64_t, Ascending>(keys, 9)), 1u);
  for (auto& key : keys) key = -key;
  EXPECT_EQ((expect_sorts_emulated<std::int64_t, Descending>(keys, 9)), 1u);
}

// --- on a GPU; hosts do not use this algorithm ---

template <class Exec>
class SamplesortOfPairsTest : public ::testing::Test {
 protected:
  /// If a bucket is overfull, nothing has moved.
  template <class T, class Order = Ascending>
  bool sort(std::vector<T> const& keys) {
    SortedPairs<T, Order> const expected(keys);
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 0u);
    auto const keys_view = to_view<Exec>(keys);
    auto const values_view = to_view<Exec>(values);
    bool const is_sorted =
        two_levels::sort_pairs<Order>(Context(exec_, "test", workspace_), keys_view, values_view);
    exec_.fence();
    EXPECT_TRUE(are_same_bits(to_vector(keys_view), is_sorted ? expected.keys : keys));
    EXPECT_TRUE(to_vector(values_view) == (is_sorted ? expected.values : values));
    return is_sorted;
  }

  Exec exec_;
  Workspace<Exec> workspace_;
};

TYPED_TEST_SUITE(SamplesortOfPairsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SamplesortOfPairsTest, EveryKindOfData) {
  if constexpr (!backend::is_cpu<TypeParam>) {
    for (auto const& keys : every_kind_of_data<double>(300'001)) this->sort(keys);
    for (auto const& keys : every_kind_of_data<std::int64_t>(1u << 20)) {
      this->template sort<std::int64_t, Descending>(keys);
    }
  }
}

TYPED_TEST(SamplesortOfPairsTest, SortsAllThatItCan) {
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

/// Values that are narrower than the payload of an element; by the public function.
TYPED_TEST(SamplesortOfPairsTest, SizesAroundTheBoundOfOneLevel) {
  if constexpr (!backend::is_cpu<TypeParam>) {
    std::uint64_t const most = detail::sort::max_pairs_one_level<double>;
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
}  // namespace riffle::test::samplesort_pairs_test
