#pragma once

// Reads the consecutive elements that a warp of a GPU ranks together, finds which of them begin runs, finds the starts
// and ends of their runs, and writes ranks. Quad q of lane l is quad 32 q + l of the warp's elements. Row q consists of
// quad q of every lane.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::rank {

// --- run boundaries. A head is an element that begins a run. The start of an element's run is the nearest head at or
//     before the element; the end of the run is the nearest head after it. Ballots show which lanes have heads, and the
//     nearest of these lanes passes the index of its head to the others.
//
//     lane                   0     1     2     3
//     elements             aaab  bbbb  bbcc  cccc
//     heads                x  x          x           the bits of each lane
//     ballot                 1     0     1     0     lanes that have heads
//     start of the run of
//     the first element      0     3     3    10     from the nearest lane before that has a head, or the carry ---

/// Computes the indices of a lane's elements. The elements of the warp begin at index `begin`.
template <class Index>
struct QuadPlacesOfLane {
  static constexpr Index distance = quad_size * backend::width;

  /// The index at which the lane's quad q begins.
  KOKKOS_FUNCTION Index operator()(int q) const {
    return begin + static_cast<Index>(q) * distance + quad_size * static_cast<Index>(lane);
  }

  Index begin;
  int lane;
};

/// Stores which of a warp's elements are heads. Each lane has `Quads` quads. All lanes call each member together.
template <class Index, int Quads>
class QuadHeads {
 public:
  using Places = QuadPlacesOfLane<Index>;

  KOKKOS_FUNCTION explicit QuadHeads(Places const& places) : places_(places) {}

  /// Sets the heads of the lane's quad q: bit e of `heads` is set if element e begins a run.
  KOKKOS_FUNCTION void set(int q, std::uint32_t heads) {
    heads_[q] = heads;
    lanes_with_heads_[q] = backend::ballot(heads != 0);
  }

  /// The index of the warp's last head, plus 1; 0 if the warp has no heads.
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

  /// The index of the warp's first head, plus 1; 0 if the warp has no heads.
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

  /// Sets ends[q] to the end of the run that contains the last element of row q. `carry` is the end of the run that
  /// contains the warp's last element.
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

  /// Sets starts[e] to the start of the run that contains element e of quad q. `carry` is the start of the run that
  /// contains the element before row q. Returns the start of the run that contains the last element of row q.
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

  /// Sets ends[e] to the end of the run that contains element e of quad q. `carry` is the end of the run that contains
  /// the last element of row q.
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

  // The index of the first head, and of the last head, in a quad that has a head.
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

/// The heads of each warp's part of a tile, in scratch memory. last[w] is 1 plus the index of the last head in the part
/// of warp w, and first[w] is 1 plus the index of the first head. Both are 0 if the part has no heads.
template <class Index, int Warps>
struct HeadsOfWarps {
  Index last[Warps];
  Index first[Warps];

  /// The start of the run that contains the element before a warp's part; `beyond` if no earlier warp has a head.
  KOKKOS_FUNCTION Index start_before(int warp, int lane, Index beyond) const {
    Index const head = lane < warp ? last[lane] : 0;
    std::uint32_t const any = backend::ballot(head != 0);
    Index const nearest = backend::from_lane(head, any == 0 ? 0 : backend::highest_one(any));
    return any == 0 ? beyond : nearest - 1;
  }

  /// The end of the run that contains the last element of the part of `warp`. If no later warp has a head, this is
  /// `beyond`.
  KOKKOS_FUNCTION Index end_after(int warp, int lane, Index beyond) const {
    bool const is_after = warp < lane && lane < Warps;
    Index const head = is_after ? first[lane] : 0;
    std::uint32_t const any = backend::ballot(head != 0);
    Index const nearest = backend::from_lane(head, any == 0 ? 0 : backend::lowest_one(any));
    return any == 0 ? beyond : nearest - 1;
  }
};

// --- elements and ranks ---

/// Holds the elements of a warp, which begin at index places.begin. Each lane keeps its quads in registers.
template <class Source, class Index, int Quads>
class WarpQuads {
 public:
  using T = typename Source::Item;
  using Places = QuadPlacesOfLane<Index>;
  static constexpr Index size = Quads * Places::distance;

  /// Issues the loads. Only other members use the elements, so the constructor does not wait for the loads.
  KOKKOS_FUNCTION WarpQuads(Source const& source, Index n, Places const& places)
      : is_whole_(size <= n - places.begin && source.has_quads()) {
    if (is_whole_) {
      RIFFLE_UNROLL
      for (int q = 0; q < Quads; ++q) source.read_quad(places(q), x_[q]);
    } else {
      read_quad_by_elements(source, n, places);
    }
  }

  /// Whether all elements exist, and were read as quads.
  KOKKOS_FUNCTION bool is_whole() const { return is_whole_; }

  KOKKOS_FUNCTION T first() const { return backend::from_lane(x_[0][0], 0); }

  /// Sets bit e of heads[q] if element e of the lane's quad q differs from the element before it. `before` is the element
  /// before the warp's first element; if there is none, the first element itself.
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
      // Elements beyond the end are copies of the last element, which begin no run.
      for (int e = 0; e < quad_size; ++e) {
        Index const i = places(q) + static_cast<Index>(e);
        x_[q][e] = source(i < n ? i : n - 1);
      }
    }
  }

  bool is_whole_;
  T x_[Quads][quad_size];
};

// Pairs of lanes write ranks of 8 bytes together, because a lane alone would write half of a sector at a time.
template <class Rank, class Sink>
inline constexpr bool writes_pairs =
    AddressableSink<Sink> && sizeof(Rank) == 8 && std::is_same_v<typename Sink::Element, Rank>;

/// Writes a quad of ranks, starting at index `place`. All lanes of a warp make the call.
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
