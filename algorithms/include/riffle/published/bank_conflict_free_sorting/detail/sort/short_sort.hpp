#pragma once

// Sorts matrices with few rows and many columns in O(m log m) time:
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 2, Lemma 1.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/sort/conversion.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/shearsort.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

/// Whether groups have few enough rows for Lemma 1: w <= sqrt(m).
KOKKOS_FUNCTION constexpr bool is_short(std::uint32_t rows, std::uint32_t columns) {
  return std::uint64_t{rows} * rows <= columns;
}

/// Performs steps 1 to 4 of [1] on groups of w rows and m columns. For any threshold, replace smaller elements by 0 and
/// all others by 1, and call a row or column dirty if it contains both.
///
/// - Step 1 sorts the rows in alternating order. The concatenation of all rows then changes between 0 and 1 at most
///   once per row, that is, at most w times.
/// - Step 2 moves consecutive elements of this concatenation to the same column. So at most w columns are dirty,
///   whether or not w divides m.
/// - Step 3 sorts the rows, which makes the dirty columns adjacent. They contain at most w^2 <= m elements.
/// - Step 4 converts back to row-major order. The elements of the dirty columns are then consecutive, so at most two
///   rows are dirty, and these are adjacent.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void gather_dirt(Matrix const& matrix, RowGroups<Processors> const& groups,
                                 Words const& marks, RowSorter const& sorter) {
  sort_rows(matrix, groups, sorter, RowOrder::alternating);
  convert_to_column_major(matrix, groups, marks);
  sort_rows(matrix, groups, sorter, RowOrder::ascending);
  convert_to_row_major(matrix, groups, marks);
}

/// Sorts each group in row-major order. Requires is_short(). gather_dirt() leaves at most two dirty rows, and a round
/// of Shearsort reduces them to one. This is faster than repeating steps 1 to 4 as in the paper
/// (short_sort_by_conversions.hpp), and does not require that w divides m.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void sort_short(Matrix const& matrix, RowGroups<Processors> const& groups,
                                Words const& marks, RowSorter const& sorter) {
  if (groups.max_rows() > 1) {
    gather_dirt(matrix, groups, marks, sorter);
    shear(matrix, groups, sorter);
  }
  sort_rows(matrix, groups, sorter, RowOrder::ascending);
}

}  // namespace riffle::detail::matrix_sort
