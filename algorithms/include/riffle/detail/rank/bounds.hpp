#pragma once

// Where the run begins that reaches into a tile, and ends that reaches out of it. Most do nearby: the lanes of a
// group look at the quads next to the tile, of which they miss the beginning of no run that they can see. What is
// further away is searched for: where there are many tiles, for all of them beforehand, by a few lanes each, since
// a group that ranks would wait for memory several times. The price of that is the sectors it reads, at random.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <riffle/detail/rank/header.hpp>
#include <riffle/detail/rank/search.hpp>
#include <riffle/detail/tile_tree.hpp>
#include <riffle/lanes.hpp>
#include <riffle/order.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail::rank {

/// What a group looks at first.
inline constexpr int near_elements = quad_size * lanes::width;

/// Bit e is set where element first + e is not tied.
template <class Source, class Index, class IsTied>
KOKKOS_FUNCTION std::uint32_t apart_in_quad(Source const& source, Index first,
                                            IsTied const& is_tied) {
  typename Source::Item x[quad_size];
  if (source.has_quads()) {
    source.read_quad(first, x);
  } else {
    for (int e = 0; e < quad_size; ++e) x[e] = source(first + static_cast<Index>(e));
  }
  std::uint32_t apart = 0;
  for (int e = 0; e < quad_size; ++e) apart |= is_tied(x[e]) ? 0u : 1u << e;
  return apart;
}

/// What is known of one end of a run.
template <class Index>
struct End {
  bool is_found;
  Index place;
};

/// Whether the run of element `begin`, a multiple of near_elements, begins near it, and where.
template <class Source, class Order, class Index>
KOKKOS_FUNCTION End<Index> find_near_start(Source const& source, Order const& order, Index begin,
                                           int lane) {
  if (begin == 0) return {true, 0};
  auto const value = source(begin);
  Index const first = begin - near_elements + static_cast<Index>(quad_size * lane);
  std::uint32_t const apart =
      apart_in_quad(source, first, [&](auto const& x) { return !differ(order, x, value); });
  std::uint32_t const any = lanes::ballot(apart != 0);
  Index const own = first + static_cast<Index>(apart == 0 ? 0 : lanes::highest_one(apart)) + 1;
  return {any != 0, lanes::from_lane(own, any == 0 ? 0 : lanes::highest_one(any))};
}

/// Whether the run of element behind - 1, of n elements, ends near it, and where; `behind` is n or a multiple of
/// near_elements.
template <class Source, class Order, class Index>
KOKKOS_FUNCTION End<Index> find_near_end(Source const& source, Order const& order, Index n,
                                         Index behind, int lane) {
  if (behind == n) return {true, n};
  if (n - behind < near_elements) return {false, n};
  auto const value = source(behind - 1);
  Index const first = behind + static_cast<Index>(quad_size * lane);
  std::uint32_t const apart =
      apart_in_quad(source, first, [&](auto const& x) { return !differ(order, value, x); });
  std::uint32_t const any = lanes::ballot(apart != 0);
  Index const own = first + static_cast<Index>(apart == 0 ? 0 : lanes::lowest_one(apart));
  return {any != 0, lanes::from_lane(own, any == 0 ? 0 : lanes::lowest_one(any))};
}

/// Where the run of element `begin` begins, by `Lanes` lanes together: 0 lanes of theirs search where `is_open`
/// is false, but all of a group call.
template <int Lanes, class Source, class Order, class Index>
KOKKOS_FUNCTION Index find_far_start(Source const& source, Order const& order, Index begin,
                                     int lane, bool is_open = true) {
  auto const value = source(begin);
  auto const is_tied = [&](Index k) { return !differ(order, source(begin - k), value); };
  bool const is_far = is_open && near_elements <= begin;
  return begin - GroupSearch<Lanes, Index>(is_open ? begin : 0, lane, is_far ? near_elements : 0)
                     .run(is_tied);
}

/// Where the run of element behind - 1 ends, of n elements.
template <int Lanes, class Source, class Order, class Index>
KOKKOS_FUNCTION Index find_far_end(Source const& source, Order const& order, Index n, Index behind,
                                   int lane, bool is_open = true) {
  auto const value = source(behind - 1);
  auto const is_tied = [&](Index k) { return !differ(order, value, source(behind + k - 1)); };
  Index const rest = n - behind;
  bool const is_far = is_open && near_elements <= rest;
  return behind + GroupSearch<Lanes, Index>(is_open ? rest : 0, lane, is_far ? near_elements : 0)
                      .run(is_tied);
}

/// A group searches when the tile is ranked.
template <class Index_>
struct SearchedBounds {
  using Index = Index_;

  template <class Source, class Order>
  KOKKOS_FUNCTION Index start(Source const& source, Order const& order, Index begin,
                              int lane) const {
    auto const near = find_near_start(source, order, begin, lane);
    return near.is_found ? near.place : find_far_start<lanes::width>(source, order, begin, lane);
  }
  template <class Source, class Order>
  KOKKOS_FUNCTION Index end(Source const& source, Order const& order, Index n, Index behind,
                            int lane) const {
    auto const near = find_near_end(source, order, n, behind, lane);
    return near.is_found ? near.place : find_far_end<lanes::width>(source, order, n, behind, lane);
  }
};

/// Those that are far have been found before; of others, anything is stored.
template <class Index_>
struct StoredBounds {
  using Index = Index_;

  Index const* starts;
  Index const* ends;
  std::uint64_t tile_size;

  template <class Source, class Order>
  KOKKOS_FUNCTION Index start(Source const& source, Order const& order, Index begin,
                              int lane) const {
    Index const stored = starts[begin / tile_size];
    auto const near = find_near_start(source, order, begin, lane);
    return near.is_found ? near.place : stored;
  }
  template <class Source, class Order>
  KOKKOS_FUNCTION Index end(Source const& source, Order const& order, Index n, Index behind,
                            int lane) const {
    Index const stored = ends[(behind - 1) / tile_size];
    auto const near = find_near_end(source, order, n, behind, lane);
    return near.is_found ? near.place : stored;
  }
};

/// Finds those of all tiles that are far; a few lanes search for each.
template <class Source, class Order, class Index, bool Starts, bool Ends>
struct SearchBounds {
  static constexpr int threads = 256;
  static constexpr int lanes_per_tile = 4;
  static constexpr int tiles_per_team = threads / lanes_per_tile;

  std::uint64_t n;
  std::uint64_t tile_size;
  std::uint64_t tiles;
  Source source;
  Order order;
  Index* starts;
  Index* ends;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const lane = team.team_rank() % lanes::width;
    auto const stride = static_cast<std::uint64_t>(team.league_size()) * tiles_per_team;
    auto const first = static_cast<std::uint64_t>(team.league_rank()) * tiles_per_team;
    for (std::uint64_t base = first; base < tiles; base += stride) {
      auto const own = static_cast<std::uint64_t>(team.team_rank() / lanes_per_tile);
      // Lanes beyond the last tile search with the others of their group, for the last one again.
      search(base + own < tiles ? base + own : tiles - 1, lane);
    }
  }

 private:
  KOKKOS_FUNCTION void search(std::uint64_t tile, int lane) const {
    std::uint64_t const begin = tile * tile_size;
    std::uint64_t const behind = tile_size < n - begin ? begin + tile_size : n;
    bool const is_writer = lane % lanes_per_tile == 0;
    if constexpr (Starts) {
      bool const is_far = is_tied_far(begin > 0, begin - near_elements, begin);
      auto const start =
          find_far_start<lanes_per_tile>(source, order, static_cast<Index>(begin), lane, is_far);
      if (is_writer) starts[tile] = start;
    }
    if constexpr (Ends) {
      // Of few elements behind, the group that ranks sees none.
      bool const is_last = n - behind < near_elements;
      bool const is_far = is_last || is_tied_far(true, behind - 1, behind - 1 + near_elements);
      auto const end = find_far_end<lanes_per_tile>(source, order, static_cast<Index>(n),
                                                    static_cast<Index>(behind), lane, is_far);
      if (is_writer) ends[tile] = end;
    }
  }

  /// Whether a run goes on where the group that ranks would see its end.
  KOKKOS_FUNCTION bool is_tied_far(bool exists, std::uint64_t i, std::uint64_t j) const {
    return exists && !differ(order, source(i), source(j));
  }
};

/// Of the smallest tiles that any type has.
inline std::size_t bounds_bytes(std::uint64_t tiles) { return 2 * tiles * sizeof(std::uint64_t); }

template <class Index, bool Starts, bool Ends, class Exec, class Source, class Order>
StoredBounds<Index> search_bounds(std::string const& label, Exec const& exec, std::uint64_t n,
                                  std::uint64_t tile_size, Source const& source, Order const& order,
                                  Workspace<Exec>& workspace) {
  using Kernel = SearchBounds<Source, Order, Index, Starts, Ends>;
  std::uint64_t const tiles = (n + tile_size - 1) / tile_size;
  auto* const starts = bytes_in<Index>(workspace, label, exec, bounds_bytes(tiles));
  Index* const ends = starts + tiles;
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  std::uint64_t const teams = (tiles + Kernel::tiles_per_team - 1) / Kernel::tiles_per_team;
  Kokkos::parallel_for(
      label + "::bounds",
      Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(std::min(most, teams)), Kernel::threads),
      Kernel{n, tile_size, tiles, source, order, starts, ends});
  return {starts, ends, tile_size};
}

}  // namespace riffle::detail::rank
