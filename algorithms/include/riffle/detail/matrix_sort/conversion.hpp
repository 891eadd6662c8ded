#pragma once

// From row-major to column-major order and back, in place, without bank conflicts, in O(m) time for any shape
//   B. Catanzaro, A. Keller, M. Garland, "A decomposition for in-place matrix transposition", PPoPP 2014,
//   doi 10.1145/2555243.2555253, section 3: C2R and its inverse, R2C.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/matrix_sort/column_permutation.hpp>
#include <riffle/detail/matrix_sort/row_permutation.hpp>
#include <riffle/detail/matrix_sort/row_segment.hpp>
#include <riffle/models/row_groups.hpp>

namespace riffle::detail::matrix_sort {

KOKKOS_FUNCTION constexpr std::uint32_t greatest_common_divisor(std::uint32_t a, std::uint32_t b) {
  while (b != 0) {
    std::uint32_t const rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// The paper's index functions for m rows and n columns, with c = gcd(m, n), a = m / c, b = n / c.
struct ConversionIndices {
  std::uint32_t m;
  std::uint32_t n;
  std::uint32_t a;
  std::uint32_t b;

  KOKKOS_FUNCTION static ConversionIndices of(std::uint32_t rows, std::uint32_t columns) {
    std::uint32_t const c = greatest_common_divisor(rows, columns);
    return {rows, columns, rows / c, columns / c};
  }

  KOKKOS_FUNCTION std::uint32_t row_before_rotation(std::uint32_t i, std::uint32_t j) const {
    return (i + j / b) % m;
  }
  KOKKOS_FUNCTION std::uint32_t target_in_row(std::uint32_t i, std::uint32_t j) const {
    return (row_before_rotation(i, j) + j * m) % n;
  }
  KOKKOS_FUNCTION std::uint32_t source_in_column(std::uint32_t i, std::uint32_t j) const {
    return (j + i * n - i / a) % m;
  }
};

template <class Processors>
KOKKOS_FUNCTION auto conversion_indices(RowGroups<Processors> const& groups,
                                        std::uint32_t columns) {
  Processors& processors = groups.processors();
  auto indices = processors.template registers<ConversionIndices>();
  processors.step(
      [&](std::uint32_t p) { indices[p] = ConversionIndices::of(groups[p].rows, columns); });
  return indices;
}

/// Whether a column of some group is to be rotated.
template <class Processors>
KOKKOS_FUNCTION bool needs_rotation(RowGroups<Processors> const& groups, std::uint32_t columns) {
  return !groups.all_equal() || greatest_common_divisor(groups.most_rows(), columns) > 1;
}

/// In each group, the elements in column-major order become those in row-major order: the first column makes the beginning
/// of the first row. `marks` has mark_columns(columns) columns of 32-bit words.
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

/// The inverse: the beginning of the first row makes the first column.
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
