#pragma once

// The scan by Count on a GPU. Each element counts as 0 or 1, so ballots replace sums. Neighbouring lanes process
// neighbouring elements, so that the accesses of source and sink are coalesced.
//
//   FlagTile            processes one lane's elements of a tile
//   FlagScan            scans by one team per tile
//   PipelinedFlagScan   scans many tiles per team; evaluates the elements of one tile while an earlier tile is written

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/tuning.hpp>

namespace riffle::detail::scan {

/// A sink with separate functions for loads and stores, so that several loads can be in flight.
template <class Sink, class Item>
concept SplitSink = requires(Sink const& sink, Item const& item) {
  sink.f.store(std::uint32_t{}, sink.f.load(item));
};

struct NothingLoaded {};

/// Processes one lane's elements of a tile. The flag of an element is 1 if the element counts, otherwise 0. A warp
/// processes 512 consecutive elements. Its lane l processes elements l, l + 32, l + 64, ..., one element in each of 16
/// steps. The steps are divided into batches of four, of which `AtATime` are evaluated at a time. The larger AtATime
/// is, the fewer warps are needed to keep a multiprocessor busy, but the more registers a warp needs. Bit s of a lane's
/// flags is the flag of the element that the lane processes in step s.
///
///     element of the warp:   0 ... 31 | 32 ... 63 | ... | 480 ... 511
///     lane:                  0 ... 31 |  0 ... 31 | ... |   0 ... 31
///     step:                     0     |     1     | ... |     15
template <class Source, class Sink, class Value, bool Inclusive, int AtATime = flags_at_a_time>
class FlagTile {
 public:
  using Item = typename Source::Item;

  static constexpr int warps = flag_warps;
  static constexpr int steps = flag_steps;
  static constexpr int threads = warps * backend::width;
  static constexpr int warp_size = steps * backend::width;
  static constexpr int tile_size = warps * warp_size;
  static constexpr int batch = flag_batch;
  static constexpr int batches = steps / batch;

  using Items = Kokkos::Array<Item, batch>;

  /// Returns an object of the type `Loaded`: an array of the values that the sink loads for a batch, or NothingLoaded.
  static constexpr auto loaded_type() {
    if constexpr (SplitSink<Sink, Item>) {
      using Element = decltype(std::declval<Sink const&>().f.load(std::declval<Item const&>()));
      return Kokkos::Array<Element, batch>{};
    } else {
      return NothingLoaded{};
    }
  }
  using Loaded = decltype(loaded_type());

  KOKKOS_FUNCTION FlagTile(std::uint64_t n, std::uint64_t tile, int thread)
      : n_(n),
        begin_(tile * tile_size + static_cast<std::uint64_t>(thread / backend::width * warp_size +
                                                             thread % backend::width)),
        lower_lanes_((1u << thread % backend::width) - 1) {}

  /// Evaluates the batch of elements that starts at step `first`. Returns their flags.
  KOKKOS_FUNCTION std::uint32_t evaluate(Source const& source, int first, Items& items) const {
    std::uint32_t flags = 0;
    RIFFLE_UNROLL
    for (int k = 0; k < batch; k += AtATime) {
      // These evaluations are not separated by a branch, so that the compiler interleaves them.
      if (has(first + k + AtATime - 1)) {
        RIFFLE_UNROLL
        for (int j = k; j < k + AtATime; ++j) items[j] = source(element(first + j));
        RIFFLE_UNROLL
        for (int j = k; j < k + AtATime; ++j) flags |= flag(items[j]) << j;
      } else {
        RIFFLE_UNROLL
        for (int j = k; j < k + AtATime; ++j) {
          if (!has(first + j)) break;
          items[j] = source(element(first + j));
          flags |= flag(items[j]) << j;
        }
      }
    }
    return flags << first;
  }

  /// Evaluates all elements of the lane. Returns their flags.
  KOKKOS_FUNCTION std::uint32_t evaluate(Source const& source, Items (&items)[batches]) const {
    std::uint32_t flags = 0;
    RIFFLE_NO_UNROLL
    for (int b = 0; b < batches; ++b) flags |= evaluate(source, b * batch, items[b]);
    return flags;
  }

  /// Returns the number of this warp's elements whose flag is 1. `flags` contains the flags of this lane.
  KOKKOS_FUNCTION static Value count(std::uint32_t flags) {
    std::uint32_t count = 0;
    for (int step = 0; step < steps; ++step) count += ones(votes(flags, step));
    return static_cast<Value>(count);
  }

  KOKKOS_FUNCTION Loaded load(Sink const& sink, std::uint32_t flags, int first,
                              Items const& items) const {
    Loaded loaded;
    if constexpr (SplitSink<Sink, Item>) {
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        if (flags >> (first + k) & 1) loaded[k] = sink.f.load(items[k]);
      }
    }
    return loaded;
  }

  /// Writes the batch that starts at step `first`. On entry, `before` is the number of flags 1 before the warp's
  /// elements of step `first`; on return, it is the number before the first element of the next batch.
  KOKKOS_FUNCTION void write(Sink const& sink, std::uint32_t flags, int first, Items const& items,
                             Loaded const& loaded, Value& before) const {
    RIFFLE_UNROLL
    for (int k = 0; k < batch; ++k) {
      std::uint32_t const all = votes(flags, first + k);
      std::uint32_t const own = flags >> (first + k) & 1;
      auto const prefix =
          static_cast<Value>(before + ones(all & lower_lanes_) + (Inclusive ? own : 0));
      before += static_cast<Value>(ones(all));
      if constexpr (SplitSink<Sink, Item>) {
        if (own != 0) sink.f.store(prefix, loaded[k]);
      } else {
        if (has(first + k)) write_value(sink, element(first + k), prefix, items[k]);
      }
    }
  }

  /// Writes all elements of the lane. `before` is the number of flags 1 before the warp's elements.
  KOKKOS_FUNCTION void write(Sink const& sink, std::uint32_t flags, Items const (&items)[batches],
                             Value before) const {
    RIFFLE_NO_UNROLL
    for (int b = 0; b < batches; ++b) {
      auto const loaded = load(sink, flags, b * batch, items[b]);
      write(sink, flags, b * batch, items[b], loaded, before);
    }
  }

 private:
  KOKKOS_FUNCTION std::uint64_t element(int step) const {
    return begin_ + static_cast<std::uint64_t>(step * backend::width);
  }

  KOKKOS_FUNCTION bool has(int step) const { return element(step) < n_; }

  KOKKOS_FUNCTION static std::uint32_t flag(Item const& item) {
    return static_cast<std::uint32_t>(static_cast<bool>(item));
  }

  KOKKOS_FUNCTION static std::uint32_t votes(std::uint32_t flags, int step) {
    return backend::ballot((flags >> step & 1) != 0);
  }

  KOKKOS_FUNCTION static std::uint32_t ones(std::uint32_t bits) {
    return static_cast<std::uint32_t>(backend::count_ones(bits));
  }

  std::uint64_t n_;
  std::uint64_t begin_;
  std::uint32_t lower_lanes_;
};

/// Scans the counts of a tile's warps: before(warp) is the sum of the counts of all earlier warps, and total() is the
/// sum of all counts.
template <class Value>
class WarpCounts {
 public:
  template <class Op>
  KOKKOS_FUNCTION WarpCounts(Op const& op, Value const* counts, int warps, int lane)
      : up_to_(scan_lanes(op, lane, lane < warps ? counts[lane] : op.identity())) {}

  KOKKOS_FUNCTION Value total() const { return backend::from_lane(up_to_, backend::width - 1); }

  KOKKOS_FUNCTION Value before(int warp) const {
    Value const lower = backend::from_lane(up_to_, warp == 0 ? 0 : warp - 1);
    return warp == 0 ? Value(0) : lower;
  }

 private:
  Value up_to_;
};

/// Scans by one team per tile. Used if all teams fit on the GPU at the same time, or if PipelinedFlagScan is not
/// possible because its items do not fit in scratch memory.
template <class Source, class Sink, class Op, bool Inclusive>
class FlagScan {
 public:
  using Value = typename Op::value_type;
  using Tile = FlagTile<Source, Sink, Value, Inclusive>;

  static constexpr std::uint64_t tile_size = Tile::tile_size;
  static constexpr int threads = Tile::threads;
  static constexpr int teams_per_processor = flag_teams_per_processor;

 private:
  struct State {
    Ticket ticket;
    Share<Value> shares[Tile::warps];
    Value counts[Tile::warps];
  };

 public:
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  FlagScan(std::uint64_t n, Source const& source, Sink const& sink, LookBack<Op> const& look_back)
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

/// Scans many tiles per team, until no tile is left. A team has three tiles in flight. In each step, it evaluates the
/// elements of the first tile and sends the tile's total. It finds the prefix of the second tile, whose total was sent
/// in the previous step. It writes the third tile.
///
/// If the sink takes items, the items of tiles that are not yet written are in scratch memory. Batch by batch, the
/// items of the third tile are read, and then replaced by the items of the first tile. A thread reads only items that
/// it has stored itself, so no barrier is needed.
template <class Source, class Sink, class Op, bool Inclusive>
class PipelinedFlagScan {
 public:
  using Value = typename Op::value_type;
  using Tile = FlagTile<Source, Sink, Value, Inclusive, pipelined_flags_at_a_time>;
  using Item = typename Tile::Item;

  static constexpr std::uint64_t tile_size = Tile::tile_size;
  static constexpr int threads = Tile::threads;
  static constexpr int teams_per_processor = pipelined_flag_teams_per_processor;

 private:
  static constexpr int shares_per_warp = flag_shares_per_warp;
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
  /// Whether the scratch memory is large enough. If the sink takes items, it contains the items of two tiles.
  static constexpr bool is_possible = scratch_bytes <= max_scratch_bytes;

  PipelinedFlagScan(std::uint64_t n, Source const& source, Sink const& sink,
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
    TileInFlight waiting;
    TileInFlight writing;
    for (int place = 0; is_tile(now) || is_tile(waiting.tile) || is_tile(writing.tile);
         place = places - 1 - place) {
      // The ticket is requested before the elements are loaded, because a multiprocessor receives answers in the order
      // of its requests.
      bool const takes = thread == 0 && is_tile(now);
      Ticket ticket;
      if (takes) ticket = look_back_.take_ticket();
      TileInFlight fresh;
      if (is_tile(now)) fresh.tile = now;
      evaluate_and_write(fresh, writing, thread, state.items[place]);
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
      writing = waiting;
      waiting = fresh;
      now = state.ticket.number;
    }
    if (thread == 0) look_back_.finish(epoch);
  }

 private:
  static constexpr std::uint32_t none = ~0u;

  /// This thread's data of a tile.
  struct TileInFlight {
    std::uint64_t tile = none;
    std::uint32_t flags = 0;
    Value total = 0;   // of the tile
    Value before = 0;  // the count before the warp's elements, first within the tile, later overall
  };

  KOKKOS_FUNCTION bool is_tile(std::uint64_t tile) const { return tile < look_back_.tiles(); }

  KOKKOS_FUNCTION void look_back(TileInFlight const& waiting, std::uint32_t epoch,
                                 Share<Value>* shares, int warp, int lane) const {
    PeekedShare<Value> seen[shares_per_warp];
    RIFFLE_UNROLL
    for (int k = 0; k < shares_per_warp; ++k) {
      seen[k] = look_back_.peek(waiting.tile, warp + k * Tile::warps, lane);
    }
    RIFFLE_UNROLL
    for (int k = 0; k < shares_per_warp; ++k) {
      int const s = warp + k * Tile::warps;
      Share<Value> const share =
          look_back_.look_back(waiting.tile, epoch, waiting.total, s, lane, seen[k]);
      if (lane == 0) shares[s] = share;
    }
  }

  KOKKOS_FUNCTION void evaluate_and_write(TileInFlight& fresh, TileInFlight& writing, int thread,
                                          Item (*items)[threads]) const {
    Tile const to_evaluate(n_, fresh.tile, thread);
    Tile const to_write(n_, writing.tile, thread);
    RIFFLE_NO_UNROLL
    for (int first = 0; first < Tile::steps; first += Tile::batch) {
      typename Tile::Items own;
      if constexpr (takes_items<Sink>) get(items + first, thread, own);
      // If no tile is written, `flags` is zero, so nothing is loaded.
      auto const loaded = to_write.load(sink_, writing.flags, first, own);
      typename Tile::Items evaluated;
      if (is_tile(fresh.tile)) fresh.flags |= to_evaluate.evaluate(source_, first, evaluated);
      if (is_tile(writing.tile)) {
        to_write.write(sink_, writing.flags, first, own, loaded, writing.before);
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
