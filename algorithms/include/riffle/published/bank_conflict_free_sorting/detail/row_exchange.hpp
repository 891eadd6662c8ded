#pragma once

// Merges sorted blocks of rows, by comparing and exchanging the elements of pairs of rows:
//   K. E. Batcher, "Sorting networks and their applications", AFIPS Spring Joint Computer Conference 32 (1968): bitonic
//   merge.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_partition {

/// The pair to which a row belongs in a compare-exchange.
struct RowPair {
  bool exists;
  /// Whether the row is the upper one, which receives the smaller elements.
  bool is_upper;
  /// The index, within the group, of the other row.
  std::uint32_t other;
};

enum class Facing {
  /// Elements of the same column are compared.
  parallel,
  /// Column c of one row is compared with column m - 1 - c of the other.
  mirrored
};

/// Compares each row with the row pair(place).other, and swaps elements that are in the wrong order. The processors of
/// the upper rows work on the even columns, the processors of the lower rows on the odd columns. Takes two time units
/// per column.
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

/// Merges adjacent blocks, each of which consists of `rows` successive rows and is sorted. If `first` = 0, merges
/// blocks 0 and 1, 2 and 3, and so on; if `first` = 1, blocks 1 and 2, 3 and 4, and so on. Afterwards each element is
/// in the right one of its two blocks, but the blocks need not be sorted. The last element of the one block is compared
/// with the first element of the other, the second last with the second, and so on.
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

/// Sorts groups whose elements first ascend and then descend, in O(m log w) time. In a descending
/// group, elements first descend and then ascend.
///
/// If the number of rows is not a power of two, the algorithm behaves as if the group were preceded
/// by rows of minimal elements, up to a power of two; such rows never move.
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
