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

#include <riffle/context.hpp>
#include <riffle/kernel/launch.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/order.hpp>
#include <riffle/random/wide_integer.hpp>
#include <riffle/rank/detail/gpu/bounds.hpp>
#include <riffle/rank/detail/gpu/edge.hpp>
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
  /// As many teams as have registers.
  static constexpr int teams_per_processor = Ranker::needs_start && Ranker::needs_end ? 4 : 5;

 private:
  using T = typename Source::Item;
  using Index = typename Bounds::Index;
  using WarpStep = Step<Source, Order, Index>;

  static constexpr int warps = threads / lanes::width;

  /// Where the run of a tile's first element begins, and where the run of its last element ends.
  struct Ends {
    Index start;
    Index end;
  };

  /// What the warps tell each other. Places are counted from 1, so that 0 means none.
  struct State {
    Index last_heads[warps];
    Index first_heads[warps];
    Ends run;
  };

 public:
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;
  static constexpr std::uint64_t tile_size = warps * WarpStep::size;

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
      rank_tile(team, state, static_cast<Index>(tile * tile_size));
      if (stride < tiles()) team.team_barrier();
    }
  }

 private:
  KOKKOS_FUNCTION std::uint64_t tiles() const {
    return (static_cast<std::uint64_t>(n_) + tile_size - 1) / tile_size;
  }

  template <class Member>
  KOKKOS_FUNCTION void rank_tile(Member const& team, State& state, Index tile_begin) const {
    int const lane = team.team_rank() % lanes::width;
    int const warp = team.team_rank() / lanes::width;
    Index const offset = static_cast<Index>(warp) * WarpStep::size;
    // A warp beyond the end repeats the last element, and writes nothing.
    Index const begin = offset < n_ - tile_begin ? tile_begin + offset : n_;
    T const before = source_(begin == 0 ? 0 : begin - 1);
    WarpStep step(source_, order_, n_, begin, lane);
    Ends ends{0, 0};
    if (warp == 0) ends = find_ends(tile_begin, lane);
    step.find_heads(begin == 0 ? step.first() : before);
    if (team.team_rank() == 0) state.run = ends;
    if constexpr (Ranker::needs_start) {
      Index const head = step.last_head_of_all();
      if (lane == 0) state.last_heads[warp] = head;
    }
    if constexpr (Ranker::needs_end) {
      Index const head = step.first_head_of_all();
      if (lane == 0) state.first_heads[warp] = head;
    }
    team.team_barrier();
    Index start = 0;
    Index end = 0;
    if constexpr (Ranker::needs_start) start = start_before(state, warp, lane);
    if constexpr (Ranker::needs_end) end = end_behind(state, warp, lane);
    if constexpr (counts_ties<Ranker>) {
      // Sum holds a lane's sum of k (k + 1): narrow indices are below 2^30, and a lane has at most 16 elements.
      using Sum = std::conditional_t<sizeof(Index) == 4, std::uint64_t, uint128>;
      Tally<Index, Sum> tally;
      step.write(ranker_.with(tally), sink_, start, end);
      ranker_.keep(tally, lane, begin / WarpStep::size);
    } else {
      step.write(ranker_, sink_, start, end);
    }
  }

  KOKKOS_FUNCTION Ends find_ends(Index tile_begin, int lane) const {
    Ends ends{0, 0};
    Index const rest = n_ - tile_begin;
    Index const behind = tile_begin + (tile_size < rest ? static_cast<Index>(tile_size) : rest);
    if constexpr (Ranker::needs_start)
      ends.start =
          bounds_.template find<Side::before>(source_, order_, n_, tile_begin, behind, lane);
    if constexpr (Ranker::needs_end)
      ends.end = bounds_.template find<Side::behind>(source_, order_, n_, tile_begin, behind, lane);
    return ends;
  }

  /// Where the run that reaches into a warp's step begins.
  KOKKOS_FUNCTION static Index start_before(State const& state, int warp, int lane) {
    Index const head = lane < warp ? state.last_heads[lane] : 0;
    std::uint32_t const any = lanes::ballot(head != 0);
    Index const nearest = lanes::from_lane(head, any == 0 ? 0 : lanes::highest_one(any));
    return any == 0 ? state.run.start : nearest - 1;
  }

  /// Where the run that reaches out of a warp's step ends.
  KOKKOS_FUNCTION static Index end_behind(State const& state, int warp, int lane) {
    bool const is_behind = warp < lane && lane < warps;
    Index const head = is_behind ? state.first_heads[lane] : 0;
    std::uint32_t const any = lanes::ballot(head != 0);
    Index const nearest = lanes::from_lane(head, any == 0 ? 0 : lanes::lowest_one(any));
    return any == 0 ? state.run.end : nearest - 1;
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
  auto const bounds = search_bounds<Index, Ranker::needs_start, Ranker::needs_end>(
      context, n, Kernel::tile_size, source, order, scope);
  rank_tiles(context, n, source, order, ranker, sink, bounds);
}

}  // namespace riffle::detail::rank
