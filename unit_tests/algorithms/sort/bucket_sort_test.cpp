// One thread's sort of a bucket, against the standard library's.

#include <riffle/sort/detail/cpu/bucket.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <riffle/sort/detail/sorted.hpp>

namespace riffle::test::bucket_sort_test {
namespace {

using detail::sort::BucketSort;
using detail::sort::Entry;

// No padding behind a wide key.
static_assert(sizeof(Entry<std::uint64_t, std::uint32_t>) == 12);
static_assert(sizeof(Entry<std::uint32_t, std::uint32_t>) == 8);
static_assert(sizeof(Entry<std::uint64_t, std::uint64_t>) == 16);

template <class Types>
class BucketSortTest : public ::testing::Test {
 protected:
  using Item = Types;
  using Word = decltype(Item().key());
  using Index = decltype(Item().index());

  void expect_sorted(std::vector<Word> const& keys) {
    std::vector<Item> items;
    for (Word const key : keys) items.emplace_back(key, static_cast<Index>(items.size()));
    std::vector<Item> expected = items;
    std::ranges::stable_sort(expected, {}, &Item::key);
    std::vector<Item> other(items.size());
    std::vector<std::uint32_t> counts(Sort::max_counts);
    Item const* const sorted = Sort(counts.data()).sort(items.data(), other.data(), items.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), sorted, [](auto& a, auto& b) {
      return a.key() == b.key() && a.index() == b.index();
    })) << keys.size();
  }

  /// draw(generator), `count` times.
  template <class Draw>
  void expect_sorted(std::size_t count, Draw const& draw) {
    std::mt19937_64 generator(1);
    std::vector<Word> keys(count);
    for (Word& key : keys) key = static_cast<Word>(draw(generator));
    expect_sorted(keys);
  }

 private:
  using Sort = BucketSort<Item>;
};
using Items =
    ::testing::Types<Entry<std::uint32_t, std::uint32_t>, Entry<std::uint64_t, std::uint32_t>,
                     Entry<std::uint32_t, std::uint64_t>, Entry<std::uint64_t, std::uint64_t>>;
TYPED_TEST_SUITE(BucketSortTest, Items);

TYPED_TEST(BucketSortTest, AnyBits) {
  // Around what is inserted, and what one digit and two are for.
  for (std::size_t const n : {1, 2, 16, 17, 1000, 8191, 8192, 16385, 65535, 65536, 200'000}) {
    this->expect_sorted(n, [](auto& g) { return g(); });
  }
}

TYPED_TEST(BucketSortTest, FewBitsVary) {
  for (std::size_t const n : {17, 1000, 20'000, 100'000}) {
    this->expect_sorted(n, [](auto&) { return 5; });
    this->expect_sorted(n, [](auto& g) { return g() & 1; });
    this->expect_sorted(n, [](auto& g) { return g() & 0x80000001; });
    this->expect_sorted(n, [](auto& g) { return 0x70000000 + g() % 1000; });
  }
}

// Most are in one slot, of which most are in one slot, and so on.
TYPED_TEST(BucketSortTest, Crowds) {
  constexpr int bits = std::numeric_limits<typename TestFixture::Word>::digits;
  for (std::size_t const n : {100, 5000, 70'000}) {
    this->expect_sorted(n, [](auto& g) { return g() >> (64 - bits) >> (g() % bits); });
    this->expect_sorted(n, [](auto& g) { return g() % 100 == 0 ? g() : g() % 1000; });
  }
}

TYPED_TEST(BucketSortTest, InOrderAndInReverse) {
  std::size_t k = 0;
  this->expect_sorted(10'000, [&](auto&) { return k++; });
  this->expect_sorted(10'000, [&](auto&) { return k--; });
}

}  // namespace
}  // namespace riffle::test::bucket_sort_test
