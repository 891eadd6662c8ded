#pragma once

// Linear algebra over GF(2), where integers represent vectors, and tiles for permutations of bits. Host only.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace riffle::detail {

/// A square matrix over GF(2) with at most 64 columns. Bit i of column k is the entry in row i and column k. Addition
/// is exclusive or.
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

  /// Returns the inverse. Requires that the matrix is invertible.
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

/// The subspace that the inserted vectors span, that is, all exclusive ors of them.
class BitSpan {
 public:
  int dimension() const { return dimension_; }

  bool contains(std::uint64_t x) const { return reduced(x) == 0; }

  /// Adds x. Returns false if the space contained it already.
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

  /// Calls use(x) for each vector x in the reduced basis, in ascending order. In a reduced basis, the highest bit of
  /// each vector is 0 in all other vectors.
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

/// The affine map u -> matrix u xor origin.
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
// How an array of 2^m elements is divided into tiles, such that a tile consists of contiguous runs both before and
// after a permutation of bits. Host only.
//
// Let v = A u xor c be the permutation. A tile is a coset of a space S that is spanned by two sets of vectors: e_0, ...,
// e_{a-1}, and A^-1 e_0, ..., A^-1 e_{b-1}. Because of the first set, the tile is read in runs of 2^a elements. Because
// of the second set, it is written in runs of 2^b elements:
//
//     source                    tile = 2^bits elements           target
//     |==|  |==|  |==|  |==|    -- through scratch memory -->    |====|      |====|         = elements of the tile
//      2^a elements a run                                         2^b elements a run
//
// Section 5 of
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst. E97-D
//   (2014), doi 10.1587/transinf.2014PAP0010
// describes such tiles for three permutations, and
//   M. Bouverot-Dupuis, M. Sheeran, "Efficient GPU implementation of affine index permutations on arrays", FHPNC
//   (2023), doi 10.1145/3609024.3609411, arXiv 2306.07795
// describes them for all A. Here a and b grow alternately until S has the dimension of a tile, so one pass is enough
// for every A. If the spans of the two sets intersect, as for a perfect shuffle, a and b become larger than without an
// intersection, so runs are longer.

/// The addresses of a tile's elements. An element of tile t has index s in read order and index r in write order; s and
/// r have `bits` bits each. (t : s) is the number whose high bits are t and whose low bits are s:
///
///     read at      source (t : s)
///     written at   origin xor target (t : r)
///     r         =  write_order_origin xor write_order (t : s)
///
/// The columns of write_order for the bits of t contribute the same constant (by exclusive or) to the r of every
/// element in tile t.
struct BitTiling {
  int index_bits;
  int bits;
  BitMatrix source;
  BitMatrix target;
  BitMatrix write_order;
  std::uint64_t origin;
  std::uint64_t write_order_origin;
};

/// The space S of a tiling. Each run has 2^source_bits elements in the source and 2^target_bits elements in the target.
struct TileSpace {
  BitSpan span;
  int source_bits = 0;
  int target_bits = 0;
};

/// Describes how the source array and the target array are aligned. If an array begins in the middle of a memory block,
/// its member is the log2 of the number of elements in half a block, so index bits starting at this bit select the half
/// block. Otherwise the member is `none`.
struct HalfBlocks {
  static constexpr int none = 64;
  int source = none;
  int target = none;
};

/// Returns the k-th vector of one side; each vector doubles the length of the side's runs. For k < half the vector is a
/// single bit, and runs stay within half a block. In an array that begins in the middle of a block, the next single bit
/// would join half blocks from different memory blocks:
///
///     memory blocks            |   0 | 1   2 | 3   4 | 5   6 | 7
///     half blocks p            |   0 | 1   2 | 3   4 | 5   6 | 7
///     p xor 1                  joins 0 1, 2 3, 4 5, 6 7: no whole block
///     p xor 3                  joins 1 2, 5 6, and 0 3, 4 7: half of the pairs are whole blocks
///     p xor 7                  joins 3 4 in addition
///
/// Therefore the vectors for k = half, half + 1, half + 2, ... are 2^half times 3, 7, 15, ...
inline std::uint64_t run_growth_vector(int k, int half) {
  if (k < half) return std::uint64_t{1} << k;
  return (std::uint64_t{4} << k) - (std::uint64_t{1} << half);
}

/// Returns the space S with dimension `bits`, for inverse = A^-1. Requires bits <= m.
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
    bool const source =
        space.source_bits + (space.source_bits >= halves.source) < m &&
        grow(run_growth_vector(space.source_bits, halves.source), space.source_bits);
    bool const target =
        space.target_bits + (space.target_bits >= halves.target) < m &&
        grow(inverse * run_growth_vector(space.target_bits, halves.target), space.target_bits);
    grows = source || target;
  }
  space.source_bits = std::min(space.source_bits, halves.source);
  space.target_bits = std::min(space.target_bits, halves.target);
  return space;
}

/// Like tile_space, but aligns runs to memory blocks. A side is aligned only if its runs are at most one block long;
/// for longer runs, the alignment would split more whole blocks than it joins.
inline TileSpace block_aligned_tile_space(BitMatrix const& inverse, int bits,
                                          HalfBlocks const& halves) {
  TileSpace const plain = tile_space(inverse, bits, {});
  bool const reads_short =
      halves.source != HalfBlocks::none && plain.source_bits <= halves.source + 1;
  bool const writes_short =
      halves.target != HalfBlocks::none && plain.target_bits <= halves.target + 1;
  return reads_short || writes_short ? tile_space(inverse, bits, halves) : plain;
}

/// Returns a space S with A S = S, for an involution A. Then all elements of a tile move to the same tile.
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
  // If one dimension is missing, the loop adds a vector x for which A x xor x is in S. Such a vector exists, because A
  // is an involution on the quotient space by S, too. If there are several, the loop chooses the x whose lowest bit is
  // highest. Then the low bits remain for the tile indices, so that neighbouring tiles have neighbouring runs.
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

/// Sets the first columns to a basis of the space `span`. The first `count` vectors of this basis are e_0, ...,
/// e_{count-1}, which the space must contain. The other vectors of the basis have zeros in bits 0, ..., count - 1.
inline void fill_with_basis(BitMatrix& columns, BitSpan const& span, int count) {
  std::uint64_t const upper = count == 64 ? 0 : ~std::uint64_t{0} << count;
  BitSpan rest;
  span.for_each_of_basis([&](std::uint64_t vector) { rest.insert(vector & upper); });
  int next = 0;
  for (; next < count; ++next) columns.column(next) = std::uint64_t{1} << next;
  rest.for_each_of_basis([&](std::uint64_t vector) { columns.column(next++) = vector; });
}

/// The order in which tiles are numbered.
///
/// - both_sides: consecutive tiles are close to each other in the source and in the target. Used on a CPU, where a
///   thread moves consecutive tiles one after another.
/// - writing: consecutive tiles are close to each other in the target. Used on a GPU, where teams move consecutive
///   tiles at the same time.
enum class TileOrder { both_sides, writing };

/// Sets the columns for the bits of the tile index t. With TileOrder::both_sides, source address bits and target address
/// bits alternate.
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

/// Returns a tiling for `map`. Requires m >= bits. If `paired`, `map` must be an involution, and all elements of a tile
/// move to the same tile.
inline BitTiling make_tiling(AffineBits const& map, int bits, bool paired, TileOrder order,
                             HalfBlocks const& halves = {}) {
  int const m = map.matrix.size();
  BitMatrix const inverse = map.matrix.inverse();
  TileSpace const space = paired ? paired_tile_space(map.matrix, bits)
                                 : block_aligned_tile_space(inverse, bits, halves);
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

/// The matrix that maps s to r within a tile, without the constant that depends on the tile.
inline BitMatrix tile_write_order(BitTiling const& tiling) {
  BitMatrix write_order(tiling.bits);
  for (int k = 0; k < tiling.bits; ++k) write_order.column(k) = tiling.write_order.column(k);
  return write_order;
}

/// For a paired tiling: the elements of tile t move to tile `origin xor (matrix t)`.
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
