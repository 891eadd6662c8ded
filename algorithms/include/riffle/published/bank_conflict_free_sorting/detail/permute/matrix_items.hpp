#pragma once

// The labels of the permutation problem. A label is the destination cell of an item.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/labelled_items.hpp>

namespace riffle::detail::matrix_permute {

/// The label of cells without an item. No item has this label, because a matrix has fewer than 2^32
/// cells.
inline constexpr std::uint32_t no_label = ~std::uint32_t{0};

/// The labels of a matrix of `rows` x `columns` cells. Label l is the cell (i, j) with i = l mod
/// rows and j = l / rows.
struct Labels {
  std::uint32_t rows;
  std::uint32_t columns;

  KOKKOS_FUNCTION std::uint32_t count() const { return rows * columns; }
  KOKKOS_FUNCTION std::uint32_t of(std::uint32_t row, std::uint32_t column) const {
    return column * rows + row;
  }
  KOKKOS_FUNCTION std::uint32_t row(std::uint32_t label) const { return label % rows; }
  KOKKOS_FUNCTION std::uint32_t column(std::uint32_t label) const { return label / rows; }

  /// Returns the position of a label's cell in row-major order. Cells without an item are last.
  KOKKOS_FUNCTION std::uint32_t place(std::uint32_t label) const {
    return label == no_label ? no_label : row(label) * columns + column(label);
  }
};

template <class Matrix>
KOKKOS_FUNCTION Labels labels_of(Matrix const& matrix) {
  return {matrix.rows(), matrix.columns()};
}

}  // namespace riffle::detail::matrix_permute
