#pragma once

// 32-way partition in a team's scratch memory, without bank conflicts. Each item moves to the row
// that its label names.
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 2: the partition problem.
//
//   // In a kernel; each warp (on a CPU each thread) has its own matrices.
//   riffle::BankedMatrix<std::uint32_t> const labels(label_memory, columns);
//   riffle::BankedMatrix<float> const values(value_memory, columns);
//   ...  // `columns` labels of each kind from 0 to 31, in any order
//   if (riffle::team_partition(member, labels, values) != riffle::TeamPartitionStatus::partitioned) { ... }
//   ...  // row i of `values` contains the values that had label i

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>
#include <riffle/published/bank_conflict_free_sorting/banked_matrix.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/labelled_items.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/partition/partition_on_team.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/partition/run.hpp>
#include <riffle/published/bank_conflict_free_sorting/processors_scratch.hpp>

namespace riffle {

/// Nothing has moved unless the status is `partitioned`.
enum class TeamPartitionStatus {
  partitioned,
  /// For some label 0, ..., 31, the number of items with this label differs from the number of
  /// columns.
  bad_labels,
  /// The matrices of labels and values have different numbers of columns.
  columns_differ,
  /// On a GPU the team has a partial warp.
  partial_warp,
  /// The team has less scratch memory than team_partition_scratch_bytes().
  too_little_scratch
};

/// Returns the number of bytes of level-0 scratch memory that team_partition() needs for a team of `Exec`, in addition
/// to the caller's scratch memory. Each warp of a GPU, or thread of a CPU, needs one bit for each item, and up to 4 KiB
/// for counters.
template <class Exec>
KOKKOS_FUNCTION constexpr std::size_t team_partition_scratch_bytes(int team_size,
                                                                   std::uint32_t columns) {
  std::size_t const bytes = detail::matrix_partition::ScratchLayout(columns).bytes();
  return detail::processors_scratch_bytes<Exec>(team_size, bytes);
}

namespace detail::matrix_partition {

template <class Member, class Items, class Label>
KOKKOS_FUNCTION TeamPartitionStatus partition_on_team(Member const& member, Items const& items,
                                                      Label const& label) {
  if (!is_of_whole_warps(member)) return TeamPartitionStatus::partial_warp;
  ScratchLayout const layout(items.columns());
  std::byte* const memory = processors_scratch(member, layout.bytes());
  if (memory == nullptr) return TeamPartitionStatus::too_little_scratch;
  member.team_barrier();
  auto processors = bank_processors(member);
  bool const done = partition(processors, items, layout.matrices(memory), label);
  member.team_barrier();
  return done ? TeamPartitionStatus::partitioned : TeamPartitionStatus::bad_labels;
}

}  // namespace detail::matrix_partition

/// Moves the items for which label(item) = i to row i, for each i from 0 to 31. Each warp of a team on a GPU, or each
/// thread on a CPU, has its own matrix. Not stable: the order of the items within a row is unspecified, but is the same
/// on every back end.
///
/// - items: one array per warp, in memory that the lanes of the warp share.
/// - label: a functor with std::uint32_t operator()(T const&) const, callable in kernels. It is
///   called several times for each item.
///
/// Every thread of the team must call the function, with the same number of columns. The call
/// begins and ends with a team barrier, so no other barriers are needed before and after it.
///
/// Returns the status for the warp's own matrix. The labels are checked before any item moves: the
/// number of occurrences of each label must be the number of columns.
///
/// Complexity: number of accesses per lane, for m columns, all without bank conflicts:
///
///     m >= 1024             at most 73 m (Corollary 1 of [1])
///     m < 1024              at most 240 m + 320 (Shearsort, with rows sorted as in [1])
///     m a multiple of 32    160 m
///
/// Reproducible, including the order of the items within a row.
template <class Member, class T, class Label>
[[nodiscard]] KOKKOS_FUNCTION TeamPartitionStatus team_partition(Member const& member,
                                                                 BankedMatrix<T> const& items,
                                                                 Label const& label) {
  return detail::matrix_partition::partition_on_team(member, items, label);
}

/// Overload for labels and values in two matrices with the same number of columns. Both are
/// permuted.
template <class Member, class T>
[[nodiscard]] KOKKOS_FUNCTION TeamPartitionStatus
team_partition(Member const& member, BankedMatrix<std::uint32_t> const& labels,
               BankedMatrix<T> const& values) {
  namespace mp = detail::matrix_partition;
  if (labels.columns() != values.columns()) return TeamPartitionStatus::columns_differ;
  return mp::partition_on_team(member, detail::LabelledItems(labels, values),
                               detail::LabelOfItem());
}

}  // namespace riffle
