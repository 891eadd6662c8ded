#pragma once

// How the warp that ranks a tile learns where the run that reaches into the tile begins, and where the run that reaches
// out of it ends.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/rank/detail/gpu/edge.hpp>

namespace riffle::detail::rank {

/// Bounds for which the warp searches where they are far.
template <class Index_>
struct SearchedBounds {
  using Index = Index_;

  /// The bound of a tile's run.
  template <Side side, class Source, class Order, class Limits>
  KOKKOS_FUNCTION Index find(Source const& source, Order const& order, Limits const& limits,
                             TilePlace<Index> const& tile, int lane) const {
    Edge<side, Source, Order, Index> const edge(source, order, tile,
                                                limits.template limit<side>(tile));
    auto const near = look_nearby(edge, lane);
    if (near.is_known) return edge.bound(near.value);
    Index const known = near_elements <= edge.limit() ? near_elements : 0;
    return edge.bound(search_beyond<backend::width>(edge, edge.limit(), known, lane));
  }
};

/// Bounds that have been found before where they are far (search_bounds.hpp); other tiles have any value stored.
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
    auto const near = look_nearby(edge, lane);
    return near.is_known ? edge.bound(near.value) : stored;
  }
};

}  // namespace riffle::detail::rank
