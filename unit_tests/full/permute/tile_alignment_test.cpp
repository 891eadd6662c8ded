// Tiles of arrays that begin within a memory block. The kernels' own address functions give the places where each element is
// read and written, for arrays at all offsets within a block.

#include <Kokkos_Core.hpp>
#include <riffle/permute/affine_bit_permutation.hpp>
#include <riffle/permute/bit_permutation.hpp>
#include <riffle/permute/detail/tiles/run_bits.hpp>
#include <riffle/permute/detail/tiles/run_transpose.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/index_maps.hpp"

namespace riffle::test::tile_alignment_test {
namespace {

namespace tiles = riffle::detail::tiles;

/// The address of an array `elements` elements after the beginning of a memory block; it is not accessed.
template <class T>
T* after_block_boundary(std::uint64_t elements) {
  return reinterpret_cast<T*>(std::uintptr_t{1} << 20) + elements;
}

/// The source and the destination of each position in a team's scratch memory.
template <class T, class Mover>
class Moves {
 public:
  explicit Moves(Mover const& mover) : mover_(mover) {}

  /// Calls use(u, v) for each element, which is read at u and written at v.
  template <class Use>
  void for_each(Use const& use) const {
    std::vector<std::uint64_t> source(std::size_t{1} << Mover::bits);
    for (std::uint64_t t = 0; t < mover_.addresses().tiles(); ++t) {
      for_each_read(t, [&](auto u, auto position) { source[position] = u; });
      for_each_written(t, [&](auto v, auto position) { use(source[position], v); });
    }
  }

  /// The number of pairs of a team and a block that it reads from, for an array `lead` elements after the beginning of a block.
  std::uint64_t blocks_read(std::uint64_t lead) const {
    return blocks(lead, [&](auto t, auto const& use) { for_each_read(t, use); });
  }
  std::uint64_t blocks_written(std::uint64_t lead) const {
    return blocks(lead, [&](auto t, auto const& use) { for_each_written(t, use); });
  }

  template <class Use>
  void for_each_read(std::uint64_t t, Use const& use) const {
    auto const& addresses = mover_.addresses();
    auto const tile = addresses.tile(t);
    for_each_vector([&](int thread, int item, int element) {
      auto const s = static_cast<std::uint32_t>(thread) << first;
      auto const place = addresses.template source<first>(
          addresses.template read_start<first>(tile, s), Mover::item_bits(item));
      if (!place.inside) return;
      use(std::uint64_t{place.offset} + static_cast<std::uint64_t>(element),
          mover_.stored_by_thread(thread) ^ mover_.stored_by_item(item) ^
              mover_.stored_by_element(element));
    });
  }

  template <class Use>
  void for_each_written(std::uint64_t t, Use const& use) const {
    auto const& addresses = mover_.addresses();
    auto const tile = addresses.tile(t);
    for_each_vector([&](int thread, int item, int element) {
      auto const r = static_cast<std::uint32_t>(thread) << first;
      auto const place = addresses.template target<first>(
          addresses.template write_start<first>(tile, r), Mover::item_bits(item));
      if (!place.inside) return;
      use(std::uint64_t{place.offset} + static_cast<std::uint64_t>(element),
          mover_.loaded_by_thread(thread) ^ tile.shift ^ mover_.loaded_by_item(item) ^
              mover_.loaded_by_element(element));
    });
  }

 private:
  static constexpr int first = Mover::vector_bits;

  template <class Use>
  static void for_each_vector(Use const& use) {
    for (int thread = 0; thread < tiles::threads_of_team; ++thread) {
      for (int item = 0; item < Mover::items; ++item) {
        for (int element = 0; element < Mover::count; ++element) use(thread, item, element);
      }
    }
  }

  template <class Each>
  std::uint64_t blocks(std::uint64_t lead, Each const& each) const {
    constexpr std::uint64_t elements_of_block = 256 / sizeof(T);
    std::uint64_t count = 0;
    for (std::uint64_t t = 0; t < mover_.addresses().tiles(); ++t) {
      std::set<std::uint64_t> touched;
      each(t, [&](auto offset, auto) { touched.insert((offset + lead) / elements_of_block); });
      count += touched.size();
    }
    return count;
  }

  Mover mover_;
};

/// Whether each element is moved to its image, exactly once.
template <class T, class Mover>
bool moves_all(Mover const& mover, Images const& images) {
  std::vector<int> times(images.size());
  bool right = true;
  Moves<T, Mover>(mover).for_each([&](std::uint64_t u, std::uint64_t v) {
    right = right && u < images.size() && images[u] == v;
    if (right) ++times[u];
  });
  return right && times == std::vector<int>(images.size(), 1);
}

// --- permutations of bits ---

template <class T, bool wide = true>
auto bits_mover(std::vector<int> const& bits, std::uint64_t source_lead,
                std::uint64_t target_lead) {
  auto const map = detail::to_affine_bits(BitPermutation(bits));
  auto const tiling =
      tiles::make_tiling(map, tiles::tile_bits(sizeof(T)), false, tiles::TileOrder::writing);
  return tiles::bit_mover<T, std::uint32_t, false, wide>(
      tiling, {after_block_boundary<T>(source_lead), 1}, {after_block_boundary<T>(target_lead), 1});
}

template <class T, bool wide = true>
void expect_moves_all(std::vector<int> const& bits, std::uint64_t source_lead,
                      std::uint64_t target_lead) {
  EXPECT_TRUE(
      moves_all<T>(bits_mover<T, wide>(bits, source_lead, target_lead), images_of_bits(bits)))
      << bits.size() << " bits, elements of " << sizeof(T) << " bytes, leads " << source_lead
      << " and " << target_lead;
}

template <class T>
void expect_moves_all_of_size(int m) {
  constexpr std::uint64_t half = 128 / sizeof(T);
  for (auto const& bits : {reversed_bits(m), shuffled_bits(m), random_bits(m, 1), random_bits(m, 2),
                           random_bits(m, 3), random_swaps(m, 4)}) {
    expect_moves_all<T>(bits, half, half);
    expect_moves_all<T>(bits, 0, half);
    expect_moves_all<T>(bits, half, 0);
    expect_moves_all<T>(bits, 3 * half / 2, half / 2);
  }
}

TEST(TileAlignment, BitsOfFloats) {
  for (int m = 12; m <= 17; ++m) expect_moves_all_of_size<float>(m);
}

TEST(TileAlignment, BitsOfOtherTypes) {
  expect_moves_all_of_size<double>(11);
  expect_moves_all_of_size<double>(16);
  expect_moves_all_of_size<NumberStruct<4>>(14);
  expect_moves_all_of_size<std::uint16_t>(16);
  expect_moves_all_of_size<std::uint8_t>(17);
}

TEST(TileAlignment, BitsAtAllDistances) {
  for (std::uint64_t lead = 0; lead < 64; ++lead) {
    expect_moves_all<float, false>(reversed_bits(14), lead, 63 - lead);
    if (lead % 4 == 0) expect_moves_all<float>(reversed_bits(15), lead, lead);
  }
}

struct Blocks {
  std::uint64_t read;
  std::uint64_t written;

  friend bool operator==(Blocks const&, Blocks const&) = default;
  friend std::ostream& operator<<(std::ostream& stream, Blocks const& blocks) {
    return stream << blocks.read << " read, " << blocks.written << " written";
  }
};

template <class T>
Blocks blocks_of_bits(std::vector<int> const& bits, std::uint64_t source_lead,
                      std::uint64_t target_lead) {
  auto const mover = bits_mover<T>(bits, source_lead, target_lead);
  Moves<T, std::decay_t<decltype(mover)>> const moves(mover);
  return {moves.blocks_read(source_lead), moves.blocks_written(target_lead)};
}

/// Expects that teams read and write whole blocks, except that one block in `parts` of each side may be in two parts.
void expect_few_parts(Blocks const& result, std::uint64_t blocks, Blocks const& parts) {
  EXPECT_GE(result.read, blocks);
  EXPECT_GE(result.written, blocks);
  EXPECT_LE(result.read, blocks + blocks / parts.read) << result;
  EXPECT_LE(result.written, blocks + blocks / parts.written) << result;
}

// A tile of 12 bits has 6 bits of each side. The other 8 of the 20 bits are 4 for the preceding runs of each side.
TEST(TileAlignment, TeamsOfBitReversalHaveWholeBlocks) {
  std::uint64_t const blocks = (1 << 20) / 64;
  auto const bits = reversed_bits(20);
  EXPECT_EQ(blocks_of_bits<float>(bits, 0, 0), (Blocks{blocks, blocks}));
  expect_few_parts(blocks_of_bits<float>(bits, 32, 32), blocks, {16, 16});
  expect_few_parts(blocks_of_bits<float>(bits, 16, 48), blocks, {16, 16});
}

// The side that needs them has all 8 remaining bits, so that no block is in parts. The array touches one block more.
TEST(TileAlignment, TeamsOfBitReversalHaveWholeBlocksOfOneSide) {
  std::uint64_t const blocks = (1 << 20) / 64;
  auto const bits = reversed_bits(20);
  EXPECT_EQ(blocks_of_bits<float>(bits, 32, 0), (Blocks{blocks + 1, blocks}));
  EXPECT_EQ(blocks_of_bits<float>(bits, 0, 32), (Blocks{blocks, blocks + 1}));
}

// A tile of doubles has 11 bits: 6 of the source, whose runs are two blocks, and 5 of the target. The other 8 of the 19
// bits remain for the preceding runs.
TEST(TileAlignment, TeamsOfBitReversalHaveWholeBlocksOfDoubles) {
  std::uint64_t const blocks = (1 << 19) / 32;
  expect_few_parts(blocks_of_bits<double>(reversed_bits(19), 16, 16), blocks, {32, 16});
}

// --- affine maps of bits ---

/// The moves of a random affine map, with arrays that begin in the middle of a block or at its beginning.
template <class T>
auto affine_mover(AffineBitPermutation const& sigma, std::uint64_t source_lead,
                  std::uint64_t target_lead) {
  tiles::Strided<T const> const in{after_block_boundary<T>(source_lead), 1};
  tiles::Strided<T> const out{after_block_boundary<T>(target_lead), 1};
  auto const tiling =
      tiles::make_tiling(sigma.map(), tiles::tile_bits(sizeof(T)), false, tiles::TileOrder::writing,
                         tiles::half_blocks<true, true>(in, out));
  return tiles::bit_mover<T, std::uint32_t, true, true>(tiling, in, out);
}

template <class T>
void expect_affine_moves(int m, std::uint64_t seed) {
  constexpr std::uint64_t half = 128 / sizeof(T);
  auto const columns = random_invertible(m, seed);
  AffineBitPermutation const sigma(columns, 5);
  auto const images = images_of_affine(columns, 5);
  EXPECT_TRUE(moves_all<T>(affine_mover<T>(sigma, half, half), images));
  EXPECT_TRUE(moves_all<T>(affine_mover<T>(sigma, 0, half), images));
  EXPECT_TRUE(moves_all<T>(affine_mover<T>(sigma, half, half / 2), images));
}

TEST(TileAlignment, AffineMaps) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (int m = 12; m <= 15; ++m) expect_affine_moves<float>(m, seed);
    for (int m = 11; m <= 14; ++m) expect_affine_moves<double>(m, seed);
  }
}

// Half of the runs of a tile are whole blocks, so that two runs touch three blocks, in place of four.
TEST(TileAlignment, TeamsOfAffineMapsHaveHalfOfTheirBlocksWhole) {
  AffineBitPermutation const sigma(random_invertible(18, 1), 5);
  std::uint64_t const blocks = (1 << 18) / 64;
  auto const mover = affine_mover<float>(sigma, 32, 32);
  Moves<float, std::decay_t<decltype(mover)>> const moves(mover);
  EXPECT_LE(moves.blocks_read(32), blocks * 3 / 2 + blocks / 64);
  EXPECT_LE(moves.blocks_written(32), blocks * 3 / 2 + blocks / 64);
}

// --- involutions of bits, in place ---

template <class T>
auto paired_mover(std::vector<int> const& bits, std::uint64_t lead) {
  auto const map = detail::to_affine_bits(BitPermutation(bits));
  auto const tiling =
      tiles::make_tiling(map, tiles::tile_bits(sizeof(T)), true, tiles::TileOrder::writing);
  return tiles::paired_bit_mover<T, std::uint32_t, false, true>(
      tiling, tiles::tile_partners(map, tiling), {after_block_boundary<T>(lead), 1});
}

/// Expects that each tile's elements are written to the places of its partner's elements, so that the pair can be moved in place.
template <class T>
void expect_pairs(std::vector<int> const& bits, std::uint64_t lead) {
  auto const mover = paired_mover<T>(bits, lead);
  EXPECT_TRUE(moves_all<T>(mover, images_of_bits(bits)));
  Moves<T, std::decay_t<decltype(mover)>> const moves(mover);
  for (std::uint64_t t = 0; t < mover.addresses().tiles(); ++t) {
    std::set<std::uint64_t> read;
    std::set<std::uint64_t> written;
    moves.for_each_read(t, [&](auto u, auto) { read.insert(u); });
    moves.for_each_written(mover.addresses().partner(t), [&](auto v, auto) { written.insert(v); });
    ASSERT_EQ(read, written) << bits.size() << " bits, tile " << t << ", lead " << lead;
  }
}

TEST(TileAlignment, ExchangedTilesHaveTheSamePlaces) {
  for (std::uint64_t const lead : {0, 32, 48}) {
    for (int m = 12; m <= 17; ++m) expect_pairs<float>(reversed_bits(m), lead);
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      expect_pairs<float>(random_swaps(16, seed), lead);
      expect_pairs<double>(random_swaps(15, seed), lead / 2);
    }
  }
}

// A tile of doubles has 11 bits, 10 of them in runs. The other one is high, so that the bits next to the runs remain
// for the preceding runs.
TEST(TileAlignment, TeamsOfSwapsHaveWholeBlocks) {
  auto const blocks = [](auto const& mover, std::uint64_t lead) {
    Moves<std::conditional_t<std::decay_t<decltype(mover)>::vector_bits == 2, float, double>,
          std::decay_t<decltype(mover)>> const moves(mover);
    return Blocks{moves.blocks_read(lead), moves.blocks_written(lead)};
  };
  expect_few_parts(blocks(paired_mover<float>(reversed_bits(20), 32), 32), (1 << 20) / 64,
                   {16, 16});
  expect_few_parts(blocks(paired_mover<double>(reversed_bits(20), 16), 16), (1 << 20) / 32,
                   {16, 16});
}

// --- transpositions ---

template <class T, bool wide>
auto matrix_mover(std::uint64_t rows, std::uint64_t columns, std::uint64_t source_lead,
                  std::uint64_t target_lead) {
  constexpr int bits = tiles::tile_bits(sizeof(T));
  tiles::Transposition const matrix{rows, columns, columns, 1, rows, 1};
  return tiles::matrix_mover<T, bits, wide>(matrix, tiles::tile_row_bits(rows, columns, bits),
                                            after_block_boundary<T const>(source_lead),
                                            after_block_boundary<T>(target_lead));
}

template <class T, bool wide>
void expect_moves_all_of_matrix(std::uint64_t rows, std::uint64_t columns,
                                std::uint64_t source_lead, std::uint64_t target_lead) {
  EXPECT_TRUE(moves_all<T>(matrix_mover<T, wide>(rows, columns, source_lead, target_lead),
                           images_of_transpose(rows, columns)))
      << rows << " x " << columns << ", elements of " << sizeof(T) << " bytes, leads "
      << source_lead << " and " << target_lead;
}

TEST(TileAlignment, Matrices) {
  for (std::uint64_t const lead : {0, 16, 32, 60}) {
    expect_moves_all_of_matrix<float, true>(1024, 1088, lead, 64 - lead);
    expect_moves_all_of_matrix<float, true>(1024, 1028, lead, lead);
    expect_moves_all_of_matrix<float, true>(1028, 1024, lead, lead);
  }
  expect_moves_all_of_matrix<float, false>(1024, 1024, 1, 63);
  expect_moves_all_of_matrix<double, true>(512, 1024, 16, 16);
  expect_moves_all_of_matrix<std::uint8_t, true>(2048, 2048, 128, 16);
}

template <class T>
Blocks blocks_of_matrix(std::uint64_t rows, std::uint64_t columns, std::uint64_t source_lead,
                        std::uint64_t target_lead) {
  auto const mover = matrix_mover<T, true>(rows, columns, source_lead, target_lead);
  Moves<T, std::decay_t<decltype(mover)>> const moves(mover);
  return {moves.blocks_read(source_lead), moves.blocks_written(target_lead)};
}

// Each row touches one more block, which it shares with the next row.
TEST(TileAlignment, TeamsOfTranspositionsHaveWholeBlocks) {
  std::uint64_t const rows = 1024;
  std::uint64_t const columns = 1088;
  std::uint64_t const blocks = rows * columns / 64;
  EXPECT_EQ(blocks_of_matrix<float>(rows, columns, 0, 0), (Blocks{blocks, blocks}));
  EXPECT_EQ(blocks_of_matrix<float>(rows, columns, 32, 0), (Blocks{blocks + rows, blocks}));
  EXPECT_EQ(blocks_of_matrix<float>(rows, columns, 16, 48),
            (Blocks{blocks + rows, blocks + columns}));
}

// Tiles of a matrix that is transposed in place: the grid begins at the same offset before rows and columns.
TEST(TileAlignment, PairsOfTilesAreEachOthersTransposes) {
  tiles::Transposition const matrix{1024, 1024, 1024, 1, 1024, 1};
  auto* const data = after_block_boundary<float>(32);
  auto const mover = tiles::matrix_mover<float, 12, true>(matrix, 6, data, data);
  auto const& addresses = mover.addresses();
  EXPECT_EQ(addresses.tiles(), 17u * 17u);
  for (std::uint64_t t = 0; t < addresses.tiles(); ++t) {
    auto const pair = addresses.pair(t);
    EXPECT_EQ(pair.own.rows.first, pair.other.columns.first);
    EXPECT_EQ(pair.own.rows.inside, pair.other.columns.inside);
    EXPECT_EQ((pair.own.rows.first + 32) % 64, 0u);
  }
}

}  // namespace
}  // namespace riffle::test::tile_alignment_test
