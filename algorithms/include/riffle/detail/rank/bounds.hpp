#pragma once

// Where the runs begin that reach into tiles, and end that reach out of them.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <riffle/detail/rank/header.hpp>
#include <riffle/detail/rank/search.hpp>
#include <riffle/lanes.hpp>
#include <riffle/order.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail::rank {

/// Where the run of element `begin` begins, by `Lanes` lanes together.
template <int Lanes, class Source, class Order, class Index>
KOKKOS_FUNCTION Index find_start(Source const& source, Order const& order, Index begin, int lane) {
  auto const value = source(begin);
  return begin - GroupSearch<Lanes, Index>(begin, lane).run([&](Index k) {
    return !differ(order, source(begin - k), value);
  });
}

/// Where the run of element behind - 1 ends, of n elements.
template <int Lanes, class Source, class Order, class Index>
KOKKOS_FUNCTION Index find_end(Source const& source, Order const& order, Index n, Index behind,
                               int lane) {
  auto const value = source(behind - 1);
  return behind + GroupSearch<Lanes, Index>(n - behind, lane).run([&](Index k) {
    return !differ(order, value, source(behind + k - 1));
  });
}

/// A group searches when the tile is ranked.
template <class Index_>
struct SearchedBounds {
  using Index = Index_;
  static constexpr bool are_stored = false;

  template <class Source, class Order>
  KOKKOS_FUNCTION Index start(Source const& source, Order const& order, Index begin,
                              int lane) const {
    return find_start<lanes::width>(source, order, begin, lane);
  }
  template <class Source, class Order>
  KOKKOS_FUNCTION Index end(Source const& source, Order const& order, Index n, Index behind,
                            int lane) const {
    return find_end<lanes::width>(source, order, n, behind, lane);
  }
};

/// They have been found before.
template <class Index_>
struct StoredBounds {
  using Index = Index_;
  static constexpr bool are_stored = true;

  Index const* starts;
  Index const* ends;
  std::uint64_t tile_size;

  template <class Source, class Order>
  KOKKOS_FUNCTION Index start(Source const&, Order const&, Index begin, int) const {
    return starts[begin / tile_size];
  }
  template <class Source, class Order>
  KOKKOS_FUNCTION Index end(Source const&, Order const&, Index, Index behind, int) const {
    return ends[(behind - 1) / tile_size];
  }
};

/// Finds those of all tiles; a few lanes search for each.
template <class Source, class Order, class Index, bool Starts, bool Ends>
struct SearchBounds {
  static constexpr int threads = 256;
  static constexpr int lanes_per_tile = 8;
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
      auto const start = find_start<lanes_per_tile>(source, order, static_cast<Index>(begin), lane);
      if (is_writer) starts[tile] = start;
    }
    if constexpr (Ends) {
      auto const end = find_end<lanes_per_tile>(source, order, static_cast<Index>(n),
                                                static_cast<Index>(behind), lane);
      if (is_writer) ends[tile] = end;
    }
  }
};

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
