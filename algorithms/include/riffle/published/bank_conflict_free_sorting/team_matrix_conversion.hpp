#pragma once

// Converts a matrix in a team's scratch memory between row-major and column-major order, in place
// and without bank conflicts:
//   B. Catanzaro, A. Keller, M. Garland, "A decomposition for in-place matrix transposition", PPoPP 2014,
//   doi 10.1145/2555243.2555253, section 3; in the model of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>
#include <riffle/published/bank_conflict_free_sorting/banked_matrix.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/conversion.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/sort_on_team.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle {

/// Returns the number of bytes of scratch memory (level 0, per team) that team_matrix functions
/// need in addition to the matrices: `policy.set_scratch_size(0, Kokkos::PerTeam(...))`. There is
/// one matrix for each warp of a GPU, or each thread of a CPU.
template <class Exec>
KOKKOS_FUNCTION constexpr std::size_t team_matrix_scratch_bytes(int team_size,
                                                                std::uint32_t columns) {
  namespace ms = detail::matrix_sort;
  std::size_t const bytes = ms::TeamMarks::bytes(ms::mark_columns(columns));
  return detail::processors_scratch_bytes<Exec>(team_size, bytes);
}

/// Moves element k of the row-major order (row k / columns, column k % columns) to the position of
/// element k of the column-major order (row k % 32, column k / 32). For example, each thread reads
/// successive elements of an array into one row, without bank conflicts. After this call, the
/// memory of the matrix contains the array in its original order.
///
/// Each warp of a GPU, or thread of a CPU, has one matrix with at least one column. All lanes of a
/// warp share the matrix. Every thread of the team must call the function, with the same number of
/// columns. The call begins and ends with a team barrier, so no other barriers are needed before
/// and after it.
///
/// Returns false on all threads, and does not change the matrix, if the team has less than
/// team_matrix_scratch_bytes() bytes of scratch memory left, or, on a GPU, a partial warp.
///
/// Complexity: at most 10 accesses per lane and column. Memory: one bit for each element.
template <class Member, class T>
[[nodiscard]] KOKKOS_FUNCTION bool team_matrix_to_column_major(Member const& member,
                                                               BankedMatrix<T> const& matrix) {
  return detail::matrix_sort::run_on_team(
      member, matrix.columns(), [&](auto const& rows, auto const& marks) {
        detail::matrix_sort::convert_to_column_major(matrix, rows, marks);
      });
}

/// The inverse of team_matrix_to_column_major(), with the same requirements and results.
template <class Member, class T>
[[nodiscard]] KOKKOS_FUNCTION bool team_matrix_to_row_major(Member const& member,
                                                            BankedMatrix<T> const& matrix) {
  return detail::matrix_sort::run_on_team(
      member, matrix.columns(), [&](auto const& rows, auto const& marks) {
        detail::matrix_sort::convert_to_row_major(matrix, rows, marks);
      });
}

}  // namespace riffle
