// The merge sort of GPUs on an emulated GPU: with orders, compared with the standard library's
// stable sort; with comparisons that are not strict weak orderings, it stays within its arrays.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/sort/detail/gpu/device_sort.hpp>
#include <riffle/sort/detail/gpu/merge_sort_gpu.hpp>
#include <riffle/sort/number_code.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/fuzzed_comparisons.hpp"

namespace riffle::test::merge_sort_gpu_test {
namespace {

namespace sort = detail::sort;
using Host = Kokkos::DefaultHostExecutionSpace;

/// Arrays of `n` items between guards, and the arrays for the cuts of tiles.
template <class Item>
struct GuardedArrays {
  GuardedView<Host, Item> sorted;
  GuardedView<Host, Item> spare;
  GuardedView<Host, std::uint64_t> cuts;
  GuardedView<Host, std::uint32_t> is_inconsistent{1};

  explicit GuardedArrays(std::vector<Item> const& values)
      : sorted(values), spare(values.size()), cuts(sort::tiles_of_merges<Item>(values.size())) {}
};

/// Does the steps of merge_sort_on_device.
template <class Item, class Before>
std::vector<Item> sort_on_emulated_gpu(std::vector<Item> const& values, Before const& before) {
  using Find = sort::FindCuts<Item, Before>;
  std::uint64_t const n = values.size();
  std::uint64_t const tiles = sort::tiles_of_merges<Item>(n);
  int const rounds = sort::rounds_of_merges<Item>(n);
  GuardedArrays<Item> const arrays(values);
  auto const in = arrays.sorted.view();
  auto* const is_inconsistent = arrays.is_inconsistent.view().data();
  Item* from = rounds % 2 == 0 ? in.data() : arrays.spare.view().data();
  Item* to = rounds % 2 == 0 ? arrays.spare.view().data() : in.data();
  run_on_emulated_gpu(
      tiles, sort::SortTiles<Item, Before, decltype(in)>(in, from, n, before, is_inconsistent));
  std::uint64_t run_size = sort::MergeTileShape<Item>::size;
  for (int round = 0; round < rounds; ++round, run_size *= 2) {
    Find const find{from, n, run_size, before, arrays.cuts.view().data(), is_inconsistent};
    run_on_emulated_gpu(Find::teams(tiles), find);
    run_on_emulated_gpu(tiles, sort::MergeTiles<Item, Before>(find, to));
    std::swap(from, to);
  }
  EXPECT_LE(arrays.is_inconsistent.values()[0], 1u);
  (void)arrays.spare.values();
  (void)arrays.cuts.values();
  return arrays.sorted.values();
}

/// Sizes around the items of a thread, a tile, and the runs of several rounds.
template <class Item>
std::vector<std::size_t> sizes() {
  using Shape = sort::MergeTileShape<Item>;
  constexpr std::size_t items_per_thread = Shape::items_per_thread;
  constexpr std::size_t tile = Shape::size;
  return {
      1,        items_per_thread - 1, items_per_thread, items_per_thread + 1, 500, tile - 1, tile,
      tile + 1, 2 * tile + 1,         5 * tile - 1,     16 * tile + 1};
}

struct ByKey {
  KOKKOS_FUNCTION bool operator()(Record const& a, Record const& b) const {
    return a.hash % 100 < b.hash % 100;
  }
};

/// 24 bytes.
struct Wide {
  std::uint32_t key;
  std::uint32_t rest[5];
};

struct ByWideKey {
  KOKKOS_FUNCTION bool operator()(Wide const& a, Wide const& b) const { return a.key < b.key; }
};

TEST(MergeSortOnEmulatedGpu, AreStable) {
  for (std::size_t const n : sizes<Record>()) {
    auto expected = fuzzed_records(n);
    auto const sorted = sort_on_emulated_gpu(expected, ByKey());
    std::stable_sort(expected.begin(), expected.end(), ByKey());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i].id, expected[i].id) << n << ", " << i;
  }
}

TEST(MergeSortOnEmulatedGpu, SortItemsOfAnySize) {
  for (std::size_t const n : {100, 769, 5000}) {
    std::vector<Wide> expected(n);
    for (std::uint32_t i = 0; i < n; ++i) expected[i] = {i * 40'503 % 97, {i}};
    auto const place = [](Wide const& wide) { return wide.rest[0]; };
    auto const sorted = sort_on_emulated_gpu(expected, ByWideKey());
    std::stable_sort(expected.begin(), expected.end(), ByWideKey());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(place(sorted[i]), place(expected[i])) << i;
  }
}

template <std::size_t bytes>
struct Sized {
  std::uint32_t key;
  std::byte rest[bytes - sizeof(std::uint32_t)];
};

struct BySizedKey {
  template <std::size_t bytes>
  KOKKOS_FUNCTION bool operator()(Sized<bytes> const& a, Sized<bytes> const& b) const {
    return a.key < b.key;
  }
};

/// The sorted keys of `tiles` tiles and one item.
template <std::size_t bytes>
void expect_sorted(std::size_t tiles) {
  using Item = Sized<bytes>;
  std::size_t const n = tiles * sort::MergeTileShape<Item>::size + 1;
  std::vector<Item> values;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < n; ++i) {
    values.push_back({i * 40'503 % 65'537, {}});
    expected.push_back(values.back().key);
  }
  std::sort(expected.begin(), expected.end());
  auto const sorted = sort_on_emulated_gpu(values, BySizedKey());
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i].key, expected[i]) << bytes << ", " << i;
}

TEST(MergeSortOnEmulatedGpu, ThreadsHoldOneOrMoreItems) {
  expect_sorted<8>(3);
  expect_sorted<16>(3);
  expect_sorted<32>(3);
  expect_sorted<48>(3);
  expect_sorted<64>(3);
  expect_sorted<300>(3);
  expect_sorted<16384>(2);
}

/// What DeviceSort does on a GPU whose vendor has no radix sort.
template <bool is_descending, class Item, class Expected>
void expect_sorted_by_bits(std::vector<Item> const& values, int first_bit, int end_bit,
                           Expected const& is_before) {
  auto expected = values;
  std::stable_sort(expected.begin(), expected.end(), is_before);
  auto const sorted =
      sort_on_emulated_gpu(values, sort::IsBeforeByBits<is_descending>(first_bit, end_bit));
  EXPECT_TRUE(sorted == expected) << "bits " << first_bit << " to " << end_bit - 1;
}

TEST(MergeSortOnEmulatedGpu, SortsByChosenBits) {
  std::mt19937_64 random(11);
  std::vector<KeyValue<std::uint64_t, std::uint32_t>> pairs(4000);
  std::vector<std::int32_t> integers(4000);
  using Code = sort::NumberCode<double, Descending>;
  std::vector<std::uint64_t> words(4000);
  for (std::uint32_t i = 0; i < 4000; ++i) {
    pairs[i] = {random(), i};
    integers[i] = static_cast<std::int32_t>(random()) >> (i % 24);
    double const number = std::ldexp(static_cast<double>(integers[i]), -static_cast<int>(i % 40));
    words[i] = Kokkos::bit_cast<std::uint64_t>(i % 9 == 0 ? -0.0 : number);
  }
  for (auto const& [first, end] : {std::pair{0, 64}, {20, 26}, {63, 64}, {0, 1}}) {
    auto const chosen = [first = first, end = end](auto const& pair) {
      return pair.key << (64 - end) >> (64 - end + first);
    };
    expect_sorted_by_bits<false>(
        pairs, first, end, [&](auto const& a, auto const& b) { return chosen(a) < chosen(b); });
    expect_sorted_by_bits<true>(
        pairs, first, end, [&](auto const& a, auto const& b) { return chosen(a) > chosen(b); });
  }
  expect_sorted_by_bits<false>(integers, 0, 32, std::less<>());
  expect_sorted_by_bits<true>(integers, 0, 32, std::greater<>());
  std::vector<backend::CodedNumber<Code>> numbers;
  for (std::uint64_t const word : words) numbers.push_back({word});
  auto const sorted = sort_on_emulated_gpu(numbers, sort::IsBeforeByBits<false>(0, 64));
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    ASSERT_GE(Kokkos::bit_cast<double>(sorted[i].bits),
              Kokkos::bit_cast<double>(sorted[i + 1].bits));
  }
}

TEST(MergeSortOnEmulatedGpu, KeepAllItemsIfTheComparisonIsNotAnOrder) {
  constexpr std::size_t tile = sort::MergeTileShape<Record>::size;
  for_each_fuzzed(
      {6, tile + 1, 2 * tile + 1, 10 * tile + 1},
      [](std::size_t n, FuzzedComparison const& comparison) {
        EXPECT_TRUE(are_fuzzed_records(sort_on_emulated_gpu(fuzzed_records(n), comparison)));
      });
}

TEST(MergeSortOnEmulatedGpu, HaveTilesForItemsOfAllSizes) {
  EXPECT_EQ(sort::MergeTileShape<std::uint32_t>::size, 4352);
  EXPECT_EQ(sort::MergeTileShape<double>::size, 4352);
  EXPECT_EQ(sort::MergeTileShape<Sized<16>>::size, 1792);
  EXPECT_EQ(sort::MergeTileShape<Record>::size, 1792);
  EXPECT_EQ(sort::MergeTileShape<Wide>::size, 1280);
  EXPECT_EQ(sort::MergeTileShape<std::byte[300]>::parts, 32);
  EXPECT_EQ(sort::MergeTileShape<std::byte[16384]>::size, 2);
}

template <class Item>
constexpr std::size_t stride = sort::ScratchItems<Item>::stride;

TEST(MergeSortOnEmulatedGpu, ItemsAreAnOddNumberOfWordsApart) {
  EXPECT_EQ(stride<double>, 8);
  EXPECT_EQ(stride<Sized<16>>, 20);
  EXPECT_EQ(stride<Record>, 24);
  EXPECT_EQ(stride<Wide>, 28);
  EXPECT_EQ(stride<Sized<32>>, 36);
  EXPECT_EQ(stride<Kokkos::complex<double>>, 16);
  EXPECT_EQ(stride<std::byte[17]>, 20);
}

template <class Item>
void expect_to_fit() {
  using Tile = sort::MergeTile<Item, int, BySizedKey>;
  EXPECT_LE(Tile::scratch_bytes, detail::max_scratch_bytes_of(Tile::Shape::threads))
      << sizeof(Item);
}

template <std::size_t bytes>
void expect_to_fit_aligned() {
  struct alignas(16) Aligned {
    std::byte rest[bytes];
  };
  expect_to_fit<Sized<bytes>>();
  expect_to_fit<Aligned>();
}

template <std::size_t... words>
void expect_all_to_fit(std::index_sequence<words...>) {
  (expect_to_fit_aligned<4 * words + 8>(), ...);
  (expect_to_fit_aligned<128 * words + 256>(), ...);
}

TEST(MergeSortOnEmulatedGpu, FitIntoScratchMemory) {
  expect_all_to_fit(std::make_index_sequence<32>());
  expect_to_fit_aligned<16384>();
}

}  // namespace
}  // namespace riffle::test::merge_sort_gpu_test
