#pragma once

// Groups by offsets, as kernels of a GPU learn of them tile by tile. A kernel before finds, for each tile, the last
// segment that begins no later than the tile. The team that ranks the tile then marks in its scratch memory where
// segments begin in it: it reads each offset once, and searches for nothing, unless there are far more offsets than
// elements.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/rank/detail/gpu/edge.hpp>
#include <riffle/rank/detail/gpu/quad_heads.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

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
      // The segment of the tile's last element, unless one begins just behind it.
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
