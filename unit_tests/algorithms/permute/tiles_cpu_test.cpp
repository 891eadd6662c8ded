// Tiles of permutations of bits on a CPU: which form of blocks a tile has, and that all elements of all tiles are
// moved, with ordinary and with streaming stores.

#include <Kokkos_Core.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/cpu/bit_rows.hpp>
#include <riffle/permute/detail/tiles/cpu/tiles_by_threads.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/index_maps.hpp"

namespace riffle::test::tiles_cpu_test {
namespace {

using detail::AffineBits;
using detail::BitMatrix;

AffineBits map_of(std::vector<std::uint64_t> const& columns, std::uint64_t origin = 0) {
  AffineBits map{BitMatrix(static_cast<int>(columns.size())), origin};
  for (int k = 0; k < map.matrix.size(); ++k) {
    map.matrix.column(k) = columns[static_cast<std::size_t>(k)];
  }
  return map;
}

std::vector<std::uint64_t> columns_of(std::vector<int> const& destinations) {
  std::vector<std::uint64_t> columns;
  for (int const bit : destinations) columns.push_back(std::uint64_t{1} << bit);
  return columns;
}

AffineBits map_of_bits(std::vector<int> const& destinations) {
  return map_of(columns_of(destinations));
}

/// Bit k moves to bit (k + distance) mod m.
std::vector<int> rotated_bits(int m, int distance) {
  std::vector<int> destinations;
  for (int k = 0; k < m; ++k) destinations.push_back((k + distance) % m);
  return destinations;
}

template <class T>
detail::tiles::BitRows<T> rows_of(AffineBits const& map) {
  auto const tiling = detail::tiles::make_tiling(map, detail::tiles::tile_bits(sizeof(T)), false,
                                                 detail::tiles::TileOrder::both_sides);
  return {tiling, {BitMatrix(0), 0}, 1, 1};
}

// --- blocks ---

enum class Block { interleaved, split, none };

struct Found {
  Block block;
  std::uint32_t rows = 1;

  friend bool operator==(Found const&, Found const&) = default;
};

template <class T>
Found found_in(std::vector<int> const& destinations) {
  auto const blocks = rows_of<T>(map_of_bits(destinations)).blocks();
  using Form = typename std::decay_t<decltype(blocks)>::Form;
  Block const block = blocks.form() == Form::interleaved ? Block::interleaved
                      : blocks.form() == Form::split     ? Block::split
                                                         : Block::none;
  return {block, blocks.rows_together()};
}

TEST(RowBlocks, NamedPermutations) {
  int const m = 20;
  EXPECT_EQ(found_in<float>(reversed_bits(m)), (Found{Block::interleaved, 4}));
  EXPECT_EQ(found_in<double>(reversed_bits(m)), (Found{Block::interleaved, 2}));
  EXPECT_EQ(found_in<std::uint8_t>(reversed_bits(m)), (Found{Block::interleaved, 16}));
  EXPECT_EQ(found_in<float>(shuffled_bits(m)), (Found{Block::interleaved, 2}));
  EXPECT_EQ(found_in<std::uint8_t>(shuffled_bits(m)), (Found{Block::interleaved, 2}));
  EXPECT_EQ(found_in<float>(rotated_bits(m, m / 2)), (Found{Block::interleaved, 4}));
  EXPECT_EQ(found_in<float>(rotated_bits(m, m - 1)), (Found{Block::split}));
  EXPECT_EQ(found_in<std::uint16_t>(rotated_bits(m, m - 3)), (Found{Block::split}));
}

// The lowest bits stay, so whole vectors are copied.
TEST(RowBlocks, FixedLowestBits) {
  auto destinations = reversed_bits(20);
  for (int k = 0; k < 4; ++k) destinations[static_cast<std::size_t>(k)] = k;
  for (int k = 4; k < 20; ++k) destinations[static_cast<std::size_t>(k)] = 23 - k;
  EXPECT_EQ(found_in<float>(destinations), (Found{Block::interleaved, 1}));
  EXPECT_EQ(found_in<std::uint8_t>(destinations), (Found{Block::interleaved, 1}));
}

TEST(RowBlocks, AbsentForMixedLowestBitsAndOtherElementSizes) {
  auto destinations = rotated_bits(20, 0);
  std::swap(destinations[0], destinations[1]);
  EXPECT_EQ(found_in<float>(destinations), Found{Block::none});
  EXPECT_EQ(found_in<NumberStruct<3>>(reversed_bits(20)), Found{Block::none});
}

// --- tiles without a buffer ---

TEST(WholeTargets, PerfectShuffles) {
  EXPECT_TRUE(rows_of<float>(map_of_bits(shuffled_bits(20))).has_whole_targets());
  EXPECT_TRUE(rows_of<double>(map_of_bits(rotated_bits(20, 3))).has_whole_targets());
  EXPECT_FALSE(rows_of<float>(map_of_bits(rotated_bits(20, 19))).has_whole_targets());
  EXPECT_FALSE(rows_of<float>(map_of_bits(reversed_bits(20))).has_whole_targets());
  EXPECT_TRUE(rows_of<float>(map_of(columns_of(shuffled_bits(20)), 0x5000)).has_whole_targets());
}

// --- elements ---

template <class T>
std::vector<T> moved_by_tiles(AffineBits const& map, std::vector<T> const& in, bool streams) {
  auto const rows = rows_of<T>(map);
  using Rows = std::decay_t<decltype(rows)>;
  std::vector<T> out(in.size());
  detail::tiles::RowMover<T, Rows> const mover(rows, in.data(), out.data(), streams);
  alignas(backend::cache_line) std::byte bytes[decltype(mover)::stage_bytes];
  for (std::uint64_t tile = 0; tile < rows.tiles(); ++tile) {
    mover.move(tile, tile + 1 < rows.tiles(), reinterpret_cast<T*>(bytes));
  }
  backend::finish_streams();
  return out;
}

template <class T>
void expect_moves(std::vector<std::uint64_t> const& columns, std::uint64_t origin = 0) {
  auto const in = scrambled<T>(std::size_t{1} << columns.size());
  auto const expected = moved(in, images_of_affine(columns, origin));
  auto const map = map_of(columns, origin);
  EXPECT_TRUE(moved_by_tiles(map, in, false) == expected) << sizeof(T) << " bytes";
  EXPECT_TRUE(moved_by_tiles(map, in, true) == expected) << sizeof(T) << " bytes, streamed";
}

template <class T>
class TilesOfThreads : public ::testing::Test {};
using Elements =
    ::testing::Types<std::uint8_t, std::uint16_t, float, double, NumberStruct<3>, NumberStruct<4>>;
TYPED_TEST_SUITE(TilesOfThreads, Elements);

TYPED_TEST(TilesOfThreads, Rotations) {
  int const m = 16;
  for (int distance = 0; distance < m; ++distance) {
    expect_moves<TypeParam>(columns_of(rotated_bits(m, distance)));
  }
}

// The bits of the origin change places within vectors, and the order of the rows of a group.
TYPED_TEST(TilesOfThreads, RotationsWithAnOrigin) {
  int const m = 15;
  for (int distance = 0; distance < m; ++distance) {
    for (std::uint64_t const origin : {1, 2, 8, 16, 0x1000, 0x5aa5}) {
      expect_moves<TypeParam>(columns_of(rotated_bits(m, distance)), origin);
    }
  }
}

TYPED_TEST(TilesOfThreads, SwapsOfTwoBits) {
  int const m = 15;
  for (std::size_t k = 1; k < m; ++k) {
    auto destinations = rotated_bits(m, 1);
    std::swap(destinations[0], destinations[k]);
    expect_moves<TypeParam>(columns_of(destinations));
  }
}

TYPED_TEST(TilesOfThreads, ReversalsAndRandomMaps) {
  for (int m = 14; m <= 17; ++m) {
    expect_moves<TypeParam>(columns_of(reversed_bits(m)));
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      expect_moves<TypeParam>(columns_of(random_bits(m, seed)));
      expect_moves<TypeParam>(random_invertible(m, seed), 0x1234 * seed);
    }
  }
}

// Another column of the map also changes a bit of the place within a vector.
TYPED_TEST(TilesOfThreads, RowsThatReachIntoVectors) {
  int const m = 16;
  auto columns = columns_of(shuffled_bits(m));
  for (std::size_t bit = 1; bit < 4; ++bit) {
    for (std::size_t k = 4; k < m; ++k) {
      auto changed = columns;
      changed[k] ^= std::uint64_t{1} << bit;
      expect_moves<TypeParam>(changed);
    }
  }
}

}  // namespace
}  // namespace riffle::test::tiles_cpu_test
