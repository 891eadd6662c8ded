#pragma once

// Scans by the threads of one team: in registers if the team runs on a GPU and consists of whole warps, otherwise in
// scratch memory.
//
// A scan has two levels, as in [1]. The threads of a team, in order of team_rank(), are divided into blocks of 32. Each
// block is scanned by Sklansky's network (riffle/primitives/tile_tree.hpp). If a GPU's team consists of whole warps, a
// block is a warp, whose threads exchange values through registers. On a CPU, and if a team ends in a partial warp, the
// block is scanned in scratch memory, in the same order. Then the totals of the blocks are combined from left to right.
// So the order in which values are combined depends only on the size of the team.
//
// [1] S. Sengupta, M. Harris, M. Garland, "Efficient parallel scan algorithms for GPUs", NVIDIA
//     Technical Report NVR-2008-003 (2008).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle {

namespace detail {

/// The alignment of the array in scratch memory. It is at least 8, Kokkos's own alignment, so that padding is not added
/// twice.
template <class T>
inline constexpr std::size_t team_slot_alignment = alignof(T) < 8 ? 8 : alignof(T);

/// Returns an array in scratch memory with one value for each thread. It belongs to the team until the calling function
/// returns. The array is taken from a copy of the scratch space, after the Views that the caller has taken. So the
/// caller's scratch space does not change.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION T* team_slots(Member const& member) {
  auto const scratch = member.team_scratch(0);
  auto const bytes = sizeof(T) * static_cast<std::size_t>(member.team_size());
  void* const slots =
      scratch.get_shmem_aligned(bytes, static_cast<std::ptrdiff_t>(team_slot_alignment<T>));
  if (slots == nullptr) {
    Kokkos::abort(
        "riffle::team_inclusive_scan or team_exclusive_scan: the policy has too little scratch "
        "memory "
        "of level 0: must have team_scan_scratch_bytes<T>(team_size) bytes per team beyond the "
        "caller's "
        "own");
  }
  return static_cast<T*>(slots);
}

/// Scans the values of each block of 32 threads. Sets slots[r] to value(b) + ... + value(r), where + is `op`, value(r)
/// is the value of rank r, and b is the first rank of r's block.
template <class Op, class Member, class T>
KOKKOS_INLINE_FUNCTION void scan_blocks_in_scratch(Member const& member, T const& value,
                                                   Op const& op, T* slots) {
  int const rank = member.team_rank();
  slots[rank] = value;
  for (int half = 1; half < backend::width && half < member.team_size(); half *= 2) {
    member.team_barrier();
    if (rank & half) {
      slots[rank] = op(slots[(rank & ~(2 * half - 1)) | (half - 1)], slots[rank]);
    }
  }
}

/// Scans blocks as scan_blocks_in_scratch does, but in registers if a GPU's team consists of whole warps. Begins and
/// ends with a team barrier.
template <class Op, class Member, class T>
KOKKOS_INLINE_FUNCTION void scan_blocks(Member const& member, T const& value, Op const& op,
                                        T* slots) {
  member.team_barrier();
  if constexpr (backend::is_cpu<typename Member::execution_space>) {
    scan_blocks_in_scratch(member, value, op, slots);
  } else if (member.team_size() % backend::width != 0) {
    scan_blocks_in_scratch(member, value, op, slots);
  } else {
    int const rank = member.team_rank();
    slots[rank] = scan_lanes(op, rank % backend::width, value);
  }
  member.team_barrier();
}

/// Returns value(0) + ... + value(count - 1). `slots` is the result of scan_blocks.
template <class Op, class T>
KOKKOS_INLINE_FUNCTION T combine_blocks(Op const& op, T const* slots, int count) {
  T result = op.identity();
  if (count == 0) return result;
  int const last = count - 1;
  for (int end = backend::width - 1; end < last; end += backend::width) {
    result = op(result, slots[end]);
  }
  return op(result, slots[last]);
}

/// Returns value(0) + ... + value(team_rank() + own - 1), where + is `op`. `own` is 1 for inclusive scans and 0 for
/// exclusive scans. Unless `total` is null, sets *total to value(0) + ... + value(team_size() - 1).
template <class Op, class Member, class T>
KOKKOS_INLINE_FUNCTION T team_scan(Member const& member, T const& value, Op const& op, int own,
                                   T* total) {
  T* const slots = team_slots<T>(member);
  scan_blocks(member, value, op, slots);
  T const prefix = combine_blocks(op, slots, member.team_rank() + own);
  if (total != nullptr) *total = combine_blocks(op, slots, member.team_size());
  member.team_barrier();
  return prefix;
}

}  // namespace detail

/// Returns the number of bytes of level-0 scratch memory that a team of `team_size` threads needs for team scans of
/// values of type T. Scans that follow each other use the same bytes:
/// `policy.set_scratch_size(0, Kokkos::PerTeam(team_scan_scratch_bytes<T>(team_size)))`.
/// Add the scratch memory that the kernel itself takes.
template <class T>
KOKKOS_FUNCTION constexpr std::size_t team_scan_scratch_bytes(int team_size) {
  return sizeof(T) * static_cast<std::size_t>(team_size) + detail::team_slot_alignment<T>;
}

/// Returns the combination of the values that threads 0, 1, ..., team_rank() of the team pass, in this order:
///   value(0) + value(1) + ... + value(team_rank()), where + is any associative operation.
///
/// - member: a member of a TeamPolicy with vector length 1 (the default).
/// - value: the value of this thread, of op's value type.
/// - op: a Monoid, commutative or not, called as op(left, right) in the order of ranks.
///
/// Requires: every thread of the team calls the function, outside of nested parallel loops. The team has
/// team_scan_scratch_bytes<Op::value_type>(team_size) free bytes of level-0 scratch memory; otherwise the kernel
/// aborts.
///
/// Complexity: 5 steps, plus one step for each block of 32 threads before this thread's block.
///
/// Memory: the scratch memory is free again when the function returns.
///
/// Blocking: begins and ends with a team barrier, so that calls can follow each other. Between them there is one
/// further barrier. On a CPU, and on a GPU if team_size is not a multiple of 32, there are up to six.
///
/// Reproducible: the order of combination depends only on team_size.
///
/// Source: Sengupta, Harris, Garland (2008), intra-block scan, with Sklansky's (1960) network inside a warp.
template <class Member, Monoid Op>
KOKKOS_INLINE_FUNCTION typename Op::value_type team_inclusive_scan(
    Member const& member, std::type_identity_t<typename Op::value_type> const& value,
    Op const& op) {
  using T = typename Op::value_type;
  return detail::team_scan<Op, Member, T>(member, value, op, 1, nullptr);
}

/// Overload that also sets `total`, in every thread, to the combination of the values of all threads (the result of the
/// last thread).
template <class Member, Monoid Op>
KOKKOS_INLINE_FUNCTION typename Op::value_type team_inclusive_scan(
    Member const& member, std::type_identity_t<typename Op::value_type> const& value, Op const& op,
    typename Op::value_type& total) {
  using T = typename Op::value_type;
  return detail::team_scan<Op, Member, T>(member, value, op, 1, &total);
}

/// Returns the combination of the values that threads 0, 1, ..., team_rank() - 1 of the team pass. The first thread
/// receives op's identity, every other thread the result of team_inclusive_scan in the thread before it. Arguments,
/// requirements and costs are the same as for team_inclusive_scan.
template <class Member, Monoid Op>
KOKKOS_INLINE_FUNCTION typename Op::value_type team_exclusive_scan(
    Member const& member, std::type_identity_t<typename Op::value_type> const& value,
    Op const& op) {
  using T = typename Op::value_type;
  return detail::team_scan<Op, Member, T>(member, value, op, 0, nullptr);
}

/// Overload that also sets `total`, in every thread, to the combination of the values of all threads, including the
/// last thread.
template <class Member, Monoid Op>
KOKKOS_INLINE_FUNCTION typename Op::value_type team_exclusive_scan(
    Member const& member, std::type_identity_t<typename Op::value_type> const& value, Op const& op,
    typename Op::value_type& total) {
  using T = typename Op::value_type;
  return detail::team_scan<Op, Member, T>(member, value, op, 0, &total);
}

}  // namespace riffle
