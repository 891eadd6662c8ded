#pragma once

// Sums over the threads of a team of whole warps on a GPU, in the caller's memory. (For any team, operation and back
// end: riffle/primitives/team_scan.hpp.)

#include <Kokkos_Core.hpp>

#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail {

/// The inclusive prefix sum of `value` over the threads of this thread's warp. The warp's total goes to sums[warp].
template <class Member, class Value>
KOKKOS_FUNCTION Value scan_warp(Member const& team, Value* sums, Value value) {
  int const lane = team.team_rank() % backend::width;
  Value const inclusive = scan_lanes(Sum<Value>{}, lane, value);
  if (lane == backend::width - 1) sums[team.team_rank() / backend::width] = inclusive;
  return inclusive;
}

/// The sum of the values of the team's threads before this one. `sums` has an entry for each of the team's warps. The
/// team meets once, and must have met since `sums` was last read.
template <class Member, class Value>
KOKKOS_FUNCTION Value exclusive_team_sum(Member const& team, Value* sums, Value value) {
  Value before = scan_warp(team, sums, value) - value;
  team.team_barrier();
  int const warp = team.team_rank() / backend::width;
  for (int w = 0; w < warp; ++w) before += sums[w];
  return before;
}

/// The same for a team of `warps` warps, unrolled: it asks for all sums before it waits, in as many registers.
template <int warps, class Member, class Value>
KOKKOS_FUNCTION Value exclusive_team_sum(Member const& team, Value* sums, Value value) {
  Value before = scan_warp(team, sums, value) - value;
  team.team_barrier();
  int const warp = team.team_rank() / backend::width;
  RIFFLE_UNROLL
  for (int w = 0; w + 1 < warps; ++w) before += w < warp ? sums[w] : 0;
  return before;
}

/// The same; `total` becomes the sum of all values.
template <class Member, class Value>
KOKKOS_FUNCTION Value exclusive_team_sum(Member const& team, Value* sums, Value value,
                                         Value& total) {
  Value before = scan_warp(team, sums, value) - value;
  team.team_barrier();
  int const warp = team.team_rank() / backend::width;
  int const warps = team.team_size() / backend::width;
  total = 0;
  for (int w = 0; w < warps; ++w) {
    if (w < warp) before += sums[w];
    total += sums[w];
  }
  return before;
}

}  // namespace riffle::detail
