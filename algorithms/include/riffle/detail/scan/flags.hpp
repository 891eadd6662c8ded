#pragma once

// The scan of a GPU where elements count 0 or 1: ballots in place of sums, and neighbouring lanes on
// neighbouring elements, whatever the source and the sink do with them.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/detail/look_back.hpp>
#include <riffle/detail/scan/access.hpp>
#include <riffle/detail/scan/gpu.hpp>
#include <riffle/detail/tile_tree.hpp>
#include <riffle/lanes.hpp>

namespace riffle::detail::scan {

/// One tile in the registers of a team: a warp holds 512 neighbouring elements, a lane every 32nd.
template <class Source, class Sink, class Value, bool Inclusive>
class FlagTile {
 public:
  using Item = typename Source::Item;

  static constexpr int warps = 8;
  static constexpr int threads = warps * lanes::width;

  /// Evaluates the source.
  KOKKOS_FUNCTION FlagTile(std::uint64_t n, std::uint64_t tile, int thread, Source const& source)
      : n_(n),
        begin_(tile * tile_size + static_cast<std::uint64_t>(thread / lanes::width * warp_size +
                                                             thread % lanes::width)) {
    RIFFLE_NO_UNROLL
    for (int first = 0; first < steps; first += batch) {
      RIFFLE_UNROLL
      for (int s = first; s < first + batch; ++s) {
        std::uint64_t const i = element(s);
        if (i < n_) items_[s] = source(i);
      }
    }
    for (int s = 0; s < steps; ++s) {
      bool const counts = element(s) < n_ && static_cast<bool>(items_[s]);
      flags_ |= static_cast<std::uint32_t>(counts) << s;
    }
  }

  /// Of the caller's warp.
  KOKKOS_FUNCTION Value count() const {
    std::uint32_t count = 0;
    for (int s = 0; s < steps; ++s) count += ones(votes(s));
    return static_cast<Value>(count);
  }

  /// `before` is what counts before the caller's warp.
  KOKKOS_FUNCTION void write(Sink const& sink, Value before, int lane) const {
    std::uint32_t const lower_lanes = (1u << lane) - 1;
    RIFFLE_NO_UNROLL
    for (int first = 0; first < steps; first += batch) {
      Value prefixes[batch];
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        std::uint32_t const all = votes(first + k);
        std::uint32_t const own = Inclusive ? flags_ >> (first + k) & 1 : 0;
        prefixes[k] = static_cast<Value>(before + ones(all & lower_lanes) + own);
        before += static_cast<Value>(ones(all));
      }
      write_batch(sink, first, prefixes);
    }
  }

 private:
  static constexpr int warp_size = tile_size / warps;
  static constexpr int steps = warp_size / lanes::width;

  // Elements that are evaluated, and moved, side by side.
  static constexpr int batch = 4;

  /// All loads of a batch are under way before its first store, where the sink tells them apart.
  KOKKOS_FUNCTION void write_batch(Sink const& sink, int first,
                                   Value const (&prefixes)[batch]) const {
    if constexpr (requires { sink.f.store(prefixes[0], sink.f.load(items_[0])); }) {
      decltype(sink.f.load(items_[0])) values[batch];
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        if (flags_ >> (first + k) & 1) values[k] = sink.f.load(items_[first + k]);
      }
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        if (flags_ >> (first + k) & 1) sink.f.store(prefixes[k], values[k]);
      }
    } else {
      for (int k = 0; k < batch; ++k) {
        std::uint64_t const i = element(first + k);
        if (i < n_) put(sink, i, prefixes[k], items_[first + k]);
      }
    }
  }

  KOKKOS_FUNCTION std::uint64_t element(int step) const {
    return begin_ + static_cast<std::uint64_t>(step * lanes::width);
  }

  KOKKOS_FUNCTION std::uint32_t votes(int step) const {
    return lanes::ballot((flags_ >> step & 1) != 0);
  }

  KOKKOS_FUNCTION static std::uint32_t ones(std::uint32_t bits) {
    return static_cast<std::uint32_t>(lanes::count_ones(bits));
  }

  std::uint64_t n_;
  std::uint64_t begin_;
  std::uint32_t flags_ = 0;
  Item items_[steps];
};

/// What is before each warp of a tile, and the tile's total, from the counts of the warps.
template <class Value>
class WarpCounts {
 public:
  template <class Op>
  KOKKOS_FUNCTION WarpCounts(Op const& op, Value const* counts, int warps, int lane)
      : up_to_(scan_lanes(op, lane, lane < warps ? counts[lane] : op.identity())) {}

  KOKKOS_FUNCTION Value total() const { return lanes::from_lane(up_to_, lanes::width - 1); }

  KOKKOS_FUNCTION Value before(int warp) const {
    Value const lower = lanes::from_lane(up_to_, warp == 0 ? 0 : warp - 1);
    return warp == 0 ? Value(0) : lower;
  }

 private:
  Value up_to_;
};

template <class Source, class Sink, class Op, bool Inclusive>
class FlagTiles {
 public:
  using Value = typename Op::value_type;
  using Tile = FlagTile<Source, Sink, Value, Inclusive>;

  static constexpr int threads = Tile::threads;
  static constexpr int teams_per_processor = 5;
  static constexpr std::size_t scratch_bytes = team_state_bytes<Value>;

  FlagTiles(std::uint64_t n, Source const& source, Sink const& sink, LookBack<Op> const& look_back)
      : n_(n), source_(source), sink_(sink), look_back_(look_back) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<Value>(team);
    int const thread = team.team_rank();
    int const lane = thread % lanes::width;
    int const warp = thread / lanes::width;
    if (thread == 0) state.tickets[0] = look_back_.take_ticket();
    team.team_barrier();
    Ticket const ticket = state.tickets[0];

    Tile const tile(n_, ticket.number, thread, source_);
    Value const count = tile.count();
    if (lane == 0) state.rows[0][warp] = count;
    team.team_barrier();
    WarpCounts<Value> const counts(look_back_.op(), state.rows[0], Tile::warps, lane);
    Value const total = counts.total();
    if (thread == 0) look_back_.send_tile_total(ticket.number, ticket.epoch, total);
    Share<Value> const share = look_back_.look_back(ticket.number, ticket.epoch, total, warp, lane);
    if (lane == 0) state.shares[0][warp] = share;
    team.team_barrier();
    Value const prefix =
        look_back_.combine(ticket.number, ticket.epoch, state.shares[0], Tile::warps, thread == 0);
    if (thread == 0) look_back_.finish(ticket.epoch);
    tile.write(sink_, prefix + counts.before(warp), lane);
  }

 private:
  std::uint64_t n_;
  Source source_;
  Sink sink_;
  LookBack<Op> look_back_;
};

}  // namespace riffle::detail::scan
