#pragma once

// How an array of 2^m elements is cut into tiles whose elements are runs of memory before a permutation of bits, and
// runs of memory after it. Host only.
//
// For v = A u xor c, a tile is a coset of the space S that e_0, ..., e_{a-1} and A^-1 e_0, ..., A^-1 e_{b-1} span:
// runs of 2^a elements are read, runs of 2^b are written. Such are the tiles of
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst. E97-D
//   (2014), doi 10.1587/transinf.2014PAP0010, section 5
// for three permutations, and for all A those of
//   M. Bouverot-Dupuis, M. Sheeran, "Efficient GPU implementation of affine index permutations on arrays", FHPNC
//   (2023), doi 10.1145/3609024.3609411, arXiv 2306.07795.
// Here a and b grow in turn until S has the dimension that a tile shall have, in one pass for every A: where the two
// sets overlap, as those of a perfect shuffle do, runs are longer.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/permute/detail/tiles/bit_matrix.hpp>

namespace riffle::detail::tiles {

/// Element s of tile t, by the order of reading, is element r by the order of writing; s and r have `bits` bits.
/// With t's bits above those of s or r,
///   it is read at      source (t : s),
///   it is written at   origin xor target (t : r),
///   and                r = image_origin xor image (t : s),
/// where the columns of `image` for t's bits say how t shifts all r of the tile.
struct BitTiling {
  int index_bits;
  int bits;
  BitMatrix source;
  BitMatrix target;
  BitMatrix image;
  std::uint64_t origin;
  std::uint64_t image_origin;
};

/// The space S, and how long its runs are.
struct TileSpace {
  BitSpan span;
  int source_bits = 0;
  int target_bits = 0;
};

/// The bit of an index that would tell the two halves of a block of memory apart if the array began where a block does,
/// for an array that begins in the middle of one; `none` for any other array.
struct HalfBlocks {
  static constexpr int none = 64;
  int source = none;
  int target = none;
};

/// The k-th vector by which the runs of a side grow. In an array that begins in the middle of a block, 1 and 2, 3 and 4,
/// ... of the pieces of half a block lie in a block. The bit `half` joins 0 and 1, 2 and 3, which make no block; the
/// vector in its place joins 1 and 2, 5 and 6, ..., half of the blocks, and the next one adds 3 and 4, 11 and 12, ... An
/// H200 moves floats by an affine map at 0.86 of the speed of a copy so, and at 0.84 otherwise.
inline std::uint64_t growth_of_runs(int k, int half) {
  if (k < half) return std::uint64_t{1} << k;
  return (std::uint64_t{4} << k) - (std::uint64_t{1} << half);
}

/// The space S of `bits` dimensions, bits <= m. inverse = A^-1.
inline TileSpace tile_space(BitMatrix const& inverse, int bits, HalfBlocks const& halves) {
  TileSpace space;
  auto const grow = [&](std::uint64_t vector, int& count) {
    if (space.span.dimension() == bits && !space.span.contains(vector)) return false;
    space.span.insert(vector);
    ++count;
    return true;
  };
  bool grows = true;
  while (grows) {
    int const m = inverse.size();
    bool const source = space.source_bits + (space.source_bits >= halves.source) < m &&
                        grow(growth_of_runs(space.source_bits, halves.source), space.source_bits);
    bool const target =
        space.target_bits + (space.target_bits >= halves.target) < m &&
        grow(inverse * growth_of_runs(space.target_bits, halves.target), space.target_bits);
    grows = source || target;
  }
  space.source_bits = std::min(space.source_bits, halves.source);
  space.target_bits = std::min(space.target_bits, halves.target);
  return space;
}

/// The same, without care for blocks where runs are so long that it would break more of them than it joins.
inline TileSpace space_of_blocks(BitMatrix const& inverse, int bits, HalfBlocks const& halves) {
  TileSpace const plain = tile_space(inverse, bits, {});
  bool const reads_short =
      halves.source != HalfBlocks::none && plain.source_bits <= halves.source + 1;
  bool const writes_short =
      halves.target != HalfBlocks::none && plain.target_bits <= halves.target + 1;
  return reads_short || writes_short ? tile_space(inverse, bits, halves) : plain;
}

/// A space S with A S = S, for an A that is its own inverse: the elements of a tile then all go to one tile.
inline TileSpace paired_tile_space(BitMatrix const& matrix, int bits) {
  TileSpace space;
  int const m = matrix.size();
  for (int k = 0; k < m; ++k) {
    BitSpan grown = space.span;
    grown.insert(std::uint64_t{1} << k);
    grown.insert(matrix.column(k));
    if (grown.dimension() > bits) break;
    space.span = grown;
    space.source_bits = space.target_bits = k + 1;
  }
  // One dimension may be left over. A changes some vector only by an element of S, as every involution of a quotient
  // does. Bits that lie high on both sides are taken: tiles then count the low ones, by which runs are neighbours.
  while (space.span.dimension() < bits && space.source_bits < m) {
    std::uint64_t highest = 0;
    for (int k = space.source_bits; k < m; ++k) {
      std::uint64_t const vector = std::uint64_t{1} << k;
      std::uint64_t const moved = matrix * vector ^ vector;
      std::uint64_t const added = space.span.contains(moved) ? vector : moved;
      bool const is_higher = std::countr_zero(added) > std::countr_zero(highest);
      if (!space.span.contains(added) && (highest == 0 || is_higher)) highest = added;
    }
    space.span.insert(highest);
  }
  return space;
}

/// Fills the columns with e_0, ..., e_{count-1}, which S has, then with the rest of its basis without the lower bits.
inline void fill_with_basis(BitMatrix& columns, BitSpan const& span, int count) {
  std::uint64_t const upper = count == 64 ? 0 : ~std::uint64_t{0} << count;
  BitSpan rest;
  span.for_each_of_basis([&](std::uint64_t vector) { rest.insert(vector & upper); });
  int next = 0;
  for (; next < count; ++next) columns.column(next) = std::uint64_t{1} << next;
  rest.for_each_of_basis([&](std::uint64_t vector) { columns.column(next++) = vector; });
}

/// Which tiles have near numbers. both_sides: tiles that are near each other on both sides, as a thread of a CPU wants
/// for the tiles that it moves in turn. writing: tiles that are written near each other, as a GPU wants for all teams
/// at work.
enum class TileOrder { both_sides, writing };

/// Fills in the bits of t: for both_sides, in turn the next bit of where tiles are read and of where they are written.
inline void fill_with_tiles(BitMatrix& source, TileSpace const& space, BitMatrix const& inverse,
                            TileOrder order) {
  int const m = inverse.size();
  std::uint64_t const upper = space.source_bits == 64 ? 0 : ~std::uint64_t{0} << space.source_bits;
  BitSpan span = space.span;
  int next = span.dimension();
  auto const add = [&](std::uint64_t vector) {
    if (span.insert(vector)) source.column(next++) = vector & upper;
  };
  for (int k = 0; k < m; ++k) {
    if (order == TileOrder::both_sides && space.source_bits + k < m) {
      add(std::uint64_t{1} << (space.source_bits + k));
    }
    if (space.target_bits + k < m) add(inverse.column(space.target_bits + k));
  }
}

/// A tiling of `map`, of m >= bits bits; with `paired`, for an involution, a tile's elements all go to one tile.
inline BitTiling make_tiling(AffineBits const& map, int bits, bool paired, TileOrder order,
                             HalfBlocks const& halves = {}) {
  int const m = map.matrix.size();
  BitMatrix const inverse = map.matrix.inverse();
  TileSpace const space =
      paired ? paired_tile_space(map.matrix, bits) : space_of_blocks(inverse, bits, halves);
  BitTiling tiling{m, bits, BitMatrix(m), BitMatrix(m), BitMatrix(m), 0, 0};

  int const a = std::min(space.source_bits, bits);
  int const b = std::min(space.target_bits, bits);
  fill_with_basis(tiling.source, space.span, a);
  fill_with_tiles(tiling.source, space, inverse, order);

  BitSpan images;
  for (int k = 0; k < bits; ++k) images.insert(map.matrix * tiling.source.column(k));
  fill_with_basis(tiling.target, images, b);
  std::uint64_t const run = (std::uint64_t{1} << b) - 1;
  std::uint64_t const tile = (std::uint64_t{1} << bits) - 1;
  for (int k = bits; k < m; ++k) {
    tiling.target.column(k) = (map.matrix * tiling.source.column(k)) & ~run;
  }

  BitMatrix const image = tiling.target.inverse() * (map.matrix * tiling.source);
  for (int k = 0; k < m; ++k) tiling.image.column(k) = image.column(k) & tile;
  tiling.origin = map.origin & ~run;
  tiling.image_origin = map.origin & run;
  return tiling;
}

/// The matrix that takes s to r, without the shift of r by the tile.
inline BitMatrix tile_image(BitTiling const& tiling) {
  BitMatrix image(tiling.bits);
  for (int k = 0; k < tiling.bits; ++k) image.column(k) = tiling.image.column(k);
  return image;
}

/// For a paired tiling: tile t's elements go to tile `origin xor (matrix t)`.
inline AffineBits tile_partners(AffineBits const& map, BitTiling const& tiling) {
  BitMatrix const to_places = tiling.source.inverse();
  AffineBits partners{BitMatrix(std::max(1, tiling.index_bits - tiling.bits)), 0};
  for (int k = tiling.bits; k < tiling.index_bits; ++k) {
    partners.matrix.column(k - tiling.bits) =
        to_places * (map.matrix * tiling.source.column(k)) >> tiling.bits;
  }
  partners.origin = to_places * map.origin >> tiling.bits;
  return partners;
}

}  // namespace riffle::detail::tiles
