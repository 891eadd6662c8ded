#pragma once

// Ranks within groups on a GPU in one pass, as those of all elements (by_warps.hpp): where a group begins, a run of ties
// begins, too, and ranks are counted from there. Within a tile beginnings of groups are handed over as those of runs
// are; what reaches into a tile is known before, or is looked for as the ends of runs are.

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
#include <riffle/rank/detail/gpu/bounds.hpp>
#include <riffle/rank/detail/gpu/edge.hpp>
#include <riffle/rank/detail/gpu/quad_heads.hpp>
#include <riffle/rank/detail/gpu/search_bounds.hpp>
#include <riffle/rank/detail/gpu/tile_groups.hpp>
#include <riffle/rank/detail/gpu/tile_segments.hpp>
#include <riffle/rank/detail/gpu/warp_quads.hpp>
#include <riffle/rank/detail/grouped.hpp>
#include <riffle/scan/run.hpp>

namespace riffle::detail::rank {

/// What reaches into tiles and out of them: runs of ties, and groups, where their bounds are searched for.
template <class Bounds>
struct BoundsOfGroups {
  using Index = typename Bounds::Index;

  Bounds ties;
  Bounds groups;
};

/// The kernel that searches for where groups begin, by their keys.
template <class Index, class Groups>
auto search_of_firsts(std::uint64_t n, std::uint64_t tile_size, Groups const& groups,
                      StoredBounds<Index> const& bounds) {
  using Keys = std::decay_t<decltype(groups.keys)>;
  return SearchBounds<true, false, Keys, Unequal, Index>(n, tile_size, groups.keys, Unequal{},
                                                         bounds);
}

/// The kernel that searches for where runs of ties begin, or end, by what Ranker needs.
template <class Index, class Ranker, class Groups, class Source, class Order>
auto search_of_ties(std::uint64_t n, std::uint64_t tile_size, Groups const& groups,
                    Source const& source, Order const& order, StoredBounds<Index> const& bounds) {
  using Tied = std::decay_t<decltype(groups.tied(source))>;
  using OrderOfTies = std::decay_t<decltype(groups.order_of_ties(order))>;
  return SearchBounds<Ranker::needs_start, Ranker::needs_end, Tied, OrderOfTies, Index, Groups>(
      n, tile_size, groups.tied(source), groups.order_of_ties(order), bounds, groups);
}

/// Ranks of n > 0 elements that are sorted within their groups: ranker(i, start, end, first) for each, `first` being
/// the first element of its group.
template <class Groups, class Source, class Order, class Ranker, class Sink, class Bounds>
class RankGroupsByWarps {
 public:
  static constexpr int threads = 256;

 private:
  using T = typename Source::Item;
  using Index = typename Bounds::Index;

  static constexpr int warps = threads / backend::width;
  /// Whether values are read: a rule that does not look for ties knows ranks by the groups alone.
  static constexpr bool reads_values = Ranker::needs_start || Ranker::needs_end;
  static constexpr bool reads_both = reads_values && Groups::bytes_per_element > 0;
  static constexpr std::size_t bytes = (reads_values ? sizeof(T) : 0) + Groups::bytes_per_element;
  /// Of keys and values a lane holds as many quads as of values alone, though they fill more registers: with half as
  /// many, in tiles half as large, ranking by keys takes a third longer.
  static constexpr int quads = quads_of_bytes(reads_both ? bytes / 2 : bytes);

 public:
  /// As many teams as have registers.
  static constexpr int teams_per_processor = reads_both                                 ? 3
                                             : Ranker::needs_start && Ranker::needs_end ? 4
                                                                                        : 5;

 private:
  using Values = WarpQuads<Source, Index, quads>;
  using Heads = QuadHeads<Index, quads>;
  using Places = QuadPlacesOfLane<Index>;
  using GroupsOfWarp = typename Groups::template OfWarp<Index, quads>;

  /// Where the run of a tile's first element begins, where that of its last element ends, and where the group of its
  /// first element begins.
  struct Ends {
    Index start;
    Index end;
    Index first;
  };

 public:
  static constexpr std::uint64_t tile_size = warps * Values::size;

 private:
  struct State {
    HeadsOfWarps<Index, warps> ties;
    HeadsOfWarps<Index, warps> groups;
    Ends ends;
    typename Groups::template Marks<static_cast<int>(tile_size)> marks;
  };

 public:
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  RankGroupsByWarps(std::uint64_t n, Groups const& groups, Source const& source, Order const& order,
                    Ranker const& ranker, Sink const& sink, BoundsOfGroups<Bounds> const& bounds)
      : n_(static_cast<Index>(n)),
        groups_(groups),
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

  /// What a warp knows of its elements.
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
    int const lane = team.team_rank() % backend::width;
    int const warp = team.team_rank() / backend::width;
    Index const offset = static_cast<Index>(warp) * Values::size;
    // A warp beyond the end repeats the last element, and writes nothing.
    Part part({offset < n_ - tile.begin ? tile.begin + offset : n_, lane});
    find_heads(team, state, tile, warp, part);
    if constexpr (Ranker::needs_start) tell(part.ties.last_of_all(), state.ties.last, warp, lane);
    if constexpr (Ranker::needs_end) tell(part.ties.first_of_all(), state.ties.first, warp, lane);
    if constexpr (!Groups::are_computed) {
      tell(part.groups.last_of_all(), state.groups.last, warp, lane);
    }
    team.team_barrier();
    Ends ends{0, 0, 0};
    if constexpr (Ranker::needs_start) {
      ends.start = state.ties.start_before(warp, lane, state.ends.start);
    }
    if constexpr (Ranker::needs_end) {
      ends.end = state.ties.end_behind(warp, lane, state.ends.end);
    }
    if constexpr (!Groups::are_computed) {
      ends.first = state.groups.start_before(warp, lane, state.ends.first);
    }
    write(part, ends);
  }

  KOKKOS_FUNCTION static void tell(Index head, Index (&heads)[warps], int warp, int lane) {
    if (lane == 0) heads[warp] = head;
  }

  template <class Member>
  KOKKOS_FUNCTION void find_heads(Member const& team, State& state, TilePlace<Index> const& tile,
                                  int warp, Part& part) const {
    Places const& places = part.places;
    std::uint32_t begins_group[quads];
    GroupsOfWarp const groups(groups_, tile, places);
    if constexpr (reads_values) {
      T const before = source_(places.begin == 0 ? 0 : places.begin - 1);
      Values const values(source_, n_, places);
      part.is_whole = values.is_whole();
      groups.mark(team, state.marks, tile);
      find_ends(state.ends, tile, warp, places.lane);
      groups.find_heads(state.marks, warp, places, begins_group);
      std::uint32_t begins_run[quads];
      values.find_heads(
          places.begin == 0 ? values.first() : before, places.lane,
          [&](T const& a, T const& b) { return differ(order_, a, b); }, begins_run);
      RIFFLE_UNROLL
      for (int q = 0; q < quads; ++q) part.ties.set(q, begins_run[q] | begins_group[q]);
    } else {
      part.is_whole = Values::size <= n_ - places.begin;
      groups.mark(team, state.marks, tile);
      find_ends(state.ends, tile, warp, places.lane);
      groups.find_heads(state.marks, warp, places, begins_group);
    }
    if constexpr (!Groups::are_computed) {
      RIFFLE_UNROLL
      for (int q = 0; q < quads; ++q) part.groups.set(q, begins_group[q]);
    }
  }

  /// A warp for each end, so that none waits for two.
  KOKKOS_FUNCTION void find_ends(Ends& ends, TilePlace<Index> const& tile, int warp,
                                 int lane) const {
    if constexpr (Ranker::needs_start) {
      if (warp == 0) keep(find_tie<Side::before>(tile, lane), ends.start, lane);
    }
    if constexpr (Ranker::needs_end) {
      if (warp == 1) keep(find_tie<Side::behind>(tile, lane), ends.end, lane);
    }
    if constexpr (!Groups::are_computed) {
      if (warp == 2) keep(find_first(tile, lane), ends.first, lane);
    }
  }

  KOKKOS_FUNCTION static void keep(Index found, Index& to, int lane) {
    if (lane == 0) to = found;
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

  KOKKOS_FUNCTION void write(Part const& part, Ends const& ends) const {
    if (!part.is_whole || !sink_.has_quads()) {
      write_quads<false>(ranker_, part, ends);
    } else if (ranker_.is_plain()) {
      write_quads<true>(ranker_.plain(), part, ends);
    } else {
      write_quads<true>(ranker_, part, ends);
    }
  }

  template <bool Whole, class RankerOrPlain>
  KOKKOS_FUNCTION void write_quads(RankerOrPlain const& ranker, Part const& part,
                                   Ends const& carry) const {
    Index start = carry.start;
    Index first = carry.first;
    Index ends[quads];
    if constexpr (Ranker::needs_end) part.ties.find_ends(carry.end, ends);
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) {
      Index const place = part.places(q);
      Index starts_of_quad[quad_size];
      Index ends_of_quad[quad_size];
      Index firsts[quad_size];
      for (int e = 0; e < quad_size; ++e) {
        starts_of_quad[e] = ends_of_quad[e] = place + static_cast<Index>(e);
      }
      if constexpr (Ranker::needs_start) start = part.ties.find_starts(q, start, starts_of_quad);
      if constexpr (Ranker::needs_end) part.ties.find_ends_of_quad(q, ends[q], ends_of_quad);
      if constexpr (Groups::are_computed) {
        groups_.find_firsts(place, firsts);
      } else {
        first = part.groups.find_starts(q, first, firsts);
      }
      auto const rank_of = [&](int e) {
        return ranker(place + static_cast<Index>(e), starts_of_quad[e], ends_of_quad[e], firsts[e]);
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
  BoundsOfGroups<Bounds> bounds_;
};

template <class Exec, class Groups, class Source, class Order, class Ranker, class Sink,
          class Bounds>
void rank_tiles_of_groups(Context<Exec> const& context, std::uint64_t n, Groups const& groups,
                          Source const& source, Order const& order, Ranker const& ranker,
                          Sink const& sink, BoundsOfGroups<Bounds> const& bounds) {
  using Kernel = RankGroupsByWarps<Groups, Source, Order, Ranker, Sink, Bounds>;
  Kernel const kernel(n, groups, source, order, ranker, sink, bounds);
  launch_teams(context, kernel.teams(), kernel);
}

template <class Index, class Ranker, class Exec, class Groups, class Source, class Order>
void search_bounds_of_groups(Context<Exec> const& context, std::uint64_t n, std::uint64_t tile_size,
                             Groups const& groups, Source const& source, Order const& order,
                             BoundsOfGroups<StoredBounds<Index>> const& bounds) {
  constexpr bool has_ties = Ranker::needs_start || Ranker::needs_end;
  auto const launch = [&](auto const& search) { launch_teams(context, search.teams(), search); };
  if constexpr (has_ties && Groups::are_searched) {
    launch(SearchSideBySide(
        search_of_ties<Index, Ranker>(n, tile_size, groups, source, order, bounds.ties),
        search_of_firsts(n, tile_size, groups, bounds.groups)));
  } else if constexpr (has_ties) {
    launch(search_of_ties<Index, Ranker>(n, tile_size, groups, source, order, bounds.ties));
  } else if constexpr (Groups::are_searched) {
    launch(search_of_firsts(n, tile_size, groups, bounds.groups));
  }
}

/// Groups: those of groups.hpp.
template <class Index, class Exec, class Groups, class Source, class Order, class Ranker,
          class Sink>
void rank_groups_by_warps(Context<Exec> const& context, std::uint64_t n, Groups const& groups,
                          Source const& source, Order const& order, Ranker const& ranker,
                          Sink const& sink) {
  using Tiles = typename Groups::template Tiles<Index>;
  using Searched = SearchedBounds<Index>;
  using Kernel = RankGroupsByWarps<Tiles, Source, Order, Ranker, Sink, Searched>;
  constexpr std::uint64_t tile_size = Kernel::tile_size;
  std::uint64_t const count = scan::tile_count<Kernel>(n);
  Scope scope(context);
  Tiles const tiles = groups.template tiles<Index>(context, n, tile_size, scope);
  if (count <= scan::resident_teams<Kernel>(context.exec())) {
    rank_tiles_of_groups(context, n, tiles, source, order, ranker, sink,
                         BoundsOfGroups<Searched>{});
    return;
  }
  BoundsOfGroups<StoredBounds<Index>> stored{StoredBounds<Index>::of_tiles(count, scope), {}};
  if constexpr (Tiles::are_searched) {
    stored.groups = StoredBounds<Index>::of_tiles(count, scope);
  }
  search_bounds_of_groups<Index, Ranker>(context.named("bounds"), n, tile_size, tiles, source,
                                         order, stored);
  rank_tiles_of_groups(context, n, tiles, source, order, ranker, sink, stored);
}

}  // namespace riffle::detail::rank
