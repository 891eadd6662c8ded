#pragma once

// Transposes matrices: chooses the tiles and launches the kernels.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/permute/detail/tiles/cpu/tiles_by_threads.hpp>
#include <riffle/permute/detail/tiles/cpu/transpose_rows.hpp>
#include <riffle/permute/detail/tiles/gpu/tiles_by_teams.hpp>
#include <riffle/permute/detail/tiles/run_bits.hpp>
#include <riffle/permute/detail/tiles/transpose_tile_addresses.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail::tiles {

/// Returns the same transposition, but with rows and columns exchanged if row_stride < column_stride. Elements are then
/// read in memory order.
inline Transposition read_by_rows(Transposition const& matrix) {
  if (matrix.column_stride <= matrix.row_stride) return matrix;
  return {matrix.columns,
          matrix.rows,
          matrix.column_stride,
          matrix.row_stride,
          matrix.target_column_stride,
          matrix.target_row_stride};
}

/// Whether the transposition keeps the order of the elements in memory.
inline bool keeps_order(Transposition const& matrix) {
  return matrix.rows == 1 || matrix.columns == 1 ||
         matrix.target_row_stride <= matrix.target_column_stride;
}

/// Moves one element. Elements are numbered in read order.
template <class T>
struct MoveMatrixElement {
  T const* in;
  T* out;
  Transposition matrix;
  Divider<std::uint64_t> by_columns;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    std::uint64_t const i = by_columns.quotient(k);
    std::uint64_t const j = k - i * matrix.columns;
    out[j * matrix.target_row_stride + i * matrix.target_column_stride] =
        in[i * matrix.row_stride + j * matrix.column_stride];
  }
};

/// Whether all rows are aligned and consist of whole vectors.
template <class T>
bool has_wide_rows(T const* data, std::uint64_t stride, std::uint64_t length, std::uint64_t pitch) {
  return is_wide(data, stride) && length * sizeof(T) % vector_bytes == 0 &&
         pitch * sizeof(T) % vector_bytes == 0;
}

template <class T>
bool has_wide_rows(Transposition const& matrix, T const* in, T const* out) {
  return has_wide_rows(in, matrix.column_stride, matrix.columns, matrix.row_stride) &&
         has_wide_rows(out, matrix.target_column_stride, matrix.rows, matrix.target_row_stride);
}

/// Calls use(wide), where `wide` is a std::bool_constant.
template <class T, class Use>
void with_width(bool wide, Use const& use) {
  if constexpr (fills_vectors(sizeof(T))) {
    if (wide) return use(std::true_type{});
  }
  use(std::false_type{});
}

/// A grid has tiles of 2^bits lines (rows or columns). Returns the number of lines by which the grid must begin before
/// the matrix, so that all tiles begin at boundaries of memory blocks. Returns 0 if no such number exists, or if there
/// are so few tiles that the cost of an additional tile exceeds the benefit of the alignment.
template <class T>
std::uint32_t grid_lead(T const* data, std::uint64_t stride, std::uint64_t pitch,
                        std::uint64_t extent, int bits) {
  if (pitch * sizeof(T) % block_bytes != 0 || extent >> bits < min_tiles_for_lead) return 0;
  return lead_in_block(data, stride) & ((1u << bits) - 1);
}

/// Returns the lead in both directions. The lead of the columns aligns reads; the lead of the rows aligns writes.
template <class T>
GridLead grid_lead(Transposition const& matrix, int row_bits, int column_bits, T const* in,
                   T const* out) {
  return {
      grid_lead(out, matrix.target_column_stride, matrix.target_row_stride, matrix.rows, row_bits),
      grid_lead(in, matrix.column_stride, matrix.row_stride, matrix.columns, column_bits)};
}

/// Returns the mover for tiles with 2^row_bits rows.
template <class T, int bits, bool wide>
auto matrix_mover(Transposition const& matrix, int row_bits, T const* in, T* out) {
  TransposeTileAddresses<bits> const addresses(
      matrix, row_bits, grid_lead(matrix, row_bits, bits - row_bits, in, out));
  auto const arrangement = arrangement_of<T, wide, bits>(addresses.write_order());
  return TileMover<T, TransposeTileAddresses<bits>, wide>(addresses, arrangement, {in, 1},
                                                          {out, 1});
}

template <class Exec, class T>
void move_matrix_by_teams(Context<Exec> const& context, Transposition const& matrix, T const* in,
                          T* out) {
  constexpr int bits = tile_bits(sizeof(T));
  int const row_bits = tile_row_bits(matrix.rows, matrix.columns, bits);
  with_width<T>(has_wide_rows(matrix, in, out), [&](auto wide) {
    auto const mover = matrix_mover<T, bits, wide.value>(matrix, row_bits, in, out);
    launch_tiles(context, MoveTile<std::decay_t<decltype(mover)>>{mover});
  });
}

template <class Exec, class T>
void move_matrix_by_threads(Context<Exec> const& context, Transposition const& matrix, T const* in,
                            T* out) {
  constexpr int bits = tile_bits(sizeof(T));
  int const row_bits = tile_row_bits(matrix.rows, matrix.columns, bits);
  move_by_threads<T>(context, TransposeRows<bits>(matrix, row_bits, false), in, out,
                     matrix.rows * matrix.columns * sizeof(T));
}

/// The log2 of the number of elements in a tile of a square matrix. It is even, because the tiles are squares.
template <class T>
inline constexpr int square_tile_bits = tile_bits(sizeof(T)) / 2 * 2;

template <class Exec, class T>
void swap_matrix_by_teams(Context<Exec> const& context, Transposition const& matrix, T* data) {
  constexpr int bits = square_tile_bits<T>;
  with_width<T>(has_wide_rows(matrix, data, data), [&](auto wide) {
    auto const mover = matrix_mover<T, bits, wide.value>(matrix, bits / 2, data, data);
    launch_tiles(context, SwapTiles<std::decay_t<decltype(mover)>>{mover});
  });
}

template <class Exec, class T>
void swap_matrix_by_threads(Context<Exec> const& context, Transposition const& matrix, T* data) {
  constexpr int bits = square_tile_bits<T>;
  swap_by_threads<T>(context, TransposeRows<bits>(matrix, bits / 2, true), data);
}

/// Moves all elements. Requires that the matrix is not empty.
template <bool by_teams, class Exec, class T>
void run_transpose(Context<Exec> const& context, Transposition const& given, T const* in, T* out) {
  Transposition const matrix = read_by_rows(given);
  if constexpr (sizeof(T) <= max_tiled_element_bytes) {
    if (!keeps_order(matrix)) {
      if constexpr (by_teams) {
        return move_matrix_by_teams(context, matrix, in, out);
      } else {
        return move_matrix_by_threads(context, matrix, in, out);
      }
    }
  }
  MoveMatrixElement<T> const kernel{in, out, matrix, Divider<std::uint64_t>(matrix.columns)};
  context.for_each(matrix.rows * matrix.columns, kernel);
}

/// Swaps the elements of a square matrix that are mirror images at its diagonal.
template <class T>
struct SwapMatrixElements {
  T* data;
  Transposition matrix;
  Divider<std::uint64_t> by_columns;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    std::uint64_t const i = by_columns.quotient(k);
    std::uint64_t const j = k - i * matrix.columns;
    if (j <= i) return;
    T* const above = data + (i * matrix.row_stride + j * matrix.column_stride);
    T* const below = data + (j * matrix.row_stride + i * matrix.column_stride);
    T const x = *above;
    *above = *below;
    *below = x;
  }
};

template <bool by_teams, class Exec, class T>
void run_transpose_square(Context<Exec> const& context, Transposition const& given, T* data) {
  Transposition const matrix = read_by_rows(given);
  if constexpr (sizeof(T) > max_tiled_element_bytes) {
    SwapMatrixElements<T> const kernel{data, matrix, Divider<std::uint64_t>(matrix.columns)};
    context.for_each(matrix.rows * matrix.columns, kernel);
  } else if constexpr (by_teams) {
    swap_matrix_by_teams(context, matrix, data);
  } else {
    swap_matrix_by_threads(context, matrix, data);
  }
}

}  // namespace riffle::detail::tiles
