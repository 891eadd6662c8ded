#pragma once

// How a team that is served (riffle/primitives/prefix_server.hpp) gets the prefix of a tile.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/scan/detail/gpu/value_tile.hpp>

namespace riffle::detail::scan {

/// A thread's part. The last warp is the clerk: it sends totals and receives prefixes. The team meets between the steps.
template <class Op, int Threads>
class PrefixClerk {
 public:
  using Value = typename Op::value_type;
  using Sight = typename LookBack<Op>::Sight;

  /// The scratch memory through which the clerk tells the team, in turns: a prefix is read while the next one comes.
  struct State {
    Value prefixes[2];
  };

  KOKKOS_FUNCTION PrefixClerk(LookBack<Op> const& look_back, std::uint32_t epoch, State& state,
                              int thread)
      : look_back_(look_back),
        epoch_(epoch),
        state_(state),
        lane_(thread % backend::width),
        is_clerk_(thread / backend::width == Threads / backend::width - 1) {}

  /// Scans `rows`, the totals of the tile's rows, and sends the tile's total.
  KOKKOS_FUNCTION void send_total(std::uint64_t tile, Value* rows) const {
    if (!is_clerk_) return;
    Value const up_to = scan_row_totals(look_back_.op(), lane_, rows);
    if (lane_ == backend::width - 1) look_back_.send_tile_total(tile, epoch_, up_to);
  }

  /// Looks for the prefix, without waiting for what it sees.
  KOKKOS_FUNCTION Sight glimpse(std::uint64_t tile) const {
    Sight seen;
    if (is_clerk_) seen = look_back_.glimpse_tile_prefix(tile);
    return seen;
  }

  /// Waits for the prefix.
  KOKKOS_FUNCTION void receive(std::uint64_t tile, Sight const& seen, int turn) const {
    if (!is_clerk_ || lane_ != 0) return;
    state_.prefixes[turn] = look_back_.receive_tile_prefix(tile, epoch_, seen);
  }

  /// What was received in that turn, once the team has met.
  KOKKOS_FUNCTION Value const& prefix(int turn) const { return state_.prefixes[turn]; }

 private:
  LookBack<Op> const& look_back_;
  std::uint32_t epoch_;
  State& state_;
  int lane_;
  bool is_clerk_;
};

}  // namespace riffle::detail::scan
