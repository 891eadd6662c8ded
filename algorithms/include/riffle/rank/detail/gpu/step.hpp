#pragma once

// The consecutive elements that a warp of a GPU ranks together.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/rank/detail/gpu/quad_heads.hpp>
#include <riffle/rank/detail/gpu/warp_quads.hpp>

namespace riffle::detail::rank {

/// Where runs begin in a step of a warp: consecutive elements, of which lane l has the quads l, 32 + l, ...
template <class T, class Index>
class FlaggedStep {
 public:
  static constexpr int quads = quads_of_bytes(sizeof(T));
  using Places = QuadPlacesOfLane<Index>;

  /// `is_whole`: the step ends with no element beyond the n-th, and elements are read by quads. The other constructor
  /// leaves to set() where runs begin.
  KOKKOS_FUNCTION FlaggedStep(Index n, Places const& places, bool is_whole)
      : n_(n), places_(places), is_whole_(is_whole), heads_(places) {}
  KOKKOS_FUNCTION FlaggedStep(Index n, Places const& places, bool is_whole, std::uint32_t flags)
      : FlaggedStep(n, places, is_whole) {
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) heads_.set(q, flags >> quad_size * q & 0xFu);
  }

  KOKKOS_FUNCTION void set(std::uint32_t const (&heads)[quads]) {
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) heads_.set(q, heads[q]);
  }

  KOKKOS_FUNCTION QuadHeads<Index, quads> const& heads() const { return heads_; }

  /// Writes the ranks. `start`: where the run of the element before the step's first begins. `end`: where the run of
  /// the step's last element ends.
  template <class Ranker, class Sink>
  KOKKOS_FUNCTION void write(Ranker const& ranker, Sink const& sink, Index start, Index end) const {
    // Conditions that are the same for all elements are tested once: there are few instructions for each element.
    if (!is_whole_ || !sink.has_quads()) {
      write_quads<false>(ranker, sink, start, end);
      return;
    }
    if constexpr (requires { ranker.plain(); }) {
      if (ranker.is_plain()) {
        write_quads<true>(ranker.plain(), sink, start, end);
        return;
      }
    }
    write_quads<true>(ranker, sink, start, end);
  }

 private:
  template <bool Whole, class Ranker, class Sink>
  KOKKOS_FUNCTION void write_quads(Ranker const& ranker, Sink const& sink, Index start,
                                   Index end) const {
    Index ends[quads];
    if constexpr (Ranker::needs_end) heads_.find_ends(end, ends);
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) {
      Index starts_of_quad[quad_size];
      Index ends_of_quad[quad_size];
      for (int e = 0; e < quad_size; ++e) {
        starts_of_quad[e] = ends_of_quad[e] = places_(q) + static_cast<Index>(e);
      }
      if constexpr (Ranker::needs_start) start = heads_.find_starts(q, start, starts_of_quad);
      if constexpr (Ranker::needs_end) heads_.find_ends_of_quad(q, ends[q], ends_of_quad);
      if constexpr (Whole) {
        write_quad(q, ranker, sink, starts_of_quad, ends_of_quad);
      } else {
        write_each(q, ranker, sink, starts_of_quad, ends_of_quad);
      }
    }
  }

  template <class Ranker, class Sink>
  KOKKOS_FUNCTION void write_quad(int q, Ranker const& ranker, Sink const& sink,
                                  Index const (&starts)[quad_size],
                                  Index const (&ends)[quad_size]) const {
    typename Ranker::Rank ranks[quad_size];
    RIFFLE_UNROLL
    for (int e = 0; e < quad_size; ++e) {
      ranks[e] = ranker(places_(q) + static_cast<Index>(e), starts[e], ends[e]);
    }
    write_ranks(sink, places_(q), places_.lane, ranks);
  }

  template <class Ranker, class Sink>
  KOKKOS_FUNCTION void write_each(int q, Ranker const& ranker, Sink const& sink,
                                  Index const (&starts)[quad_size],
                                  Index const (&ends)[quad_size]) const {
    for (int e = 0; e < quad_size; ++e) {
      Index const i = places_(q) + static_cast<Index>(e);
      if (i < n_) sink(i, ranker(i, starts[e], ends[e]));
    }
  }

  Index n_;
  Places places_;
  bool is_whole_;
  QuadHeads<Index, quads> heads_;
};

/// A step whose elements are read and compared.
template <class Source, class Order, class Index>
class Step {
 public:
  using T = typename Source::Item;
  using Flagged = FlaggedStep<T, Index>;
  static constexpr int quads = Flagged::quads;
  using Values = WarpQuads<Source, Index, quads>;
  static constexpr Index size = Values::size;

  /// Does not wait for loads from a View.
  KOKKOS_FUNCTION Step(Source const& source, Order const& order, Index n, Index begin, int lane)
      : order_(order), n_(n), places_{begin, lane}, values_(source, n, places_) {}

  KOKKOS_FUNCTION T first() const { return values_.first(); }

  /// Finds where runs begin: bit e of heads[q] is set where element e of the lane's quad q begins one. `before` is the
  /// element before the step's first, or the first element itself.
  KOKKOS_FUNCTION void find_heads(T const& before, std::uint32_t (&heads)[quads]) const {
    values_.find_heads(
        before, places_.lane, [&](T const& a, T const& b) { return differ(order_, a, b); }, heads);
  }

  KOKKOS_FUNCTION Flagged flagged() const { return {n_, places_, values_.is_whole()}; }

 private:
  Order order_;
  Index n_;
  QuadPlacesOfLane<Index> places_;
  Values values_;
};

}  // namespace riffle::detail::rank
