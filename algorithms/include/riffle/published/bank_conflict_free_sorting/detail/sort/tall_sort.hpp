#pragma once

// Sorts matrices with more rows than columns (sort_tall), and matrices of any shape (sort_matrix):
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 2, Theorem 2.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/sort/column_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/conversion.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/short_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/square_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

/// Sorts each group, with any number of rows, in row-major order, in O(m log^2 w) time. Without the sorting of columns
/// (merge_exchange.hpp) the time is O(m log m).
///
/// The proof does not require that m divides w. For any threshold, replace smaller elements by 0 and all others by 1.
///
/// - After the first sort_columns(), each column changes at most once, from 0 to 1.
/// - After the conversion, each row consists of pieces of the former columns. All rows together change at most m times
///   from 0 to 1 (inside a former column), and at most m - 1 times from 1 to 0 (between two former columns).
/// - Therefore the numbers of 0s in any two columns of the converted matrix differ by at most m.
/// - So the second sort_columns() leaves at most m dirty rows, which are in at most two m x m sub-matrices.
///
/// The paper sorts the rows first, which the proof does not need.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void sort_tall(Matrix const& matrix, RowGroups<Processors> const& groups,
                               Words const& marks, RowSorter const& sorter) {
  sort_columns(matrix, groups, sorter);
  convert_to_row_major(matrix, groups, marks);
  sort_columns(matrix, groups, sorter);
  sort_square(matrix, groups.parts(matrix.columns()).alternating(), marks, sorter);
  sort_columns(matrix, groups, sorter);
  sort_rows(matrix, groups, sorter, RowOrder::ascending);
}

/// Sorts each group in row-major order, using the theorem for the group's shape.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void sort_matrix(Matrix const& matrix, RowGroups<Processors> const& groups,
                                 Words const& marks, RowSorter const& sorter) {
  if (groups.max_rows() <= matrix.columns()) {
    sort_square(matrix, groups, marks, sorter);  // for short groups this calls sort_short()
  } else {
    sort_tall(matrix, groups, marks, sorter);
  }
}

}  // namespace riffle::detail::matrix_sort
