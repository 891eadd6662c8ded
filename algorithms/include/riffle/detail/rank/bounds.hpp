#pragma once

// Where the run begins that reaches into a tile, and ends that reaches out of it, as the group of lanes learns it that
// ranks there.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/rank/edge.hpp>
#include <riffle/lanes/lanes.hpp>

namespace riffle::detail::rank {

/// What is far is searched for by the group.
template <class Index_>
struct SearchedBounds {
  using Index = Index_;

  /// Of the tile begin, ..., behind - 1, of n elements.
  template <Side side, class Source, class Order>
  KOKKOS_FUNCTION Index find(Source const& source, Order const& order, Index n, Index begin,
                             Index behind, int lane) const {
    Edge<side, Source, Order, Index> const edge(source, order, n, begin, behind);
    auto const near = look_nearby(edge, lane);
    if (near.is_known) return edge.bound(near.value);
    Index const known = near_elements <= edge.limit() ? near_elements : 0;
    return edge.bound(search_beyond<lanes::width>(edge, edge.limit(), known, lane));
  }
};

/// What is far has been found before (search_bounds.hpp); of other tiles, anything is stored.
template <class Index_>
struct StoredBounds {
  using Index = Index_;

  Index const* starts;
  Index const* ends;
  std::uint64_t tile_size;

  template <Side side, class Source, class Order>
  KOKKOS_FUNCTION Index find(Source const& source, Order const& order, Index n, Index begin,
                             Index behind, int lane) const {
    // Asked for at once, so that both are waited for together.
    Index const stored = (side == Side::before ? starts : ends)[begin / tile_size];
    Edge<side, Source, Order, Index> const edge(source, order, n, begin, behind);
    auto const near = look_nearby(edge, lane);
    return near.is_known ? edge.bound(near.value) : stored;
  }
};

}  // namespace riffle::detail::rank
