#pragma once

// Linear algebra over GF(2), of numbers as vectors of bits. Host only.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace riffle::detail {

/// A square matrix of at most 64 x 64 bits, held by columns: bit i of column k is row i. Products are exclusive ors.
class BitMatrix {
 public:
  static constexpr int max_size = 64;

  /// A matrix of zeros.
  explicit BitMatrix(int size) : size_(size) {}

  static BitMatrix identity(int size) {
    BitMatrix result(size);
    for (int k = 0; k < size; ++k) result.column(k) = std::uint64_t{1} << k;
    return result;
  }

  int size() const { return size_; }
  std::uint64_t& column(int k) { return columns_[static_cast<std::size_t>(k)]; }
  std::uint64_t column(int k) const { return columns_[static_cast<std::size_t>(k)]; }

  std::uint64_t operator*(std::uint64_t x) const {
    std::uint64_t result = 0;
    for (; x != 0; x &= x - 1) result ^= column(std::countr_zero(x));
    return result;
  }

  BitMatrix operator*(BitMatrix const& right) const {
    BitMatrix result(size_);
    for (int k = 0; k < size_; ++k) result.column(k) = *this * right.column(k);
    return result;
  }

  friend bool operator==(BitMatrix const& a, BitMatrix const& b) {
    return a.size_ == b.size_ && a.columns_ == b.columns_;
  }

  BitMatrix transposed() const {
    BitMatrix result(size_);
    for (int k = 0; k < size_; ++k) {
      for (int i = 0; i < size_; ++i) result.column(i) |= (column(k) >> i & 1) << k;
    }
    return result;
  }

  /// The inverse of a matrix whose columns are independent.
  BitMatrix inverse() const {
    BitMatrix rest = *this;
    BitMatrix result = identity(size_);
    for (int k = 0; k < size_; ++k) {
      int pivot = k;
      while ((rest.column(pivot) >> k & 1) == 0) ++pivot;
      std::swap(rest.column(k), rest.column(pivot));
      std::swap(result.column(k), result.column(pivot));
      for (int j = 0; j < size_; ++j) {
        if (j == k || (rest.column(j) >> k & 1) == 0) continue;
        rest.column(j) ^= rest.column(k);
        result.column(j) ^= result.column(k);
      }
    }
    return result;
  }

 private:
  int size_;
  std::array<std::uint64_t, max_size> columns_{};
};

/// The span of some vectors: all their exclusive ors.
class BitSpan {
 public:
  int dimension() const { return dimension_; }

  bool contains(std::uint64_t x) const { return reduced(x) == 0; }

  /// Adds x; returns whether it was not in the span yet.
  bool insert(std::uint64_t x) {
    x = reduced(x);
    if (x == 0) return false;
    int const top = 63 - std::countl_zero(x);
    for (auto& vector : by_top_bit_) {
      if (vector >> top & 1) vector ^= x;
    }
    by_top_bit_[static_cast<std::size_t>(top)] = x;
    ++dimension_;
    return true;
  }

  /// Calls use(x) for the vectors of the one basis in which no vector has the highest bit of another, in ascending
  /// order.
  template <class Use>
  void for_each_of_basis(Use const& use) const {
    for (auto const vector : by_top_bit_) {
      if (vector != 0) use(vector);
    }
  }

 private:
  std::uint64_t reduced(std::uint64_t x) const {
    std::uint64_t rest = x;
    while (rest != 0) {
      int const top = 63 - std::countl_zero(rest);
      auto const vector = by_top_bit_[static_cast<std::size_t>(top)];
      if (vector == 0) {
        rest &= ~(std::uint64_t{1} << top);
      } else {
        rest ^= vector;
        x ^= vector;
      }
    }
    return x;
  }

  std::array<std::uint64_t, 64> by_top_bit_{};
  int dimension_ = 0;
};

inline int rank_of(BitMatrix const& matrix) {
  BitSpan span;
  for (int k = 0; k < matrix.size(); ++k) span.insert(matrix.column(k));
  return span.dimension();
}

/// The affine map v = matrix u xor origin.
struct AffineBits {
  BitMatrix matrix;
  std::uint64_t origin = 0;

  std::uint64_t operator()(std::uint64_t u) const { return matrix * u ^ origin; }

  /// Whether the map is its own inverse.
  bool is_involution() const {
    return matrix * matrix == BitMatrix::identity(matrix.size()) && (*this)(origin) == 0;
  }
};

}  // namespace riffle::detail

namespace riffle::detail::tiles {

// --- tilings ---
//
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
  BitMatrix write_order;
  std::uint64_t origin;
  std::uint64_t write_order_origin;
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

  BitMatrix const write_order = tiling.target.inverse() * (map.matrix * tiling.source);
  for (int k = 0; k < m; ++k) tiling.write_order.column(k) = write_order.column(k) & tile;
  tiling.origin = map.origin & ~run;
  tiling.write_order_origin = map.origin & run;
  return tiling;
}

/// The matrix that takes s to r, without the shift of r by the tile.
inline BitMatrix tile_write_order(BitTiling const& tiling) {
  BitMatrix write_order(tiling.bits);
  for (int k = 0; k < tiling.bits; ++k) write_order.column(k) = tiling.write_order.column(k);
  return write_order;
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
