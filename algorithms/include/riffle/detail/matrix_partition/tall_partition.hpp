#pragma once

// The partition problem for tall and narrow matrices, in O(m log_m^3 w) time
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 2, Lemma 2.
//
// The lemma has w a power of m, and m > 2 sqrt(log w). For other shapes
// - a square that is to have m rows may have fewer, as even as can be (balance());
// - sub-matrices need not be as many rows each;
// - what is beyond the last multiple of m rows is merged in the end, in O(m log w) time.
// Nothing then guarantees that dirt stays within the bounds. So the result is looked at, and sorted in the way of Theorem 2 if
// it is not right.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/matrix_partition/label_check.hpp>
#include <riffle/detail/matrix_partition/row_exchange.hpp>
#include <riffle/detail/matrix_sort/conversion.hpp>
#include <riffle/detail/matrix_sort/square_sort.hpp>
#include <riffle/detail/matrix_sort/tall_sort.hpp>
#include <riffle/models/row_groups.hpp>

namespace riffle::detail::matrix_partition {

KOKKOS_FUNCTION constexpr std::uint32_t ceil_divide(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

/// `rows` divided by m, rounded up, `times` times.
KOKKOS_FUNCTION constexpr std::uint32_t divide_often(std::uint32_t rows, std::uint32_t m,
                                                     std::uint32_t times) {
  for (; times > 0; --times) rows = ceil_divide(rows, m);
  return rows;
}

/// ceil(log_m(rows)), at least 1, for m > 1.
KOKKOS_FUNCTION constexpr std::uint32_t balancing_rounds(std::uint32_t rows, std::uint32_t m) {
  std::uint32_t rounds = 1;
  while (divide_often(rows, m, rounds) > 1) ++rounds;
  return rounds;
}

/// Balancing of [1]: mark the least elements 0 and all others 1, then the rows of a group have as many zeros each, but for
/// one, upwards or downwards, for each round, and are sorted.
///
/// A round has sub-matrices of `stride` rows already balanced, and makes of the j-th rows of m of them a square, for each j.
/// Sub-matrices are taken so that there are m of them, or few less, in the last round, where an uneven one would do most harm.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void balance(Matrix const& matrix, RowGroups<Processors> const& groups,
                             Words const& marks, RowSorter const& sorter) {
  std::uint32_t const m = matrix.columns();
  for (std::uint32_t round = balancing_rounds(groups.most_rows(), m); round-- > 0;) {
    std::uint32_t const rows = divide_often(groups.most_rows(), m, round);
    auto const squares = groups.parts(rows).strides(ceil_divide(rows, m));
    matrix_sort::sort_square(matrix, squares, marks, sorter);
    matrix_sort::convert_to_column_major(matrix, squares, marks);
  }
}

/// The rows that can be dirty after balancing and conversion: those of d = 2 log_m(rows) columns, each of rows / m rows.
///
/// The m / d sub-matrices that a matrix is divided into have as many, so that dirt falls into two of them at most. ([1] prints
/// m d sub-matrices of w / (m d) rows; w / m rows for each of d columns are d w / m.)
KOKKOS_FUNCTION constexpr std::uint32_t divided_rows(std::uint32_t rows, std::uint32_t m) {
  return ceil_divide(2 * balancing_rounds(rows, m) * rows, m);
}

/// Balancing, and Convert and Divide, until sub-matrices are of m rows at most and are sorted, or until they get no smaller,
/// where m is too small. Rows are dirty still: up to 2^k after k divisions.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void divide(Matrix const& matrix, RowGroups<Processors> const& groups,
                            Words const& marks, RowSorter const& sorter) {
  std::uint32_t const m = matrix.columns();
  auto parts = groups;
  std::uint32_t rows = groups.most_rows();
  while (rows > m && divided_rows(rows, m) < rows) {
    balance(matrix, parts, marks, sorter);
    matrix_sort::convert_to_row_major(matrix, parts, marks);
    rows = divided_rows(rows, m);
    parts = parts.parts(rows);
  }
  matrix_sort::sort_square(matrix, parts.parts(m), marks, sorter);
}

/// Sorts groups in which the rows that are dirty are within two adjacent m x m squares, so all of up to 2 m rows.
///
/// [1] sorts squares that begin half a square higher instead; this needs no other ones, and is right for twice as many rows.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void sort_neighbours(Matrix const& matrix, RowGroups<Processors> const& groups,
                                     Words const& marks, RowSorter const& sorter) {
  std::uint32_t const m = matrix.columns();
  auto const squares = groups.parts(m);
  matrix_sort::sort_square(matrix, squares, marks, sorter);
  if (groups.most_rows() <= m) return;
  merge_neighbours(matrix, groups, sorter, m, 0);
  if (groups.most_rows() > 2 * m) merge_neighbours(matrix, groups, sorter, m, 1);
  matrix_sort::sort_square(matrix, squares, marks, sorter);
}

/// The columns of [1]'s recursion: the rows of a group up to the last multiple of m, for groups of `rows` rows.
template <class Processors>
KOKKOS_FUNCTION RowGroups<Processors> aligned_rows(RowGroups<Processors> const& groups,
                                                   std::uint32_t m) {
  return groups.parts(groups.most_rows() / m * m);
}

/// What is sorted `level` recursions below `groups`: a column of each of those above, in `rows` / m rows.
template <class Processors>
KOKKOS_FUNCTION RowGroups<Processors> groups_of_level(RowGroups<Processors> const& groups,
                                                      std::uint32_t m, std::uint32_t level) {
  auto result = groups;
  for (; level > 0; --level) {
    result = aligned_rows(result, m).parts(result.most_rows() / m);
  }
  return result;
}

/// What is left once columns are sorted: dirty rows are adjacent.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void sort_adjacent_dirt(Matrix const& matrix, RowGroups<Processors> const& groups,
                                        Words const& marks, RowSorter const& sorter) {
  std::uint32_t const m = matrix.columns();
  bool const is_aligned = groups.all_equal() && groups.most_rows() % m == 0;
  if (is_aligned) {
    sort_neighbours(matrix, groups, marks, sorter);
  } else {
    sort_neighbours(matrix, aligned_rows(groups, m).alternating(), marks, sorter);
    merge_bitonic_rows(matrix, groups, sorter);
  }
}

/// Lemma 2 without its guarantee. Needs two columns at least.
template <class Processors, class Matrix, class Words, class RowSorter>
KOKKOS_FUNCTION void partition_by_division(Matrix const& matrix,
                                           RowGroups<Processors> const& groups, Words const& marks,
                                           RowSorter const& sorter) {
  std::uint32_t const m = matrix.columns();
  std::uint32_t level = 0;
  for (std::uint32_t rows = groups.most_rows(); rows > 2 * m; rows /= m, ++level) {
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

/// Sends items with label i to row i, for any shape; there must be as many of each label as columns. `words` has a column at
/// least. Returns whether Lemma 2 did it, and not Theorem 2 after it.
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
