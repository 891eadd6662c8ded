#pragma once

// Transposes non-square matrices in place on a GPU, in terms of blocks, square tiles and units (all defined below).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/permute/detail/tiles/gpu/tiles_by_teams.hpp>
#include <riffle/permute/detail/tiles/run_transpose.hpp>
#include <riffle/permute/detail/tiles/shift_rows.hpp>
#include <riffle/permute/detail/tiles/transpose_tile_addresses.hpp>
#include <riffle/permute/detail/tiles/transpose_units.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail::tiles {

/// Transposes each of `blocks` consecutive blocks in place. A block has rows x columns elements. A team moves a block
/// through its scratch memory. The row pitch there is odd, so that lanes that access a column cause no bank conflicts.
template <class T>
struct TransposeBlocks {
  static constexpr int threads = 256;
  static constexpr int teams_per_processor = 6;
  static constexpr std::size_t scratch_bytes = max_block_bytes + (std::size_t{2} << 10);

  T* data;
  Divider<std::uint32_t> rows;
  Divider<std::uint32_t> columns;

  std::uint32_t pitch() const { return pitch_of(columns.divisor()); }
  static std::size_t bytes(std::uint32_t rows, std::uint32_t columns) {
    return sizeof(T) * rows * pitch_of(columns) + vector_bytes;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::uint32_t const size = rows.divisor() * columns.divisor();
    std::uint32_t const pitch = pitch_of(columns.divisor());
    auto* const stage = static_cast<Cell<T>*>(member.team_scratch(0).get_shmem_aligned(
        std::size_t{sizeof(T)} * rows.divisor() * pitch, vector_bytes));
    T* const block = data + static_cast<std::uint64_t>(member.league_rank()) * size;
    auto const first = static_cast<std::uint32_t>(member.team_rank());
    auto const step = static_cast<std::uint32_t>(member.team_size());
    for_batches(first, step, size, [&](std::uint32_t const(&k)[at_once]) {
      T x[at_once];
      unrolled<at_once>([&](auto i) { x[i] = block[Kokkos::min(k[i], size - 1)]; });
      unrolled<at_once>([&](auto i) {
        std::uint32_t const row = columns.quotient(k[i]);
        if (k[i] < size) stage[row * pitch + (k[i] - row * columns.divisor())].value = x[i];
      });
    });
    member.team_barrier();
    for_batches(first, step, size, [&](std::uint32_t const(&k)[at_once]) {
      unrolled<at_once>([&](auto i) {
        std::uint32_t const column = rows.quotient(k[i]);
        std::uint32_t const from = (k[i] - column * rows.divisor()) * pitch + column;
        if (k[i] < size) block[k[i]] = stage[from].value;
      });
    });
  }

 private:
  static constexpr int at_once = sizeof(T) <= 8 ? 8 : 4;

  KOKKOS_FUNCTION static constexpr std::uint32_t pitch_of(std::uint32_t columns) {
    return columns | 1;
  }

  /// Calls body(k) for the thread's elements k, in batches of at_once elements whose loads are in flight together. In
  /// the last batch, k may be `size` or more.
  template <class Body>
  KOKKOS_FUNCTION static void for_batches(std::uint32_t first, std::uint32_t step,
                                          std::uint32_t size, Body const& body) {
    RIFFLE_NO_UNROLL
    for (std::uint32_t begin = first; begin < size; begin += at_once * step) {
      std::uint32_t k[at_once];
      unrolled<at_once>([&](auto i) { k[i] = begin + i * step; });
      body(k);
    }
  }
};

template <class Exec, class T>
void transpose_blocks(Context<Exec> const& context, T* data, std::uint64_t blocks,
                      std::uint32_t rows, std::uint32_t columns) {
  if (rows < 2 || columns < 2) return;
  using Kernel = TransposeBlocks<T>;
  Kernel const kernel{data, Divider<std::uint32_t>(rows), Divider<std::uint32_t>(columns)};
  launch_teams(context, blocks, kernel, Kernel::bytes(rows, columns));
}

// --- squares ---

/// Computes the addresses of tiles in a sequence of contiguous square matrices, each of which is transposed in place.
template <int bits_>
class SquareTileAddresses : public TransposeTileAddresses<bits_> {
 public:
  using Base = TransposeTileAddresses<bits_>;

  struct Tile : Base::Tile {
    std::uint64_t begin;  // the beginning of the square
  };

  SquareTileAddresses(Base const& one, std::uint64_t squares, std::uint64_t size)
      : Base(one), squares_(squares), size_(size), tiles_(one.tiles()) {}

  std::uint64_t tiles() const { return squares_ * Base::tiles(); }

  KOKKOS_FUNCTION TilePair<Tile> pair(std::uint64_t t) const {
    std::uint64_t const square = t / tiles_;
    auto const pair = Base::pair(t - square * tiles_);
    std::uint64_t const begin = square * size_;
    return {{pair.own, begin}, {pair.other, begin}, pair.count};
  }

  template <int first>
  KOKKOS_FUNCTION typename Base::ThreadStart read_start(Tile const& tile, std::uint32_t s) const {
    auto start = Base::template read_start<first>(tile, s);
    start.offset += tile.begin;
    return start;
  }

  template <int first>
  KOKKOS_FUNCTION typename Base::ThreadStart write_start(Tile const& tile, std::uint32_t r) const {
    auto start = Base::template write_start<first>(tile, r);
    start.offset += tile.begin;
    return start;
  }

 private:
  std::uint64_t squares_;
  std::uint64_t size_;
  std::uint64_t tiles_;
};

template <class T, class Exec>
void transpose_squares(Context<Exec> const& context, T* data, std::uint64_t squares,
                       std::uint64_t side) {
  constexpr int bits = square_tile_bits<T>;
  Transposition const matrix{side, side, side, 1, side, 1};
  with_width<T>(has_wide_rows(matrix, data, data), [&](auto wide) {
    using Addresses = SquareTileAddresses<bits>;
    auto const lead = grid_lead(matrix, bits / 2, bits / 2, data, data);
    Addresses const addresses({matrix, bits / 2, lead}, squares, side * side);
    auto const arrangement = arrangement_of<T, wide.value, bits>(addresses.write_order());
    using Mover = TileMover<T, Addresses, wide.value>;
    launch_tiles(context, SwapTiles<Mover>{Mover(addresses, arrangement, {data, 1}, {data, 1})});
  });
}

// --- matrices of blocks ---
//
// Transposes a non-square matrix in place by moving units. A unit is a run of a few contiguous elements. This takes two
// or three passes over memory, plus one for each extent that is not a multiple of the block's extent. The passes for
// p x q blocks, with i < p and j < q, are:
//
//   1. rows of blocks       [P][i][Q][j] becomes [Q][P][i][j]: units of q elements are moved
//   2. blocks               [Q][P][i][j] becomes [Q][P][j][i]: a team transposes each block
//   3. columns of blocks    [Q][P][j][i] becomes [Q][j][P][i]: units of p elements are moved
//
// Sources:
//   F. Gustavson, L. Karlsson, B. Kagstrom, "Parallel and cache-efficient in-place matrix storage format conversion",
//   ACM Trans. Math. Softw. 38 (2012), doi 10.1145/2168773.2168775 [1];
//   I.-J. Sung, J. Gomez-Luna, J. M. Gonzalez-Linares, N. Guil, W.-M. W. Hwu, "In-place transposition of rectangular
//   matrices on accelerators", PPoPP 2014, doi 10.1145/2555243.2555266 [2].

/// A matrix of rows x columns elements, divided into blocks of unit_rows x unit_columns elements. The remainders are
/// the last rows and the last columns, which fill no block.
struct BlockedMatrix {
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint32_t unit_rows;
  std::uint32_t unit_columns;

  KOKKOS_FUNCTION std::uint64_t remainder_rows() const { return rows % unit_rows; }
  KOKKOS_FUNCTION std::uint64_t remainder_columns() const { return columns % unit_columns; }
  KOKKOS_FUNCTION std::uint64_t blocked_rows() const { return rows - remainder_rows(); }
  KOKKOS_FUNCTION std::uint64_t blocked_columns() const { return columns - remainder_columns(); }
};

/// The minimum and the maximum extent of a block in one direction, in lines (rows or columns).
struct LineRange {
  std::uint32_t least;
  std::uint32_t most;
};

/// Returns the extents for which the size of a unit is within the bounds of tuning.hpp and a square block fits into
/// scratch memory.
inline LineRange line_range(std::size_t element) {
  auto const side = static_cast<std::size_t>(std::sqrt(max_block_bytes / element));
  std::size_t const most = std::max<std::size_t>(std::min(max_unit_bytes / element, side), 1);
  std::size_t const least = std::clamp<std::size_t>(min_unit_bytes / element, 1, most);
  return {static_cast<std::uint32_t>(least), static_cast<std::uint32_t>(most)};
}

/// Returns the possible extents of a block in a direction with `lines` lines, if the other direction has only `few`
/// lines and a block contains all of them. The units of such a block may be longer than max_unit_bytes.
inline LineRange line_range_for_few_lines(std::uint64_t few, std::uint64_t lines,
                                          std::size_t element) {
  std::size_t const longest =
      std::min(max_unit_bytes_of_few_lines, max_block_bytes / few) / element;
  auto const most = static_cast<std::uint32_t>(std::min<std::uint64_t>(longest, lines));
  return {(most + 1) / 2, most};
}

/// Returns the extent in `range` that leaves the smallest remainder of `lines`. Among several, prefers extents for
/// which a unit consists of whole vectors, and among these the largest.
inline std::uint32_t lines_of_block(std::uint64_t lines, std::size_t element,
                                    LineRange const& range) {
  auto const is_better = [&](std::uint32_t a, std::uint32_t b) {
    if (lines % a != lines % b) return lines % a < lines % b;
    bool const a_is_wide = a * element % vector_bytes == 0;
    bool const b_is_wide = b * element % vector_bytes == 0;
    return a_is_wide != b_is_wide ? a_is_wide : a > b;
  };
  std::uint32_t best = range.least;
  for (std::uint32_t unit = range.least + 1; unit <= range.most; ++unit) {
    if (is_better(unit, best)) best = unit;
  }
  return best;
}

/// Returns the division of a matrix into blocks. If the matrix has at most range.most lines in a direction, a block
/// contains all lines in this direction.
inline BlockedMatrix choose_blocks(std::uint64_t rows, std::uint64_t columns, std::size_t element) {
  LineRange const range = line_range(element);
  auto const unit = [&](std::uint64_t lines, std::uint64_t others) {
    if (lines <= range.most) return static_cast<std::uint32_t>(lines);
    return lines_of_block(
        lines, element,
        others <= range.most ? line_range_for_few_lines(others, lines, element) : range);
  };
  return {rows, columns, unit(rows, columns), unit(columns, rows)};
}

/// Whether one extent is a multiple of the other, and both are larger than a block.
inline bool consists_of_squares(std::uint64_t rows, std::uint64_t columns, std::size_t element) {
  auto const [least, most] = std::minmax(rows, columns);
  return most % least == 0 && least > line_range(element).most;
}

/// Transposes a matrix that consists of square matrices. If the squares are side by side, their rows are first moved,
/// as units, so that each square is contiguous. If the squares are one below another, their columns are moved apart at
/// the end.
template <class T, class Exec>
void transpose_by_squares(Context<Exec> const& context, T* data, std::uint64_t rows,
                          std::uint64_t columns) {
  if (rows < columns) {
    std::uint64_t const squares = columns / rows;
    transpose_units(context.named("rows of squares"), data, {1, rows, squares, rows});
    transpose_squares(context.named("squares"), data, squares, rows);
  } else {
    std::uint64_t const squares = rows / columns;
    transpose_squares(context.named("squares"), data, squares, columns);
    transpose_units(context.named("columns of squares"), data, {1, squares, columns, columns});
  }
}

/// Transposes a matrix whose extents are multiples of the block's extents.
template <class T, class Exec>
void transpose_blocked(Context<Exec> const& context, T* data, BlockedMatrix const& matrix) {
  std::uint64_t const rows = matrix.blocked_rows();
  std::uint64_t const columns = matrix.blocked_columns();
  std::uint32_t const p = matrix.unit_rows;
  std::uint32_t const q = matrix.unit_columns;
  transpose_units(context.named("rows of blocks"), data, {1, rows, columns / q, q});
  transpose_blocks(context.named("blocks"), data, rows / p * (columns / q), p, q);
  transpose_units(context.named("columns of blocks"), data, {columns / q, rows / p, q, p});
}

/// The saved remainders of a matrix. `columns` contains the last columns; each of them is contiguous, as in the result.
/// `rows` contains the last rows, without the elements that `columns` contains.
template <class T>
struct Remainders {
  T* data;
  BlockedMatrix matrix;
  T* columns;
  T* rows;

  KOKKOS_FUNCTION std::uint64_t in_columns() const {
    return matrix.remainder_columns() * matrix.rows;
  }
  KOKKOS_FUNCTION std::uint64_t in_rows() const {
    return matrix.remainder_rows() * matrix.blocked_columns();
  }
};

template <class T>
struct SaveRemainders : Remainders<T> {
  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    auto const& matrix = this->matrix;
    if (k < this->in_columns()) {
      std::uint64_t const j = k / matrix.rows;
      std::uint64_t const i = k - j * matrix.rows;
      this->columns[k] = this->data[i * matrix.columns + matrix.blocked_columns() + j];
    } else {
      std::uint64_t const of_row = k - this->in_columns();
      std::uint64_t const i = of_row / matrix.blocked_columns();
      std::uint64_t const j = of_row - i * matrix.blocked_columns();
      this->rows[of_row] = this->data[(matrix.blocked_rows() + i) * matrix.columns + j];
    }
  }
};

template <class T>
struct WriteRemainders : Remainders<T> {
  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    auto const& matrix = this->matrix;
    if (k < this->in_columns()) {
      this->data[matrix.blocked_columns() * matrix.rows + k] = this->columns[k];
    } else {
      std::uint64_t const of_row = k - this->in_columns();
      std::uint64_t const j = of_row / matrix.remainder_rows();
      std::uint64_t const i = of_row - j * matrix.remainder_rows();
      this->data[j * matrix.rows + matrix.blocked_rows() + i] =
          this->rows[i * matrix.blocked_columns() + j];
    }
  }
};

/// Transposes any matrix. Saves the remainders, moves the rest of the rows together, transposes it, moves the rows of
/// the result apart, and writes the remainders between them.
template <class T, class Exec>
void transpose_by_blocks(Context<Exec> const& context, T* data, BlockedMatrix const& matrix) {
  Scope scope(context);
  auto const remainders = scope.arrays([&](ArrayMemory& memory) {
    return Remainders<T>{data, matrix, memory.take<T>(matrix.remainder_columns() * matrix.rows),
                         memory.take<T>(matrix.remainder_rows() * matrix.blocked_columns())};
  });
  std::uint64_t const saved = remainders.in_columns() + remainders.in_rows();
  if (saved > 0) context.named("keep rests").for_each(saved, SaveRemainders<T>{remainders});
  shift_rows<Shift::together>(
      context.named("together"), data,
      {matrix.blocked_rows(), matrix.blocked_columns(), matrix.remainder_columns()});
  transpose_blocked(context, data, matrix);
  shift_rows<Shift::apart>(
      context.named("apart"), data,
      {matrix.blocked_columns(), matrix.blocked_rows(), matrix.remainder_rows()});
  if (saved > 0) context.named("write rests").for_each(saved, WriteRemainders<T>{remainders});
}

/// Transposes a matrix. Requires rows > 1 and columns > 1.
template <class T, class Exec>
void transpose_by_units(Context<Exec> const& context, T* data, std::uint64_t rows,
                        std::uint64_t columns) {
  if constexpr (sizeof(T) <= max_tiled_element_bytes) {
    if (consists_of_squares(rows, columns, sizeof(T))) {
      return transpose_by_squares(context, data, rows, columns);
    }
  }
  transpose_by_blocks(context, data, choose_blocks(rows, columns, sizeof(T)));
}

}  // namespace riffle::detail::tiles
