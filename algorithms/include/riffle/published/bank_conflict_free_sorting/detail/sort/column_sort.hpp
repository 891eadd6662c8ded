#pragma once

// Sorts the columns of groups of rows without bank conflicts.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/sort/merge_exchange.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/transposition.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

/// Transposes squares, sorts their rows, and transposes them back.
template <class Processors, class Matrix, class RowSorter, class ChooseSquares>
KOKKOS_FUNCTION void sort_columns_of_squares(Matrix const& matrix,
                                             RowGroups<Processors> const& groups,
                                             RowSorter const& sorter, ChooseSquares const& choose) {
  transpose_squares(matrix, groups, choose);
  groups.processors().step([&](std::uint32_t p) {
    GroupPlace const& place = groups[p];
    Squares const squares = choose(place);
    for (std::uint32_t square = 0; square < squares.count; ++square) {
      std::uint32_t const begin = squares.begin + square * place.rows;
      sorter(RowSegment<Matrix>(matrix, p, begin, place.rows), place.descending);
    }
  });
  transpose_squares(matrix, groups, choose);
}

/// Sorts the columns of groups in which the number of rows is at most the number of columns.
template <class Processors, class Matrix, class RowSorter>
KOKKOS_FUNCTION void sort_columns_by_squares(Matrix const& matrix,
                                             RowGroups<Processors> const& groups,
                                             RowSorter const& sorter) {
  std::uint32_t const columns = matrix.columns();
  sort_columns_of_squares(matrix, groups, sorter, [&](GroupPlace const& place) {
    return Squares{0, columns / place.rows};
  });
  if (groups.all_equal() && columns % groups.max_rows() == 0) return;
  // The last columns are sorted as part of a square, which also contains columns that are already
  // sorted. Sorting does not change these columns.
  sort_columns_of_squares(matrix, groups, sorter, [&](GroupPlace const& place) {
    return Squares{columns - place.rows, columns % place.rows == 0 ? 0u : 1u};
  });
}

/// Sorts each column of each group, for any number of rows. The order is descending if the group is
/// descending.
template <class Processors, class Matrix, class RowSorter>
KOKKOS_FUNCTION void sort_columns(Matrix const& matrix, RowGroups<Processors> const& groups,
                                  RowSorter const& sorter) {
  if (groups.max_rows() <= matrix.columns()) {
    sort_columns_by_squares(matrix, groups, sorter);
  } else {
    merge_exchange_columns(matrix, groups, sorter);
  }
}

}  // namespace riffle::detail::matrix_sort
