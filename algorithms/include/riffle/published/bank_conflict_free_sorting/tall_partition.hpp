#pragma once

// Solves the partition problem for matrices with more rows than columns in O(m log_m^3 w) time, as published, for
// comparison:
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 2, Lemma 2.
//
// Its constant factor is so large that sorting by Theorem 2 takes less time for up to at least 512 rows (counted by
// perf/published/memory_machine.cpp). Riffle's own partition does not call it.
//
// The lemma requires that w is a power of m, and m > 2 sqrt(log w). For other shapes:
// - a square that should have m rows may have fewer; the numbers of rows are as even as possible
//   (balance());
// - sub-matrices may have different numbers of rows;
// - rows after the last multiple of m are merged at the end, in O(m log w) time. The bounds on the
//   number of dirty rows are then not guaranteed. So the result is checked, and sorted by Theorem 2
//   if it is wrong.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/partition/label_check.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/row_exchange.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/conversion.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/square_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/tall_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_partition {

KOKKOS_FUNCTION constexpr std::uint32_t ceil_divide(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

/// Divides `rows` by m and rounds up, `times` times.
KOKKOS_FUNCTION constexpr std::uint32_t divide_often(std::uint32_t rows, std::uint32_t m,
                                                     std::uint32_t times) {
  for (; times > 0; --times) rows = ceil_divide(rows, m);
  return rows;
}

/// Returns ceil(log_m(rows)), but at least 1. Requires m > 1.
KOKKOS_FUNCTION constexpr std::uint32_t balancing_rounds(std::uint32_t rows, std::uint32_t m) {
  std::uint32_t rounds = 1;
  while (divide_often(rows, m, rounds) > 1) ++rounds;
  return rounds;
}

/// The step "balancing" of [1]. For any threshold, replace smaller elements by 0 and all others by 1. After r rounds,
/// the numbers of zeros in any two rows of a group differ by at most r, and each row is sorted.
///
/// A round starts with balanced sub-matrices of `stride` = ceil(rows / m) rows each. For each j, the round sorts a
/// square that consists of the j-th rows of m sub-matrices. An uneven division does most harm in the last round.
/// Therefore the sizes are chosen such that the last round has m sub-matrices, or a few less.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void balance(Matrix const& matrix, RowGroups<Processors> const& groups,
                             Words const& marks, RowSorter const& sorter) {
  std::uint32_t const m = matrix.columns();
  for (std::uint32_t round = balancing_rounds(groups.max_rows(), m); round-- > 0;) {
    std::uint32_t const rows = divide_often(groups.max_rows(), m, round);
    auto const squares = groups.parts(rows).strides(ceil_divide(rows, m));
    matrix_sort::sort_square(matrix, squares, marks, sorter);
    matrix_sort::convert_to_column_major(matrix, squares, marks);
  }
}

/// Returns the maximum number of dirty rows after balancing and conversion. There are at most d = 2 log_m(rows) dirty
/// columns, and each becomes rows / m rows.
///
/// A matrix is divided into m / d sub-matrices with this number of rows, so that the dirty rows are in at most two of
/// them. ([1] prints m d sub-matrices of w / (m d) rows. But d columns that become w / m rows each are d w / m rows.)
KOKKOS_FUNCTION constexpr std::uint32_t divided_rows(std::uint32_t rows, std::uint32_t m) {
  return ceil_divide(2 * balancing_rounds(rows, m) * rows, m);
}

/// Repeats the steps "balancing" and "Convert and Divide" of [1] until sub-matrices have at most m
/// rows or, if m is too small, no longer get smaller. Then sorts squares of m rows. Up to 2^k rows
/// are still dirty after k divisions.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void divide(Matrix const& matrix, RowGroups<Processors> const& groups,
                            Words const& marks, RowSorter const& sorter) {
  std::uint32_t const m = matrix.columns();
  auto parts = groups;
  std::uint32_t rows = groups.max_rows();
  while (rows > m && divided_rows(rows, m) < rows) {
    balance(matrix, parts, marks, sorter);
    matrix_sort::convert_to_row_major(matrix, parts, marks);
    rows = divided_rows(rows, m);
    parts = parts.parts(rows);
  }
  matrix_sort::sort_square(matrix, parts.parts(m), marks, sorter);
}

/// Sorts groups whose dirty rows are within two adjacent m x m squares. These include all groups of
/// up to 2 m rows.
///
/// [1] instead sorts squares that start half a square higher. The form here needs no other squares,
/// and is correct for twice the number of rows.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void sort_neighbours(Matrix const& matrix, RowGroups<Processors> const& groups,
                                     Words const& marks, RowSorter const& sorter) {
  std::uint32_t const m = matrix.columns();
  auto const squares = groups.parts(m);
  matrix_sort::sort_square(matrix, squares, marks, sorter);
  if (groups.max_rows() <= m) return;
  merge_neighbours(matrix, groups, sorter, m, 0);
  if (groups.max_rows() > 2 * m) merge_neighbours(matrix, groups, sorter, m, 1);
  matrix_sort::sort_square(matrix, squares, marks, sorter);
}

/// Divides each group of `rows` rows into its first rows / m * m rows and the rest, because the recursion of [1]
/// requires that the number of rows is a multiple of m.
template <class Processors>
KOKKOS_FUNCTION RowGroups<Processors> aligned_rows(RowGroups<Processors> const& groups,
                                                   std::uint32_t m) {
  return groups.parts(groups.max_rows() / m * m);
}

/// Returns the groups that are sorted at recursion level `level`. Each group stores one column of a group of the level
/// above. A column of r elements is stored in r / m rows, so the number of rows decreases by a factor of m per level.
template <class Processors>
KOKKOS_FUNCTION RowGroups<Processors> groups_of_level(RowGroups<Processors> const& groups,
                                                      std::uint32_t m, std::uint32_t level) {
  auto result = groups;
  for (; level > 0; --level) {
    result = aligned_rows(result, m).parts(result.max_rows() / m);
  }
  return result;
}

/// Finishes the sort after columns have been sorted; the dirty rows are then adjacent.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void sort_adjacent_dirt(Matrix const& matrix, RowGroups<Processors> const& groups,
                                        Words const& marks, RowSorter const& sorter) {
  std::uint32_t const m = matrix.columns();
  bool const is_aligned = groups.all_equal() && groups.max_rows() % m == 0;
  if (is_aligned) {
    sort_neighbours(matrix, groups, marks, sorter);
  } else {
    sort_neighbours(matrix, aligned_rows(groups, m).alternating(), marks, sorter);
    merge_bitonic_rows(matrix, groups, sorter);
  }
}

/// Implements Lemma 2 without its guarantee. Requires at least two columns.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void partition_by_division(Matrix const& matrix,
                                           RowGroups<Processors> const& groups, Words const& marks,
                                           RowSorter const& sorter) {
  std::uint32_t const m = matrix.columns();
  std::uint32_t level = 0;
  for (std::uint32_t rows = groups.max_rows(); rows > 2 * m; rows /= m, ++level) {
    auto const here = groups_of_level(groups, m, level);
    divide(matrix, here, marks, sorter);
    matrix_sort::convert_to_row_major(matrix, aligned_rows(here, m), marks);
  }
  sort_neighbours(matrix, groups_of_level(groups, m, level), marks, sorter);
  while (level-- > 0) {
    auto const here = groups_of_level(groups, m, level);
    matrix_sort::convert_to_column_major(matrix, aligned_rows(here, m), marks);
    sort_adjacent_dirt(matrix, here, marks, sorter);
  }
}

/// Whether the items of each row have the row's own label. Takes O(m + log w) time.
template <class Processors, class Items, class Words, class Label>
KOKKOS_FUNCTION bool is_partitioned(Processors& processors, Items const& items, Words const& words,
                                    Label const& label) {
  auto is_right = processors.template registers<bool>();
  processors.step([&](std::uint32_t p) {
    bool right = true;
    for (std::uint32_t c = 0; c < items.columns(); ++c) {
      right = label(items.read(p, c)) == p && right;
    }
    is_right[p] = right;
  });
  return all_agree(processors, words, is_right);
}

/// Moves the items with label i to row i, for any shape. Requires that each label occurs m times,
/// where m is the number of columns, and that `words` has at least one column. Returns true if
/// Lemma 2 sufficed, and false if Theorem 2 was needed.
template <class Processors, class Matrix, class Words, class RowSorter, class Label>
KOKKOS_FUNCTION bool partition_tall(Processors& processors, Matrix const& matrix,
                                    Words const& marks, Words const& words, RowSorter const& sorter,
                                    Label const& label) {
  RowGroups<Processors> const all(processors);
  if (matrix.columns() > 1) {
    partition_by_division(matrix, all, marks, sorter);
    if (is_partitioned(processors, matrix, words, label)) return true;
  }
  matrix_sort::sort_tall(matrix, all, marks, sorter);
  return false;
}

}  // namespace riffle::detail::matrix_partition
