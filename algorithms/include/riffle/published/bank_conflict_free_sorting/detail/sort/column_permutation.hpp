#pragma once

// Permutes each column of groups of rows by a permutation of its own.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

/// Gathers: the element of row index i and column j comes from row index source(p, i, j), where p
/// is the calling processor. For each j this is a permutation of the group. Two time units a
/// column.
template <class Processors, class Matrix, class Source>
KOKKOS_FUNCTION void gather_columns(Matrix const& matrix, RowGroups<Processors> const& groups,
                                    Source const& source) {
  Processors& processors = groups.processors();
  auto value = processors.template registers<typename Matrix::value_type>();
  // The step that writes column j - 1 reads column j.
  for (std::uint32_t j = 0; j <= matrix.columns(); ++j) {
    processors.step([&](std::uint32_t p) {
      GroupPlace const& place = groups[p];
      if (j > 0) matrix.write(p, j - 1, value[p]);
      if (j < matrix.columns()) {
        value[p] = matrix.read(place.row(source(p, place.index, j)), j);
      }
    });
  }
}

/// Scatters: the element of row index i and column j goes to row index target(p, i, j). For each j
/// this is a permutation of the group. Two time units a column.
template <class Processors, class Matrix, class Target>
KOKKOS_FUNCTION void scatter_columns(Matrix const& matrix, RowGroups<Processors> const& groups,
                                     Target const& target) {
  Processors& processors = groups.processors();
  auto value = processors.template registers<typename Matrix::value_type>();
  for (std::uint32_t j = 0; j <= matrix.columns(); ++j) {
    processors.step([&](std::uint32_t p) {
      GroupPlace const& place = groups[p];
      if (j > 0) matrix.write(place.row(target(p, place.index, j - 1)), j - 1, value[p]);
      if (j < matrix.columns()) value[p] = matrix.read(p, j);
    });
  }
}

}  // namespace riffle::detail::matrix_sort
