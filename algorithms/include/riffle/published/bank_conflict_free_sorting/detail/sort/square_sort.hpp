#pragma once

// Sorts matrices in which the number of rows is at most the number of columns, in O(m log m) time:
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 2, Theorem 1.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/sort/column_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/short_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

/// Returns floor(sqrt(columns)).
KOKKOS_FUNCTION constexpr std::uint32_t super_row_height(std::uint32_t columns) {
  std::uint32_t height = 1;
  while (is_short(height + 1, columns)) ++height;
  return height;
}

/// Performs one round of Shearsort in which super-rows take the role of rows.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void shear_super_rows(Matrix const& matrix, RowGroups<Processors> const& groups,
                                      std::uint32_t height, Words const& marks,
                                      RowSorter const& sorter) {
  sort_short(matrix, groups.parts(height).alternating(), marks, sorter);
  sort_columns(matrix, groups, sorter);
}

/// Sorts each group in row-major order. Requires that no group has more rows than columns.
///
/// Let a group have w rows and m columns. In the paper w = m is a square number. In general, a super-row has
/// h = floor(sqrt(m)) rows, so there are k = ceil(w / h) super-rows. The number of dirty rows (defined at gather_dirt()
/// in short_sort.hpp) decreases as follows:
///
/// - Sorting each super-row leaves at most one dirty row in it, so k in all.
/// - Sorting the columns makes the dirty rows adjacent. They are in at most two super-rows, or in three if k > h + 1
///   (then k = h + 2, because w <= m).
/// - A round (shear_super_rows) sorts the super-rows in alternating order, and the columns again. If two super-rows
///   contain dirty rows, one dirty row is left, as in the paper. If three do, up to three dirty rows are left, in at
///   most two super-rows, and a second round leaves one.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void sort_square(Matrix const& matrix, RowGroups<Processors> const& groups,
                                 Words const& marks, RowSorter const& sorter) {
  std::uint32_t const height = super_row_height(matrix.columns());
  std::uint32_t const super_rows = (groups.max_rows() + height - 1) / height;
  sort_short(matrix, groups.parts(height), marks, sorter);
  if (super_rows == 1) return;
  sort_columns(matrix, groups, sorter);
  int const rounds = super_rows > height + 1 ? 2 : 1;
  for (int round = 0; round < rounds; ++round) {
    shear_super_rows(matrix, groups, height, marks, sorter);
  }
  sort_rows(matrix, groups, sorter, RowOrder::ascending);
}

}  // namespace riffle::detail::matrix_sort
