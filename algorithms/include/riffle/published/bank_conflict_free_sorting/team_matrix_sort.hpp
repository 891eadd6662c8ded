#pragma once

// Sorting in a team's scratch memory without a single bank conflict, whatever the data:
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 2: Lemma 1, Theorem 1 and Theorem 2.
//
//   // In a kernel; a warp has a matrix of its own, on a CPU a thread has.
//   riffle::BankedMatrix<float> const matrix(scratch, columns);
//   ...  // matrix.write(k % 32, k / 32, value of k), a barrier
//   if (!riffle::team_matrix_sort(member, matrix)) { ... }  // the policy reserved too little
//   ...  // matrix.read(k / columns, k % columns) is the k-th in order

#include <Kokkos_Core.hpp>

#include <riffle/order.hpp>
#include <riffle/published/bank_conflict_free_sorting/banked_matrix.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/conversion.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/heap_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/shearsort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/sort_on_team.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/tall_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_matrix_conversion.hpp>

namespace riffle {

/// How a sorted matrix lies.
enum class MatrixOrder {
  /// The least elements in the first row.
  row_major,
  /// The least elements in the first column; where they have 4 bytes, as a sorted array of 32 * columns.
  column_major
};

/// Sorts 32 * columns elements in place, by comparisons alone: each warp of a team on a GPU sorts its own matrix, as
/// does each thread on a CPU.
///
/// - matrix: the same for all lanes of a warp, in memory that they share; different for different warps. At least one
///   column.
/// - compare: a strict weak order. Not stable: see ByKeyThenValue (riffle/sort/key_value.hpp). If it gives
///   the same answer whenever it is asked about the same elements, but is not such an order, such as Ascending on
///   numbers with NaNs among them, the result is an unspecified permutation of the elements. If its answers change, the
///   elements are unspecified. In either case no memory but the matrix and the team's scratch memory is accessed.
/// - order: how the sorted matrix lies.
///
/// Returns false, the same for all threads, and leaves the matrix as it is, where the team has less than
/// team_matrix_scratch_bytes() bytes of scratch memory left, or on a GPU has a partial warp. Every thread of the team
/// makes the call, with the same number of columns. The call begins and ends with a team barrier, so that it needs none
/// around it.
///
/// Time per lane, for m columns: O(m log m) accesses by Theorem 1, for m >= 32, or by Lemma 1, with the smallest
/// constant, from m = 1024 on; for fewer columns O(m (log^2 32 + log m)) by Theorem 2. No access has a bank conflict.
/// Reproducible, ties included: the same result on every back end.
template <class Member, class T, class Compare = Ascending>
[[nodiscard]] KOKKOS_FUNCTION bool team_matrix_sort(Member const& member,
                                                    BankedMatrix<T> const& matrix,
                                                    Compare const& compare = {},
                                                    MatrixOrder order = MatrixOrder::row_major) {
  namespace ms = detail::matrix_sort;
  return ms::run_on_team(member, matrix.columns(), [&](auto const& rows, auto const& marks) {
    ms::sort_matrix(matrix, rows, marks, ms::HeapSort<Compare>(compare));
    if (order == MatrixOrder::column_major) ms::convert_to_column_major(matrix, rows, marks);
  });
}

/// Sorts by Shearsort, the method that the paper improves on: a factor of log2 32 = 5 sorts of all rows and columns.
///   N. Sitchinava, V. Weichert, "Provably efficient GPU algorithms", arXiv 1306.5076 (2013).
template <class Member, class T, class Compare = Ascending>
[[nodiscard]] KOKKOS_FUNCTION bool team_matrix_shearsort(
    Member const& member, BankedMatrix<T> const& matrix, Compare const& compare = {},
    MatrixOrder order = MatrixOrder::row_major) {
  namespace ms = detail::matrix_sort;
  return ms::run_on_team(member, matrix.columns(), [&](auto const& rows, auto const& marks) {
    ms::shearsort(matrix, rows, ms::HeapSort<Compare>(compare));
    if (order == MatrixOrder::column_major) ms::convert_to_column_major(matrix, rows, marks);
  });
}

}  // namespace riffle
