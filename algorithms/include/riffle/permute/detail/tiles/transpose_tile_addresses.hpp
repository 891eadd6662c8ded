#pragma once

// The addresses at which the elements of a tile are read and written, for the transposition of a matrix of any extents.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

#include <riffle/permute/detail/tiles/bit_tile_addresses.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/gpu/tiles_by_teams.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// A matrix in memory. Element (i, j) is read at i * row_stride + j * column_stride and written at
/// j * target_row_stride + i * target_column_stride.
struct Transposition {
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t row_stride;
  std::uint64_t column_stride;
  std::uint64_t target_row_stride;
  std::uint64_t target_column_stride;
};

/// Returns the log2 of the number of rows in a tile of 2^bits elements. It is bits / 2, except that it is less if the
/// matrix has fewer rows, and more if the matrix has fewer columns.
inline int tile_row_bits(std::uint64_t rows, std::uint64_t columns, int bits) {
  int const half = bits / 2;
  int const of_rows = static_cast<int>(std::bit_width(rows - 1));
  int const of_columns = static_cast<int>(std::bit_width(columns - 1));
  if (of_rows < half) return of_rows;
  return std::max(half, bits - of_columns);
}

/// The grid of tiles begins `rows` rows and `columns` columns before the matrix.
struct GridLead {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
};

/// Computes, in kernels, the addresses at which a transposition reads and writes. An element of a tile has index s in
/// read order and index r in write order. The low bits of s are the element's column in the tile, the low bits of r its
/// row.
template <int bits_>
class TransposeTileAddresses {
 public:
  using Index = std::uint64_t;
  static constexpr int bits = bits_;
  static constexpr int swapping_teams = teams_swapping_squares;

  /// The rows or the columns of a tile. `first` is the index of the first line; it wraps around if the grid begins
  /// before the matrix. `before` is the number of lines before the matrix, `inside` the number of lines in it.
  struct Lines {
    std::uint64_t first;
    std::uint32_t before;
    std::uint32_t inside;
  };

  struct Tile {
    Lines rows;
    Lines columns;
    static constexpr std::uint32_t shift = 0;
  };

  TransposeTileAddresses(Transposition const& matrix, int row_bits, GridLead const& lead = {})
      : matrix_(matrix),
        row_bits_(row_bits),
        lead_(lead),
        tile_rows_(static_cast<std::uint32_t>(((matrix.rows + lead.rows - 1) >> row_bits) + 1)),
        tile_columns_(static_cast<std::uint32_t>(
            ((matrix.columns + lead.columns - 1) >> column_bits()) + 1)) {
    for (int k = 0; k < bits; ++k) {
      std::uint32_t const s = 1u << k;
      source_[k] = {
          row_of_source(s) * matrix.row_stride + column_of_source(s) * matrix.column_stride,
          row_of_source(s), column_of_source(s)};
      target_[k] = {column_of_target(s) * matrix.target_row_stride +
                        row_of_target(s) * matrix.target_column_stride,
                    row_of_target(s), column_of_target(s)};
    }
  }

  std::uint64_t tiles() const { return std::uint64_t{tile_rows_} * tile_columns_; }
  std::uint32_t tile_rows() const { return tile_rows_; }
  std::uint32_t tile_columns() const { return tile_columns_; }
  KOKKOS_FUNCTION int row_bits() const { return row_bits_; }
  KOKKOS_FUNCTION int column_bits() const { return bits - row_bits_; }

  /// The matrix that maps s to r.
  BitMatrix write_order() const {
    BitMatrix write_order(bits);
    for (int k = 0; k < bits; ++k) {
      write_order.column(k) = std::uint64_t{1}
                              << (k < column_bits() ? row_bits_ + k : k - column_bits());
    }
    return write_order;
  }

  /// Returns tile t. Tiles are numbered in write order, so that teams that run at the same time write to nearby memory.
  KOKKOS_FUNCTION Tile tile(std::uint64_t t) const {
    auto const number = static_cast<std::uint32_t>(t);
    std::uint32_t const column = number / tile_rows_;
    return at(number - column * tile_rows_, column);
  }

  KOKKOS_FUNCTION Tile at(std::uint32_t tile_row, std::uint32_t tile_column) const {
    return {lines(tile_row, row_bits_, lead_.rows, matrix_.rows),
            lines(tile_column, column_bits(), lead_.columns, matrix_.columns)};
  }

  /// Returns tile t and its partner, which is its mirror image across the diagonal. Requires a square matrix and square
  /// tiles.
  KOKKOS_FUNCTION TilePair<Tile> pair(std::uint64_t t) const {
    auto const number = static_cast<std::uint32_t>(t);
    std::uint32_t const row = number / tile_columns_;
    std::uint32_t const column = number - row * tile_columns_;
    return {at(row, column), at(column, row), column < row ? 0 : column == row ? 1 : 2};
  }

  /// The thread's first element: its offset, and its row and column relative to the tile's first line inside the
  /// matrix. `rows` and `columns` are the numbers of the tile's rows and columns inside the matrix.
  struct ThreadStart {
    std::uint64_t offset;
    std::uint32_t row;
    std::uint32_t column;
    std::uint32_t rows;
    std::uint32_t columns;
  };

  template <int first>
  KOKKOS_FUNCTION ThreadStart read_start(Tile const& tile, std::uint32_t s) const {
    std::uint32_t const i = row_of_source(s);
    std::uint32_t const j = column_of_source(s);
    return start((tile.rows.first + i) * matrix_.row_stride +
                     (tile.columns.first + j) * matrix_.column_stride,
                 tile, i, j);
  }

  template <int first>
  KOKKOS_FUNCTION Place<Index> source(ThreadStart const& read_start, std::uint32_t s) const {
    return place<first + thread_bits>(read_start, source_, s);
  }

  template <int first>
  KOKKOS_FUNCTION ThreadStart write_start(Tile const& tile, std::uint32_t r) const {
    std::uint32_t const i = row_of_target(r);
    std::uint32_t const j = column_of_target(r);
    return start((tile.columns.first + j) * matrix_.target_row_stride +
                     (tile.rows.first + i) * matrix_.target_column_stride,
                 tile, i, j);
  }

  template <int first>
  KOKKOS_FUNCTION Place<Index> target(ThreadStart const& write_start, std::uint32_t r) const {
    return place<first + thread_bits>(write_start, target_, r);
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t lower(std::uint32_t x, int count) {
    return x & ((1u << count) - 1);
  }

  KOKKOS_FUNCTION std::uint32_t row_of_source(std::uint32_t s) const { return s >> column_bits(); }
  KOKKOS_FUNCTION std::uint32_t column_of_source(std::uint32_t s) const {
    return lower(s, column_bits());
  }
  KOKKOS_FUNCTION std::uint32_t row_of_target(std::uint32_t r) const { return lower(r, row_bits_); }
  KOKKOS_FUNCTION std::uint32_t column_of_target(std::uint32_t r) const { return r >> row_bits_; }

  KOKKOS_FUNCTION static ThreadStart start(std::uint64_t offset, Tile const& tile, std::uint32_t i,
                                           std::uint32_t j) {
    return {offset, i - tile.rows.before, j - tile.columns.before, tile.rows.inside,
            tile.columns.inside};
  }

  /// The contribution of one set bit of s or r to the offset, the row and the column of an element.
  struct Bit {
    std::uint64_t offset;
    std::uint32_t row;
    std::uint32_t column;
  };

  /// Returns the place of an element of the thread. Bits begin, begin + 1, ... of x are its index (s or r) relative to
  /// the thread's first element. The table of_bit[] contains what each bit adds to offset, row and column. If these
  /// amounts were computed instead, the products for all items would occupy registers.
  template <int begin>
  KOKKOS_FUNCTION static Place<Index> place(ThreadStart start, Bit const* of_bit, std::uint32_t x) {
    unrolled<bits - begin>([&](auto k) {
      if ((x >> (begin + k) & 1) == 0) return;
      start.offset += of_bit[begin + k].offset;
      start.row += of_bit[begin + k].row;
      start.column += of_bit[begin + k].column;
    });
    // If a row is before the matrix, its index wraps around, so the row also fails the comparison.
    return {start.offset, start.row < start.rows && start.column < start.columns};
  }

  /// Returns the lines of tile `number`. The matrix has `extent` lines, and the grid begins `lead` lines before the
  /// matrix.
  KOKKOS_FUNCTION static Lines lines(std::uint32_t number, int bits_of_tile, std::uint32_t lead,
                                     std::uint64_t extent) {
    std::uint64_t const first = (std::uint64_t{number} << bits_of_tile) - lead;
    std::uint32_t const before = number == 0 ? lead : 0;
    std::uint64_t const end = Kokkos::min(extent - first, std::uint64_t{1} << bits_of_tile);
    return {first, before, static_cast<std::uint32_t>(end) - before};
  }

  Transposition matrix_;
  int row_bits_;
  GridLead lead_;
  std::uint32_t tile_rows_;
  std::uint32_t tile_columns_;
  Bit source_[bits];
  Bit target_[bits];
};

}  // namespace riffle::detail::tiles
