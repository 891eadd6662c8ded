#pragma once

// Dense ranks on a GPU in one pass: a scan of flags that say where runs begin, by the decoupled look-back of
//   D. Merrill, M. Garland (riffle/primitives/look_back.hpp).
// A team keeps only the flags of a tile that it has read, a bit for each element. So tiles can be large, and messages
// between teams few, though a team has three tiles in hand: one that it reads, one whose total was sent a tile ago and which
// waits for its prefix, and one that it writes. Batches of the first and of the last take turns, so that reads are
// under way all the time, and a message has as long to arrive as a tile takes.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/rank/detail/gpu/warp_quads.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

/// How many of a warp's elements in a batch begin runs, from the flags of its lanes: bit 4 q + e is set where element e
/// of the lane's quad q begins one. All lanes make the calls.
template <int Quads>
class RunsOfBatch {
 public:
  KOKKOS_FUNCTION RunsOfBatch(std::uint32_t flags, int lane)
      : flags_(flags),
        up_to_(scan_lanes(Sum<std::uint32_t>{}, lane, counts_of_quads(flags))),
        before_(up_to_ - counts_of_quads(flags)),
        totals_(backend::from_lane(up_to_, backend::width - 1)) {}

  /// numbers[e] becomes the number of runs that begin up to element e of quad q, where `before` begin before the quads
  /// of all lanes.
  template <class Count>
  KOKKOS_FUNCTION void number(int q, Count before, Count (&numbers)[quad_size]) const {
    Count number = before + count(before_, q);
    RIFFLE_UNROLL
    for (int e = 0; e < quad_size; ++e) {
      number += flags_ >> (quad_size * q + e) & 1u;
      numbers[e] = number;
    }
  }

  /// How many begin in the quads q of all lanes.
  KOKKOS_FUNCTION std::uint32_t in_row(int q) const { return count(totals_, q); }

 private:
  // A byte for each quad holds what its row of 128 elements counts.
  static_assert(Quads <= 4 && row_size < 1 << 8);

  KOKKOS_FUNCTION static std::uint32_t count(std::uint32_t counts, int q) {
    return counts >> 8 * q & 0xFFu;
  }

  KOKKOS_FUNCTION static std::uint32_t counts_of_quads(std::uint32_t flags) {
    std::uint32_t counts = 0;
    RIFFLE_UNROLL
    for (int q = 0; q < Quads; ++q) {
      auto const ones = backend::count_ones(flags >> quad_size * q & 0xFu);
      counts |= static_cast<std::uint32_t>(ones) << 8 * q;
    }
    return counts;
  }

  std::uint32_t flags_;
  std::uint32_t up_to_;
  std::uint32_t before_;
  std::uint32_t totals_;
};

/// Teams that stay, and take tiles of n > 0 sorted elements until none is left. Sink is a DenseRankSink, which gets the
/// number of runs that begin at or before each element, the first run not counted. Index counts a little beyond n elements.
template <class Index, class Source, class Order, class Sink>
class DensePipeline {
  using T = typename Source::Item;
  using Op = Sum<Index>;

  static constexpr int quads = quads_of_bytes(sizeof(T));
  using Values = WarpQuads<Source, Index, quads>;
  using Places = typename Values::Places;

 public:
  static constexpr int threads = threads_of_dense_team;
  static constexpr int teams_per_processor = dense_teams;

 private:
  static constexpr int warps = threads / backend::width;
  /// Tiles of 16,384 elements, whatever their size.
  static constexpr int batches = quads_of_dense_lane / quads;
  static constexpr int parts = batches * warps;
  static constexpr int parts_of_lane = parts / backend::width;

  /// The flags of a tile. of_threads: which elements begin a run. counts: for each warp's part of each batch, how many runs
  /// begin in it; scan_counts() replaces these by how many begin before the part.
  struct Flags {
    std::uint16_t of_threads[batches][threads];
    std::uint32_t counts[parts];
  };

  struct State {
    Ticket ticket;
    Share<Index> shares[warps];
    Flags tiles[3];
  };

 public:
  static constexpr std::uint64_t tile_size = std::uint64_t{parts} * Values::size;
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  DensePipeline(std::uint64_t n, Source const& source, Order const& order, Sink const& sink,
                LookBack<Op> const& look_back)
      : n_(static_cast<Index>(n)),
        source_(source),
        order_(order),
        sink_(sink),
        look_back_(look_back) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    Self const self{team.team_rank(), team.team_rank() % backend::width,
                    team.team_rank() / backend::width};
    if (self.thread == 0) state.ticket = look_back_.take_ticket();
    team.team_barrier();
    std::uint32_t const epoch = state.ticket.epoch;
    InHand fresh{state.ticket.number, 0};
    team.team_barrier();  // before the next ticket takes this one's place
    InHand waiting{none, 1};
    InHand leaving{none, 2};
    Batch batch = read(fresh, 0, self);
    while (is_tile(fresh) || is_tile(waiting) || is_tile(leaving)) {
      bool const takes = self.thread == 0 && is_tile(fresh);
      Ticket ticket;
      if (takes) ticket = look_back_.take_ticket();
      flag_and_write(state, fresh, leaving, batch, self);
      if (self.thread == 0) state.ticket.number = takes ? ticket.number : none;
      team.team_barrier();
      InHand const next{state.ticket.number, leaving.place};
      // A multiprocessor answers requests in their order, so short ones go first.
      auto const seen = look_back_.peek(is_tile(waiting) ? waiting.tile : 0, self.warp, self.lane);
      batch = read(next, 0, self);
      if (is_tile(fresh) && self.warp == 0) {
        fresh.total = scan_counts(state.tiles[fresh.place], self.lane);
        if (self.lane == 0) look_back_.send_tile_total(fresh.tile, epoch, fresh.total);
      }
      if (is_tile(waiting)) {
        Share<Index> const share =
            look_back_.look_back(waiting.tile, epoch, waiting.total, self.warp, self.lane, seen);
        if (self.lane == 0) state.shares[self.warp] = share;
      }
      team.team_barrier();
      if (is_tile(waiting)) {
        waiting.before =
            look_back_.combine(waiting.tile, epoch, state.shares, warps, self.lane, self.warp == 0);
      }
      leaving = waiting;
      waiting = fresh;
      fresh = next;
    }
    if (self.thread == 0) look_back_.finish(epoch);
  }

 private:
  static constexpr std::uint32_t none = ~0u;

  struct Self {
    int thread;
    int lane;
    int warp;
  };

  struct InHand {
    std::uint32_t tile;
    int place;         // of its flags, among three
    Index total = 0;   // of the tile: known to the first warp
    Index before = 0;  // of the tile
  };

  /// The elements that a lane reads together.
  struct Batch {
    T before;  // the warp's elements
    Values values;
  };

  KOKKOS_FUNCTION bool is_tile(InHand const& hand) const { return hand.tile < look_back_.tiles(); }

  /// The warp's part of batch b of a tile. One beyond the end begins there, and has none.
  KOKKOS_FUNCTION Places places(std::uint32_t tile, int b, Self const& self) const {
    Index const begin = static_cast<Index>(tile) * static_cast<Index>(tile_size);
    Index const offset = static_cast<Index>(b * warps + self.warp) * Values::size;
    return {offset < n_ - begin ? begin + offset : n_, self.lane};
  }

  /// Does not wait for loads from a View. Without a tile it reads another: were the read conditional, the compiler
  /// might merge what is read with what was there before, for which it would wait.
  KOKKOS_FUNCTION Batch read(InHand const& hand, int b, Self const& self) const {
    Places const at = places(is_tile(hand) ? hand.tile : 0, b, self);
    return {source_(at.begin == 0 ? 0 : at.begin - 1), Values(source_, n_, at)};
  }

  /// Keeps flags of the fresh tile's elements, and reads what is next of it; `batch` is the first that was read.
  /// Between them it writes the leaving tile.
  KOKKOS_FUNCTION void flag_and_write(State& state, InHand const& fresh, InHand const& leaving,
                                      Batch& batch, Self const& self) const {
    if (is_tile(fresh)) {
      RIFFLE_UNROLL
      for (int b = 0; b < batches; ++b) {
        bool const is_first = fresh.tile == 0 && b == 0 && self.thread == 0;
        flag(batch, b, is_first, state.tiles[fresh.place], self);
        if (b + 1 < batches) batch = read(fresh, b + 1, self);
        if (is_tile(leaving)) write(leaving, b, state.tiles[leaving.place], self);
      }
    } else if (is_tile(leaving)) {
      RIFFLE_NO_UNROLL
      for (int b = 0; b < batches; ++b) write(leaving, b, state.tiles[leaving.place], self);
    }
  }

  /// The thread that has the first of all elements does not flag it, whatever the order says of an element and itself.
  KOKKOS_FUNCTION void flag(Batch const& batch, int b, bool is_first, Flags& flags,
                            Self const& self) const {
    std::uint32_t heads[quads];
    batch.values.find_heads(
        batch.before, self.lane, [&](T const& x, T const& y) { return differ(order_, x, y); },
        heads);
    std::uint32_t own = 0;
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) own |= heads[q] << quad_size * q;
    if (is_first) own &= ~1u;
    flags.of_threads[b][self.thread] = static_cast<std::uint16_t>(own);
    std::uint32_t const count = sum_of_lanes(backend::count_ones(own), self.lane);
    if (self.lane == 0) flags.counts[b * warps + self.warp] = count;
  }

  KOKKOS_FUNCTION static std::uint32_t sum_of_lanes(int own, int lane) {
    auto sum = static_cast<std::uint32_t>(own);
    for (int distance = backend::width / 2; distance > 0; distance /= 2) {
      sum += backend::from_lane(sum, lane ^ distance);
    }
    return sum;
  }

  /// The counts of the parts of a tile become those before each; returns the tile's. One warp makes the call.
  KOKKOS_FUNCTION Index scan_counts(Flags& flags, int lane) const {
    std::uint32_t own[parts_of_lane];
    std::uint32_t sum = 0;
    for (int k = 0; k < parts_of_lane; ++k) {
      own[k] = flags.counts[lane * parts_of_lane + k];
      sum += own[k];
    }
    std::uint32_t const up_to = scan_lanes(Sum<std::uint32_t>{}, lane, sum);
    std::uint32_t before = up_to - sum;
    for (int k = 0; k < parts_of_lane; ++k) {
      flags.counts[lane * parts_of_lane + k] = before;
      before += own[k];
    }
    return backend::from_lane(up_to, backend::width - 1);
  }

  KOKKOS_FUNCTION void write(InHand const& hand, int b, Flags const& flags,
                             Self const& self) const {
    Places const at = places(hand.tile, b, self);
    RunsOfBatch<quads> const runs(flags.of_threads[b][self.thread], self.lane);
    Index before = hand.before + flags.counts[b * warps + self.warp];
    bool const is_whole = Values::size <= n_ - at.begin && sink_.has_quads();
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) {
      Index numbers[quad_size];
      runs.number(q, before, numbers);
      if (is_whole) {
        write_quad(at(q), self.lane, numbers);
      } else {
        write_quad_by_elements(at(q), numbers);
      }
      before += runs.in_row(q);
    }
  }

  KOKKOS_FUNCTION void write_quad(Index place, int lane, Index const (&numbers)[quad_size]) const {
    typename Sink::Element ranks[quad_size];
    sink_.to_ranks(numbers, ranks);
    write_ranks(sink_.of_ranks(), place, lane, ranks);
  }

  KOKKOS_FUNCTION void write_quad_by_elements(Index place,
                                              Index const (&numbers)[quad_size]) const {
    for (int e = 0; e < quad_size; ++e) {
      Index const i = place + static_cast<Index>(e);
      if (i < n_) sink_(i, numbers[e]);
    }
  }

  Index n_;
  Source source_;
  Order order_;
  Sink sink_;
  LookBack<Op> look_back_;
};

}  // namespace riffle::detail::rank
