// The kernel of BucketShuffle that gathers rows on a GPU, run on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/shuffle/detail/gpu/shuffle_on_gpu.hpp>
#include <riffle/shuffle/tuning.hpp>
#include <riffle/view_pack.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/bucket_shuffle_oracle.hpp"
#include "support/emulated_gpu.hpp"

namespace riffle::test::bucket_gather_gpu_test {
namespace {

namespace bucket_shuffle = detail::bucket_shuffle;

using Host = Kokkos::HostSpace;
using Rows = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Host>;

struct Launch {
  int resident;

  template <class Kernel>
  void operator()(char const*, int teams, Kernel const& kernel) const {
    EmulatedGpu(resident, static_cast<std::uint64_t>(teams))
        .run(teams, Kernel::threads, Kernel::scratch_bytes, kernel);
  }
};

void scan_counts(std::uint32_t* counts, std::uint64_t size) {
  std::exclusive_scan(counts, counts + size, counts, std::uint32_t{0});
}

template <class In, class Out>
void gather(std::uint32_t n, In const& in, Out const& out, std::uint64_t seed, int resident) {
  bucket_shuffle::GpuLayout<void, std::uint32_t> const layout(n, 1,
                                                              static_cast<std::uint64_t>(resident));
  std::vector<std::uint64_t> buffer(layout.bytes() / sizeof(std::uint64_t) + 1);
  auto const copies = detail::row_copies(in, out);
  ASSERT_TRUE(detail::are_copied_by_rows(copies));
  bucket_shuffle::gather_below_one_level(layout, buffer.data(), seed, copies, Launch{resident},
                                         scan_counts);
}

/// A value for each element of each row, all of them different.
std::uint32_t element(std::uint32_t row, std::uint32_t column) { return row * 32 + column; }

Rows numbered_rows(std::uint32_t n, std::uint32_t columns) {
  Rows const rows("rows", n, columns);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < columns; ++k) rows(i, k) = element(i, k);
  return rows;
}

/// The first row that differs from the definition, or n.
std::uint32_t first_wrong_row(Rows const& out, std::uint64_t seed) {
  auto const n = static_cast<std::uint32_t>(out.extent(0));
  auto const images = BucketShuffleOracle(seed).images(n, 1);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < out.extent(1); ++k)
      if (out(i, k) != element(images[i], k)) return i;
  return n;
}

void expect_gathered(std::uint32_t n, std::uint32_t columns, std::uint64_t seed = 5,
                     int resident = 3) {
  Rows const out("out", n, columns);
  gather(n, numbered_rows(n, columns), out, seed, resident);
  EXPECT_EQ(first_wrong_row(out, seed), n) << columns << " columns";
}

constexpr std::uint32_t tile = bucket_shuffle::tile_places;

// With few elements, leaves have no elements, one, two or more.
TEST(BucketGatherOnEmulatedGpu, IsTheDefinition) {
  for (std::uint32_t const n :
       {1u, 2u, 3u, 100u, 255u, 256u, 257u, 600u, tile - 1, tile, tile + 1}) {
    expect_gathered(n, 8);
  }
}

TEST(BucketGatherOnEmulatedGpu, RowsOfAnyLength) {
  for (std::uint32_t const columns : {1, 3, 5, 31, 32}) expect_gathered(tile + 77, columns);
}

TEST(BucketGatherOnEmulatedGpu, ChunksOfSeveralTiles) {
  expect_gathered(20 * tile + 4001, 4, 5, 1);
  expect_gathered(7 * tile, 4, 5, 2);
}

TEST(BucketGatherOnEmulatedGpu, OtherSeeds) {
  for (std::uint64_t const seed : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    expect_gathered(tile + 5, 8, seed);
  }
}

TEST(BucketGatherOnEmulatedGpu, Packs) {
  std::uint32_t const n = tile + 300;
  Rows const wide("wide", n, 9);
  Rows const narrow("narrow", n, 2);
  gather(n, pack(numbered_rows(n, 9), numbered_rows(n, 2)), pack(wide, narrow), 7, 2);
  EXPECT_EQ(first_wrong_row(wide, 7), n);
  EXPECT_EQ(first_wrong_row(narrow, 7), n);
}

}  // namespace
}  // namespace riffle::test::bucket_gather_gpu_test
