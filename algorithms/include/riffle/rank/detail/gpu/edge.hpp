#pragma once

// How far a run goes on beyond the first or the last element of a tile. Most runs end nearby: the lanes of a warp look
// at the quads next to the tile, and miss no end that they can see. For ends further away they search. Where groups of
// elements are ranked, a run goes on no further than its group.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/rank/detail/search.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

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

/// Says how many elements beyond a tile a run may reach (as do groups, gpu/tile_groups.hpp): all there are.
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
KOKKOS_FUNCTION auto look_nearby(Edge const& edge, int lane) {
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

}  // namespace riffle::detail::rank
