#pragma once

// Sorts the columns of a matrix with more rows than columns, by a sorting network:
//   K. E. Batcher, "Sorting networks and their applications", AFIPS Spring Joint Computer Conference 32 (1968):
//   odd-even merge sort; for any number of rows as in D. E. Knuth, "The Art of Computer Programming", volume 3, 2nd
//   edition (1998), section 5.2.2, Algorithm M (merge exchange).
//
// Afshani and Sitchinava sort columns by R. Cole's parallel merge sort, in O(log w) time per column. Batcher's network
// has log w (log w + 1) / 2 stages, which is more by a factor of up to (log w + 1) / 2, for example 3 for w = 32. But
// each stage is only one compare-exchange of pairs of rows. Cole's algorithm stores samples, ranks and cross pointers
// for every node of a tree, so its constant factor exceeds (log w + 1) / 2 for the number w of banks of any real
// machine.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

/// A stage of the network. Rows i and i + distance are compared if (i & bit) == value.
struct ExchangeStage {
  std::uint32_t bit;
  std::uint32_t value;
  std::uint32_t distance;

  KOKKOS_FUNCTION bool is_upper(std::uint32_t i, std::uint32_t rows) const {
    return (i & bit) == value && i + distance < rows;
  }
};

/// Swaps two elements of a column if out_of_place(own, other) is true.
template <class Matrix, class OutOfPlace>
KOKKOS_FUNCTION void compare_exchange(Matrix const& matrix, std::uint32_t column,
                                      std::uint32_t own_row, std::uint32_t other_row,
                                      OutOfPlace const& out_of_place) {
  auto const own = matrix.read(own_row, column);
  auto const other = matrix.read(other_row, column);
  bool const swaps = out_of_place(own, other);
  matrix.write(own_row, column, swaps ? other : own);
  matrix.write(other_row, column, swaps ? own : other);
}

/// Runs one stage. The processors of the upper rows work on even columns, the processors of the
/// lower rows on odd columns.
template <class Processors, class Matrix, class RowSorter>
KOKKOS_FUNCTION void run_stage(Matrix const& matrix, RowGroups<Processors> const& groups,
                               RowSorter const& sorter, ExchangeStage const& stage) {
  using T = typename Matrix::value_type;
  groups.processors().step([&](std::uint32_t p) {
    GroupPlace const& place = groups[p];
    std::uint32_t const i = place.index;
    bool const is_upper = stage.is_upper(i, place.rows);
    bool const is_lower =
        !is_upper && i >= stage.distance && stage.is_upper(i - stage.distance, place.rows);
    if (!is_upper && !is_lower) return;
    std::uint32_t const other = place.row(is_upper ? i + stage.distance : i - stage.distance);
    for (std::uint32_t c = is_upper ? 0 : 1; c < matrix.columns(); c += 2) {
      compare_exchange(matrix, c, p, other, [&](T const& own, T const& its) {
        return is_upper == place.descending ? sorter.before(own, its) : sorter.before(its, own);
      });
    }
  });
}

/// Sorts each column of each group. The order is descending if the group is descending.
template <class Processors, class Matrix, class RowSorter>
KOKKOS_FUNCTION void merge_exchange_columns(Matrix const& matrix,
                                            RowGroups<Processors> const& groups,
                                            RowSorter const& sorter) {
  std::uint32_t most = 1;
  while (2 * most < groups.max_rows()) most *= 2;
  // A group with fewer rows uses the part of the network that is within the group.
  for (std::uint32_t bit = most; bit > 0; bit /= 2) {
    ExchangeStage stage{bit, 0, bit};
    for (std::uint32_t q = most;; q /= 2) {
      run_stage(matrix, groups, sorter, stage);
      if (q == bit) break;
      stage = {bit, bit, q - bit};
    }
  }
}

}  // namespace riffle::detail::matrix_sort
