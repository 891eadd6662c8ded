#pragma once

// Types that describe groups of elements to the kernel that ranks tiles on a GPU (rank_by_warps.hpp):
//
//   TileGroupOfAll       all elements are one group
//   TileGroupsByKey      groups of equal keys, which are read with the elements
//   TileGroupsOfLength   groups of one length; the group of element i is i / length
//   TileGroupsByOffset   groups between offsets; an earlier kernel finds the segments of each tile
//
// Each type has these members:
//
//   bytes_per_element    the number of bytes that are read per element in addition to its value
//   is_one               whether all elements are one group
//   are_computed         whether the start of the group that contains element i is computed from i
//   are_searched         whether a search finds the start of a group that begins before the tile
//   limit<side>(tile)    the maximum number of elements over which a run of ties can extend past the tile on this side
//   tied, order_of_ties  the source and the order that decide whether neighbours are tied
//   Marks<tile_size>     per-team data in scratch memory
//   OfWarp               per-warp state. mark() writes the Marks and must be called by all threads of the team;
//                        find_heads() then finds which of the warp's elements begin a group

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/rank/detail/gpu/run_bounds.hpp>
#include <riffle/rank/detail/gpu/warp_quads.hpp>
#include <riffle/rank/detail/sources.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

/// The type `Marks` of groups that need no marks in scratch memory.
struct NoMarks {};

/// The base class of groups without keys: neighbours are tied if their values are.
struct TileGroupsWithoutKeys {
  static constexpr std::size_t bytes_per_element = 0;
  static constexpr bool are_searched = false;

  template <int TileSize>
  using Marks = NoMarks;

  template <class Source>
  KOKKOS_FUNCTION Source const& tied(Source const& source) const {
    return source;
  }
  template <class Order>
  KOKKOS_FUNCTION Order const& order_of_ties(Order const& order) const {
    return order;
  }
};

// --- all elements as one group ---

struct TileGroupOfAll : TileGroupsWithoutKeys, WithinAll {
  static constexpr bool is_one = true;
  static constexpr bool are_computed = true;

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
};

/// The host's description of all elements as one group.
struct OneGroup {
  template <class Index>
  using Tiles = TileGroupOfAll;

  template <class Index>
  Tiles<Index> tiles(auto const&, std::uint64_t, std::uint64_t, auto&) const {
    return {};
  }
};

// --- by key ---

/// Groups of equal keys. Elements are tied if both their keys and their values are equal.
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

    /// Sets bit e of heads[q] if element e of the lane's quad q begins a group.
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
  KOKKOS_FUNCTION GroupOrValueDiffers<Order> order_of_ties(Order const& order) const {
    return {order};
  }

  explicit TileGroupsByKey(Keys const& of) : keys(of) {}

  Keys keys;
};

// --- of one length ---

/// Groups of `length` consecutive elements each.
template <class Index>
class TileGroupsOfLength : public TileGroupsWithoutKeys {
 public:
  static constexpr bool is_one = false;
  static constexpr bool are_computed = true;

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

  /// For the quad that begins at index `place`: sets firsts[e] to the index at which the group that contains element e
  /// begins. Bit e of the result is set if element e begins a group.
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
      return length_.multiple(tile.end - 1) + length_.divisor() - tile.end;
    }
  }

 private:
  Divider<Index> length_;
};

// --- by offset ---
//
// An earlier kernel finds, for each tile, the last segment that begins at or before the start of the tile. The team
// that ranks the tile then marks in scratch memory the elements that begin segments. It reads each offset once and does
// not search, unless there are far more offsets than elements.

/// Reads offsets as unsigned integers. Even if the offsets are invalid, no offset outside of the View is read, and
/// nothing is written outside of the tile.
template <class Offsets>
struct SegmentOffsets {
  Offsets offsets;

  /// The number of segments, at least 1. A single offset stands for one segment that contains all elements.
  KOKKOS_FUNCTION std::uint64_t count() const {
    return offsets.extent(0) > 1 ? offsets.extent(0) - 1 : 1;
  }

  KOKKOS_FUNCTION std::uint64_t begin(std::uint64_t segment) const {
    return static_cast<std::uint64_t>(offsets(segment));
  }

  /// Where the segment ends, at most n.
  KOKKOS_FUNCTION std::uint64_t end(std::uint64_t segment, std::uint64_t n) const {
    if (segment + 1 >= offsets.extent(0)) return n;
    std::uint64_t const found = begin(segment + 1);
    return found < n ? found : n;
  }

  /// The last of the segments first, ..., last that begins at or before index `place`; `first` if none of them does.
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

/// segments[t] becomes the last segment that begins at or before the start of tile t. The entry after the last tile
/// becomes the last segment that begins at or before n.
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

/// A byte for each element of a tile: 1 if a segment begins there, otherwise 0.
template <int TileSize>
struct SegmentMarks {
  std::uint32_t words[TileSize / quad_size];

  /// Clears this thread's share of the bytes. All threads of the team make the call.
  KOKKOS_FUNCTION void clear(int thread, int threads) {
    for (int w = thread; w < TileSize / quad_size; w += threads) words[w] = 0;
  }

  KOKKOS_FUNCTION void set(std::uint64_t element) {
    reinterpret_cast<unsigned char*>(words)[element] = 1;
  }

  /// Returns a word in which bit e is the mark of the quad's element e.
  KOKKOS_FUNCTION std::uint32_t of_quad(int quad) const {
    // The product has the lowest bits of the four bytes in bits 24, ..., 27.
    return words[quad] * 0x01020408u >> 24 & 0xFu;
  }
};

template <class Offsets>
class TileGroupsByOffset : public TileGroupsWithoutKeys {
 public:
  static constexpr bool is_one = false;
  static constexpr bool are_computed = false;

  template <int TileSize>
  using Marks = SegmentMarks<TileSize>;

  template <class Index, int Quads>
  class OfWarp {
   public:
    /// Loads the tile's range of segments, before the values are loaded.
    KOKKOS_FUNCTION OfWarp(TileGroupsByOffset const& groups, TilePlace<Index> const& tile,
                           QuadPlacesOfLane<Index> const&)
        : groups_(groups),
          first_(groups.segments_[tile.number]),
          last_(groups.segments_[tile.number + 1]) {}

    /// Marks the elements of the tile that begin segments. All threads of the team make the call, which contains two
    /// team barriers.
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

  /// `segments`: the result of FindSegmentsOfTiles.
  TileGroupsByOffset(SegmentOffsets<Offsets> const& offsets, std::uint64_t const* segments)
      : offsets_(offsets), segments_(segments) {}

  /// The index at which the group that contains the tile's first element begins.
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
      // The last segment that begins at or before tile.end. If it begins at tile.end, no run extends beyond the tile.
      // Otherwise it contains the tile's last element.
      std::uint64_t const segment = segments_[tile.number + 1];
      if (offsets_.begin(segment) >= tile.end) return 0;
      std::uint64_t const end = offsets_.end(segment, tile.n);
      return end > tile.end ? static_cast<Index>(end) - tile.end : 0;
    }
  }

 private:
  template <int TileSize, class Index>
  KOKKOS_FUNCTION void mark_segment(std::uint64_t segment, SegmentMarks<TileSize>& marks,
                                    TilePlace<Index> const& tile) const {
    std::uint64_t const begin = offsets_.begin(segment);
    // Empty segments are not marked, so that no two threads write the same byte.
    bool const is_empty = offsets_.end(segment, tile.n) <= begin;
    if (!is_empty && tile.begin < begin && begin < tile.end) marks.set(begin - tile.begin);
  }

  template <int TileSize, class Index>
  KOKKOS_FUNCTION void mark_element(std::uint64_t element, std::uint64_t first, std::uint64_t last,
                                    SegmentMarks<TileSize>& marks,
                                    TilePlace<Index> const& tile) const {
    std::uint64_t const place = tile.begin + element;
    if (place >= tile.end) return;
    std::uint64_t const segment = offsets_.last_before(place, first, last);
    if (segment > first && offsets_.begin(segment) == place) marks.set(element);
  }

  SegmentOffsets<Offsets> offsets_;
  std::uint64_t const* segments_;
};

}  // namespace riffle::detail::rank
