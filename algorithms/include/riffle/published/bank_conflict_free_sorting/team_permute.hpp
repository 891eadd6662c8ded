#pragma once

// Permutes a matrix in a team's scratch memory, without bank conflicts. If the permutation is given with the data:
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 3. If the permutation is known in advance:
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst. E97-D
//   (2014), doi 10.1587/transinf.2014PAP0010 [2], section 6.
//
//   // In a kernel; each warp (on a CPU each thread) has its own matrices.
//   riffle::BankedMatrix<std::uint32_t> const labels(label_memory, columns);
//   riffle::BankedMatrix<float> const values(value_memory, columns);
//   ...  // with l = labels.read(r, c), the value in row r and column c moves to row l % 32, column l / 32
//   auto const [status, rounds] = riffle::team_permute(member, labels, values);
//   if (status != riffle::TeamPermuteStatus::permuted) { ... }

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/permute/row_schedule.hpp>
#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>
#include <riffle/published/bank_conflict_free_sorting/banked_matrix.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/by_communication.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/by_schedule.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/check_labels.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/matrix_items.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/permute_on_team.hpp>
#include <riffle/published/bank_conflict_free_sorting/processors_scratch.hpp>

namespace riffle {

/// Nothing has moved unless the status is `permuted`.
enum class TeamPermuteStatus {
  permuted,
  /// A label is not less than the number of cells.
  label_out_of_range,
  /// A label is repeated.
  label_repeated,
  /// The matrices differ in their number of columns.
  columns_differ,
  /// On a GPU the team has a partial warp.
  partial_warp,
  /// The team has less scratch memory than team_permute_scratch_bytes().
  too_little_scratch,
  /// The schedule is for another number of cells, or it has no row with the given number.
  schedule_does_not_fit
};

/// The status, and the number of rounds of communication. The latter is a function of the labels, the seed and the
/// repetitions.
struct TeamPermuteResult {
  TeamPermuteStatus status;
  std::uint32_t rounds;
};

/// Options of team_permute().
struct TeamPermuteOptions {
  /// The seed influences the time of the call, but not the result.
  std::uint64_t seed = 0;
  /// The level of the scratch memory that the call uses. Only level 0 has banks.
  int scratch_level = 0;
  /// The maximum number of labels per colour that a row sends in a round: alpha of [1]. 0 is treated as 1.
  std::uint32_t repetitions = 2;
};

namespace detail::matrix_permute {

/// Checks labels and permutes, with any kind of processors and memory.
template <class Processors, class Items, class Memory>
KOKKOS_FUNCTION TeamPermuteResult permute_checked(Processors& processors, Items const& items,
                                                  Memory const& memory, std::uint64_t seed,
                                                  std::uint32_t repetitions) {
  if (items.columns() == 0) return {TeamPermuteStatus::permuted, 0};
  switch (check_labels(processors, items, memory.tallies, seed)) {
    case LabelFault::out_of_range: return {TeamPermuteStatus::label_out_of_range, 0};
    case LabelFault::repeated: return {TeamPermuteStatus::label_repeated, 0};
    case LabelFault::none: break;
  }
  std::uint32_t const rounds =
      permute_by_communication(processors, items, memory, seed, repetitions == 0 ? 1 : repetitions);
  return {TeamPermuteStatus::permuted, rounds};
}

}  // namespace detail::matrix_permute

/// Returns the number of bytes of scratch memory that team_permute() needs for a team of `Exec` and values of type T,
/// in addition to the caller's scratch memory. Each warp of a GPU, or thread of a CPU, needs 512 bytes, and sizeof(T) +
/// 8 bytes for each cell.
template <class Exec, class T>
KOKKOS_FUNCTION constexpr std::size_t team_permute_scratch_bytes(int team_size,
                                                                 std::uint32_t columns) {
  namespace mp = detail::matrix_permute;
  return detail::processors_scratch_bytes<Exec>(team_size, mp::ScratchLayout<T>(columns).bytes());
}

/// Moves each value to the cell that its label names. Each warp of a team on a GPU, or each thread on a CPU, has its
/// own matrices.
///
/// - labels: a permutation of 0, ..., 32 * columns - 1. Label l names the cell in row l % 32 and column l / 32. If
///   there are fewer values than cells, the label of a cell without a value must be that cell. After the call, the
///   label of every cell is that cell.
/// - values: a matrix with the same number of columns. The lanes of a warp share the memory of its values and labels;
///   different warps have different matrices.
///
/// Every thread of the team must call the function, with the same number of columns. The call begins and ends with a
/// team barrier, so no other barriers are needed before and after it.
///
/// Returns the status for the warp's own matrices. The labels are checked before any value moves. A label that is out
/// of range is always detected. A repeated label is missed with probability 2^-64, depending on the seed; a value is
/// then lost.
///
/// Complexity: O(m) expected accesses per lane, for m columns, without bank conflicts: 45 m to 50 m for m >= 16, and up
/// to 80 m for fewer columns. Values of more than 4 bytes need several accesses each. Reproducible, including the
/// number of rounds.
template <class Member, class T>
[[nodiscard]] KOKKOS_FUNCTION TeamPermuteResult
team_permute(Member const& member, BankedMatrix<std::uint32_t> const& labels,
             BankedMatrix<T> const& values, TeamPermuteOptions const& options = {}) {
  namespace mp = detail::matrix_permute;
  if (labels.columns() != values.columns()) return {TeamPermuteStatus::columns_differ, 0};
  if (!detail::is_of_whole_warps(member)) return {TeamPermuteStatus::partial_warp, 0};
  mp::ScratchLayout<T> const layout(labels.columns());
  std::byte* const memory =
      detail::processors_scratch(member, layout.bytes(), options.scratch_level);
  if (memory == nullptr) return {TeamPermuteStatus::too_little_scratch, 0};
  member.team_barrier();
  auto processors = bank_processors(member);
  TeamPermuteResult const result =
      mp::permute_checked(processors, detail::LabelledItems(labels, values),
                          layout.matrices(memory), options.seed, options.repetitions);
  member.team_barrier();
  return result;
}

/// Sets target(p(j)) = source(j), where j and p(j) are labels of cells, and p is the permutation in row `row` of
/// `schedule`. RowPermutation::schedule() (riffle/permute/row_permutation.hpp) returns a schedule.
///
/// - row: less than schedule.rows. Each warp, or thread, may have a different row.
/// - source, target: matrices that share no memory. Their number of columns is the smallest for which 32 * columns is
///   at least schedule.columns. Elements of the source whose label is at least schedule.columns are copied to the same
///   cells of the target.
///
/// Everything else is as for the first overload. Complexity: for m columns and elements of 4 bytes, 2 m accesses per
/// lane, without bank conflicts, and one read of 4 bytes of the schedule in global memory for each cell.
template <class Member, class Exec, class T>
[[nodiscard]] KOKKOS_FUNCTION TeamPermuteStatus team_permute(Member const& member,
                                                             RowSchedule<Exec> const& schedule,
                                                             std::uint64_t row,
                                                             BankedMatrix<T> const& source,
                                                             BankedMatrix<T> const& target) {
  namespace mp = detail::matrix_permute;
  if (source.columns() != target.columns()) return TeamPermuteStatus::columns_differ;
  if (!detail::is_of_whole_warps(member)) return TeamPermuteStatus::partial_warp;
  detail::row_permutation::RowAddresses const at{schedule.columns, schedule.columns};
  std::uint64_t const cells = std::uint64_t{source.rows()} * source.columns();
  if (at.steps() != cells) return TeamPermuteStatus::schedule_does_not_fit;
  // Barrier: warps with an invalid row must also reach the team barriers.
  bool const has_row = row < schedule.rows;
  member.team_barrier();
  if (has_row) {
    auto processors = bank_processors(member);
    mp::permute_by_schedule(
        processors, source, target,
        [&](std::uint32_t step) { return schedule.from(at.schedule(row, step)); },
        [&](std::uint32_t step) { return schedule.to(at.schedule(row, step)); });
  }
  member.team_barrier();
  return has_row ? TeamPermuteStatus::permuted : TeamPermuteStatus::schedule_does_not_fit;
}

}  // namespace riffle
