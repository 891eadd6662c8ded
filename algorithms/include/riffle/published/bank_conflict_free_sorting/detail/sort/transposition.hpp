#pragma once

// Transposes square sub-matrices of groups of rows in place.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

template <class Matrix>
KOKKOS_FUNCTION void swap_elements(Matrix const& matrix, std::uint32_t own_row,
                                   std::uint32_t own_column, std::uint32_t row,
                                   std::uint32_t column) {
  auto const own = matrix.read(own_row, own_column);
  auto const other = matrix.read(row, column);
  matrix.write(own_row, own_column, other);
  matrix.write(row, column, own);
}

/// Adjacent squares that start at column `begin`. The size of each square is the number of rows of
/// the processor's group.
struct Squares {
  std::uint32_t begin;
  std::uint32_t count;
};

/// Transposes squares, except for the diagonal at distance rows / 2 if the number of rows is even.
/// Let i be the index of the processor's row in its group. For d = 1, 2, ... in turn, the processor
/// swaps elements (i, i + d) and (i + d, i) of each square, modulo the number of rows. So at any
/// time each processor accesses the row at the same distance d from its own row.
template <class Matrix>
KOKKOS_FUNCTION void swap_across_diagonals(Matrix const& matrix, GroupPlace const& place,
                                           Squares const& squares) {
  std::uint32_t const own_row = place.row(place.index);
  for (std::uint32_t square = 0; square < squares.count; ++square) {
    std::uint32_t const begin = squares.begin + square * place.rows;
    for (std::uint32_t d = 1; 2 * d < place.rows; ++d) {
      std::uint32_t const sum = place.index + d;
      std::uint32_t const other = sum < place.rows ? sum : sum - place.rows;
      swap_elements(matrix, own_row, begin + other, place.row(other), begin + place.index);
    }
  }
}

/// Completes the transposition if the number of rows is even. The diagonal at distance rows / 2 is
/// its own counterpart, so only half of the processors have to swap its elements: the upper half
/// does so in the even squares, while the lower half does so in the odd squares.
template <class Matrix>
KOKKOS_FUNCTION void swap_across_half(Matrix const& matrix, GroupPlace const& place,
                                      Squares const& squares) {
  std::uint32_t const half = place.rows / 2;
  if (2 * half != place.rows) return;
  std::uint32_t const own_row = place.row(place.index);
  bool const is_upper = place.index < half;
  std::uint32_t const other = is_upper ? place.index + half : place.index - half;
  for (std::uint32_t square = is_upper ? 0 : 1; square < squares.count; square += 2) {
    std::uint32_t const begin = squares.begin + square * place.rows;
    swap_elements(matrix, own_row, begin + other, place.row(other), begin + place.index);
  }
}

/// Transposes squares in place; squares(place) returns the squares of the group at `place`.
/// Requires that the squares do not overlap. Takes only one step, because each element is accessed
/// by only one processor, and two time units per column of a square.
template <class Processors, class Matrix, class ChooseSquares>
KOKKOS_FUNCTION void transpose_squares(Matrix const& matrix, RowGroups<Processors> const& groups,
                                       ChooseSquares const& squares) {
  groups.processors().step([&](std::uint32_t p) {
    swap_across_diagonals(matrix, groups[p], squares(groups[p]));
    swap_across_half(matrix, groups[p], squares(groups[p]));
  });
}

}  // namespace riffle::detail::matrix_sort
