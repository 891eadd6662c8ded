#pragma once

// The consecutive elements that a warp of a GPU reads together, each compared with the one before it; where the runs
// that so begin start and end; and the ranks that the warp writes together.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::rank {

// --- where runs begin: for each element the nearest beginning at or before it, and the nearest one after it. The
//     lanes that have a beginning, which ballots name, hand its place to the others ---

/// The places of a warp's elements from `begin` on: lane l has the quads l, 32 + l, ...
template <class Index>
struct QuadPlacesOfLane {
  static constexpr Index distance = quad_size * backend::width;

  /// The place of the first element of the lane's quad q.
  KOKKOS_FUNCTION Index operator()(int q) const {
    return begin + static_cast<Index>(q) * distance + quad_size * static_cast<Index>(lane);
  }

  Index begin;
  int lane;
};

/// The elements that begin runs among `Quads` quads of each lane. All lanes make each call together.
template <class Index, int Quads>
class QuadHeads {
 public:
  using Places = QuadPlacesOfLane<Index>;

  KOKKOS_FUNCTION explicit QuadHeads(Places const& places) : places_(places) {}

  /// Bit e of `heads` is set where element e of the lane's quad q begins a run.
  KOKKOS_FUNCTION void set(int q, std::uint32_t heads) {
    heads_[q] = heads;
    lanes_with_heads_[q] = backend::ballot(heads != 0);
  }

  /// One more than the place of the last element of all that begins a run; 0 where none does.
  KOKKOS_FUNCTION Index last_of_all() const {
    Index own = 0;
    std::uint32_t any = 0;
    RIFFLE_UNROLL
    for (int q = 0; q < Quads; ++q) {
      if (lanes_with_heads_[q] == 0) continue;
      any = lanes_with_heads_[q];
      own = last_head(q) + 1;
    }
    return backend::from_lane(own, any == 0 ? lane() : backend::highest_one(any));
  }

  /// One more than the place of the first element of all that begins a run; 0 where none does.
  KOKKOS_FUNCTION Index first_of_all() const {
    Index own = 0;
    std::uint32_t any = 0;
    RIFFLE_UNROLL
    for (int q = Quads - 1; q >= 0; --q) {
      if (lanes_with_heads_[q] == 0) continue;
      any = lanes_with_heads_[q];
      own = first_head(q) + 1;
    }
    return backend::from_lane(own, any == 0 ? lane() : backend::lowest_one(any));
  }

  /// ends[q]: where the run of the last element of all lanes' quads q ends. `carry`: where that of the last element of
  /// all ends.
  KOKKOS_FUNCTION void find_ends(Index carry, Index (&ends)[Quads]) const {
    RIFFLE_UNROLL
    for (int q = Quads - 1; q >= 0; --q) {
      ends[q] = carry;
      Index const own = first_head(q);
      std::uint32_t const any = lanes_with_heads_[q];
      Index const first = backend::from_lane(own, any == 0 ? lane() : backend::lowest_one(any));
      carry = any == 0 ? carry : first;
    }
  }

  /// Where the runs of the elements of quad q begin. `carry`: where the run of the element before all lanes' quads q
  /// begins. Returns where the run of their last element begins.
  KOKKOS_FUNCTION Index find_starts(int q, Index carry, Index (&starts)[quad_size]) const {
    std::uint32_t const lower_lanes = (1u << lane()) - 1;
    std::uint32_t const any = lanes_with_heads_[q];
    std::uint32_t const below = any & lower_lanes;
    Index const own = last_head(q);
    Index const nearest =
        backend::from_lane(own, below == 0 ? lane() : backend::highest_one(below));
    Index start = below == 0 ? carry : nearest;
    RIFFLE_UNROLL
    for (int e = 0; e < quad_size; ++e) {
      if ((heads_[q] >> e & 1u) != 0) start = places_(q) + static_cast<Index>(e);
      starts[e] = start;
    }
    Index const last = backend::from_lane(own, any == 0 ? lane() : backend::highest_one(any));
    return any == 0 ? carry : last;
  }

  /// Where the runs of the elements of quad q end. `carry`: where the run of the last element of all lanes' quads q
  /// ends.
  KOKKOS_FUNCTION void find_ends_of_quad(int q, Index carry, Index (&ends)[quad_size]) const {
    std::uint32_t const higher_lanes = ~std::uint32_t{1} << lane();
    std::uint32_t const above = lanes_with_heads_[q] & higher_lanes;
    Index const own = first_head(q);
    Index const nearest = backend::from_lane(own, above == 0 ? lane() : backend::lowest_one(above));
    Index end = above == 0 ? carry : nearest;
    RIFFLE_UNROLL
    for (int e = quad_size - 1; e >= 0; --e) {
      ends[e] = end;
      if ((heads_[q] >> e & 1u) != 0) end = places_(q) + static_cast<Index>(e);
    }
  }

 private:
  KOKKOS_FUNCTION int lane() const { return places_.lane; }

  // The first, and the last, element that begins a run, for a quad that has one.
  KOKKOS_FUNCTION Index first_head(int q) const {
    std::uint32_t const heads = heads_[q];
    return places_(q) + static_cast<Index>(heads == 0 ? 0 : backend::lowest_one(heads));
  }
  KOKKOS_FUNCTION Index last_head(int q) const {
    std::uint32_t const heads = heads_[q];
    return places_(q) + static_cast<Index>(heads == 0 ? 0 : backend::highest_one(heads));
  }

  Places places_;
  std::uint32_t heads_[Quads];
  std::uint32_t lanes_with_heads_[Quads];
};

/// Where runs begin in the warps' parts of a tile, in memory of the team. Places are counted from 1, so
/// that 0 means none.
template <class Index, int Warps>
struct HeadsOfWarps {
  Index last[Warps];
  Index first[Warps];

  /// Where the run that reaches into a warp's part begins: `beyond` where that is before the tile.
  KOKKOS_FUNCTION Index start_before(int warp, int lane, Index beyond) const {
    Index const head = lane < warp ? last[lane] : 0;
    std::uint32_t const any = backend::ballot(head != 0);
    Index const nearest = backend::from_lane(head, any == 0 ? 0 : backend::highest_one(any));
    return any == 0 ? beyond : nearest - 1;
  }

  /// Where the run that reaches out of a warp's part ends: `beyond` where that is behind the tile.
  KOKKOS_FUNCTION Index end_behind(int warp, int lane, Index beyond) const {
    bool const is_behind = warp < lane && lane < Warps;
    Index const head = is_behind ? first[lane] : 0;
    std::uint32_t const any = backend::ballot(head != 0);
    Index const nearest = backend::from_lane(head, any == 0 ? 0 : backend::lowest_one(any));
    return any == 0 ? beyond : nearest - 1;
  }
};

// --- elements and ranks ---

/// Elements from `begin` on, of which lane l has the quads l, 32 + l, ...
template <class Source, class Index, int Quads>
class WarpQuads {
 public:
  using T = typename Source::Item;
  using Places = QuadPlacesOfLane<Index>;
  static constexpr Index size = Quads * Places::distance;

  /// Does not wait for loads from a View.
  KOKKOS_FUNCTION WarpQuads(Source const& source, Index n, Places const& places)
      : is_whole_(size <= n - places.begin && source.has_quads()) {
    if (is_whole_) {
      RIFFLE_UNROLL
      for (int q = 0; q < Quads; ++q) source.read_quad(places(q), x_[q]);
    } else {
      read_quad_by_elements(source, n, places);
    }
  }

  /// Whether all quads were read whole.
  KOKKOS_FUNCTION bool is_whole() const { return is_whole_; }

  KOKKOS_FUNCTION T first() const { return backend::from_lane(x_[0][0], 0); }

  /// Bit e of heads[q] is set where element e of quad q differs from the one before it; `before` is the element before
  /// all of them, or the first element itself.
  template <class Differs>
  KOKKOS_FUNCTION void find_heads(T const& before, int lane, Differs const& differs,
                                  std::uint32_t (&heads)[Quads]) const {
    T previous_last = before;
    RIFFLE_UNROLL
    for (int q = 0; q < Quads; ++q) {
      T const own_last = x_[q][quad_size - 1];
      T previous = backend::shuffle_up(own_last, lane, 1);
      if (lane == 0) previous = previous_last;
      previous_last = backend::from_lane(own_last, backend::width - 1);
      heads[q] = differs(previous, x_[q][0]) ? 1u : 0u;
      RIFFLE_UNROLL
      for (int e = 1; e < quad_size; ++e) {
        heads[q] |= differs(x_[q][e - 1], x_[q][e]) ? 1u << e : 0u;
      }
    }
  }

 private:
  KOKKOS_FUNCTION void read_quad_by_elements(Source const& source, Index n, Places const& places) {
    RIFFLE_UNROLL
    for (int q = 0; q < Quads; ++q) {
      // Elements beyond the end repeat the last one, and so begin no run.
      for (int e = 0; e < quad_size; ++e) {
        Index const i = places(q) + static_cast<Index>(e);
        x_[q][e] = source(i < n ? i : n - 1);
      }
    }
  }

  bool is_whole_;
  T x_[Quads][quad_size];
};

// Lanes write ranks of 8 bytes in pairs: one lane alone would write half of each sector at a time.
template <class Rank, class Sink>
inline constexpr bool writes_pairs =
    AddressableSink<Sink> && sizeof(Rank) == 8 && std::is_same_v<typename Sink::Element, Rank>;

/// Writes the quad of ranks whose first place is `place`. All lanes of a warp make the call.
template <class Index, class Rank, class Sink>
KOKKOS_FUNCTION void write_ranks(Sink const& sink, Index place, int lane,
                                 Rank (&ranks)[quad_size]) {
  if constexpr (writes_pairs<Rank, Sink>) {
    write_by_pairs(sink.address(place), lane, ranks);
  } else {
    sink.write_quad(place, ranks);
  }
}

}  // namespace riffle::detail::rank
