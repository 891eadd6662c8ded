#pragma once

// Scans by the threads of one team: in registers where a GPU's team has whole warps, else in scratch memory.
//
// A scan has two levels, as in [1]. The threads of a team, in order of team_rank(), are cut into blocks of 32. Each
// block is scanned by Sklansky's network (riffle/primitives/tile_tree.hpp): on a GPU a block is a warp, whose threads
// exchange values through registers, if the team has whole warps; on a CPU, and where a team ends in a partial warp,
// the block works in scratch memory in the same order. Then the totals of blocks are combined from left to right. So
// the order in which values are combined depends on the team's size alone.
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

/// The alignment in scratch memory: at least Kokkos's own, so that padding is not added twice.
template <class T>
inline constexpr std::size_t team_slot_alignment = alignof(T) < 8 ? 8 : alignof(T);

/// An array with a value of each thread, in memory that is the team's until the calling function returns: a copy of the
/// scratch space takes it after the caller's own Views, and is then dropped.
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

/// Makes slots[r] the combination of the values of r's block up to r's own.
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

/// The same, in registers where a GPU's team has whole warps. It begins and ends with a barrier.
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

/// The combination of the first `count` threads' values, from what scan_blocks left.
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

/// Returns the combination of the first team_rank() + `own` values, and sets `total`, unless null, to that of all.
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

/// The bytes of scratch memory, level 0 and per team, that a policy reserves for any number of team
/// scans, one after the other, of values of type T by teams of `team_size` threads:
/// `policy.set_scratch_size(0, Kokkos::PerTeam(team_scan_scratch_bytes<T>(team_size)))`. Scratch memory that
/// the kernel takes itself comes on top.
template <class T>
KOKKOS_FUNCTION constexpr std::size_t team_scan_scratch_bytes(int team_size) {
  return sizeof(T) * static_cast<std::size_t>(team_size) + detail::team_slot_alignment<T>;
}

/// The combination of the values that threads 0, 1, ..., team_rank() of the team pass, in this order:
///   value(0) + value(1) + ... + value(team_rank()), where + is any associative operation.
///
/// - member: a member of a TeamPolicy with vector length 1 (the default), whose scratch memory of level 0 has
///   team_scan_scratch_bytes<Op::value_type>(team_size) free bytes per team; else the kernel aborts. They are free
///   again when the function returns.
/// - value: this thread's value, of op's value type.
/// - op: a Monoid, commutative or not, called as op(left, right) in the order of ranks.
///
/// Every thread of the team makes the call, none of them inside a nested parallel loop. The call begins and ends with a
/// barrier of the team, so that calls can follow each other. It has one more barrier in between, or up to six on a CPU
/// and, where team_size is not a multiple of 32, on a GPU. Cost: 5 steps, then one for each 32 threads before this one.
/// Reproducible: the order of combination depends on team_size alone. From Sengupta, Harris, Garland (2008),
/// intra-block scan, with Sklansky's (1960) network inside a warp.
template <class Member, Monoid Op>
KOKKOS_INLINE_FUNCTION typename Op::value_type team_inclusive_scan(
    Member const& member, std::type_identity_t<typename Op::value_type> const& value,
    Op const& op) {
  using T = typename Op::value_type;
  return detail::team_scan<Op, Member, T>(member, value, op, 1, nullptr);
}

/// The same. In every thread `total` becomes the combination of all values, which is what the last thread gets.
template <class Member, Monoid Op>
KOKKOS_INLINE_FUNCTION typename Op::value_type team_inclusive_scan(
    Member const& member, std::type_identity_t<typename Op::value_type> const& value, Op const& op,
    typename Op::value_type& total) {
  using T = typename Op::value_type;
  return detail::team_scan<Op, Member, T>(member, value, op, 1, &total);
}

/// The combination of the values that threads 0, 1, ..., team_rank() - 1 of the team pass: op's identity for the first
/// thread, and for every other what team_inclusive_scan gives the thread before it. All else is as for
/// team_inclusive_scan.
template <class Member, Monoid Op>
KOKKOS_INLINE_FUNCTION typename Op::value_type team_exclusive_scan(
    Member const& member, std::type_identity_t<typename Op::value_type> const& value,
    Op const& op) {
  using T = typename Op::value_type;
  return detail::team_scan<Op, Member, T>(member, value, op, 0, nullptr);
}

/// The same. In every thread `total` becomes the combination of all values, the last thread's too.
template <class Member, Monoid Op>
KOKKOS_INLINE_FUNCTION typename Op::value_type team_exclusive_scan(
    Member const& member, std::type_identity_t<typename Op::value_type> const& value, Op const& op,
    typename Op::value_type& total) {
  using T = typename Op::value_type;
  return detail::team_scan<Op, Member, T>(member, value, op, 0, &total);
}

}  // namespace riffle
