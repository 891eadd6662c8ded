// Buckets ascend with the keys, and have similar sizes.

#include <riffle/sort/detail/cpu/bucket_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <riffle/primitives/radix_key.hpp>

#include "support/type_names.hpp"

namespace riffle::test::bucket_table_test {
namespace {

using detail::sort::BucketTable;

template <class Word>
std::vector<Word> sorted(std::vector<Word> keys) {
  std::ranges::sort(keys);
  return keys;
}

/// The number of keys of each bucket, for ascending keys; empty if the buckets do not ascend.
template <class Word>
std::vector<std::size_t> bucket_sizes(BucketTable<Word> const& table,
                                      std::vector<Word> const& keys) {
  auto const bucket_of = table.bucket_of();
  std::vector<std::size_t> sizes(table.buckets());
  std::size_t last = 0;
  for (Word const key : keys) {
    std::size_t const bucket = bucket_of(key);
    if (bucket < last || sizes.size() <= bucket) return {};
    ++sizes[bucket];
    last = bucket;
  }
  return sizes;
}

/// The keys of doubles, in ascending order.
template <class Draw>
std::vector<std::uint64_t> keys_of(std::size_t n, Draw draw) {
  std::mt19937_64 generator(1);
  detail::RadixKey<double, Ascending> const key;
  std::vector<std::uint64_t> keys(n);
  for (auto& k : keys) k = key(draw(generator));
  return sorted(keys);
}

/// Every 16th key.
template <class Word>
std::vector<Word> samples_of(std::vector<Word> const& keys) {
  std::vector<Word> samples;
  for (std::size_t i = 8; i < keys.size(); i += 16) samples.push_back(keys[i]);
  return samples;
}

/// Divides keys by samples. Returns the size of the largest bucket.
template <class Word>
std::size_t largest_bucket(std::vector<Word> const& keys) {
  auto const samples = samples_of(keys);
  BucketTable<Word> table;
  table.cut_evenly(samples, samples.front(), samples.back());
  EXPECT_LE(table.buckets(), samples.size() * 3 / detail::sort::samples_per_bucket);
  auto const sizes = bucket_sizes(table, keys);
  return sizes.empty() ? keys.size() : std::ranges::max(sizes);
}

// With 16384 samples of 262144 keys, a bucket has 128 keys on average.
TEST(BucketTableTest, IsEvenForNumbersOfManyMagnitudes) {
  constexpr std::size_t n = 1 << 18;
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  EXPECT_LE(largest_bucket(keys_of(n, unit)), 640u);
  EXPECT_LE(largest_bucket(keys_of(n, normal)), 640u);
  EXPECT_LE(largest_bucket(keys_of(n, [&](auto& g) { return 1000 + unit(g); })), 640u);
  EXPECT_LE(largest_bucket(keys_of(n, [&](auto& g) { return std::exp(100 * normal(g)); })), 640u);
  EXPECT_LE(largest_bucket(keys_of(n, [](auto& g) { return static_cast<double>(g()); })), 640u);
}

TEST(BucketTableTest, IsEvenForIntegers) {
  std::mt19937 generator(1);
  std::vector<std::uint32_t> keys(1 << 18);
  for (auto& key : keys) key = static_cast<std::uint32_t>(generator());
  EXPECT_LE(largest_bucket(sorted(keys)), 640u);
  for (auto& key : keys) key %= 1000;
  EXPECT_LE(largest_bucket(sorted(keys)), 640u);
}

template <class Word>
std::vector<Word> all_magnitudes() {
  constexpr Word highest = ~Word{0};
  std::vector<Word> keys{0, highest};
  for (int shift = 0; shift < std::numeric_limits<Word>::digits; ++shift) {
    Word const power = Word{1} << shift;
    keys.insert(keys.end(), {power, static_cast<Word>(power - 1), static_cast<Word>(power + 1),
                             static_cast<Word>(highest - power)});
  }
  return sorted(keys);
}

template <class Word>
class BucketTableOfTest : public ::testing::Test {};
using Words = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(BucketTableOfTest, Words, TypeNames);

// For any samples, and for keys outside of their range.
TYPED_TEST(BucketTableOfTest, AscendsAsKeysDo) {
  using Word = TypeParam;
  auto const keys = all_magnitudes<Word>();
  std::vector<Word> samples;
  for (int k = 0; k < 1000; ++k) samples.insert(samples.end(), keys.begin(), keys.end());
  samples.resize(detail::sort::samples_per_bucket * BucketTable<Word>::max_wanted);
  BucketTable<Word> table;
  for (std::size_t low = 0; low < keys.size(); ++low) {
    for (std::size_t high = low + 1; high < keys.size(); high += 7) {
      if (keys[low] == keys[high]) continue;
      table.cut_evenly(samples, keys[low], keys[high]);
      EXPECT_LE(table.buckets(), table.max_buckets);
      EXPECT_FALSE(bucket_sizes(table, keys).empty()) << keys[low] << " " << keys[high];
      EXPECT_LT(table.bucket_of()(keys[low]), table.bucket_of()(keys[high]));
    }
  }
}

TYPED_TEST(BucketTableOfTest, CutsAtOneKey) {
  using Word = TypeParam;
  BucketTable<Word> table;
  for (Word const key : all_magnitudes<Word>()) {
    table.cut_at(key);
    auto const bucket_of = table.bucket_of();
    EXPECT_LE(table.buckets(), 3u);
    if (key > 0) {
      EXPECT_EQ(bucket_of(0), 0u);
      EXPECT_EQ(bucket_of(key - 1), 0u);
    }
    EXPECT_EQ(bucket_of(key), key > 0 ? 1u : 0u);
    if (key < ~Word{0}) {
      EXPECT_EQ(bucket_of(key + 1), bucket_of(key) + 1);
      EXPECT_EQ(bucket_of(~Word{0}), table.buckets() - 1);
    }
  }
}

}  // namespace
}  // namespace riffle::test::bucket_table_test
