#pragma once

// The scan of a GPU where elements count 0 or 1.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/flag_tile.hpp>

namespace riffle::detail::scan {

/// Scans each tile by a team of its own, where no more tiles than teams fit on the GPU.
template <class Source, class Sink, class Op, bool Inclusive>
class FlagTiles {
 public:
  using Value = typename Op::value_type;
  using Tile = FlagTile<Source, Sink, Value, Inclusive>;

  static constexpr std::uint64_t tile_size = Tile::tile_size;
  static constexpr int threads = Tile::threads;
  static constexpr int teams_per_processor = 5;

 private:
  struct State {
    Ticket ticket;
    Share<Value> shares[Tile::warps];
    Value counts[Tile::warps];
  };

 public:
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  FlagTiles(std::uint64_t n, Source const& source, Sink const& sink, LookBack<Op> const& look_back)
      : n_(n), source_(source), sink_(sink), look_back_(look_back) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    int const thread = team.team_rank();
    int const lane = thread % backend::width;
    int const warp = thread / backend::width;
    if (thread == 0) state.ticket = look_back_.take_ticket();
    team.team_barrier();
    Ticket const ticket = state.ticket;

    Tile const tile(n_, ticket.number, thread);
    typename Tile::Items items[Tile::batches];
    std::uint32_t const flags = tile.evaluate(source_, items);
    Value const count = Tile::count(flags);
    if (lane == 0) state.counts[warp] = count;
    team.team_barrier();
    WarpCounts<Value> const counts(look_back_.op(), state.counts, Tile::warps, lane);
    Value const total = counts.total();
    if (thread == 0) look_back_.send_tile_total(ticket.number, ticket.epoch, total);
    Share<Value> const share = look_back_.look_back(ticket.number, ticket.epoch, total, warp, lane);
    if (lane == 0) state.shares[warp] = share;
    team.team_barrier();
    Value const prefix =
        look_back_.combine(ticket.number, ticket.epoch, state.shares, Tile::warps, lane, warp == 0);
    if (thread == 0) look_back_.finish(ticket.epoch);
    tile.write(sink_, flags, items, prefix + counts.before(warp));
  }

 private:
  std::uint64_t n_;
  Source source_;
  Sink sink_;
  LookBack<Op> look_back_;
};

}  // namespace riffle::detail::scan
