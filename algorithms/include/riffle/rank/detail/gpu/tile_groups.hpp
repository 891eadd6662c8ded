#pragma once

// Groups of elements, as kernels of a GPU learn of them tile by tile:
//
//   TileGroupOfAll       all elements are one group
//   TileGroupsByKey      groups of equal keys, which are read with the elements
//   TileGroupsOfLength   groups of one length, by which places are divided
//   TileGroupsByOffset   groups between offsets; a kernel before finds which offsets belong to a tile
//
// The kernel asks of each:
//
//   bytes_per_element    how many bytes it reads for an element besides its value
//   is_one               whether all elements are one group
//   are_computed         whether the first element of a group is computed from a place in it
//   are_searched         whether it is searched for where it is before the tile
//   limit<side>(tile)    how many elements beyond the tile a run of ties may reach
//   tied, order_of_ties  the source and the order that tell which neighbours are tied
//   Marks<tile_size>     what a team keeps in scratch memory
//   OfWarp               an object of each warp: mark(), which all threads of the team call, writes Marks; find_heads()
//                        tells which elements of the warp begin a group

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/rank/detail/gpu/bounds.hpp>
#include <riffle/rank/detail/gpu/warp_quads.hpp>
#include <riffle/rank/detail/sources.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

/// The marks of groups that a team does not mark: none.
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

/// Groups of equal keys. Elements are tied where both their keys and their values are.
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

/// Groups of one length, each of consecutive elements.
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

// --- by offset ---
//
// A kernel before finds, for each tile, the last segment that begins no later than the tile. The team that ranks the
// tile then marks in its scratch memory where segments begin in it: it reads each offset once, and searches for nothing,
// unless there are far more offsets than elements.

/// Offsets as unsigned numbers. Bad ones may be anything: what reads them reads none that there is not, and writes
/// nothing elsewhere.
template <class Offsets>
struct SegmentOffsets {
  Offsets offsets;

  /// The number of segments: one at least, which may have all elements.
  KOKKOS_FUNCTION std::uint64_t count() const {
    return offsets.extent(0) > 1 ? offsets.extent(0) - 1 : 1;
  }

  KOKKOS_FUNCTION std::uint64_t begin(std::uint64_t segment) const {
    return static_cast<std::uint64_t>(offsets(segment));
  }

  /// Where the segment ends, at n at most.
  KOKKOS_FUNCTION std::uint64_t end(std::uint64_t segment, std::uint64_t n) const {
    if (segment + 1 >= offsets.extent(0)) return n;
    std::uint64_t const found = begin(segment + 1);
    return found < n ? found : n;
  }

  /// The last segment from `first` up to `last` that begins no later than at `place`; else `first`.
  KOKKOS_FUNCTION std::uint64_t last_before(std::uint64_t place, std::uint64_t first,
                                            std::uint64_t last) const {
    while (first < last) {
      std::uint64_t const middle = last - (last - first) / 2;
      if (begin(middle) <= place) {
        first = middle;
      } else {
        last = middle - 1;
      }
    }
    return first;
  }
};

/// Finds the last segment that begins no later than each tile, and than the end of all.
template <class Offsets>
struct FindSegmentsOfTiles {
  SegmentOffsets<Offsets> offsets;
  std::uint64_t n;
  std::uint64_t tile_size;
  std::uint64_t* segments;

  KOKKOS_FUNCTION void operator()(std::uint64_t tile) const {
    std::uint64_t const begin = tile * tile_size;
    segments[tile] = offsets.last_before(begin < n ? begin : n, 0, offsets.count() - 1);
  }
};

/// A byte for each element of a tile, 1 where a segment begins.
template <int TileSize>
struct SegmentMarks {
  std::uint32_t words[TileSize / quad_size];

  /// All of a team's threads clear the bytes, each its own.
  KOKKOS_FUNCTION void clear(int thread, int threads) {
    for (int w = thread; w < TileSize / quad_size; w += threads) words[w] = 0;
  }

  KOKKOS_FUNCTION void set(std::uint64_t element) {
    reinterpret_cast<unsigned char*>(words)[element] = 1;
  }

  /// A bit for each element of a quad.
  KOKKOS_FUNCTION std::uint32_t of_quad(int quad) const {
    // Multiplied by these four powers of two, the lowest bits of the four bytes meet in the highest byte.
    return words[quad] * 0x01020408u >> 24 & 0xFu;
  }
};

template <class Offsets>
class TileGroupsByOffset {
 public:
  static constexpr std::size_t bytes_per_element = 0;
  static constexpr bool is_one = false;
  static constexpr bool are_computed = false;
  static constexpr bool are_searched = false;

  template <int TileSize>
  using Marks = SegmentMarks<TileSize>;

  template <class Index, int Quads>
  class OfWarp {
   public:
    /// Asks for the tile's segments, before the values that are asked for next.
    KOKKOS_FUNCTION OfWarp(TileGroupsByOffset const& groups, TilePlace<Index> const& tile,
                           QuadPlacesOfLane<Index> const&)
        : groups_(groups),
          first_(groups.segments_[tile.number]),
          last_(groups.segments_[tile.number + 1]) {}

    /// Marks where segments begin in the tile. All threads of the team make the call.
    template <class Member, int TileSize>
    KOKKOS_FUNCTION void mark(Member const& team, SegmentMarks<TileSize>& marks,
                              TilePlace<Index> const& tile) const {
      marks.clear(team.team_rank(), team.team_size());
      team.team_barrier();
      auto const thread = static_cast<std::uint64_t>(team.team_rank());
      auto const step = static_cast<std::uint64_t>(team.team_size());
      if (last_ < first_ + max_offsets_of_tile) {
        for (std::uint64_t s = first_ + 1 + thread; s <= last_; s += step) {
          groups_.mark_segment(s, marks, tile);
        }
      } else {
        for (std::uint64_t k = thread; k < TileSize; k += step) {
          groups_.mark_element(k, first_, last_, marks, tile);
        }
      }
      team.team_barrier();
    }

    template <int TileSize>
    KOKKOS_FUNCTION void find_heads(SegmentMarks<TileSize> const& marks, int warp,
                                    QuadPlacesOfLane<Index> const& places,
                                    std::uint32_t (&heads)[Quads]) const {
      RIFFLE_UNROLL
      for (int q = 0; q < Quads; ++q) {
        heads[q] = marks.of_quad((warp * Quads + q) * backend::width + places.lane);
      }
    }

   private:
    TileGroupsByOffset const& groups_;
    std::uint64_t first_;
    std::uint64_t last_;
  };

  /// `segments`: what FindSegmentsOfTiles has found.
  TileGroupsByOffset(SegmentOffsets<Offsets> const& offsets, std::uint64_t const* segments)
      : offsets_(offsets), segments_(segments) {}

  /// The first element of the group that a tile begins in.
  template <class Index>
  KOKKOS_FUNCTION Index first(TilePlace<Index> const& tile) const {
    return tile.begin - limit<Side::before>(tile);
  }

  template <Side side, class Index>
  KOKKOS_FUNCTION Index limit(TilePlace<Index> const& tile) const {
    if constexpr (side == Side::before) {
      std::uint64_t const begin = offsets_.begin(segments_[tile.number]);
      return begin < tile.begin ? tile.begin - static_cast<Index>(begin) : 0;
    } else {
      // The segment of the tile's last element, unless another begins right after that element.
      std::uint64_t const segment = segments_[tile.number + 1];
      if (offsets_.begin(segment) >= tile.behind) return 0;
      std::uint64_t const end = offsets_.end(segment, tile.n);
      return end > tile.behind ? static_cast<Index>(end) - tile.behind : 0;
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
  template <int TileSize, class Index>
  KOKKOS_FUNCTION void mark_segment(std::uint64_t segment, SegmentMarks<TileSize>& marks,
                                    TilePlace<Index> const& tile) const {
    std::uint64_t const begin = offsets_.begin(segment);
    // Of empty segments none is marked: then no two threads write the same byte.
    bool const is_empty = offsets_.end(segment, tile.n) <= begin;
    if (!is_empty && tile.begin < begin && begin < tile.behind) marks.set(begin - tile.begin);
  }

  template <int TileSize, class Index>
  KOKKOS_FUNCTION void mark_element(std::uint64_t element, std::uint64_t first, std::uint64_t last,
                                    SegmentMarks<TileSize>& marks,
                                    TilePlace<Index> const& tile) const {
    std::uint64_t const place = tile.begin + element;
    if (place >= tile.behind) return;
    std::uint64_t const segment = offsets_.last_before(place, first, last);
    if (segment > first && offsets_.begin(segment) == place) marks.set(element);
  }

  SegmentOffsets<Offsets> offsets_;
  std::uint64_t const* segments_;
};

}  // namespace riffle::detail::rank
