#pragma once

// The scan of a GPU where elements count 0 or 1 and there are many tiles: while the elements of one tile
// are evaluated, those of another are on their way from memory.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/flag_tile.hpp>

namespace riffle::detail::scan {

/// Teams that stay, each with three tiles in hand: one that is evaluated, one whose total was sent a step before and
/// which waits for its prefix, and one that is written. Items wait in scratch memory, where those of the tile that is
/// evaluated replace those of the tile that is written, batch by batch: a thread finds there what it put there itself.
template <class Source, class Sink, class Op, bool Inclusive>
class FlagPipeline {
 public:
  using Value = typename Op::value_type;
  using Tile = FlagTile<Source, Sink, Value, Inclusive, 4>;
  using Item = typename Tile::Item;

  static constexpr std::uint64_t tile_size = Tile::tile_size;
  static constexpr int threads = Tile::threads;
  static constexpr int teams_per_processor = 3;

 private:
  // A warp has several shares of a look-back: together they reach as far back as tiles are in hand.
  static constexpr int shares_per_warp = 2;
  static constexpr int share_count = Tile::warps * shares_per_warp;
  static constexpr int places = takes_items<Sink> ? 2 : 1;

  struct State {
    Ticket ticket;
    Share<Value> shares[share_count];
    Value counts[Tile::warps];
    Item items[places][takes_items<Sink> ? Tile::steps : 1][threads];
  };

 public:
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;
  /// Whether the items of two tiles fit in scratch memory.
  static constexpr bool is_possible = scratch_bytes <= max_scratch_bytes;

  FlagPipeline(std::uint64_t n, Source const& source, Sink const& sink,
               LookBack<Op> const& look_back)
      : n_(n), source_(source), sink_(sink), look_back_(look_back) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    int const thread = team.team_rank();
    int const lane = thread % backend::width;
    int const warp = thread / backend::width;
    if (thread == 0) state.ticket = look_back_.take_ticket();
    team.team_barrier();
    std::uint32_t const epoch = state.ticket.epoch;
    std::uint64_t now = state.ticket.number;
    InHand waiting;
    InHand leaving;
    for (int place = 0; is_tile(now) || is_tile(waiting.tile) || is_tile(leaving.tile);
         place = places - 1 - place) {
      // A multiprocessor answers requests in their order, so short ones go first.
      bool const takes = thread == 0 && is_tile(now);
      Ticket ticket;
      if (takes) ticket = look_back_.take_ticket();
      InHand fresh;
      if (is_tile(now)) fresh.tile = now;
      evaluate_and_write(fresh, leaving, thread, state.items[place]);
      Value const count = Tile::count(fresh.flags);
      if (lane == 0) state.counts[warp] = count;
      team.team_barrier();
      WarpCounts<Value> const counts(look_back_.op(), state.counts, Tile::warps, lane);
      fresh.total = counts.total();
      fresh.before = counts.before(warp);
      if (thread == 0 && is_tile(now)) look_back_.send_tile_total(now, epoch, fresh.total);
      if (is_tile(waiting.tile)) look_back(waiting, epoch, state.shares, warp, lane);
      if (thread == 0) state.ticket.number = takes ? ticket.number : none;
      team.team_barrier();
      if (is_tile(waiting.tile)) {
        waiting.before +=
            look_back_.combine(waiting.tile, epoch, state.shares, share_count, lane, warp == 0);
      }
      leaving = waiting;
      waiting = fresh;
      now = state.ticket.number;
    }
    if (thread == 0) look_back_.finish(epoch);
  }

 private:
  static constexpr std::uint32_t none = ~0u;

  /// A thread's part of a tile.
  struct InHand {
    std::uint64_t tile = none;
    std::uint32_t flags = 0;
    Value total = 0;   // of the tile
    Value before = 0;  // before the warp: in the tile, and then in all
  };

  KOKKOS_FUNCTION bool is_tile(std::uint64_t tile) const { return tile < look_back_.tiles(); }

  KOKKOS_FUNCTION void look_back(InHand const& waiting, std::uint32_t epoch, Share<Value>* shares,
                                 int warp, int lane) const {
    Glimpse<Value> seen[shares_per_warp];
    RIFFLE_UNROLL
    for (int k = 0; k < shares_per_warp; ++k) {
      seen[k] = look_back_.glimpse(waiting.tile, warp + k * Tile::warps, lane);
    }
    RIFFLE_UNROLL
    for (int k = 0; k < shares_per_warp; ++k) {
      int const s = warp + k * Tile::warps;
      Share<Value> const share =
          look_back_.look_back(waiting.tile, epoch, waiting.total, s, lane, seen[k]);
      if (lane == 0) shares[s] = share;
    }
  }

  KOKKOS_FUNCTION void evaluate_and_write(InHand& fresh, InHand& leaving, int thread,
                                          Item (*items)[threads]) const {
    Tile const to_evaluate(n_, fresh.tile, thread);
    Tile const to_write(n_, leaving.tile, thread);
    RIFFLE_NO_UNROLL
    for (int first = 0; first < Tile::steps; first += Tile::batch) {
      typename Tile::Items own;
      if constexpr (takes_items<Sink>) get(items + first, thread, own);
      // Without a tile its flags are zero, and nothing is loaded.
      auto const loaded = to_write.load(sink_, leaving.flags, first, own);
      typename Tile::Items evaluated;
      if (is_tile(fresh.tile)) fresh.flags |= to_evaluate.evaluate(source_, first, evaluated);
      if (is_tile(leaving.tile)) {
        to_write.write(sink_, leaving.flags, first, own, loaded, leaving.before);
      }
      if constexpr (takes_items<Sink>) set(items + first, thread, evaluated);
    }
  }

  KOKKOS_FUNCTION static void get(Item (*items)[threads], int thread, typename Tile::Items& to) {
    RIFFLE_UNROLL
    for (int k = 0; k < Tile::batch; ++k) to[k] = items[k][thread];
  }

  KOKKOS_FUNCTION static void set(Item (*items)[threads], int thread,
                                  typename Tile::Items const& from) {
    RIFFLE_UNROLL
    for (int k = 0; k < Tile::batch; ++k) items[k][thread] = from[k];
  }

  std::uint64_t n_;
  Source source_;
  Sink sink_;
  LookBack<Op> look_back_;
};

}  // namespace riffle::detail::scan
