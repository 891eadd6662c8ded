#pragma once

// Compare-exchange of pairs of rows, element by element, which merges sorted blocks of rows
//   K. E. Batcher, "Sorting networks and their applications", AFIPS Spring Joint Computer Conference 32 (1968): bitonic
//   merge.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_partition {

/// A row's part in a compare-exchange.
struct RowPair {
  bool exists;
  /// Whether the row is the upper one, which gets the smaller elements.
  bool is_upper;
  /// The index of the other row in the group.
  std::uint32_t other;
};

enum class Facing {
  /// Elements of the same column are compared.
  parallel,
  /// Column c of one row is compared with column m - 1 - c of the other.
  mirrored
};

/// pair(place) is the row with which the processor's row is compared. The upper rows' processors
/// work on the even columns, the lower rows' processors on the odd columns: two time units a
/// column.
template <class Processors, class Matrix, class RowSorter, class ChoosePair>
KOKKOS_FUNCTION void exchange_rows(Matrix const& matrix, RowGroups<Processors> const& groups,
                                   RowSorter const& sorter, Facing facing, ChoosePair const& pair) {
  using T = typename Matrix::value_type;
  std::uint32_t const columns = matrix.columns();
  groups.processors().step([&](std::uint32_t p) {
    GroupPlace const& place = groups[p];
    RowPair const own_pair = pair(place);
    if (!own_pair.exists) return;
    std::uint32_t const other_row = place.row(own_pair.other);
    for (std::uint32_t k = own_pair.is_upper ? 0 : 1; k < columns; k += 2) {
      std::uint32_t const mirror = facing == Facing::mirrored ? columns - 1 - k : k;
      std::uint32_t const column = own_pair.is_upper ? k : mirror;
      std::uint32_t const other_column = own_pair.is_upper ? mirror : k;
      T const own = matrix.read(p, column);
      T const other = matrix.read(other_row, other_column);
      bool const swaps = own_pair.is_upper == place.descending ? sorter.before(own, other)
                                                               : sorter.before(other, own);
      matrix.write(p, column, swaps ? other : own);
      matrix.write(other_row, other_column, swaps ? own : other);
    }
  });
}

/// Merges neighbouring sorted blocks of `rows` successive rows: blocks with an even number and
/// their next if `first` = 0, blocks with an odd number and their next if `first` = 1. Afterwards
/// each element is in the right block of the two, but blocks need not be sorted. The last element
/// of one block is compared with the first of the other, and so on.
template <class Processors, class Matrix, class RowSorter>
KOKKOS_FUNCTION void merge_neighbours(Matrix const& matrix, RowGroups<Processors> const& groups,
                                      RowSorter const& sorter, std::uint32_t rows,
                                      std::uint32_t first) {
  exchange_rows(matrix, groups, sorter, Facing::mirrored, [&](GroupPlace const& place) {
    std::uint32_t const block = place.index / rows;
    bool const is_upper = block % 2 == first;
    if (!is_upper && block == 0) return RowPair{false, false, 0};
    std::uint32_t const border = (is_upper ? block + 1 : block) * rows;
    std::uint32_t const other = 2 * border - 1 - place.index;
    return RowPair{other < place.rows, is_upper, other};
  });
}

/// Sorts groups whose elements first ascend and then descend, in O(m log w) time; in a descending
/// group, groups whose elements first descend and then ascend.
///
/// If the number of rows is not a power of two, the algorithm acts as if rows of least elements
/// preceded them, up to a power of two; such rows never move.
template <class Processors, class Matrix, class RowSorter>
KOKKOS_FUNCTION void merge_bitonic_rows(Matrix const& matrix, RowGroups<Processors> const& groups,
                                        RowSorter const& sorter) {
  std::uint32_t power = 1;
  while (power < groups.max_rows()) power *= 2;
  for (std::uint32_t distance = power / 2; distance > 0; distance /= 2) {
    exchange_rows(matrix, groups, sorter, Facing::parallel, [&](GroupPlace const& place) {
      std::uint32_t const before = power - place.rows;
      bool const is_upper = ((place.index + before) & distance) == 0;
      if (is_upper) return RowPair{true, true, place.index + distance};
      return RowPair{place.index >= distance, false, place.index - distance};
    });
  }
  matrix_sort::sort_rows(matrix, groups, sorter, matrix_sort::RowOrder::ascending);
}

}  // namespace riffle::detail::matrix_partition
