#pragma once

// Where the run that reaches into a tile begins, and where the run that reaches out of it ends, on a GPU.
//
// Most runs end near the tile: the lanes of a warp read the quads next to it (read_nearby), and miss no end among these.
// Where there are few tiles, the warp that ranks a tile searches for an end that is further away (SearchedBounds). Where
// there are many, it would wait for memory several times; so another kernel searches for the ends of all tiles before
// (SearchBounds), and the warp reads them (StoredBounds). A run that belongs to a group ends with the group, if not
// before.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/rank/detail/search.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

// --- a tile and its edges ---

/// The side of a tile on which its neighbours are.
enum class Side { before, behind };

/// A tile begin, ..., behind - 1 of n elements.
template <class Index>
struct TilePlace {
  Index n;
  Index number;
  Index begin;
  Index behind;

  template <Side side>
  KOKKOS_FUNCTION Index elements_beyond() const {
    return side == Side::before ? begin : n - behind;
  }
};

template <std::uint64_t tile_size, class Index>
KOKKOS_FUNCTION TilePlace<Index> place_of_tile(Index n, std::uint64_t number) {
  auto const begin = static_cast<Index>(number * tile_size);
  bool const is_whole = tile_size < n - begin;
  return {n, static_cast<Index>(number), begin,
          is_whole ? begin + static_cast<Index>(tile_size) : n};
}

/// Says how many elements beyond a tile a run may reach (as do groups, tile_groups.hpp): all there are.
struct WithinAll {
  template <Side side, class Index>
  KOKKOS_FUNCTION Index limit(TilePlace<Index> const& tile) const {
    return tile.template elements_beyond<side>();
  }
};

/// The first or last element of a tile, and its neighbours beyond the tile, counted from 1 by their distance to it.
template <Side side, class Source, class Order, class Index>
class Edge {
 public:
  using T = typename Source::Item;

  /// The run ends within `limit` elements beyond the tile.
  KOKKOS_FUNCTION Edge(Source const& source, Order const& order, TilePlace<Index> const& tile,
                       Index limit)
      : source_(source),
        order_(order),
        n_(tile.n),
        place_(is_before ? tile.begin : tile.behind - 1),
        beyond_(tile.template elements_beyond<side>()),
        limit_(limit),
        value_(source(place_)) {}

  /// The number of elements beyond the edge.
  KOKKOS_FUNCTION Index elements_beyond() const { return beyond_; }

  /// The number of elements beyond the edge that the run may reach.
  KOKKOS_FUNCTION Index limit() const { return limit_; }

  /// Where the run begins, or where it ends, if it goes on for `length` elements beyond the edge.
  KOKKOS_FUNCTION Index bound(Index length) const {
    return is_before ? place_ - length : place_ + length + 1;
  }

  /// Whether the run reaches `distance` <= limit() elements beyond the edge.
  KOKKOS_FUNCTION bool is_tied(Index distance) const {
    return is_tied_to(source_(is_before ? place_ - distance : place_ + distance));
  }

  /// Whether the run may reach the element at `distance` beyond the edge, and does.
  KOKKOS_FUNCTION bool reaches(Index distance) const {
    return distance <= limit_ && is_tied(distance);
  }

  /// Whether there is an element at `distance` on the other side of the edge, and the run reaches it.
  KOKKOS_FUNCTION bool reaches_inwards(Index distance) const {
    bool const exists = is_before ? distance < n_ - place_ : distance <= place_;
    return exists && is_tied_inwards(source_(is_before ? place_ + distance : place_ - distance));
  }

  /// Bit d - 1 is set where the element at distance nearer + d, d = 1, ..., quad_size, is not tied. The tile begins and
  /// ends between quads.
  KOKKOS_FUNCTION std::uint32_t apart_in_quad(Index nearer) const {
    Index const first = is_before ? place_ - nearer - quad_size : place_ + nearer + 1;
    T x[quad_size];
    if (source_.has_quads()) {
      source_.read_quad(first, x);
    } else {
      for (int e = 0; e < quad_size; ++e) x[e] = source_(first + static_cast<Index>(e));
    }
    std::uint32_t apart = 0;
    for (int e = 0; e < quad_size; ++e) {
      apart |= is_tied_to(x[e]) ? 0u : 1u << (is_before ? quad_size - 1 - e : e);
    }
    return apart;
  }

 private:
  static constexpr bool is_before = side == Side::before;

  KOKKOS_FUNCTION bool is_tied_to(T const& x) const {
    return is_before ? !differ(order_, x, value_) : !differ(order_, value_, x);
  }
  KOKKOS_FUNCTION bool is_tied_inwards(T const& x) const {
    return is_before ? !differ(order_, value_, x) : !differ(order_, x, value_);
  }

  Source const& source_;
  Order const& order_;
  Index n_;
  Index place_;
  Index beyond_;
  Index limit_;
  T value_;
};

/// How far a run goes on, if that is known.
template <class Index>
struct Length {
  bool is_known;
  Index value;
};

/// Whether a run ends near an edge, and if so, how far it goes on. All lanes of a warp make the call.
template <class Edge>
KOKKOS_FUNCTION auto read_nearby(Edge const& edge, int lane) {
  using Index = decltype(edge.limit());
  // The limit may still be on its way when the elements are asked for.
  if (edge.elements_beyond() < near_elements) return Length<Index>{edge.limit() == 0, 0};
  auto const nearer = static_cast<Index>(quad_size * lane);
  std::uint32_t const apart = edge.apart_in_quad(nearer);
  std::uint32_t const any = backend::ballot(apart != 0);
  Index const own = nearer + static_cast<Index>(apart == 0 ? 0 : backend::lowest_one(apart));
  Index const seen = backend::from_lane(own, any == 0 ? 0 : backend::lowest_one(any));
  Index const length = any == 0 ? Index{near_elements} : seen;
  if (edge.limit() <= length) return Length<Index>{true, edge.limit()};
  return Length<Index>{any != 0, length};
}

/// How far the run goes on, at most to `limit`, searched for by `Lanes` lanes together; it is known to reach `known`.
/// All lanes of a warp make the call; those that have nothing to search for have a limit of 0.
template <int Lanes, class Edge, class Index>
KOKKOS_FUNCTION Index search_beyond(Edge const& edge, Index limit, Index known, int lane) {
  return WarpSearch<Lanes, Index>(limit, lane, known < limit ? known : limit)
      .run([&](Index distance) { return edge.is_tied(distance); });
}

// --- the bounds of a tile, for the warp that ranks it ---

/// Bounds for which the warp searches where they are far from the tile.
template <class Index_>
struct SearchedBounds {
  using Index = Index_;

  /// The bound of a tile's run.
  template <Side side, class Source, class Order, class Limits>
  KOKKOS_FUNCTION Index find(Source const& source, Order const& order, Limits const& limits,
                             TilePlace<Index> const& tile, int lane) const {
    Edge<side, Source, Order, Index> const edge(source, order, tile,
                                                limits.template limit<side>(tile));
    auto const near = read_nearby(edge, lane);
    if (near.is_known) return edge.bound(near.value);
    Index const known = near_elements <= edge.limit() ? near_elements : 0;
    return edge.bound(search_beyond<backend::width>(edge, edge.limit(), known, lane));
  }
};

/// Bounds that SearchBounds has stored where they are far from their tiles. Values of other tiles are not used.
template <class Index_>
struct StoredBounds {
  using Index = Index_;

  Index* starts;
  Index* ends;

  /// Memory for the bounds of `count` tiles.
  static StoredBounds of_tiles(std::uint64_t count, auto& scope) {
    auto* const starts = scope.template take<Index>(2 * count);
    return {starts, starts + count};
  }

  template <Side side, class Source, class Order, class Limits>
  KOKKOS_FUNCTION Index find(Source const& source, Order const& order, Limits const& limits,
                             TilePlace<Index> const& tile, int lane) const {
    // Read before the neighbours are, so that both loads are waited for together.
    Index const stored = (side == Side::before ? starts : ends)[tile.number];
    Edge<side, Source, Order, Index> const edge(source, order, tile,
                                                limits.template limit<side>(tile));
    auto const near = read_nearby(edge, lane);
    return near.is_known ? edge.bound(near.value) : stored;
  }
};

// --- the search for the far ends of all tiles ---
//
// A few lanes search for each end that is nearer than the next tile's edge. A run that reaches that edge ends where the
// next tile's run ends, which the lanes of a team tell each other; only at the team's own edge does a warp search
// further. So little is read at random, however long runs are.

/// The number of tiles of a team.
inline constexpr int searched_tiles = backend::width;

/// How far runs go on beyond tiles, as the lanes of a team tell each other.
template <class Index>
struct SearchState {
  Index lengths[searched_tiles];
  Index beyond_team;
};

/// The tiles of n > 0 elements whose runs are searched for.
template <class Source, class Order, class Index, class Limits>
struct SearchedTiles {
  Index n;
  Index tile_size;
  Index count;
  Source source;
  Order order;
  Limits limits;
};

/// Writes to bounds[tile] where a run begins or ends, on one side of the tile, if that is far from the tile's edge.
template <Side side, class Source, class Order, class Index, class Limits>
class SearchSide {
  static constexpr int lanes_per_tile = lanes_per_searched_tile;
  static constexpr int tiles_per_team = searched_tiles;
  static constexpr int threads_of_tiles = tiles_per_team * lanes_per_tile;

  // The length of a run beyond a tile of which only is known that it reaches the next tile's edge.
  static constexpr Index unknown = std::numeric_limits<Index>::max();

 public:
  using State = SearchState<Index>;
  using Tiles = SearchedTiles<Source, Order, Index, Limits>;

  /// The lanes for tiles, and a warp that searches beyond the team's tiles.
  static constexpr int threads = threads_of_tiles + backend::width;

  KOKKOS_FUNCTION SearchSide(Tiles const& tiles, Index* bounds) : tiles_(tiles), bounds_(bounds) {}

  /// Searches for the tiles of team `number`, counted from 0.
  template <class Member>
  KOKKOS_FUNCTION void run(Member const& team, State& state, int number) const {
    int const lane = team.team_rank() % backend::width;
    auto const first = static_cast<Index>(number) * tiles_per_team;
    if (team.team_rank() < threads_of_tiles) {
      int const own = team.team_rank() / lanes_per_tile;
      Index const length = search_to_next_tile(first + static_cast<Index>(own), lane);
      if (lane % lanes_per_tile == 0) state.lengths[own] = length;
    } else {
      Index const length = search_beyond_team(first, lane);
      if (lane == 0) state.beyond_team = length;
    }
    team.team_barrier();
    if (team.team_rank() < backend::width) write(state, first, lane);
  }

 private:
  using TileEdge = Edge<side, Source, Order, Index>;

  static constexpr bool is_before = side == Side::before;

  /// The edge of a tile; lanes beyond the last tile get the last one's.
  KOKKOS_FUNCTION TileEdge edge_of(Index tile) const {
    Index const number = tile < tiles_.count ? tile : tiles_.count - 1;
    Index const begin = number * tiles_.tile_size;
    Index const behind = tiles_.tile_size < tiles_.n - begin ? begin + tiles_.tile_size : tiles_.n;
    TilePlace<Index> const place{tiles_.n, number, begin, behind};
    return {tiles_.source, tiles_.order, place, tiles_.limits.template limit<side>(place)};
  }

  KOKKOS_FUNCTION Index search_to_next_tile(Index tile, int lane) const {
    TileEdge const edge = edge_of(tile);
    bool const goes_on = edge.reaches(tiles_.tile_size);
    // Where few elements lie beyond the edge, the warp that ranks looks at none of them.
    bool const is_far = edge.elements_beyond() < near_elements || edge.reaches(near_elements);
    bool const is_wanted = !goes_on && (is_far || edge.reaches_inwards(tiles_.tile_size));
    Index const limit = tiles_.tile_size < edge.limit() ? tiles_.tile_size : edge.limit();
    Index const known = is_far && near_elements <= limit ? near_elements : 0;
    Index const length = search_beyond<lanes_per_tile>(edge, is_wanted ? limit : 0, known, lane);
    return goes_on ? unknown : length;
  }

  /// Searches beyond the tile at the team's edge.
  KOKKOS_FUNCTION Index search_beyond_team(Index first_tile, int lane) const {
    TileEdge const edge = edge_of(is_before ? first_tile : first_tile + tiles_per_team - 1);
    bool const goes_on = edge.reaches(tiles_.tile_size);
    return search_beyond<backend::width>(edge, goes_on ? edge.limit() : 0, tiles_.tile_size, lane);
  }

  /// A lane for each tile writes its own length, or that of the nearest tile whose length is known.
  KOKKOS_FUNCTION void write(State const& state, Index first_tile, int lane) const {
    Index const own = state.lengths[lane];
    std::uint32_t const all = ~std::uint32_t{0};
    std::uint32_t const towards = is_before ? all >> (backend::width - 1 - lane) : all << lane;
    std::uint32_t const any = backend::ballot(own != unknown) & towards;
    int nearest = is_before ? 0 : backend::width - 1;
    if (any != 0) nearest = is_before ? backend::highest_one(any) : backend::lowest_one(any);
    Index const found = backend::from_lane(own, nearest);
    auto const between = static_cast<Index>(is_before ? lane - nearest : nearest - lane);
    Index const length = between * tiles_.tile_size + (any == 0 ? state.beyond_team : found);
    Index const tile = first_tile + static_cast<Index>(lane);
    if (tile < tiles_.count) bounds_[tile] = edge_of(tile).bound(length);
  }

  Tiles const& tiles_;
  Index* bounds_;
};

/// Searches on both sides, or on one.
template <bool Starts, bool Ends, class Source, class Order, class Index, class Limits = WithinAll>
class SearchBounds {
  using SearchStarts = SearchSide<Side::before, Source, Order, Index, Limits>;
  using SearchEnds = SearchSide<Side::behind, Source, Order, Index, Limits>;

  static constexpr int sides = (Starts ? 1 : 0) + (Ends ? 1 : 0);

 public:
  using State = SearchState<Index>;
  static constexpr int threads = SearchStarts::threads;
  static constexpr int teams_per_processor = teams_that_search;
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  SearchBounds(std::uint64_t n, std::uint64_t tile_size, Source const& source, Order const& order,
               StoredBounds<Index> const& bounds, Limits const& limits)
      : tiles_{static_cast<Index>(n),
               static_cast<Index>(tile_size),
               static_cast<Index>((n + tile_size - 1) / tile_size),
               source,
               order,
               limits},
        bounds_(bounds) {}
  SearchBounds(std::uint64_t n, std::uint64_t tile_size, Source const& source, Order const& order,
               StoredBounds<Index> const& bounds)
      : SearchBounds(n, tile_size, source, order, bounds, WithinAll{}) {}

  KOKKOS_FUNCTION std::uint64_t teams() const {
    return sides *
           ((static_cast<std::uint64_t>(tiles_.count) + searched_tiles - 1) / searched_tiles);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    run(team, team_state<State>(team), team.league_rank());
  }

  /// Does what the team `rank` of the kernel does.
  template <class Member>
  KOKKOS_FUNCTION void run(Member const& team, State& state, int rank) const {
    if constexpr (Starts) {
      if (!Ends || rank % sides == 0) {
        SearchStarts(tiles_, bounds_.starts).run(team, state, rank / sides);
      }
    }
    if constexpr (Ends) {
      if (!Starts || rank % sides == 1) {
        SearchEnds(tiles_, bounds_.ends).run(team, state, rank / sides);
      }
    }
  }

 private:
  SearchedTiles<Source, Order, Index, Limits> tiles_;
  StoredBounds<Index> bounds_;
};

/// Two searches in one kernel.
template <class A, class B>
class SearchSideBySide {
 public:
  static constexpr int threads = A::threads;
  static constexpr int teams_per_processor = A::teams_per_processor;
  static constexpr std::size_t scratch_bytes = A::scratch_bytes;
  static_assert(std::is_same_v<typename A::State, typename B::State>);

  SearchSideBySide(A const& a, B const& b) : a_(a), b_(b) {}

  std::uint64_t teams() const { return a_.teams() + b_.teams(); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<typename A::State>(team);
    auto const teams_of_a = static_cast<int>(a_.teams());
    if (team.league_rank() < teams_of_a) {
      a_.run(team, state, team.league_rank());
    } else {
      b_.run(team, state, team.league_rank() - teams_of_a);
    }
  }

 private:
  A a_;
  B b_;
};

}  // namespace riffle::detail::rank
