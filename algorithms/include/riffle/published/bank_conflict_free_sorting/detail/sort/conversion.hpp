#pragma once

// Converts between row-major and column-major order, in place, without bank conflicts, in O(m) time for any shape:
//   B. Catanzaro, A. Keller, M. Garland, "A decomposition for in-place matrix transposition", PPoPP 2014,
//   doi 10.1145/2555243.2555253, section 3: C2R and its inverse, R2C (riffle/published/bank_conflict_free_sorting/detail/decomposed_transpose.hpp).

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/decomposed_transpose.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/column_permutation.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_permutation.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

using ConversionIndices = DecomposedTranspose<std::uint32_t, PlainDivisor<std::uint32_t>>;

KOKKOS_INLINE_FUNCTION ConversionIndices conversion_indices(std::uint32_t rows,
                                                            std::uint32_t columns) {
  std::uint32_t const c = greatest_common_divisor(rows, columns);
  return {{rows}, {columns}, {rows / c}, {columns / c}};
}

template <class Processors>
KOKKOS_FUNCTION auto conversion_indices(RowGroups<Processors> const& groups,
                                        std::uint32_t columns) {
  Processors& processors = groups.processors();
  auto indices = processors.template registers<ConversionIndices>();
  processors.step(
      [&](std::uint32_t p) { indices[p] = conversion_indices(groups[p].rows, columns); });
  return indices;
}

/// Whether a column of some group must be rotated (step 1 of DecomposedTranspose).
template <class Processors>
KOKKOS_FUNCTION bool needs_rotation(RowGroups<Processors> const& groups, std::uint32_t columns) {
  return !groups.all_equal() || greatest_common_divisor(groups.max_rows(), columns) > 1;
}

/// In each group, converts column-major to row-major order: the first column moves to the start of the first row.
/// Requires that `marks` has mark_columns(columns) columns of 32-bit words.
template <class Processors, class Matrix, class Words>
KOKKOS_FUNCTION void convert_to_row_major(Matrix const& matrix, RowGroups<Processors> const& groups,
                                          Words const& marks) {
  using Index = std::uint32_t;
  auto indices = conversion_indices(groups, matrix.columns());
  if (needs_rotation(groups, matrix.columns())) {
    gather_columns(matrix, groups,
                   [&](Index p, Index i, Index j) { return indices[p].row_before_rotation(i, j); });
  }
  groups.processors().step([&](Index p) {
    scatter_row(RowSegment<Matrix>(matrix, p, 0, matrix.columns()), RowMarks<Words>(marks, p),
                [&](Index j) { return indices[p].target_in_row(groups[p].index, j); });
  });
  gather_columns(matrix, groups,
                 [&](Index p, Index i, Index j) { return indices[p].source_in_column(i, j); });
}

/// Inverts convert_to_row_major(): moves the start of the first row to the first column.
template <class Processors, class Matrix, class Words>
KOKKOS_FUNCTION void convert_to_column_major(Matrix const& matrix,
                                             RowGroups<Processors> const& groups,
                                             Words const& marks) {
  using Index = std::uint32_t;
  auto indices = conversion_indices(groups, matrix.columns());
  scatter_columns(matrix, groups,
                  [&](Index p, Index i, Index j) { return indices[p].source_in_column(i, j); });
  groups.processors().step([&](Index p) {
    gather_row(RowSegment<Matrix>(matrix, p, 0, matrix.columns()), RowMarks<Words>(marks, p),
               [&](Index j) { return indices[p].target_in_row(groups[p].index, j); });
  });
  if (needs_rotation(groups, matrix.columns())) {
    scatter_columns(matrix, groups, [&](Index p, Index i, Index j) {
      return indices[p].row_before_rotation(i, j);
    });
  }
}

}  // namespace riffle::detail::matrix_sort
