#pragma once

// How the warps of a team find the prefix of a tile together.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/detail/gpu/value_tile.hpp>

namespace riffle::detail::scan {

/// A thread's part of the search. The last warp, the clerk, sends the tile's total; warps before it look back, each as
/// far as its share reaches; one of these combines what all have seen. The team meets between the three steps.
template <class Op, int Threads>
class PrefixFinder {
 public:
  using Value = typename Op::value_type;

 private:
  static constexpr int warps = Threads / backend::width;
  // The clerk does not look back. As many other warps do as reach to where prefixes have been sent: more would read
  // messages for nothing.
  static constexpr int clerk_warp = warps - 1;
  static constexpr int combining_warp = 1;
  static constexpr int share_count = warps > 8 ? 7 : warps - 1;

 public:
  /// The scratch memory through which the warps meet.
  struct State {
    Share<Value> shares[share_count];
    Value prefix;  // of the last tile that was combined
  };

  KOKKOS_FUNCTION PrefixFinder(LookBack<Op> const& look_back, std::uint32_t epoch, State& state,
                               int thread)
      : look_back_(look_back),
        epoch_(epoch),
        state_(state),
        warp_(thread / backend::width),
        lane_(thread % backend::width) {}

  KOKKOS_FUNCTION Value const& prefix() const { return state_.prefix; }

  /// The first step: scans `rows`, the totals of the tile's rows, and sends the tile's total.
  KOKKOS_FUNCTION void send_total(std::uint64_t tile, Value* rows) const {
    if (warp_ != clerk_warp) return;
    Value const up_to = scan_row_totals(look_back_.op(), lane_, rows);
    if (lane_ == backend::width - 1) look_back_.send_tile_total(tile, epoch_, up_to);
  }

  /// Asks for the messages of the second step, at any time before it.
  KOKKOS_FUNCTION Glimpse<Value> glimpse(std::uint64_t tile) const {
    Glimpse<Value> seen;
    if (warp_ < share_count) seen = look_back_.glimpse(tile, warp_, lane_);
    return seen;
  }

  /// The second step. `rows` are scanned.
  KOKKOS_FUNCTION void look_back(std::uint64_t tile, Value const* rows,
                                 Glimpse<Value> const& seen) const {
    if (warp_ >= share_count) return;
    Value const total = rows[tile_rows - 1];
    Share<Value> const share = look_back_.look_back(tile, epoch_, total, warp_, lane_, seen);
    if (lane_ == 0) state_.shares[warp_] = share;
  }

  /// The third step. prefix() is known after the team has met once more.
  KOKKOS_FUNCTION void combine(std::uint64_t tile) const {
    if (warp_ != combining_warp) return;
    Value const prefix = look_back_.combine(tile, epoch_, state_.shares, share_count, lane_, true);
    if (lane_ == 0) state_.prefix = prefix;
  }

  /// All three steps, for a tile that waits. `rows` are the totals of its rows, which become scanned. A barrier must
  /// follow.
  template <class Member>
  KOKKOS_FUNCTION void find(Member const& team, std::uint64_t tile, Value* rows) const {
    send_total(tile, rows);
    team.team_barrier();
    // Nothing is done between a glimpse and the look-back here, and to hold one takes registers: a scan of structs of 16
    // bytes had none left for it.
    look_back(tile, rows, {});
    team.team_barrier();
    combine(tile);
  }

 private:
  LookBack<Op> const& look_back_;
  std::uint32_t epoch_;
  State& state_;
  int warp_;
  int lane_;
};

}  // namespace riffle::detail::scan
