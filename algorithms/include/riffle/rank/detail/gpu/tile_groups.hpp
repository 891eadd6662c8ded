#pragma once

// Groups of elements, as kernels of a GPU learn of them tile by tile: all elements as one; by keys, which are read with
// the elements; of one length, which is divided by; or by offsets, of which a search tells before which ones belong to a
// tile.
//
// Of each the kernel asks how many bytes it reads beside an element (bytes_per_element), whether all elements are one
// group (is_one), whether the first element of a group is computed (are_computed) or searched for (are_searched), how far a run of ties may reach beyond a tile
// (limit), what tells ties from others (tied, order_of_ties), and, by an object of each warp (OfWarp), which elements
// begin a group, once the team has marked in its scratch memory (Marks) what it must.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/rank/detail/gpu/edge.hpp>
#include <riffle/rank/detail/gpu/quad_heads.hpp>
#include <riffle/rank/detail/gpu/warp_quads.hpp>
#include <riffle/rank/detail/grouped.hpp>

namespace riffle::detail::rank {

/// What a team keeps in scratch memory of groups that it need not mark.
struct NoMarks {};

// --- all as one ---

struct TileGroupOfAll : WithinAll {
  static constexpr std::size_t bytes_per_element = 0;
  static constexpr bool is_one = true;
  static constexpr bool are_computed = true;
  static constexpr bool are_searched = false;

  template <int TileSize>
  using Marks = NoMarks;

  template <class Index, int Quads>
  struct OfWarp {
    KOKKOS_FUNCTION OfWarp(TileGroupOfAll const&, TilePlace<Index> const&,
                           QuadPlacesOfLane<Index> const&) {}

    KOKKOS_FUNCTION void mark(auto const&, NoMarks&, TilePlace<Index> const&) const {}

    KOKKOS_FUNCTION void find_heads(NoMarks const&, int, QuadPlacesOfLane<Index> const&,
                                    std::uint32_t (&heads)[Quads]) const {
      RIFFLE_UNROLL
      for (int q = 0; q < Quads; ++q) heads[q] = 0;
    }
  };

  template <class Source>
  KOKKOS_FUNCTION Source const& tied(Source const& source) const {
    return source;
  }
  template <class Order>
  KOKKOS_FUNCTION Order const& order_of_ties(Order const& order) const {
    return order;
  }
};

/// All elements as one group, as the host has it.
struct OneGroup {
  template <class Index>
  using Tiles = TileGroupOfAll;

  template <class Index>
  Tiles<Index> tiles(auto const&, std::uint64_t, std::uint64_t, auto&) const {
    return {};
  }
};

// --- by key ---

/// Groups of equal keys. Ties are those of pairs of key and value.
template <class Keys>
struct TileGroupsByKey : WithinAll {
  static constexpr std::size_t bytes_per_element = sizeof(typename Keys::Item);
  static constexpr bool is_one = false;
  static constexpr bool are_computed = false;
  static constexpr bool are_searched = true;

  template <int TileSize>
  using Marks = NoMarks;

  /// The keys of a warp's elements.
  template <class Index, int Quads>
  class OfWarp {
   public:
    KOKKOS_FUNCTION OfWarp(TileGroupsByKey const& groups, TilePlace<Index> const& tile,
                           QuadPlacesOfLane<Index> const& places)
        : before_(groups.keys(places.begin == 0 ? 0 : places.begin - 1)),
          keys_(groups.keys, tile.n, places) {}

    KOKKOS_FUNCTION void mark(auto const&, NoMarks&, TilePlace<Index> const&) const {}

    /// Bit e of heads[q] is set where element e of the lane's quad q begins a group.
    KOKKOS_FUNCTION void find_heads(NoMarks const&, int, QuadPlacesOfLane<Index> const& places,
                                    std::uint32_t (&heads)[Quads]) const {
      keys_.find_heads(places.begin == 0 ? keys_.first() : before_, places.lane, Unequal{}, heads);
    }

   private:
    typename Keys::Item before_;
    WarpQuads<Keys, Index, Quads> keys_;
  };

  template <class Source>
  KOKKOS_FUNCTION GroupedSource<Keys, Source> tied(Source const& source) const {
    return {keys, source};
  }
  template <class Order>
  KOKKOS_FUNCTION InGroups<Order> order_of_ties(Order const& order) const {
    return {order};
  }

  explicit TileGroupsByKey(Keys const& of) : keys(of) {}

  Keys keys;
};

// --- of one length ---

/// Groups of one length, whose elements lie one behind the other.
template <class Index>
class TileGroupsOfLength {
 public:
  static constexpr std::size_t bytes_per_element = 0;
  static constexpr bool is_one = false;
  static constexpr bool are_computed = true;
  static constexpr bool are_searched = false;

  template <int TileSize>
  using Marks = NoMarks;

  template <class Index_, int Quads>
  class OfWarp {
   public:
    KOKKOS_FUNCTION OfWarp(TileGroupsOfLength const& groups, TilePlace<Index> const&,
                           QuadPlacesOfLane<Index> const&)
        : groups_(groups) {}

    KOKKOS_FUNCTION void mark(auto const&, NoMarks&, TilePlace<Index> const&) const {}

    KOKKOS_FUNCTION void find_heads(NoMarks const&, int, QuadPlacesOfLane<Index> const& places,
                                    std::uint32_t (&heads)[Quads]) const {
      Index firsts[quad_size];
      RIFFLE_UNROLL
      for (int q = 0; q < Quads; ++q) heads[q] = groups_.find_firsts(places(q), firsts);
    }

   private:
    TileGroupsOfLength const& groups_;
  };

  explicit TileGroupsOfLength(std::uint64_t length) : length_(static_cast<Index>(length)) {}

  /// The first elements of the groups of the elements of the quad at `place`. Returns a bit for each that begins one.
  KOKKOS_FUNCTION std::uint32_t find_firsts(Index place, Index (&firsts)[quad_size]) const {
    Index first = length_.multiple(place);
    Index within = place - first;
    std::uint32_t heads = within == 0 ? 1 : 0;
    firsts[0] = first;
    RIFFLE_UNROLL
    for (int e = 1; e < quad_size; ++e) {
      ++within;
      if (within == length_.divisor()) {
        within = 0;
        first += length_.divisor();
        heads |= 1u << e;
      }
      firsts[e] = first;
    }
    return heads;
  }

  template <Side side>
  KOKKOS_FUNCTION Index limit(TilePlace<Index> const& tile) const {
    if constexpr (side == Side::before) {
      return tile.begin - length_.multiple(tile.begin);
    } else {
      return length_.multiple(tile.behind - 1) + length_.divisor() - tile.behind;
    }
  }

  template <class Source>
  KOKKOS_FUNCTION Source const& tied(Source const& source) const {
    return source;
  }
  template <class Order>
  KOKKOS_FUNCTION Order const& order_of_ties(Order const& order) const {
    return order;
  }

 private:
  Divider<Index> length_;
};

}  // namespace riffle::detail::rank
