// The kernels that move and swap tiles on a GPU, run on an emulated GPU with teams of 256 threads.

#include <Kokkos_Core.hpp>
#include <riffle/permute/affine_bit_permutation.hpp>
#include <riffle/permute/bit_permutation.hpp>
#include <riffle/permute/detail/tiles/run_bits.hpp>
#include <riffle/permute/detail/tiles/run_transpose.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/index_maps.hpp"

namespace riffle::test::tiles_gpu_test {
namespace {

namespace tiles = riffle::detail::tiles;

/// An array that begins `offset` elements after a boundary of a memory block.
template <class T>
struct Array {
  struct alignas(tiles::block_bytes) Block {
    std::byte byte[tiles::block_bytes];
  };

  explicit Array(std::vector<T> const& values, std::size_t offset = 0)
      : memory((offset + values.size()) * sizeof(T) / sizeof(Block) + 1),
        first(offset),
        size(values.size()) {
    std::copy(values.begin(), values.end(), data());
  }

  T* data() { return reinterpret_cast<T*>(memory.data()) + first; }
  std::vector<T> values() { return {data(), data() + size}; }

  std::vector<Block> memory;
  std::size_t first;
  std::size_t size;
};

template <class Kernel>
void run(Kernel const& kernel) {
  EmulatedGpu gpu(2, 5);
  gpu.run(static_cast<int>(kernel.mover.addresses().tiles()), tiles::threads_of_team,
          Kernel::scratch_bytes, kernel);
}

template <class T, class Index, bool is_affine, bool wide>
void expect_moves(detail::AffineBits const& map, Images const& images, std::size_t offset = 0) {
  auto const data = scrambled<T>(images.size());
  Array<T> in(data, offset);
  Array<T> out(std::vector<T>(data.size()), offset);
  auto const tiling =
      tiles::make_tiling(map, tiles::tile_bits(sizeof(T)), false, tiles::TileOrder::writing);
  auto const mover =
      tiles::bit_mover<T, Index, is_affine, wide>(tiling, {in.data(), 1}, {out.data(), 1});
  run(tiles::MoveTile<std::decay_t<decltype(mover)>>{mover});
  EXPECT_TRUE(out.values() == moved(data, images));
}

template <class T, class Index, bool is_affine, bool wide>
void expect_exchanges(detail::AffineBits const& map, Images const& images, std::size_t offset = 0) {
  auto const data = scrambled<T>(images.size());
  Array<T> array(data, offset);
  auto const tiling =
      tiles::make_tiling(map, tiles::tile_bits(sizeof(T)), true, tiles::TileOrder::writing);
  auto const mover = tiles::paired_bit_mover<T, Index, is_affine, wide>(
      tiling, tiles::tile_partners(map, tiling), {array.data(), 1});
  run(tiles::SwapTiles<std::decay_t<decltype(mover)>>{mover});
  EXPECT_TRUE(array.values() == moved(data, images));
}

detail::AffineBits map_of(std::vector<int> const& bits) {
  return detail::to_affine_bits(BitPermutation(bits));
}

// Two tiles each, because starting teams takes most of the time.
TEST(TilesOnEmulatedGpu, PermutationsOfBits) {
  for (auto const& bits : {reversed_bits(13), random_bits(13, 1)}) {
    expect_moves<float, std::uint32_t, false, true>(map_of(bits), images_of_bits(bits));
    expect_moves<float, std::uint64_t, false, false>(map_of(bits), images_of_bits(bits));
  }
  expect_moves<double, std::uint32_t, false, true>(map_of(shuffled_bits(12)),
                                                   images_of_bits(shuffled_bits(12)));
}

TEST(TilesOnEmulatedGpu, PermutationsOfBitsWithinBlocks) {
  for (auto const& bits : {reversed_bits(14), random_bits(14, 1)}) {
    expect_moves<float, std::uint32_t, false, true>(map_of(bits), images_of_bits(bits), 32);
    expect_moves<float, std::uint64_t, false, false>(map_of(bits), images_of_bits(bits), 5);
  }
}

TEST(TilesOnEmulatedGpu, AffineMapsOfBits) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    auto const columns = random_invertible(13, seed);
    auto const map = AffineBitPermutation(columns, 5000 + seed).map();
    auto const images = images_of_affine(columns, 5000 + seed);
    expect_moves<float, std::uint64_t, true, true>(map, images);
  }
}

TEST(TilesOnEmulatedGpu, SwapsOfTiles) {
  auto const bits = reversed_bits(13);
  expect_exchanges<float, std::uint32_t, false, true>(map_of(bits), images_of_bits(bits));
  expect_exchanges<double, std::uint32_t, false, true>(map_of(reversed_bits(12)),
                                                       images_of_bits(reversed_bits(12)));
  auto const columns = random_involution(13, 1);
  expect_exchanges<float, std::uint32_t, true, true>(AffineBitPermutation(columns).map(),
                                                     images_of_affine(columns, 0));
}

TEST(TilesOnEmulatedGpu, SwapsWithinBlocks) {
  for (auto const& bits : {reversed_bits(15), random_swaps(15, 1)}) {
    expect_exchanges<float, std::uint32_t, false, true>(map_of(bits), images_of_bits(bits), 32);
    expect_exchanges<double, std::uint32_t, false, true>(map_of(bits), images_of_bits(bits), 16);
  }
}

template <bool wide>
void expect_transposes(std::size_t rows, std::size_t columns) {
  constexpr int bits = tiles::tile_bits(sizeof(float));
  auto const data = scrambled<float>(rows * columns);
  Array<float> in(data);
  Array<float> out(std::vector<float>(data.size()));
  tiles::Transposition const matrix{rows, columns, columns, 1, rows, 1};
  int const row_bits = tiles::tile_row_bits(rows, columns, bits);
  auto const mover =
      tiles::matrix_mover<float, bits, wide>(matrix, row_bits, in.data(), out.data());
  run(tiles::MoveTile<std::decay_t<decltype(mover)>>{mover});
  EXPECT_TRUE(out.values() == moved(data, images_of_transpose(rows, columns)));
}

TEST(TilesOnEmulatedGpu, Transpositions) {
  expect_transposes<true>(64, 128);
  expect_transposes<false>(67, 61);
  expect_transposes<false>(3, 1500);
  expect_transposes<true>(1500, 4);
}

}  // namespace
}  // namespace riffle::test::tiles_gpu_test
