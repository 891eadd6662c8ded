#pragma once

// Computes dense ranks on a GPU in one pass: a scan of flags, which are 1 for elements that begin runs. The scan uses
// decoupled look-back (D. Merrill, M. Garland; riffle/primitives/look_back.hpp). A team keeps only one bit per element
// in scratch memory. Therefore tiles can be large although each team works on three tiles at a time, and large tiles
// need few look-back messages. The three tiles of a team:
//
//     round      fresh: reads values,    waiting: its total was sent    leaving: its prefix is known,
//                stores flags            in the round before            its ranks are written
//       1            tile 0
//       2            tile 1                  tile 0
//       3            tile 2                  tile 1                         tile 0
//
// In each round, a team alternates between a batch of the fresh tile and a batch of the leaving tile, so that loads are
// in flight all the time. A look-back message that is sent in one round is needed only in the next.

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

/// Counts the runs that begin in a warp's batch of elements, from the flags of its lanes. Bit 4 q + e of a lane's flags
/// is set if element e of the lane's quad q begins a run. Row q of the batch consists of quad q of every lane. All
/// lanes call each member together.
template <int Quads>
class RunsOfBatch {
 public:
  KOKKOS_FUNCTION RunsOfBatch(std::uint32_t flags, int lane)
      : flags_(flags),
        up_to_(scan_lanes(Sum<std::uint32_t>{}, lane, counts_of_quads(flags))),
        before_(up_to_ - counts_of_quads(flags)),
        totals_(backend::from_lane(up_to_, backend::width - 1)) {}

  /// Sets numbers[e] to the number of runs that begin at or before element e of quad q. `before` is the number of runs
  /// that begin before row q.
  template <class Count>
  KOKKOS_FUNCTION void number(int q, Count before, Count (&numbers)[quad_size]) const {
    Count number = before + count(before_, q);
    RIFFLE_UNROLL
    for (int e = 0; e < quad_size; ++e) {
      number += flags_ >> (quad_size * q + e) & 1u;
      numbers[e] = number;
    }
  }

  /// The number of runs that begin in row q.
  KOKKOS_FUNCTION std::uint32_t in_row(int q) const { return count(totals_, q); }

 private:
  // A word contains one count per quad, in one byte each. A sum over a row also fits in a byte, since a row has 32
  // quads, that is 128 elements, and each begins at most one run.
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

/// Kernel that computes the dense ranks of n > 0 sorted elements. Resident teams take tiles by tickets. `Sink` is a
/// DenseRankSink. For each element, the sink receives the number of runs that begin at or before the element, not
/// counting the first run. Index can represent somewhat more than n.
template <class Index, class Source, class Order, class Sink>
class DensePipeline {
  using T = typename Source::Item;
  using Op = Sum<Index>;

  static constexpr int quads = quads_per_lane(sizeof(T));
  using Values = WarpQuads<Source, Index, quads>;
  using Places = typename Values::Places;

 public:
  static constexpr int threads = threads_of_dense_team;
  static constexpr int teams_per_processor = dense_teams;

 private:
  static constexpr int warps = threads / backend::width;
  /// A tile has 16,384 elements of any size.
  static constexpr int batches = quads_of_dense_lane / quads;
  static constexpr int parts = batches * warps;
  static constexpr int parts_of_lane = parts / backend::width;

  /// The flags of a tile. of_threads[b][t] contains the flags of thread t's elements in batch b. Part b * warps + w of
  /// the tile is warp w's part of batch b. Before scan_counts(), counts[p] is the number of runs that begin in part p.
  /// After scan_counts(), counts[p] is the number of runs that begin in parts 0, ..., p - 1.
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
    ThreadIds const ids{team.team_rank(), team.team_rank() % backend::width,
                        team.team_rank() / backend::width};
    if (ids.thread == 0) state.ticket = look_back_.take_ticket();
    team.team_barrier();
    std::uint32_t const epoch = state.ticket.epoch;
    TileWork fresh{state.ticket.number, 0};
    team.team_barrier();  // the ticket is read before thread 0 overwrites it
    TileWork waiting{none, 1};
    TileWork leaving{none, 2};
    Batch batch = read(fresh, 0, ids);
    while (is_tile(fresh) || is_tile(waiting) || is_tile(leaving)) {
      bool const takes = ids.thread == 0 && is_tile(fresh);
      Ticket ticket;
      if (takes) ticket = look_back_.take_ticket();
      flag_and_write(state, fresh, leaving, batch, ids);
      if (ids.thread == 0) state.ticket.number = takes ? ticket.number : none;
      team.team_barrier();
      TileWork const next{state.ticket.number, leaving.place};
      // A multiprocessor serves loads in order, so the short loads of the peek are issued before the loads of the
      // batch.
      auto const seen = look_back_.peek(is_tile(waiting) ? waiting.tile : 0, ids.warp, ids.lane);
      batch = read(next, 0, ids);
      if (is_tile(fresh) && ids.warp == 0) {
        fresh.total = scan_counts(state.tiles[fresh.place], ids.lane);
        if (ids.lane == 0) look_back_.send_tile_total(fresh.tile, epoch, fresh.total);
      }
      if (is_tile(waiting)) {
        Share<Index> const share =
            look_back_.look_back(waiting.tile, epoch, waiting.total, ids.warp, ids.lane, seen);
        if (ids.lane == 0) state.shares[ids.warp] = share;
      }
      team.team_barrier();
      if (is_tile(waiting)) {
        waiting.before =
            look_back_.combine(waiting.tile, epoch, state.shares, warps, ids.lane, ids.warp == 0);
      }
      leaving = waiting;
      waiting = fresh;
      fresh = next;
    }
    if (ids.thread == 0) look_back_.finish(epoch);
  }

 private:
  static constexpr std::uint32_t none = ~0u;

  struct ThreadIds {
    int thread;
    int lane;
    int warp;
  };

  struct TileWork {
    std::uint32_t tile;
    int place;         // the index of its flags in State::tiles
    Index total = 0;   // the number of runs that begin in the tile; only set in warp 0
    Index before = 0;  // the number of runs that begin before the tile
  };

  /// The elements that a lane loads together.
  struct Batch {
    T before;  // the element before the warp's elements
    Values values;
  };

  KOKKOS_FUNCTION bool is_tile(TileWork const& work) const {
    return work.tile < look_back_.tiles();
  }

  /// The indices of the elements that the warp processes in batch b of a tile. If this part of the batch lies beyond
  /// the last element, it begins at n_ and has no elements.
  KOKKOS_FUNCTION Places places(std::uint32_t tile, int b, ThreadIds const& ids) const {
    Index const begin = static_cast<Index>(tile) * static_cast<Index>(tile_size);
    Index const offset = static_cast<Index>(b * warps + ids.warp) * Values::size;
    return {offset < n_ - begin ? begin + offset : n_, ids.lane};
  }

  /// Issues the loads of a batch. If there is no tile, it loads from tile 0, so that the loads are unconditional. For
  /// conditional loads, the compiler might select between their results and the old values, and wait for the loads.
  KOKKOS_FUNCTION Batch read(TileWork const& work, int b, ThreadIds const& ids) const {
    Places const at = places(is_tile(work) ? work.tile : 0, b, ids);
    return {source_(at.begin == 0 ? 0 : at.begin - 1), Values(source_, n_, at)};
  }

  /// Stores the flags of the fresh tile batch by batch, and issues the loads of the next batch after each. `batch` is
  /// the first batch, whose loads have been issued. After each batch, writes the ranks of one batch of the leaving
  /// tile.
  KOKKOS_FUNCTION void flag_and_write(State& state, TileWork const& fresh, TileWork const& leaving,
                                      Batch& batch, ThreadIds const& ids) const {
    if (is_tile(fresh)) {
      RIFFLE_UNROLL
      for (int b = 0; b < batches; ++b) {
        bool const is_first = fresh.tile == 0 && b == 0 && ids.thread == 0;
        flag(batch, b, is_first, state.tiles[fresh.place], ids);
        if (b + 1 < batches) batch = read(fresh, b + 1, ids);
        if (is_tile(leaving)) write(leaving, b, state.tiles[leaving.place], ids);
      }
    } else if (is_tile(leaving)) {
      RIFFLE_NO_UNROLL
      for (int b = 0; b < batches; ++b) write(leaving, b, state.tiles[leaving.place], ids);
    }
  }

  /// Stores the flags of a batch. The flag of element 0 is 0, even if the order says that the element differs from
  /// itself. `is_first` says whether this thread's first element is element 0.
  KOKKOS_FUNCTION void flag(Batch const& batch, int b, bool is_first, Flags& flags,
                            ThreadIds const& ids) const {
    std::uint32_t heads[quads];
    batch.values.find_heads(
        batch.before, ids.lane, [&](T const& x, T const& y) { return differ(order_, x, y); },
        heads);
    std::uint32_t own = 0;
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) own |= heads[q] << quad_size * q;
    if (is_first) own &= ~1u;
    flags.of_threads[b][ids.thread] = static_cast<std::uint16_t>(own);
    std::uint32_t const count = sum_of_lanes(backend::count_ones(own), ids.lane);
    if (ids.lane == 0) flags.counts[b * warps + ids.warp] = count;
  }

  KOKKOS_FUNCTION static std::uint32_t sum_of_lanes(int own, int lane) {
    auto sum = static_cast<std::uint32_t>(own);
    for (int distance = backend::width / 2; distance > 0; distance /= 2) {
      sum += backend::from_lane(sum, lane ^ distance);
    }
    return sum;
  }

  /// Replaces the counts of parts by exclusive prefix sums; returns the number of runs that begin in the tile. One warp
  /// makes the call.
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

  KOKKOS_FUNCTION void write(TileWork const& work, int b, Flags const& flags,
                             ThreadIds const& ids) const {
    Places const at = places(work.tile, b, ids);
    RunsOfBatch<quads> const runs(flags.of_threads[b][ids.thread], ids.lane);
    Index before = work.before + flags.counts[b * warps + ids.warp];
    bool const is_whole = Values::size <= n_ - at.begin && sink_.has_quads();
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) {
      Index numbers[quad_size];
      runs.number(q, before, numbers);
      if (is_whole) {
        write_quad(at(q), ids.lane, numbers);
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
