// Sorts of a bucket by one thread, compared with the standard library's.

#include <Kokkos_Core.hpp>
#include <riffle/sort/detail/cpu/bucket_sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <riffle/order.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/sort/detail/cpu/numbers_cpu.hpp>
#include <riffle/sort/number_code.hpp>

namespace riffle::test::bucket_sort_test {
namespace {

using detail::sort::BucketSort;
using detail::sort::ItemWithValue;

// No padding after a wide key.
static_assert(sizeof(ItemWithValue<std::uint64_t, std::uint32_t>) == 12);
static_assert(sizeof(ItemWithValue<std::uint32_t, std::uint32_t>) == 8);
static_assert(sizeof(ItemWithValue<std::uint64_t, std::uint64_t>) == 16);

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

  /// The results of `count` calls of draw(generator).
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
using Items = ::testing::Types<
    ItemWithValue<std::uint32_t, std::uint32_t>, ItemWithValue<std::uint64_t, std::uint32_t>,
    ItemWithValue<std::uint32_t, std::uint64_t>, ItemWithValue<std::uint64_t, std::uint64_t>>;
TYPED_TEST_SUITE(BucketSortTest, Items);

TYPED_TEST(BucketSortTest, KeysOfAnyBits) {
  // Sizes around the bounds of insertion, of one digit and of two digits.
  for (std::size_t const n : {1, 2, 24, 25, 1000, 8191, 8192, 16385, 65535, 65536, 200'000}) {
    this->expect_sorted(n, [](auto& g) { return g(); });
  }
}

TYPED_TEST(BucketSortTest, KeysWithFewVaryingBits) {
  for (std::size_t const n : {25, 1000, 20'000, 100'000}) {
    this->expect_sorted(n, [](auto&) { return 5; });
    this->expect_sorted(n, [](auto& g) { return g() & 1; });
    this->expect_sorted(n, [](auto& g) { return g() & 0x80000001; });
    this->expect_sorted(n, [](auto& g) { return 0x70000000 + g() % 1000; });
  }
}

// Most items are in one slot; of these, most are in one slot of the next digit, and so on.
TYPED_TEST(BucketSortTest, OverfullBuckets) {
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

// --- numbers as items ---

template <class T, class Order, class Layout = Kokkos::LayoutRight>
using ItemOf =
    typename detail::sort::NumbersOfView<Kokkos::View<T*, Layout, Kokkos::HostSpace>, Order>::Item;
template <class T, class Value>
using PairOf =
    typename detail::sort::PairsOfViews<Kokkos::View<T*, Kokkos::HostSpace>,
                                        Kokkos::View<Value*, Kokkos::HostSpace>, Ascending>::Item;

// One instance of the sort serves these types.
static_assert(std::is_same_v<ItemOf<double, Ascending>, ItemOf<std::int64_t, Descending>>);
static_assert(std::is_same_v<ItemOf<std::int64_t, Ascending>, ItemOf<std::uint64_t, Descending>>);
static_assert(std::is_same_v<ItemOf<long long, Descending>,
                             ItemOf<unsigned long, Ascending, Kokkos::LayoutStride>>);
static_assert(std::is_same_v<ItemOf<char, Ascending>, ItemOf<bool, Descending>>);
static_assert(std::is_same_v<PairOf<std::int32_t, float>, PairOf<std::uint32_t, int>>);

// An item has no more bytes than the number and its value.
static_assert(sizeof(ItemOf<std::int8_t, Ascending>) == 1);
static_assert(sizeof(ItemOf<std::int16_t, Ascending>) == 2);
static_assert(sizeof(ItemOf<float, Ascending>) == 4);
static_assert(sizeof(ItemOf<double, Ascending>) == 8);
static_assert(sizeof(PairOf<double, std::uint8_t>) == 9);
static_assert(sizeof(PairOf<std::uint8_t, double>) == 9);

/// The keys of items are in the order of RadixKey, differ if the bits of the numbers differ, and
/// keep these bits.
template <class Order, class T>
void expect_items_of(std::vector<T> const& numbers) {
  using Code = detail::sort::NumberCode<T, Order>;
  using Item = ItemOf<T, Order>;
  detail::RadixKey<T, Order> const key;
  for (T const& a : numbers) {
    T const back = Code::decode(Item(Code::encode(a)).key());
    EXPECT_EQ(std::memcmp(&back, &a, sizeof a), 0) << a;
    for (T const& b : numbers) {
      auto const of_a = Item(Code::encode(a)).key();
      auto const of_b = Item(Code::encode(b)).key();
      if (key(a) < key(b)) {
        EXPECT_LT(of_a, of_b) << a << " " << b;
      }
      EXPECT_EQ(of_a == of_b, std::memcmp(&a, &b, sizeof a) == 0) << a << " " << b;
    }
  }
}

TEST(NumbersAsItems, KeepOrderAndBits) {
  auto const floats = []<class T>(T) {
    using Limits = std::numeric_limits<T>;
    return std::vector<T>{T{0},
                          -T{0},
                          T{1},
                          T{-1},
                          Limits::denorm_min(),
                          -Limits::denorm_min(),
                          Limits::max(),
                          Limits::lowest(),
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          -Limits::quiet_NaN(),
                          Limits::signaling_NaN()};
  };
  expect_items_of<Ascending>(floats(1.0));
  expect_items_of<Descending>(floats(1.0));
  expect_items_of<Ascending>(floats(1.0f));
  expect_items_of<Descending>(floats(1.0f));
  expect_items_of<Ascending>(std::vector<std::int8_t>{-128, -1, 0, 1, 127});
  expect_items_of<Descending>(std::vector<std::int64_t>{INT64_MIN, -1, 0, 1, INT64_MAX});
  expect_items_of<Descending>(std::vector<std::uint16_t>{0, 1, 65'535});
}

}  // namespace
}  // namespace riffle::test::bucket_sort_test
