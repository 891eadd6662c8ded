#pragma once

// Ranks of sorted data on a GPU in one pass, without messages between teams. This is the hybrid algorithm of J. Liang
// et al. (riffle/rank/ranking_methods.hpp), section III.C. Heads are elements that begin runs. Each warp finds the
// heads of its part of a tile by ballots (warp_quads.hpp), and passes its first and last head to the other warps of the
// team through scratch memory. If a run extends over an edge of the tile, its bound beyond the edge is found by reading
// elements near the tile or, if the bound is further away, by a search (run_bounds.hpp). Tiles are small and teams take
// them in order, so that memory accesses are as sequential as in a copy.
//
// The same kernel ranks within groups (tile_groups.hpp). An element that begins a group also begins a run, and the
// ranks in the group are counted from that element. Within a tile, heads of groups are passed to other warps in the
// same way as heads of runs. If a group begins before the tile, the index of its first element is either computed, or
// searched for in the same way as the bounds of runs.
//
//     part of a tile   | warp 0      | warp 1      | ... | warp 7      |  lane l has the quads l, 32 + l, ...
//     scratch memory   | last, first | last, first | ... | last, first |  indices of each part's last and first head;
//                                                                         bounds at the tile's edges
//
// The work on a tile has one team barrier. Before the barrier, each warp writes its heads, and warps 0, 1 and 2 write
// the three bounds (TileBounds). After the barrier, all warps read heads and bounds. If groups are given by offsets,
// marking the elements that begin groups takes two more barriers, before this one. A team that ranks several tiles has
// another barrier between tiles.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/rank/detail/gpu/run_bounds.hpp>
#include <riffle/rank/detail/gpu/tile_groups.hpp>
#include <riffle/rank/detail/gpu/warp_quads.hpp>
#include <riffle/rank/detail/sources.hpp>
#include <riffle/rank/detail/tie_counter.hpp>
#include <riffle/rank/tuning.hpp>
#include <riffle/scan/dispatch.hpp>

namespace riffle::detail::rank {

/// Finds bounds at the edges of tiles: `ties` finds where runs of ties begin and end, and `groups` finds where groups
/// begin. `groups` is used only if the starts of groups are searched for.
template <class Bounds>
struct TieAndGroupBounds {
  using Index = typename Bounds::Index;

  Bounds ties;
  Bounds groups;
};

/// Returns the kernel that searches, by keys, for where groups begin.
template <class Index, class Groups>
auto group_start_search(std::uint64_t n, std::uint64_t tile_size, Groups const& groups,
                        StoredBounds<Index> const& bounds) {
  using Keys = std::decay_t<decltype(groups.keys)>;
  return SearchBounds<true, false, Keys, Unequal, Index>(n, tile_size, groups.keys, Unequal{},
                                                         bounds);
}

/// Returns the kernel that searches for the starts of runs of ties, for their ends, or for both, depending on what
/// Ranker needs.
template <class Index, class Ranker, class Groups, class Source, class Order>
auto run_bound_search(std::uint64_t n, std::uint64_t tile_size, Groups const& groups,
                      Source const& source, Order const& order, StoredBounds<Index> const& bounds) {
  using Tied = std::decay_t<decltype(groups.tied(source))>;
  using OrderOfTies = std::decay_t<decltype(groups.order_of_ties(order))>;
  return SearchBounds<Ranker::needs_start, Ranker::needs_end, Tied, OrderOfTies, Index, Groups>(
      n, tile_size, groups.tied(source), groups.order_of_ties(order), bounds, groups);
}

/// Ranks n > 0 elements that are sorted within their groups: writes ranker(i, start, end, first) for each element i,
/// where `first` is the index of the first element in its group. If all elements are one group, writes ranker(i, start,
/// end).
template <class Groups, class Source, class Order, class Ranker, class Sink, class Bounds>
class RankByWarps {
 public:
  static constexpr int threads = threads_that_rank;

 private:
  using T = typename Source::Item;
  using Index = typename Bounds::Index;

  static constexpr int warps = threads / backend::width;
  /// Whether values are read. They are not read for rules that need no runs, because such a rule computes a rank from
  /// the index of the element and its group alone.
  static constexpr bool reads_values = Ranker::needs_start || Ranker::needs_end;
  static constexpr bool reads_both = reads_values && Groups::bytes_per_element > 0;
  static constexpr bool needs_both = Ranker::needs_start && Ranker::needs_end;
  static constexpr std::size_t bytes = (reads_values ? sizeof(T) : 0) + Groups::bytes_per_element;
  static constexpr int quads = quads_per_lane(reads_both ? bytes / 2 : bytes);

 public:
  static constexpr int teams_per_processor =
      teams_that_rank(needs_both, reads_both, !Groups::is_one);

 private:
  using Values = WarpQuads<Source, Index, quads>;
  using Heads = QuadHeads<Index, quads>;
  using Places = QuadPlacesOfLane<Index>;
  using GroupsOfWarp = typename Groups::template OfWarp<Index, quads>;

  /// `start` is the start of the run that contains the tile's first element. `end` is the end of the run that contains
  /// the tile's last element. `first` is the index of the first element in the group that contains the tile's first
  /// element.
  struct TileBounds {
    Index start;
    Index end;
    Index first;
  };

 public:
  static constexpr std::uint64_t tile_size = warps * Values::size;

 private:
  struct State {
    HeadsOfWarps<Index, warps> ties;
    HeadsOfWarps<Index, Groups::are_computed ? 1 : warps> groups;
    TileBounds bounds;
    typename Groups::template Marks<static_cast<int>(tile_size)> marks;
  };

 public:
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  RankByWarps(std::uint64_t n, Groups const& groups, Source const& source, Order const& order,
              Ranker const& ranker, Sink const& sink, TieAndGroupBounds<Bounds> const& bounds)
      : n_(static_cast<Index>(n)),
        groups_(groups),
        source_(source),
        order_(order),
        ranker_(ranker),
        sink_(sink),
        bounds_(bounds) {}

  /// The number of teams, at most 2^31 - 1. If there are more tiles, a team ranks several.
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

  /// A warp's part of a tile: the indices of its elements, and the heads of runs and of groups.
  struct Part {
    KOKKOS_FUNCTION explicit Part(Places const& at) : places(at), ties(at), groups(at) {}

    Places places;
    bool is_whole = false;
    Heads ties;
    Heads groups;
  };

  template <class Member>
  KOKKOS_FUNCTION void rank_tile(Member const& team, State& state,
                                 TilePlace<Index> const& tile) const {
    int const thread = team.team_rank();
    int const lane = thread % backend::width;
    int const warp = thread / backend::width;
    Part part(places_of(tile, warp, lane));
    read(team, state, tile, warp, part);
    team.team_barrier();
    write(state, warp, part);
  }

  /// The indices of the elements in a part of a tile. If the part lies beyond the last element, it begins at n_, reads
  /// copies of the last element, and writes nothing.
  KOKKOS_FUNCTION Places places_of(TilePlace<Index> const& tile, int number, int lane) const {
    Index const offset = static_cast<Index>(number) * Values::size;
    return {offset < n_ - tile.begin ? tile.begin + offset : n_, lane};
  }

  /// Finds the heads of runs and groups in a part, and passes them to the other warps.
  template <class Member>
  KOKKOS_FUNCTION void read(Member const& team, State& state, TilePlace<Index> const& tile,
                            int number, Part& part) const {
    int const lane = part.places.lane;
    find_heads(team, state, tile, number, part);
    if constexpr (Ranker::needs_start)
      store_by_first_lane(part.ties.last_of_all(), state.ties.last[number], lane);
    if constexpr (Ranker::needs_end)
      store_by_first_lane(part.ties.first_of_all(), state.ties.first[number], lane);
    if constexpr (!Groups::are_computed) {
      store_by_first_lane(part.groups.last_of_all(), state.groups.last[number], lane);
    }
  }

  KOKKOS_FUNCTION void write(State const& state, int number, Part const& part) const {
    int const lane = part.places.lane;
    TileBounds bounds{0, 0, 0};
    if constexpr (Ranker::needs_start) {
      bounds.start = state.ties.start_before(number, lane, state.bounds.start);
    }
    if constexpr (Ranker::needs_end) {
      bounds.end = state.ties.end_after(number, lane, state.bounds.end);
    }
    if constexpr (!Groups::are_computed) {
      bounds.first = state.groups.start_before(number, lane, state.bounds.first);
    }
    if constexpr (counts_ties<Ranker>) {
      // Sum holds a lane's sum of k (k + 1): narrow indices are below 2^30, and a lane has at most 16 elements.
      using Sum = std::conditional_t<sizeof(Index) == 4, std::uint64_t, uint128>;
      Tally<Index, Sum> tally;
      write_by(ranker_.with(tally), part, bounds);
      ranker_.keep(tally, lane, part.places.begin / Values::size);
    } else {
      write_by(ranker_, part, bounds);
    }
  }

  KOKKOS_FUNCTION static void store_by_first_lane(Index found, Index& to, int lane) {
    if (lane == 0) to = found;
  }

  template <class Member>
  KOKKOS_FUNCTION void find_heads(Member const& team, State& state, TilePlace<Index> const& tile,
                                  int number, Part& part) const {
    Places const& places = part.places;
    std::uint32_t begins_group[quads];
    GroupsOfWarp const groups(groups_, tile, places);
    if constexpr (reads_values) {
      T const before = source_(places.begin == 0 ? 0 : places.begin - 1);
      Values const values(source_, n_, places);
      part.is_whole = values.is_whole();
      groups.mark(team, state.marks, tile);
      find_bounds(state.bounds, tile, number, places.lane);
      groups.find_heads(state.marks, number, places, begins_group);
      std::uint32_t begins_run[quads];
      values.find_heads(
          places.begin == 0 ? values.first() : before, places.lane,
          [&](T const& a, T const& b) { return differ(order_, a, b); }, begins_run);
      RIFFLE_UNROLL
      for (int q = 0; q < quads; ++q) part.ties.set(q, begins_run[q] | begins_group[q]);
    } else {
      part.is_whole = Values::size <= n_ - places.begin;
      groups.mark(team, state.marks, tile);
      find_bounds(state.bounds, tile, number, places.lane);
      groups.find_heads(state.marks, number, places, begins_group);
    }
    if constexpr (!Groups::are_computed) {
      RIFFLE_UNROLL
      for (int q = 0; q < quads; ++q) part.groups.set(q, begins_group[q]);
    }
  }

  /// Finds the bounds at the tile's edges. Warp 0 finds `start`, warp 1 finds `end` and warp 2 finds `first`, so that
  /// no warp waits for two searches.
  KOKKOS_FUNCTION void find_bounds(TileBounds& bounds, TilePlace<Index> const& tile, int number,
                                   int lane) const {
    if constexpr (Ranker::needs_start) {
      if (number == 0) store_by_first_lane(find_tie<Side::before>(tile, lane), bounds.start, lane);
    }
    if constexpr (Ranker::needs_end) {
      if (number == 1) store_by_first_lane(find_tie<Side::after>(tile, lane), bounds.end, lane);
    }
    if constexpr (!Groups::are_computed) {
      if (number == 2) store_by_first_lane(find_first(tile, lane), bounds.first, lane);
    }
  }

  template <Side side>
  KOKKOS_FUNCTION Index find_tie(TilePlace<Index> const& tile, int lane) const {
    return bounds_.ties.template find<side>(groups_.tied(source_), groups_.order_of_ties(order_),
                                            groups_, tile, lane);
  }

  KOKKOS_FUNCTION Index find_first(TilePlace<Index> const& tile, int lane) const {
    if constexpr (Groups::are_searched) {
      return bounds_.groups.template find<Side::before>(groups_.keys, Unequal{}, groups_, tile,
                                                        lane);
    } else {
      return groups_.first(tile);
    }
  }

  // Conditions that are the same for all elements are tested once, outside of the loops. A test per element would be
  // expensive compared with the few instructions that rank it.
  template <class RankerOfPart>
  KOKKOS_FUNCTION void write_by(RankerOfPart const& ranker, Part const& part,
                                TileBounds const& bounds) const {
    if (!part.is_whole || !sink_.has_quads()) {
      write_quads<false>(ranker, part, bounds);
      return;
    }
    if constexpr (requires { ranker.plain(); }) {
      if (ranker.is_plain()) {
        write_quads<true>(ranker.plain(), part, bounds);
        return;
      }
    }
    write_quads<true>(ranker, part, bounds);
  }

  template <bool Whole, class RankerOfPart>
  KOKKOS_FUNCTION void write_quads(RankerOfPart const& ranker, Part const& part,
                                   TileBounds const& carry) const {
    Index start = carry.start;
    Index first = carry.first;
    Index ends[quads];
    if constexpr (Ranker::needs_end) part.ties.find_ends(carry.end, ends);
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) {
      Index const place = part.places(q);
      Index starts_of_quad[quad_size];
      Index ends_of_quad[quad_size];
      [[maybe_unused]] Index firsts[quad_size];
      for (int e = 0; e < quad_size; ++e) {
        starts_of_quad[e] = ends_of_quad[e] = place + static_cast<Index>(e);
      }
      if constexpr (Ranker::needs_start) start = part.ties.find_starts(q, start, starts_of_quad);
      if constexpr (Ranker::needs_end) part.ties.find_ends_of_quad(q, ends[q], ends_of_quad);
      if constexpr (Groups::is_one) {
      } else if constexpr (Groups::are_computed) {
        groups_.find_firsts(place, firsts);
      } else {
        first = part.groups.find_starts(q, first, firsts);
      }
      auto const rank_of = [&](int e) {
        Index const i = place + static_cast<Index>(e);
        if constexpr (Groups::is_one) {
          return ranker(i, starts_of_quad[e], ends_of_quad[e]);
        } else {
          return ranker(i, starts_of_quad[e], ends_of_quad[e], firsts[e]);
        }
      };
      if constexpr (Whole) {
        typename Ranker::Rank ranks[quad_size];
        RIFFLE_UNROLL
        for (int e = 0; e < quad_size; ++e) ranks[e] = rank_of(e);
        write_ranks(sink_, place, part.places.lane, ranks);
      } else {
        for (int e = 0; e < quad_size; ++e) {
          Index const i = place + static_cast<Index>(e);
          if (i < n_) sink_(i, rank_of(e));
        }
      }
    }
  }

  Index n_;
  Groups groups_;
  Source source_;
  Order order_;
  Ranker ranker_;
  Sink sink_;
  TieAndGroupBounds<Bounds> bounds_;
};

template <class Exec, class Groups, class Source, class Order, class Ranker, class Sink,
          class Bounds>
void rank_tiles(Context<Exec> const& context, std::uint64_t n, Groups const& groups,
                Source const& source, Order const& order, Ranker const& ranker, Sink const& sink,
                TieAndGroupBounds<Bounds> const& bounds) {
  using Kernel = RankByWarps<Groups, Source, Order, Ranker, Sink, Bounds>;
  Kernel const kernel(n, groups, source, order, ranker, sink, bounds);
  launch_teams(context, kernel.teams(), kernel);
}

template <class Index, class Ranker, class Exec, class Groups, class Source, class Order>
void search_bounds_of_groups(Context<Exec> const& context, std::uint64_t n, std::uint64_t tile_size,
                             Groups const& groups, Source const& source, Order const& order,
                             TieAndGroupBounds<StoredBounds<Index>> const& bounds) {
  constexpr bool has_ties = Ranker::needs_start || Ranker::needs_end;
  auto const launch = [&](auto const& search) { launch_teams(context, search.teams(), search); };
  if constexpr (has_ties && Groups::are_searched) {
    launch(TwoSearches(
        run_bound_search<Index, Ranker>(n, tile_size, groups, source, order, bounds.ties),
        group_start_search(n, tile_size, groups, bounds.groups)));
  } else if constexpr (has_ties) {
    launch(run_bound_search<Index, Ranker>(n, tile_size, groups, source, order, bounds.ties));
  } else if constexpr (Groups::are_searched) {
    launch(group_start_search(n, tile_size, groups, bounds.groups));
  }
}

/// Ranks n > 0 elements. `Groups` is OneGroup, GroupsOfLength, or a type of rank_in_groups.hpp.
template <class Index, class Exec, class Groups, class Source, class Order, class Ranker,
          class Sink>
void rank_by_warps(Context<Exec> const& context, std::uint64_t n, Groups const& groups,
                   Source const& source, Order const& order, Ranker const& ranker,
                   Sink const& sink) {
  using Tiles = typename Groups::template Tiles<Index>;
  using Searched = SearchedBounds<Index>;
  using Kernel = RankByWarps<Tiles, Source, Order, Ranker, Sink, Searched>;
  constexpr std::uint64_t tile_size = Kernel::tile_size;
  std::uint64_t const count = scan::tile_count<Kernel>(n);
  Scope scope(context);
  Tiles const tiles = groups.template tiles<Index>(context, n, tile_size, scope);
  if (count <= scan::resident_teams<Kernel>(context.exec())) {
    rank_tiles(context, n, tiles, source, order, ranker, sink, TieAndGroupBounds<Searched>{});
    return;
  }
  TieAndGroupBounds<StoredBounds<Index>> stored{StoredBounds<Index>::of_tiles(count, scope), {}};
  if constexpr (Tiles::are_searched) {
    stored.groups = StoredBounds<Index>::of_tiles(count, scope);
  }
  search_bounds_of_groups<Index, Ranker>(context.named("bounds"), n, tile_size, tiles, source,
                                         order, stored);
  rank_tiles(context, n, tiles, source, order, ranker, sink, stored);
}

}  // namespace riffle::detail::rank
