#pragma once

// The consecutive elements that a warp of a GPU reads together, compared with their neighbours; and the ranks that it
// writes together.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/rank/detail/gpu/quad_heads.hpp>

namespace riffle::detail::rank {

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
      read_each(source, n, places);
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
  KOKKOS_FUNCTION void read_each(Source const& source, Index n, Places const& places) {
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
