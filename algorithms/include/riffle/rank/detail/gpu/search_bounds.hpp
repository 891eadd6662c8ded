#pragma once

// Searches for the far ends of runs that tiles share, for all tiles before any is ranked: a warp that searched while it
// ranks would wait for memory several times. A few lanes search for each end that is nearer than the next tile's edge.
// Where the run reaches that edge, its end is the next tile's, which is handed on within a team; only at the team's own
// edge does the search go further. So little is read at random, however long runs are.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/rank/detail/gpu/bounds.hpp>
#include <riffle/rank/detail/gpu/edge.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

/// The number of tiles of a team.
inline constexpr int searched_tiles = backend::width;

/// How far runs go on beyond tiles, as the lanes of a team tell each other.
template <class Index>
struct SearchState {
  Index lengths[searched_tiles];
  Index beyond_team;
};

/// The tiles of n > 0 elements, for whose runs is searched.
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
