#pragma once

// Converts a matrix in a team's scratch memory from row-major to column-major order and back, in
// place and without bank conflicts:
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

/// The number of bytes of scratch memory (level 0, per team) that team_matrix functions need in
/// addition to the matrices themselves, of which each warp of a GPU, or each thread of a CPU, has
/// one: `policy.set_scratch_size(0, Kokkos::PerTeam(...))`.
template <class Exec>
KOKKOS_FUNCTION constexpr std::size_t team_matrix_scratch_bytes(int team_size,
                                                                std::uint32_t columns) {
  namespace ms = detail::matrix_sort;
  std::size_t const bytes = ms::TeamMarks::bytes(ms::mark_columns(columns));
  return detail::processors_scratch_bytes<Exec>(team_size, bytes);
}

/// Moves element k in row-major order (row k / columns, column k % columns) to the place of element
/// k in column-major order (row k % 32, column k / 32). So threads that each read a row of
/// successive elements, without conflicts, leave an array in its own order.
///
/// Each warp of a GPU, or thread of a CPU, has its own matrix, which has at least one column and is
/// shared by all lanes of a warp. Every thread of the team makes the call, with the same number
/// of columns. The call begins and ends with a team barrier, so that it needs no barriers around
/// it.
///
/// Returns false on all threads, and does not change the matrix, if the team has less than
/// team_matrix_scratch_bytes() bytes of scratch memory left, or a partial warp on a GPU.
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

/// The inverse of team_matrix_to_column_major(), with the same contract.
template <class Member, class T>
[[nodiscard]] KOKKOS_FUNCTION bool team_matrix_to_row_major(Member const& member,
                                                            BankedMatrix<T> const& matrix) {
  return detail::matrix_sort::run_on_team(
      member, matrix.columns(), [&](auto const& rows, auto const& marks) {
        detail::matrix_sort::convert_to_row_major(matrix, rows, marks);
      });
}

}  // namespace riffle
