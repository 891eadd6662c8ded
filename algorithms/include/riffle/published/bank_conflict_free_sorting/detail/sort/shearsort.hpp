#pragma once

// Shearsort without bank conflicts:
//   I. D. Scherson, S. Sen, A. Shamir, "Shear sort: a true two-dimensional sorting technique for VLSI networks", ICPP
//   1986; N. Sitchinava, V. Weichert, "Provably efficient GPU algorithms", arXiv 1306.5076 (2013): columns are sorted
//   as rows of the transposed matrix.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/sort/column_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

/// Performs one round of Shearsort, after which at most one of two adjacent dirty rows (see sort_short) is still dirty.
template <class Processors, class Matrix, class RowSorter>
KOKKOS_FUNCTION void shear(Matrix const& matrix, RowGroups<Processors> const& groups,
                           RowSorter const& sorter) {
  sort_rows(matrix, groups, sorter, RowOrder::alternating);
  sort_columns(matrix, groups, sorter);
}

/// Sorts each group in row-major order: ceil(log2 w) rounds, and then the last dirty row.
template <class Processors, class Matrix, class RowSorter>
KOKKOS_FUNCTION void shearsort(Matrix const& matrix, RowGroups<Processors> const& groups,
                               RowSorter const& sorter) {
  for (std::uint32_t clean = 1; clean < groups.max_rows(); clean *= 2) {
    shear(matrix, groups, sorter);
  }
  sort_rows(matrix, groups, sorter, RowOrder::ascending);
}

}  // namespace riffle::detail::matrix_sort
