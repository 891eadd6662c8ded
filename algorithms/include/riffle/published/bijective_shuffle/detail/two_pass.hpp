#pragma once

// The two passes of Bijective1 over tiles of the padded domain. The first pass counts the values
// that are kept in each tile. After a scan of these counts, the second pass evaluates the values
// again and gathers.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/published/bijective_shuffle/detail/compaction.hpp>
#include <riffle/scan/detail/gpu/flags.hpp>

namespace riffle::detail {

/// The common part of both passes. counts(t) is the number of kept values in tile t. The flag of a
/// point says whether its value is kept.
template <class Source, class Sink, class Counts>
struct TwoPass {
  using Value = typename Counts::value_type;
  using Tile = scan::FlagTile<Source, Sink, Value, false>;

  static constexpr int tile_size = Tile::tile_size;
  static constexpr int threads = Tile::threads;
  static constexpr int teams_per_processor = 4;

  struct State {
    Value counts[Tile::warps];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  std::uint64_t points;
  Source source;
  Sink sink;
  Counts counts;

  /// Counts the flags of a tile on a GPU. Sets `before` to the number of flags in the warps before
  /// the calling warp, and returns the number of flags in the tile.
  template <class Member>
  KOKKOS_FUNCTION Value count(Member const& team, std::uint32_t flags, Value& before) const {
    auto& state = team_state<State>(team);
    int const lane = team.team_rank() % backend::width;
    int const warp = team.team_rank() / backend::width;
    Value const own = Tile::count(flags);
    if (lane == 0) state.counts[warp] = own;
    team.team_barrier();
    scan::WarpCounts<Value> const warps(Sum<Value>{}, state.counts, Tile::warps, lane);
    before = warps.before(warp);
    return warps.total();
  }

  /// Evaluates a tile on a CPU and writes the items that are kept. Returns their number.
  int evaluate(std::uint64_t tile, typename Source::Item* items) const {
    std::uint64_t const first = tile * tile_size;
    auto const size = static_cast<int>(std::min<std::uint64_t>(tile_size, points - first));
    source.fill(first, static_cast<std::size_t>(size), items);
    return size;
  }
};

template <class Source, class Sink, class Counts>
struct CountKept : TwoPass<Source, Sink, Counts> {
  using Base = TwoPass<Source, Sink, Counts>;
  using Value = typename Base::Value;

  template <class Member>
  requires(!std::is_integral_v<Member>) KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const tile = static_cast<std::uint64_t>(team.league_rank());
    typename Base::Tile const own(this->points, tile, team.team_rank());
    typename Base::Tile::Items items[Base::Tile::batches];
    Value before;
    Value const total = this->count(team, own.evaluate(this->source, items), before);
    if (team.team_rank() == 0) this->counts(tile) = total;
  }

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t tile) const {
    KOKKOS_IF_ON_HOST((by_thread(tile);))
  }

  void by_thread(std::uint64_t tile) const {
    typename Source::Item items[Base::tile_size];
    int const size = this->evaluate(tile, items);
    Value total = 0;
    for (int i = 0; i < size; ++i) total += static_cast<bool>(items[i]);
    this->counts(tile) = total;
  }
};

/// Kernel of the second pass, which writes the kept values. Here counts(t) is the number of values
/// that are kept before tile t.
template <class Source, class Sink, class Counts>
struct GatherTiles : TwoPass<Source, Sink, Counts> {
  using Base = TwoPass<Source, Sink, Counts>;
  using Value = typename Base::Value;

  template <class Member>
  requires(!std::is_integral_v<Member>) KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const tile = static_cast<std::uint64_t>(team.league_rank());
    typename Base::Tile const own(this->points, tile, team.team_rank());
    typename Base::Tile::Items items[Base::Tile::batches];
    std::uint32_t const flags = own.evaluate(this->source, items);
    Value before;
    this->count(team, flags, before);
    own.write(this->sink, flags, items, this->counts(tile) + before);
  }

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t tile) const {
    KOKKOS_IF_ON_HOST((by_thread(tile);))
  }

  void by_thread(std::uint64_t tile) const {
    typename Source::Item items[Base::tile_size];
    int const size = this->evaluate(tile, items);
    Value place = this->counts(tile);
    for (int i = 0; i < size; ++i) {
      this->sink(std::uint64_t{0}, place, items[i]);
      place += static_cast<bool>(items[i]);
    }
  }
};

template <class Kernel, class Exec>
void for_each_tile(Context<Exec> const& context, std::uint64_t tiles, Kernel const& kernel) {
  if constexpr (backend::is_cpu<Exec>) {
    context.for_each(tiles, kernel);
  } else {
    launch_teams(context, tiles, kernel);
  }
}

}  // namespace riffle::detail
