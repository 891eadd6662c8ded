#pragma once

// Implements Lemma 1 step by step as published, for comparison with sort_short():
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 2.
//
// It converts the matrix twice more than sort_short(), which has one round of Shearsort instead. In the model it takes
// a fifth more time than sort_short() (perf/published/memory_machine.cpp). Riffle's own sorts call sort_short().

#include <Kokkos_Core.hpp>

#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/short_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

/// Sorts each group in row-major order. Requires is_short(), and that the number of rows divides
/// the number of columns.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void sort_short_by_conversions(Matrix const& matrix,
                                               RowGroups<Processors> const& groups,
                                               Words const& marks, RowSorter const& sorter) {
  gather_dirt(matrix, groups, marks, sorter);
  gather_dirt(matrix, groups, marks, sorter);
  sort_rows(matrix, groups, sorter, RowOrder::ascending);
}

}  // namespace riffle::detail::matrix_sort
