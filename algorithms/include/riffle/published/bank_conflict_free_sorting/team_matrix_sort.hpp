#pragma once

// Sorts in a team's scratch memory without bank conflicts, for any data:
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 2: Lemma 1, Theorem 1 and Theorem 2.
//
//   // In a kernel; each warp (on a CPU each thread) has its own matrix.
//   riffle::BankedMatrix<float> const matrix(scratch, columns);
//   ...  // matrix.write(k % 32, k / 32, value of k), a barrier
//   if (!riffle::team_matrix_sort(member, matrix)) { ... }  // the policy reserved too little
//   ...  // matrix.read(k / columns, k % columns) is element k of the sorted sequence

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

/// The order of a sorted matrix.
enum class MatrixOrder {
  /// The smallest elements are in the first row.
  row_major,
  /// The smallest elements are in the first column; elements of 4 bytes form a sorted array of 32 *
  /// columns elements.
  column_major
};

/// Sorts 32 * columns elements in place by comparisons. Each warp of a team on a GPU, or each
/// thread on a CPU, sorts its own matrix. Not stable; for a stable sort see ByKeyThenValue
/// (riffle/sort/key_value.hpp).
///
/// - matrix: one matrix per warp, in memory that the lanes of the warp share. It has at least one column.
/// - compare: a strict weak ordering. If it gives consistent results but is not a strict weak
///   ordering, such as Ascending on numbers with NaNs, the result is an unspecified permutation of
///   the elements. If its results change, the elements are unspecified. In either case, only the
///   matrix and the team's scratch memory are accessed.
/// - order: the order of the sorted matrix.
///
/// Every thread of the team must call the function, with the same number of columns. The call
/// begins and ends with a team barrier, so no other barriers are needed before and after it.
///
/// Returns false on all threads, and does not change the matrix, if the team has less than
/// team_matrix_scratch_bytes() bytes of scratch memory left, or, on a GPU, a partial warp.
///
/// Complexity: number of accesses per lane, for m columns, all without bank conflicts:
///
///     m >= 1024         O(m log m), with the smallest constant (Lemma 1)
///     32 <= m < 1024    O(m log m) (Theorem 1)
///     m < 32            O(m (log^2 32 + log m)) (Theorem 2)
///
/// Reproducible: the same result on every back end, including the order of ties.
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

/// Sorts by Shearsort, the algorithm on which the paper improves. It has log2 32 = 5 rounds, each
/// of which sorts all rows and all columns.
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
