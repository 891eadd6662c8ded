// The addresses of the kernels of row permutations and transpositions: every cell is accessed, without bank conflicts.

#include <Kokkos_Core.hpp>
#include <riffle/permute/row_schedule.hpp>
#include <riffle/published/offline_permutation/detail/transpose_tiles.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace riffle::test::row_addresses_test {
namespace {

namespace rp = detail::row_permutation;

using Integer = std::uint64_t;
using Cell = rp::TileAddresses::Cell;

constexpr Integer tile_size = 1024;

TEST(RowAddressesTest, RoundsUpToWarps) {
  EXPECT_EQ(rp::round_up_to_warps(0), 0u);
  EXPECT_EQ(rp::round_up_to_warps(1), 32u);
  EXPECT_EQ(rp::round_up_to_warps(31), 32u);
  EXPECT_EQ(rp::round_up_to_warps(32), 32u);
  EXPECT_EQ(rp::round_up_to_warps(33), 64u);
  EXPECT_EQ(rp::round_up_to_warps((Integer{1} << 40) + 1), (Integer{1} << 40) + 32);
}

// The halves alpha and beta do not overlap, and each begins at the first bank.
TEST(RowAddressesTest, HalvesOfScratchAreDisjointAndShareBanks) {
  for (Integer const columns : {1, 31, 32, 33, 1000}) {
    rp::RowAddresses const at{columns, columns};
    std::set<Integer> addresses;
    for (Integer c = 0; c < at.steps(); ++c) {
      EXPECT_EQ(at.alpha(c) % 32, c % 32);
      EXPECT_EQ(at.beta(c) % 32, c % 32);
      addresses.insert({at.alpha(c), at.beta(c)});
    }
    EXPECT_EQ(addresses.size(), 2 * at.steps()) << columns;
    EXPECT_EQ(*addresses.rbegin(), 2 * at.steps() - 1) << columns;
  }
}

// Rows of a matrix are a pitch apart. Rows of a schedule are padded to a multiple of 32.
TEST(RowAddressesTest, RowsFollowEachOther) {
  rp::RowAddresses const at{33, 50};
  EXPECT_EQ(at.element(0, 0), 0u);
  EXPECT_EQ(at.element(0, 32), 32u);
  EXPECT_EQ(at.element(3, 7), 157u);
  EXPECT_EQ(at.schedule(0, 63), 63u);
  EXPECT_EQ(at.schedule(1, 0), 64u);
  EXPECT_EQ(at.schedule(3, 7), 199u);
  // Indices of more than 32 bits.
  EXPECT_EQ(at.element(Integer{1} << 32, 1), 50 * (Integer{1} << 32) + 1);
  EXPECT_EQ(at.schedule(Integer{1} << 32, 1), 64 * (Integer{1} << 32) + 1);
}

struct Shape {
  Integer rows;
  Integer columns;
};

std::vector<Shape> shapes() {
  return {{1, 1}, {1, 33}, {33, 1}, {31, 32}, {32, 32}, {32, 65}, {40, 70}, {97, 33}};
}

/// The matrix that all threads write, from a matrix in which every cell has its index; -1 where none writes.
std::vector<std::int64_t> moved(Shape const& shape) {
  auto const [rows, columns] = shape;
  rp::TileAddresses const at{rows, columns};
  std::vector<std::int64_t> out(rows * columns, -1);
  for (Integer tile = 0; tile < at.tiles(); ++tile) {
    std::vector<std::int64_t> scratch(tile_size, -1);
    for (Integer k = 0; k < tile_size; ++k) {
      Cell const from = at.source(tile, k);
      if (!at.has_source(from)) continue;
      scratch.at(at.stored_at(k)) = static_cast<std::int64_t>(from.row * columns + from.column);
    }
    for (Integer k = 0; k < tile_size; ++k) {
      Cell const to = at.target(tile, k);
      if (!at.has_target(to)) continue;
      auto& cell = out.at(to.row * rows + to.column);
      EXPECT_EQ(cell, -1) << "written twice";
      cell = scratch.at(at.loaded_from(k));
    }
  }
  return out;
}

TEST(TileAddressesTest, TilesTransposeMatricesOfAllShapes) {
  for (auto const& shape : shapes()) {
    auto const out = moved(shape);
    for (Integer i = 0; i < shape.rows; ++i) {
      for (Integer j = 0; j < shape.columns; ++j) {
        ASSERT_EQ(out[j * shape.rows + i], static_cast<std::int64_t>(i * shape.columns + j))
            << shape.rows << " x " << shape.columns << " at " << i << ", " << j;
      }
    }
  }
}

TEST(TileAddressesTest, EmptyMatricesHaveNoTiles) {
  EXPECT_EQ((rp::TileAddresses{0, 7}.tiles()), 0u);
  EXPECT_EQ((rp::TileAddresses{7, 0}.tiles()), 0u);
  EXPECT_EQ((rp::TileAddresses{32, 33}.tiles()), 2u);
}

TEST(TileAddressesTest, EachWarpAccessesEachBankOnce) {
  for (Integer warp = 0; warp < tile_size; warp += 32) {
    std::set<Integer> stored;
    std::set<Integer> loaded;
    for (Integer k = warp; k < warp + 32; ++k) {
      stored.insert(rp::TileAddresses::stored_at(k) % 32);
      loaded.insert(rp::TileAddresses::loaded_from(k) % 32);
    }
    EXPECT_EQ(stored.size(), 32u) << warp;
    EXPECT_EQ(loaded.size(), 32u) << warp;
  }
}

// A warp reads, and writes, 32 consecutive elements of one row.
TEST(TileAddressesTest, EachWarpIsCoalesced) {
  rp::TileAddresses const at{40, 70};
  for (Integer tile = 0; tile < at.tiles(); ++tile) {
    for (Integer k = 0; k < tile_size; ++k) {
      Integer const first = k / 32 * 32;
      for (auto const& [cell, begin] : {std::pair{at.source(tile, k), at.source(tile, first)},
                                        std::pair{at.target(tile, k), at.target(tile, first)}}) {
        ASSERT_EQ(cell.row, begin.row);
        ASSERT_EQ(cell.column, begin.column + k % 32);
        ASSERT_EQ(begin.column % 32, 0u);
      }
    }
  }
}

}  // namespace
}  // namespace riffle::test::row_addresses_test
