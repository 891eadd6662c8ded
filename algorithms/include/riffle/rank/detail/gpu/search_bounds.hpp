#pragma once

// Searches for the far ends of runs that tiles share, for all tiles before any is ranked: a warp that searched while it
// ranks would wait for memory several times. A few lanes search for each end that is nearer than the next tile's edge.
// Where the run reaches that edge, its end is the next tile's, which is handed on within a team; only at the team's own
// edge does the search go further. So little is read at random, however long runs are.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

#include <riffle/context.hpp>
#include <riffle/kernel/launch.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/rank/detail/gpu/bounds.hpp>
#include <riffle/rank/detail/gpu/edge.hpp>

namespace riffle::detail::rank {

/// The number of tiles of a team.
inline constexpr int searched_tiles = lanes::width;

/// How far runs go on beyond tiles, as the lanes of a team tell each other.
template <class Index>
struct SearchState {
  Index lengths[searched_tiles];
  Index beyond_team;
};

/// Writes to bounds[tile] where a run begins or ends, on one side of the tile, if that is far from the tile's edge.
template <Side side, class Source, class Order, class Index>
class SearchSide {
  static constexpr int lanes_per_tile = 4;
  static constexpr int tiles_per_team = searched_tiles;
  static constexpr int threads_of_tiles = tiles_per_team * lanes_per_tile;

  // The length of a run beyond a tile of which only is known that it reaches the next tile's edge.
  static constexpr Index unknown = std::numeric_limits<Index>::max();

 public:
  using State = SearchState<Index>;

  /// The lanes for tiles, and a warp that searches beyond the team's tiles.
  static constexpr int threads = threads_of_tiles + lanes::width;

  SearchSide(std::uint64_t n, std::uint64_t tile_size, Source const& source, Order const& order,
             Index* bounds)
      : n_(static_cast<Index>(n)),
        tile_size_(static_cast<Index>(tile_size)),
        tiles_(static_cast<Index>((n + tile_size - 1) / tile_size)),
        source_(source),
        order_(order),
        bounds_(bounds) {}

  std::uint64_t teams() const {
    return (static_cast<std::uint64_t>(tiles_) + tiles_per_team - 1) / tiles_per_team;
  }

  /// Searches for the tiles of team `number`, counted from 0.
  template <class Member>
  KOKKOS_FUNCTION void run(Member const& team, State& state, int number) const {
    int const lane = team.team_rank() % lanes::width;
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
    if (team.team_rank() < lanes::width) write(state, first, lane);
  }

 private:
  using TileEdge = Edge<side, Source, Order, Index>;

  static constexpr bool is_before = side == Side::before;

  /// The edge of a tile; lanes beyond the last tile get the last one's.
  KOKKOS_FUNCTION TileEdge edge_of(Index tile) const {
    Index const begin = (tile < tiles_ ? tile : tiles_ - 1) * tile_size_;
    Index const behind = tile_size_ < n_ - begin ? begin + tile_size_ : n_;
    return {source_, order_, n_, begin, behind};
  }

  KOKKOS_FUNCTION Index search_to_next_tile(Index tile, int lane) const {
    TileEdge const edge = edge_of(tile);
    bool const goes_on = edge.reaches(tile_size_);
    // Where few elements lie beyond the edge, the warp that ranks looks at none of them.
    bool const is_far = edge.limit() < near_elements || edge.is_tied(near_elements);
    bool const is_wanted = !goes_on && (is_far || edge.reaches_inwards(tile_size_));
    Index const limit = tile_size_ < edge.limit() ? tile_size_ : edge.limit();
    Index const known = is_far && near_elements <= limit ? near_elements : 0;
    Index const length = search_beyond<lanes_per_tile>(edge, is_wanted ? limit : 0, known, lane);
    return goes_on ? unknown : length;
  }

  /// Searches beyond the tile at the team's edge.
  KOKKOS_FUNCTION Index search_beyond_team(Index first_tile, int lane) const {
    TileEdge const edge = edge_of(is_before ? first_tile : first_tile + tiles_per_team - 1);
    bool const goes_on = edge.reaches(tile_size_);
    return search_beyond<lanes::width>(edge, goes_on ? edge.limit() : 0, tile_size_, lane);
  }

  /// A lane for each tile writes its own length, or that of the nearest tile whose length is known.
  KOKKOS_FUNCTION void write(State const& state, Index first_tile, int lane) const {
    Index const own = state.lengths[lane];
    std::uint32_t const all = ~std::uint32_t{0};
    std::uint32_t const towards = is_before ? all >> (lanes::width - 1 - lane) : all << lane;
    std::uint32_t const any = lanes::ballot(own != unknown) & towards;
    int nearest = is_before ? 0 : lanes::width - 1;
    if (any != 0) nearest = is_before ? lanes::highest_one(any) : lanes::lowest_one(any);
    Index const found = lanes::from_lane(own, nearest);
    auto const between = static_cast<Index>(is_before ? lane - nearest : nearest - lane);
    Index const length = between * tile_size_ + (any == 0 ? state.beyond_team : found);
    Index const tile = first_tile + static_cast<Index>(lane);
    if (tile < tiles_) bounds_[tile] = edge_of(tile).bound(length);
  }

  Index n_;
  Index tile_size_;
  Index tiles_;
  Source source_;
  Order order_;
  Index* bounds_;
};

/// Searches on both sides, or on one.
template <bool Starts, bool Ends, class Source, class Order, class Index>
class SearchBounds {
  using SearchStarts = SearchSide<Side::before, Source, Order, Index>;
  using SearchEnds = SearchSide<Side::behind, Source, Order, Index>;
  using State = SearchState<Index>;

  static constexpr int sides = (Starts ? 1 : 0) + (Ends ? 1 : 0);

 public:
  static constexpr int threads = SearchStarts::threads;
  static constexpr int teams_per_processor = 8;
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  SearchBounds(std::uint64_t n, std::uint64_t tile_size, Source const& source, Order const& order,
               Index* starts, Index* ends)
      : starts_(n, tile_size, source, order, starts), ends_(n, tile_size, source, order, ends) {}

  std::uint64_t teams() const { return sides * starts_.teams(); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    int const number = team.league_rank() / sides;
    if constexpr (Starts) {
      if (!Ends || team.league_rank() % sides == 0) starts_.run(team, state, number);
    }
    if constexpr (Ends) {
      if (!Starts || team.league_rank() % sides == 1) ends_.run(team, state, number);
    }
  }

 private:
  SearchStarts starts_;
  SearchEnds ends_;
};

/// Takes the memory of the bounds from the scope.
template <class Index, bool Starts, bool Ends, class Exec, class Source, class Order>
StoredBounds<Index> search_bounds(Context<Exec> const& context, std::uint64_t n,
                                  std::uint64_t tile_size, Source const& source, Order const& order,
                                  Scope<Exec>& scope) {
  std::uint64_t const tiles = (n + tile_size - 1) / tile_size;
  auto* const starts = scope.template take<Index>(2 * tiles);
  Index* const ends = starts + tiles;
  SearchBounds<Starts, Ends, Source, Order, Index> const kernel(n, tile_size, source, order, starts,
                                                                ends);
  launch_teams(context.named("bounds"), kernel.teams(), kernel);
  return {starts, ends, tile_size};
}

}  // namespace riffle::detail::rank
