#pragma once

// Where the elements of a tile are read and written, for the transposition of a matrix of any extents.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

#include <riffle/detail/bit_matrix.hpp>
#include <riffle/detail/tiles/bit_route.hpp>

namespace riffle::detail::tiles {

/// A matrix, in memory: element (i, j) of it at i * row_stride + j * column_stride; once it is transposed, at
/// j * target_row_stride + i * target_column_stride.
struct Transposition {
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t row_stride;
  std::uint64_t column_stride;
  std::uint64_t target_row_stride;
  std::uint64_t target_column_stride;
};

/// Bits of the rows of a tile: half of its bits, but fewer where the matrix has fewer rows, and more where it has fewer
/// columns.
inline int tile_row_bits(std::uint64_t rows, std::uint64_t columns, int bits) {
  int const half = bits / 2;
  int const of_rows = static_cast<int>(std::bit_width(rows - 1));
  int const of_columns = static_cast<int>(std::bit_width(columns - 1));
  if (of_rows < half) return of_rows;
  return std::max(half, bits - of_columns);
}

/// The lower bits of s are those of a tile's column, the lower ones of r those of its row.
template <int bits_>
class TransposeRoute {
 public:
  using Index = std::uint64_t;
  static constexpr int bits = bits_;

  /// The first row and column, and how many there are.
  struct Tile {
    std::uint64_t row;
    std::uint64_t column;
    std::uint32_t rows;
    std::uint32_t columns;
    static constexpr std::uint32_t shift = 0;
  };

  TransposeRoute(Transposition const& matrix, int row_bits)
      : matrix_(matrix),
        row_bits_(row_bits),
        tile_rows_(static_cast<std::uint32_t>(((matrix.rows - 1) >> row_bits) + 1)),
        tile_columns_(static_cast<std::uint32_t>(((matrix.columns - 1) >> column_bits()) + 1)),
        panel_rows_(tile_rows_ < 16 ? tile_rows_ : 16) {}

  std::uint64_t tiles() const { return std::uint64_t{tile_rows_} * tile_columns_; }
  std::uint64_t tile_columns() const { return tile_columns_; }
  KOKKOS_FUNCTION int row_bits() const { return row_bits_; }
  KOKKOS_FUNCTION int column_bits() const { return bits - row_bits_; }

  /// r of s.
  BitMatrix image() const {
    BitMatrix image(bits);
    for (int k = 0; k < bits; ++k) {
      image.column(k) = std::uint64_t{1} << (k < column_bits() ? row_bits_ + k : k - column_bits());
    }
    return image;
  }

  /// Tiles go down panels of some tile rows, so that those of near numbers are near each other on both sides.
  KOKKOS_FUNCTION Tile tile(std::uint64_t t) const {
    auto const number = static_cast<std::uint32_t>(t);
    std::uint32_t const whole_panel = panel_rows_ * tile_columns_;
    std::uint32_t const panel = number / whole_panel;
    std::uint32_t const height = Kokkos::min(panel_rows_, tile_rows_ - panel * panel_rows_);
    std::uint32_t const rest = number - panel * whole_panel;
    std::uint32_t const column = rest / height;
    return at(panel * panel_rows_ + (rest - column * height), column);
  }

  /// For squares in tiles that are squares: the tile on the other side of the diagonal.
  KOKKOS_FUNCTION TilePair<Tile> pair(std::uint64_t t) const {
    auto const number = static_cast<std::uint32_t>(t);
    std::uint32_t const row = number / tile_columns_;
    std::uint32_t const column = number - row * tile_columns_;
    return {at(row, column), at(column, row), column < row ? 0 : column == row ? 1 : 2};
  }

  /// What a thread has: a first element, its row and column in the tile, and the tile's extents.
  struct Walk {
    std::uint64_t offset;
    std::uint32_t row;
    std::uint32_t column;
    std::uint32_t rows;
    std::uint32_t columns;
  };

  template <int first>
  KOKKOS_FUNCTION Walk reader(Tile const& tile, std::uint32_t s) const {
    std::uint32_t const i = s >> column_bits();
    std::uint32_t const j = lower(s, column_bits());
    return {(tile.row + i) * matrix_.row_stride + (tile.column + j) * matrix_.column_stride, i, j,
            tile.rows, tile.columns};
  }

  template <int first>
  KOKKOS_FUNCTION Place<Index> source(Walk const& reader, std::uint32_t s) const {
    std::uint32_t const i = s >> column_bits();
    std::uint32_t const j = lower(s, column_bits());
    return {reader.offset + i * matrix_.row_stride + j * matrix_.column_stride,
            is_inside(reader, i, j)};
  }

  template <int first>
  KOKKOS_FUNCTION Walk writer(Tile const& tile, std::uint32_t r) const {
    std::uint32_t const i = lower(r, row_bits_);
    std::uint32_t const j = r >> row_bits_;
    return {(tile.column + j) * matrix_.target_row_stride +
                (tile.row + i) * matrix_.target_column_stride,
            i, j, tile.rows, tile.columns};
  }

  template <int first>
  KOKKOS_FUNCTION Place<Index> target(Walk const& writer, std::uint32_t r) const {
    std::uint32_t const i = lower(r, row_bits_);
    std::uint32_t const j = r >> row_bits_;
    return {writer.offset + j * matrix_.target_row_stride + i * matrix_.target_column_stride,
            is_inside(writer, i, j)};
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t lower(std::uint32_t x, int count) {
    return x & ((1u << count) - 1);
  }

  // The bits of a thread and those of its items are apart.
  KOKKOS_FUNCTION static bool is_inside(Walk const& walk, std::uint32_t i, std::uint32_t j) {
    return (walk.row | i) < walk.rows && (walk.column | j) < walk.columns;
  }

  KOKKOS_FUNCTION Tile at(std::uint32_t tile_row, std::uint32_t tile_column) const {
    std::uint64_t const row = std::uint64_t{tile_row} << row_bits_;
    std::uint64_t const column = std::uint64_t{tile_column} << column_bits();
    return {row, column, inside(matrix_.rows - row, row_bits_),
            inside(matrix_.columns - column, column_bits())};
  }

  KOKKOS_FUNCTION static std::uint32_t inside(std::uint64_t left, int count) {
    return static_cast<std::uint32_t>(Kokkos::min(left, std::uint64_t{1} << count));
  }

  Transposition matrix_;
  int row_bits_;
  std::uint32_t tile_rows_;
  std::uint32_t tile_columns_;
  std::uint32_t panel_rows_;
};

}  // namespace riffle::detail::tiles
