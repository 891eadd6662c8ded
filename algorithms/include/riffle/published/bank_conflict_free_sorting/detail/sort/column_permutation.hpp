#pragma once

// Permutes each column within groups of rows. Each column of a group has its own permutation.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

/// Gathers within columns: the element in row index i and column j is read from row index source(p,
/// i, j), where p is the calling processor. Requires that for each j, the function i -> source(p,
/// i, j) is a permutation of the group's row indices. Takes two time units per column.
template <class Processors, class Matrix, class Source>
KOKKOS_FUNCTION void gather_columns(Matrix const& matrix, RowGroups<Processors> const& groups,
                                    Source const& source) {
  Processors& processors = groups.processors();
  auto value = processors.template registers<typename Matrix::value_type>();
  // The step that writes column j - 1 also reads column j.
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

/// Scatters within columns: the element in row index i and column j moves to row index target(p, i,
/// j). Requires that for each j, the function i -> target(p, i, j) is a permutation of the group's
/// row indices. Takes two time units per column.
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
