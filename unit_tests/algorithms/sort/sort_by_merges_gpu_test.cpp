// The sort of a GPU by a comparison, its kernels on an emulated one: by orders against the standard library's stable sort,
// by comparisons that are none within its arrays.

#include <Kokkos_Core.hpp>
#include <riffle/sort/detail/gpu/by_merges.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/fuzzed_comparisons.hpp"

namespace riffle::test::sort_by_merges_gpu_test {
namespace {

namespace sort = detail::sort;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class Kernel>
void run_teams(std::uint64_t teams, Kernel const& kernel) {
  EmulatedGpu(2, teams).run(static_cast<int>(teams), Kernel::threads, Kernel::scratch_bytes + 256,
                            kernel);
}

/// What sort_by_merges_on_device does.
template <class Item, class Before>
std::vector<Item> sort_on_emulated_gpu(std::vector<Item> const& values, Before const& before) {
  std::uint64_t const n = values.size();
  std::uint64_t const tiles = sort::tiles_of_merges<Item>(n);
  GuardedView<Host, Item> const items(values);
  GuardedView<Host, Item> const spare(values.size());
  std::vector<detail::TwoRuns> parts(tiles);
  Item* from = items.view().data();
  Item* to = spare.view().data();
  run_teams(tiles, sort::SortTiles<Item, Before>(from, n, before));
  for (std::uint64_t run_size = sort::MergeTileShape<Item>::size; run_size < n; run_size *= 2) {
    sort::FindParts<Item, Before> const find{from, n, run_size, before, parts.data()};
    for (std::uint64_t tile = 0; tile < tiles; ++tile) find(tile);
    run_teams(tiles, sort::MergeTiles<Item, Before>(from, to, parts.data(), before));
    std::swap(from, to);
  }
  auto const in_items = items.values();
  auto const in_spare = spare.values();
  return from == items.view().data() ? in_items : in_spare;
}

std::vector<std::size_t> sizes() { return {1, 6, 7, 8, 500, 896, 897, 1793, 3000}; }

struct ByKey {
  KOKKOS_FUNCTION bool operator()(Record const& a, Record const& b) const {
    return a.hash % 100 < b.hash % 100;
  }
};

/// Of 24 bytes.
struct Wide {
  std::uint32_t key;
  std::uint32_t rest[5];
};

struct ByWideKey {
  KOKKOS_FUNCTION bool operator()(Wide const& a, Wide const& b) const { return a.key < b.key; }
};

TEST(MergesOnEmulatedGpu, AreStable) {
  for (std::size_t const n : sizes()) {
    auto expected = fuzzed_records(n);
    auto const sorted = sort_on_emulated_gpu(expected, ByKey());
    std::stable_sort(expected.begin(), expected.end(), ByKey());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i].id, expected[i].id) << n << ", " << i;
  }
}

TEST(MergesOnEmulatedGpu, SortItemsOfAnySize) {
  for (std::size_t const n : {100, 385, 2000}) {
    std::vector<Wide> expected(n);
    for (std::uint32_t i = 0; i < n; ++i) expected[i] = {i * 40'503 % 97, {i}};
    auto const place = [](Wide const& wide) { return wide.rest[0]; };
    auto const sorted = sort_on_emulated_gpu(expected, ByWideKey());
    std::stable_sort(expected.begin(), expected.end(), ByWideKey());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(place(sorted[i]), place(expected[i])) << i;
  }
}

TEST(MergesOnEmulatedGpu, KeepAllItemsWhateverTheComparison) {
  for_each_fuzzed({8, 897, 1793}, [](std::size_t n, FuzzedComparison const& comparison) {
    EXPECT_TRUE(are_fuzzed_records(sort_on_emulated_gpu(fuzzed_records(n), comparison)));
  });
}

TEST(MergesOnEmulatedGpu, HaveTilesForItemsOfAllSizes) {
  EXPECT_EQ(sort::MergeTileShape<std::uint32_t>::size, 896);
  EXPECT_EQ(sort::MergeTileShape<Wide>::size, 384);
  EXPECT_EQ(sort::MergeTileShape<std::byte[300]>::parts, 32);
  EXPECT_EQ(sort::MergeTileShape<std::byte[16384]>::size, 2);
}

}  // namespace
}  // namespace riffle::test::sort_by_merges_gpu_test
