#pragma once

// Ranks of sorted data on a GPU in one pass, without messages between teams: the hybrid algorithm of J. Liang et al.
// (riffle/rank.hpp), section III.C. Within a step of a warp, ballots say where runs begin, and the nearest lane with a
// beginning hands over its place. The warps of a team take the steps of a tile, and tell each other where runs begin in
// theirs. A tile is small, and the next team has the next tile, so that memory is read and written in order, as by a
// copy: with two tiles a team ranking is a twentieth slower, with a chunk of several steps for each warp, as in the
// paper, a tenth. The ends of runs that reach into the tile or out of it are looked for nearby, and else searched for
// (edge.hpp).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/wide_integer.hpp>
#include <riffle/rank/detail/gpu/bounds.hpp>
#include <riffle/rank/detail/gpu/edge.hpp>
#include <riffle/rank/detail/gpu/quad_heads.hpp>
#include <riffle/rank/detail/gpu/search_bounds.hpp>
#include <riffle/rank/detail/gpu/step.hpp>
#include <riffle/rank/detail/tally.hpp>
#include <riffle/scan/run.hpp>

namespace riffle::detail::rank {

/// Ranks of n > 0 sorted elements.
template <class Source, class Order, class Ranker, class Sink, class Bounds>
class RankByWarps {
 public:
  static constexpr int threads = 256;
  /// As many teams as have registers for all that a thread holds: with one team more, memory is read and written slower.
  static constexpr int teams_per_processor = Ranker::needs_start && Ranker::needs_end ? 3 : 4;

 private:
  using T = typename Source::Item;
  using Index = typename Bounds::Index;
  using WarpStep = Step<Source, Order, Index>;

  static constexpr int warps = threads / backend::width;
  /// A warp takes several steps of a tile where ranks are searched for on both sides, and written in more bytes: there
  /// are fewer tiles to search for, and what waits for a search has more to read meanwhile. Where runs begin then waits
  /// in scratch memory.
  static constexpr int batches = Ranker::needs_start && Ranker::needs_end ? 2 : 1;
  static constexpr int parts = batches * warps;
  using Flagged = typename WarpStep::Flagged;

  /// Where the run of a tile's first element begins, and where the run of its last element ends.
  struct Ends {
    Index start;
    Index end;
  };

  struct State {
    HeadsOfWarps<Index, parts> heads;
    Ends run;
    std::uint16_t flags[batches][batches > 1 ? threads : 1];
  };

 public:
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;
  static constexpr std::uint64_t tile_size = parts * WarpStep::size;

  RankByWarps(std::uint64_t n, Source const& source, Order const& order, Ranker const& ranker,
              Sink const& sink, Bounds const& bounds)
      : n_(static_cast<Index>(n)),
        source_(source),
        order_(order),
        ranker_(ranker),
        sink_(sink),
        bounds_(bounds) {}

  /// Teams are counted in 31 bits; where there are more tiles, a team ranks several.
  std::uint64_t teams() const {
    constexpr std::uint64_t most = std::numeric_limits<int>::max();
    return std::min(most, tiles());
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    auto const stride = static_cast<std::uint64_t>(team.league_size());
    for (auto tile = static_cast<std::uint64_t>(team.league_rank()); tile < tiles();
         tile += stride) {
      rank_tile(team, state, place_of_tile<tile_size>(n_, tile));
      if (stride < tiles()) team.team_barrier();
    }
  }

 private:
  KOKKOS_FUNCTION std::uint64_t tiles() const {
    return (static_cast<std::uint64_t>(n_) + tile_size - 1) / tile_size;
  }

  template <class Member>
  KOKKOS_FUNCTION void rank_tile(Member const& team, State& state,
                                 TilePlace<Index> const& tile) const {
    int const thread = team.team_rank();
    int const lane = thread % backend::width;
    int const warp = thread / backend::width;
    if constexpr (batches == 1) {
      Flagged const step = read(state, tile, warp, lane);
      team.team_barrier();
      write(state, tile, warp, lane, step);
    } else {
      RIFFLE_NO_UNROLL
      for (int b = 0; b < batches; ++b) {
        state.flags[b][thread] = read(state, tile, b * warps + warp, lane).heads().flags();
      }
      team.team_barrier();
      RIFFLE_NO_UNROLL
      for (int b = 0; b < batches; ++b) {
        int const part = b * warps + warp;
        QuadPlacesOfLane<Index> const places{begin_of(tile, part), lane};
        bool const is_whole = WarpStep::size <= n_ - places.begin && source_.has_quads();
        write(state, tile, part, lane, Flagged(n_, places, is_whole, state.flags[b][thread]));
      }
    }
  }

  /// Where a warp's part of a tile begins. One beyond the end repeats the last element, and nothing of it is written.
  KOKKOS_FUNCTION Index begin_of(TilePlace<Index> const& tile, int part) const {
    Index const offset = static_cast<Index>(part) * WarpStep::size;
    return offset < n_ - tile.begin ? tile.begin + offset : n_;
  }

  /// Finds where runs begin in a part, and tells the other warps; and, with the first parts, where the tile's runs end.
  KOKKOS_FUNCTION Flagged read(State& state, TilePlace<Index> const& tile, int part,
                               int lane) const {
    Index const begin = begin_of(tile, part);
    T const before = source_(begin == 0 ? 0 : begin - 1);
    WarpStep const step(source_, order_, n_, begin, lane);
    find_ends(state.run, tile, part, lane);
    std::uint32_t heads[WarpStep::quads];
    step.find_heads(begin == 0 ? step.first() : before, heads);
    Flagged flagged = step.flagged();
    flagged.set(heads);
    if constexpr (Ranker::needs_start) {
      Index const head = flagged.heads().last_of_all();
      if (lane == 0) state.heads.last[part] = head;
    }
    if constexpr (Ranker::needs_end) {
      Index const head = flagged.heads().first_of_all();
      if (lane == 0) state.heads.first[part] = head;
    }
    return flagged;
  }

  KOKKOS_FUNCTION void write(State const& state, TilePlace<Index> const& tile, int part, int lane,
                             Flagged const& step) const {
    Index start = 0;
    Index end = 0;
    if constexpr (Ranker::needs_start)
      start = state.heads.start_before(part, lane, state.run.start);
    if constexpr (Ranker::needs_end) end = state.heads.end_behind(part, lane, state.run.end);
    if constexpr (counts_ties<Ranker>) {
      // Sum holds a lane's sum of k (k + 1): narrow indices are below 2^30, and a lane has at most 16 elements.
      using Sum = std::conditional_t<sizeof(Index) == 4, std::uint64_t, uint128>;
      Tally<Index, Sum> tally;
      step.write(ranker_.with(tally), sink_, start, end);
      ranker_.keep(tally, lane, begin_of(tile, part) / WarpStep::size);
    } else {
      step.write(ranker_, sink_, start, end);
    }
  }

  /// A warp for each end, so that none waits for two.
  KOKKOS_FUNCTION void find_ends(Ends& ends, TilePlace<Index> const& tile, int part,
                                 int lane) const {
    if constexpr (Ranker::needs_start) {
      if (part == 0) keep(find_end<Side::before>(tile, lane), ends.start, lane);
    }
    if constexpr (Ranker::needs_end) {
      if (part == 1) keep(find_end<Side::behind>(tile, lane), ends.end, lane);
    }
  }

  template <Side side>
  KOKKOS_FUNCTION Index find_end(TilePlace<Index> const& tile, int lane) const {
    return bounds_.template find<side>(source_, order_, WithinAll{}, tile, lane);
  }

  KOKKOS_FUNCTION static void keep(Index found, Index& to, int lane) {
    if (lane == 0) to = found;
  }

  Index n_;
  Source source_;
  Order order_;
  Ranker ranker_;
  Sink sink_;
  Bounds bounds_;
};

template <class Exec, class Source, class Order, class Ranker, class Sink, class Bounds>
void rank_tiles(Context<Exec> const& context, std::uint64_t n, Source const& source,
                Order const& order, Ranker const& ranker, Sink const& sink, Bounds const& bounds) {
  using Kernel = RankByWarps<Source, Order, Ranker, Sink, Bounds>;
  Kernel const kernel(n, source, order, ranker, sink, bounds);
  launch_teams(context, kernel.teams(), kernel);
}

template <class Index, class Exec, class Source, class Order, class Ranker, class Sink>
void rank_by_warps(Context<Exec> const& context, std::uint64_t n, Source const& source,
                   Order const& order, Ranker const& ranker, Sink const& sink) {
  using Search = SearchedBounds<Index>;
  using Kernel = RankByWarps<Source, Order, Ranker, Sink, Search>;
  if (scan::tile_count<Kernel>(n) <= scan::resident_teams<Kernel>(context.exec())) {
    rank_tiles(context, n, source, order, ranker, sink, Search{});
    return;
  }
  Scope scope(context);
  auto const bounds = StoredBounds<Index>::of_tiles(scan::tile_count<Kernel>(n), scope);
  SearchBounds<Ranker::needs_start, Ranker::needs_end, Source, Order, Index> const search(
      n, Kernel::tile_size, source, order, bounds);
  launch_teams(context.named("bounds"), search.teams(), search);
  rank_tiles(context, n, source, order, ranker, sink, bounds);
}

}  // namespace riffle::detail::rank
