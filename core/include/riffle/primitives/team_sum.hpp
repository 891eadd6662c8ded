#pragma once

// Prefix sums over the threads of a team on a GPU, in memory that the caller provides. The team consists of whole
// warps. (riffle/primitives/team_scan.hpp has scans for all teams, operations and back ends.)

#include <Kokkos_Core.hpp>

#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail {

/// Returns the inclusive prefix sum of `value` within this thread's warp. Sets sums[warp] to the sum over the whole
/// warp.
template <class Member, class Value>
KOKKOS_FUNCTION Value scan_warp(Member const& team, Value* sums, Value value) {
  int const lane = team.team_rank() % backend::width;
  Value const inclusive = scan_lanes(Sum<Value>{}, lane, value);
  if (lane == backend::width - 1) sums[team.team_rank() / backend::width] = inclusive;
  return inclusive;
}

/// Returns the sum of the values of all threads of the team before this one. `sums` has one entry for each warp of the
/// team. Contains one team barrier. If `sums` was read before, another team barrier must precede the call.
template <class Member, class Value>
KOKKOS_FUNCTION Value exclusive_team_sum(Member const& team, Value* sums, Value value) {
  Value before = scan_warp(team, sums, value) - value;
  team.team_barrier();
  int const warp = team.team_rank() / backend::width;
  for (int w = 0; w < warp; ++w) before += sums[w];
  return before;
}

/// Overload for a team of `warps` warps. The loop is unrolled, so that all loads of `sums` are issued before the first
/// result is used; this takes `warps` - 1 registers.
template <int warps, class Member, class Value>
KOKKOS_FUNCTION Value exclusive_team_sum(Member const& team, Value* sums, Value value) {
  Value before = scan_warp(team, sums, value) - value;
  team.team_barrier();
  int const warp = team.team_rank() / backend::width;
  RIFFLE_UNROLL
  for (int w = 0; w + 1 < warps; ++w) before += w < warp ? sums[w] : 0;
  return before;
}

/// Overload that also sets `total` to the sum of all values.
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
