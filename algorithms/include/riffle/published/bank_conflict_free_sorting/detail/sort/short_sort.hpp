#pragma once

// Sorts short and wide matrices in O(m log m) time
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

/// Steps 1 to 4 of [1]. For any threshold, replace smaller elements by 0 and all others by 1, and call a row or column
/// dirty if it contains both. First the rows are sorted in alternating order. Then the concatenation of all rows
/// changes from 0 to 1 or back at most once per row. Therefore at most w columns are dirty in column-major order,
/// whether or not w divides m. After the rows are sorted again, these columns are adjacent. They contain w^2 <= m
/// elements, so in row-major order the dirty elements are in two adjacent rows.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void gather_dirt(Matrix const& matrix, RowGroups<Processors> const& groups,
                                 Words const& marks, RowSorter const& sorter) {
  sort_rows(matrix, groups, sorter, RowOrder::alternating);
  convert_to_column_major(matrix, groups, marks);
  sort_rows(matrix, groups, sorter, RowOrder::ascending);
  convert_to_row_major(matrix, groups, marks);
}

/// Sorts each group in row-major order. Requires is_short(). gather_dirt() leaves two dirty rows,
/// and a round of Shearsort reduces them to one. This is faster than repeating steps 1 to 4 as in
/// the paper (short_sort_by_conversions.hpp), and does not require that w divides m.
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
