#pragma once

// RowSegment, which is a processor's row or a part of it, and sort_rows(), which sorts all rows.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

template <class Matrix>
class RowSegment {
 public:
  using value_type = typename Matrix::value_type;

  KOKKOS_FUNCTION RowSegment(Matrix const& matrix, std::uint32_t row, std::uint32_t begin,
                             std::uint32_t size)
      : matrix_(matrix), row_(row), begin_(begin), size_(size) {}

  KOKKOS_FUNCTION std::uint32_t row() const { return row_; }
  KOKKOS_FUNCTION std::uint32_t size() const { return size_; }
  KOKKOS_FUNCTION value_type read(std::uint32_t i) const { return matrix_.read(row_, begin_ + i); }
  KOKKOS_FUNCTION void write(std::uint32_t i, value_type const& value) const {
    matrix_.write(row_, begin_ + i, value);
  }

 private:
  Matrix matrix_;
  std::uint32_t row_;
  std::uint32_t begin_;
  std::uint32_t size_;
};

enum class RowOrder {
  ascending,
  /// Rows with an odd index in their group are sorted in descending order.
  alternating
};

/// Sorts each row in the direction that `order` specifies, or in the opposite direction if the row's
/// group is descending.
///
/// sorter(segment, descending) must sort a segment of the calling processor's row, and may access
/// only that row. sorter.before(a, b) is the comparison by which it sorts. The cost of the whole
/// algorithm is dominated by the row sorter: O(m log m) per row for comparison sorts, O(m) for a
/// radix sort of small integers.
template <class Processors, class Matrix, class RowSorter>
KOKKOS_FUNCTION void sort_rows(Matrix const& matrix, RowGroups<Processors> const& groups,
                               RowSorter const& sorter, RowOrder order) {
  groups.processors().step([&](std::uint32_t p) {
    GroupPlace const& place = groups[p];
    bool const is_odd = order == RowOrder::alternating && place.index % 2 == 1;
    sorter(RowSegment<Matrix>(matrix, p, 0, matrix.columns()), place.descending != is_odd);
  });
}

}  // namespace riffle::detail::matrix_sort
