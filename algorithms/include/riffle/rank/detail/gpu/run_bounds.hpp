#pragma once

// The bounds of the runs that extend over the edges of a tile, on a GPU: where the run of the tile's first element begins,
// and where the run of its last element ends.
//
//        near_elements        tile         near_elements
//     ...|-------------|================|-------------|...
//           ^ start of the first run            ^ end of the last run
//
// Most bounds are near the tile, among the near_elements that the lanes of a warp read next to it (read_nearby). A
// bound that is further away is found in one of two ways. If there are few tiles, the warp that ranks the tile searches
// for the bound (SearchedBounds). A search makes this warp wait for memory several times, so with many tiles a separate
// kernel is faster: it searches for the bounds of all tiles first (SearchBounds), and the warp that ranks a tile reads
// its bounds (StoredBounds). A run never extends beyond its group.

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
#include <riffle/rank/detail/run_search.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

// --- a tile and its edges ---

/// The side of a tile: the elements before it, or after it.
enum class Side { before, after };

/// A tile, which contains elements begin, ..., end - 1. `n` is the number of elements in all tiles, and `number` is the
/// index of this tile among all tiles.
template <class Index>
struct TilePlace {
  Index n;
  Index number;
  Index begin;
  Index end;

  template <Side side>
  KOKKOS_FUNCTION Index elements_beyond() const {
    return side == Side::before ? begin : n - end;
  }
};

template <std::uint64_t tile_size, class Index>
KOKKOS_FUNCTION TilePlace<Index> place_of_tile(Index n, std::uint64_t number) {
  auto const begin = static_cast<Index>(number * tile_size);
  bool const is_whole = tile_size < n - begin;
  return {n, static_cast<Index>(number), begin,
          is_whole ? begin + static_cast<Index>(tile_size) : n};
}

/// The limit of a run if all elements are one group: it can extend over all elements on one side of the tile. Other
/// types of groups have their own limit() (tile_groups.hpp).
struct WithinAll {
  template <Side side, class Index>
  KOKKOS_FUNCTION Index limit(TilePlace<Index> const& tile) const {
    return tile.template elements_beyond<side>();
  }
};

/// The first or last element of a tile. Elements beyond the tile are identified by their distance from this element,
/// which is at least 1.
template <Side side, class Source, class Order, class Index>
class Edge {
 public:
  using T = typename Source::Item;

  /// Requires: the run extends over at most `limit` elements beyond the tile.
  KOKKOS_FUNCTION Edge(Source const& source, Order const& order, TilePlace<Index> const& tile,
                       Index limit)
      : source_(source),
        order_(order),
        n_(tile.n),
        place_(is_before ? tile.begin : tile.end - 1),
        beyond_(tile.template elements_beyond<side>()),
        limit_(limit),
        value_(source(place_)) {}

  /// The number of elements beyond the edge.
  KOKKOS_FUNCTION Index elements_beyond() const { return beyond_; }

  /// The maximum number of elements over which the run can extend beyond the edge.
  KOKKOS_FUNCTION Index limit() const { return limit_; }

  /// Returns the start of the run (side before) or its end (side after), if the run extends over `length` elements
  /// beyond the edge.
  KOKKOS_FUNCTION Index bound(Index length) const {
    return is_before ? place_ - length : place_ + length + 1;
  }

  /// Whether the run extends over `distance` elements beyond the edge. Requires: distance <= limit().
  KOKKOS_FUNCTION bool is_tied(Index distance) const {
    return is_tied_to(source_(is_before ? place_ - distance : place_ + distance));
  }

  /// Does the same as is_tied(), for any distance.
  KOKKOS_FUNCTION bool reaches(Index distance) const {
    return distance <= limit_ && is_tied(distance);
  }

  /// Whether the element at `distance` from the edge, on the side of the edge where the tile is, exists and belongs to
  /// the run.
  KOKKOS_FUNCTION bool reaches_inwards(Index distance) const {
    bool const exists = is_before ? distance < n_ - place_ : distance <= place_;
    return exists && is_tied_inwards(source_(is_before ? place_ + distance : place_ - distance));
  }

  /// Returns a word in which bit d - 1 is set if the element at distance nearer + d is not tied, for d = 1, ...,
  /// quad_size. Requires: these elements exist; `nearer` is a multiple of quad_size. (Then the elements are one aligned
  /// quad, because the size of a tile is a multiple of quad_size.)
  KOKKOS_FUNCTION std::uint32_t untied_in_quad(Index nearer) const {
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

/// The number of elements over which a run extends beyond a tile, if it is known.
template <class Index>
struct Length {
  bool is_known;
  Index value;
};

/// Finds the length of a run beyond an edge, if it ends within near_elements. All lanes of a warp make the call.
template <class Edge>
KOKKOS_FUNCTION auto read_nearby(Edge const& edge, int lane) {
  using Index = decltype(edge.limit());
  // Does not test limit(), which may depend on a load, so that the neighbours are loaded without waiting for that load.
  if (edge.elements_beyond() < near_elements) return Length<Index>{edge.limit() == 0, 0};
  auto const nearer = static_cast<Index>(quad_size * lane);
  std::uint32_t const apart = edge.untied_in_quad(nearer);
  std::uint32_t const any = backend::ballot(apart != 0);
  Index const own = nearer + static_cast<Index>(apart == 0 ? 0 : backend::lowest_one(apart));
  Index const seen = backend::from_lane(own, any == 0 ? 0 : backend::lowest_one(any));
  Index const length = any == 0 ? Index{near_elements} : seen;
  if (edge.limit() <= length) return Length<Index>{true, edge.limit()};
  return Length<Index>{any != 0, length};
}

/// Returns the length of the run beyond the edge, at most `limit`. `Lanes` lanes search together; the run is known to
/// extend over at least `known` elements. All lanes of a warp make the call; lanes without a search have the limit 0.
template <int Lanes, class Edge, class Index>
KOKKOS_FUNCTION Index search_beyond(Edge const& edge, Index limit, Index known, int lane) {
  return WarpSearch<Lanes, Index>(limit, lane, known < limit ? known : limit)
      .run([&](Index distance) { return edge.is_tied(distance); });
}

// --- how the warp that ranks a tile finds its bounds ---

/// Finds the bounds of a tile. If a bound is not near the tile, the warp that ranks the tile searches for it.
template <class Index_>
struct SearchedBounds {
  using Index = Index_;

  /// Returns where the tile's first run begins (side before), or where its last run ends (side after).
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

/// Reads a bound that is not near the tile from an array, in which SearchBounds has stored it. The array elements for
/// bounds that are near the tile are unspecified.
template <class Index_>
struct StoredBounds {
  using Index = Index_;

  Index* starts;
  Index* ends;

  /// Allocates the arrays for the bounds of `count` tiles.
  static StoredBounds of_tiles(std::uint64_t count, auto& scope) {
    auto* const starts = scope.template take<Index>(2 * count);
    return {starts, starts + count};
  }

  template <Side side, class Source, class Order, class Limits>
  KOKKOS_FUNCTION Index find(Source const& source, Order const& order, Limits const& limits,
                             TilePlace<Index> const& tile, int lane) const {
    // Loaded before the neighbours, so that both loads are in flight at the same time.
    Index const stored = (side == Side::before ? starts : ends)[tile.number];
    Edge<side, Source, Order, Index> const edge(source, order, tile,
                                                limits.template limit<side>(tile));
    auto const near = read_nearby(edge, lane);
    return near.is_known ? edge.bound(near.value) : stored;
  }
};

// --- the search for the bounds of all tiles ---
//
// A team searches on one side of consecutive tiles. Beyond each tile's edge, a few lanes search for the bound of the
// run, but no further than to the far edge of the next tile. If the run extends over the whole next tile, its length
// beyond the tile is tile_size plus the length of the run beyond the next tile. Other lanes of the team find that
// length, and pass it on through scratch memory. The tile that follows the team's outermost tile belongs to another
// team; if a run extends over all of that tile, one warp searches further. So a team reads few elements at random
// addresses, however long the runs are:
//
//     tiles of a team        |  0  |  1  |  2  | ... | 31  |
//     a run                     aaaaaaaaa
//     length beyond tile 1             2, by search
//     length beyond tile 0   not searched, as the run extends over all of tile 1: tile_size + 2

/// The number of tiles for which one team of SearchBounds searches.
inline constexpr int searched_tiles = backend::width;

/// Run lengths that the lanes of a team exchange through scratch memory. lengths[t] is the length of the run beyond the
/// team's tile t, or `unknown` if that run extends over the whole next tile. The team's outermost tile is the last one
/// in the direction of the search; beyond_team is the length of the run beyond it.
template <class Index>
struct SearchState {
  Index lengths[searched_tiles];
  Index beyond_team;
};

/// A division of n > 0 elements into `count` tiles, and what a search for the bounds of the tiles needs.
template <class Source, class Order, class Index, class Limits>
struct SearchedTiles {
  Index n;
  Index tile_size;
  Index count;
  Source source;
  Order order;
  Limits limits;
};

/// Finds the bounds on one side of all tiles. bounds[t] becomes the index at which the first run of tile t begins (side
/// before), or at which its last run ends (side after). The value that is stored for a bound near the tile is
/// unspecified, since it is not read.
template <Side side, class Source, class Order, class Index, class Limits>
class SearchSide {
  static constexpr int lanes_per_tile = lanes_per_searched_tile;
  static constexpr int tiles_per_team = searched_tiles;
  static constexpr int threads_of_tiles = tiles_per_team * lanes_per_tile;

  // Stands for the length of a run that extends over the whole next tile, or further.
  static constexpr Index unknown = std::numeric_limits<Index>::max();

 public:
  using State = SearchState<Index>;
  using Tiles = SearchedTiles<Source, Order, Index, Limits>;

  /// lanes_per_tile lanes for each tile, and a warp that searches beyond the outermost tile.
  static constexpr int threads = threads_of_tiles + backend::width;

  KOKKOS_FUNCTION SearchSide(Tiles const& tiles, Index* bounds) : tiles_(tiles), bounds_(bounds) {}

  /// Does the work of one team. `number` is its index among the teams that search on this side.
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

  /// Returns the edge of tile number `tile`, or of the last tile if there is no tile with this number.
  KOKKOS_FUNCTION TileEdge edge_of(Index tile) const {
    Index const number = tile < tiles_.count ? tile : tiles_.count - 1;
    Index const begin = number * tiles_.tile_size;
    Index const end = tiles_.tile_size < tiles_.n - begin ? begin + tiles_.tile_size : tiles_.n;
    TilePlace<Index> const place{tiles_.n, number, begin, end};
    return {tiles_.source, tiles_.order, place, tiles_.limits.template limit<side>(place)};
  }

  KOKKOS_FUNCTION Index search_to_next_tile(Index tile, int lane) const {
    TileEdge const edge = edge_of(tile);
    bool const goes_on = edge.reaches(tiles_.tile_size);
    // Bounds within near_elements need no search here, because the warp that ranks the tile finds them (read_nearby).
    // It does so only if at least near_elements elements are beyond the edge.
    bool const is_far = edge.elements_beyond() < near_elements || edge.reaches(near_elements);
    bool const is_wanted = !goes_on && (is_far || edge.reaches_inwards(tiles_.tile_size));
    Index const limit = tiles_.tile_size < edge.limit() ? tiles_.tile_size : edge.limit();
    Index const known = is_far && near_elements <= limit ? near_elements : 0;
    Index const length = search_beyond<lanes_per_tile>(edge, is_wanted ? limit : 0, known, lane);
    return goes_on ? unknown : length;
  }

  /// Returns the length of the run beyond the team's outermost tile.
  KOKKOS_FUNCTION Index search_beyond_team(Index first_tile, int lane) const {
    TileEdge const edge = edge_of(is_before ? first_tile : first_tile + tiles_per_team - 1);
    bool const goes_on = edge.reaches(tiles_.tile_size);
    return search_beyond<backend::width>(edge, goes_on ? edge.limit() : 0, tiles_.tile_size, lane);
  }

  /// Writes the bounds of the team's tiles, one per lane. If the length beyond a tile is unknown, the run extends to
  /// the nearest tile, in the direction of the search, whose length is known. The length is then tile_size times the
  /// distance between the two tiles, plus the known length. If no tile has a known length, the outermost tile and
  /// beyond_team are used.
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

/// A kernel that searches on both sides of tiles, or on one side. Teams for the two sides alternate.
template <bool Starts, bool Ends, class Source, class Order, class Index, class Limits = WithinAll>
class SearchBounds {
  using SearchStarts = SearchSide<Side::before, Source, Order, Index, Limits>;
  using SearchEnds = SearchSide<Side::after, Source, Order, Index, Limits>;

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

  /// Does the work of one team. `rank` is its index in the kernel.
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

/// Runs two searches in one kernel: first the teams of a, then the teams of b.
template <class A, class B>
class TwoSearches {
 public:
  static constexpr int threads = A::threads;
  static constexpr int teams_per_processor = A::teams_per_processor;
  static constexpr std::size_t scratch_bytes = A::scratch_bytes;
  static_assert(std::is_same_v<typename A::State, typename B::State>);

  TwoSearches(A const& a, B const& b) : a_(a), b_(b) {}

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
