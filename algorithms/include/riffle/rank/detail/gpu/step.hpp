#pragma once

// The consecutive elements that a warp of a GPU ranks together.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/kernel/quad_chunks.hpp>
#include <riffle/kernel/sink.hpp>
#include <riffle/kernel/source.hpp>
#include <riffle/kernel/tile_tree.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/order.hpp>

namespace riffle::detail::rank {

/// The number of quads of a lane in one step, as many as registers hold.
template <class T>
inline constexpr int quads_per_step = sizeof(T) <= 4   ? 4
                                      : sizeof(T) <= 8 ? 2
                                                       : 1;

/// One step of a warp: consecutive elements, of which lane l has the quads l, 32 + l, ...
template <class Source, class Order, class Index>
class Step {
 public:
  using T = typename Source::Item;
  static constexpr int quads = quads_per_step<T>;
  static constexpr Index quad_distance = quad_size * lanes::width;
  static constexpr Index size = quads * quad_distance;

  KOKKOS_FUNCTION Step(Source const& source, Order const& order, Index n, Index begin, int lane)
      : order_(order), n_(n), begin_(begin), lane_(lane) {
    is_whole_ = size <= n - begin && source.has_quads();
    if (is_whole_) {
      RIFFLE_UNROLL
      for (int q = 0; q < quads; ++q) source.read_quad(place(q), x_[q]);
    } else {
      read_each(source);
    }
  }

  /// The place of the first element of the lane's quad q.
  KOKKOS_FUNCTION Index place(int q) const {
    return begin_ + static_cast<Index>(q) * quad_distance + quad_size * static_cast<Index>(lane_);
  }

  KOKKOS_FUNCTION T first() const { return lanes::from_lane(x_[0][0], 0); }

  /// Sets bit e of heads_[q] where element e begins a run; `before` is the element before the step's first, or the
  /// first element itself.
  KOKKOS_FUNCTION void find_heads(T const& before) {
    T previous_last = before;
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) {
      T const own_last = x_[q][quad_size - 1];
      T previous = lanes::shuffle_up(own_last, lane_, 1);
      if (lane_ == 0) previous = previous_last;
      previous_last = lanes::from_lane(own_last, lanes::width - 1);
      std::uint32_t heads = differ(order_, previous, x_[q][0]) ? 1u : 0u;
      RIFFLE_UNROLL
      for (int e = 1; e < quad_size; ++e) {
        heads |= differ(order_, x_[q][e - 1], x_[q][e]) ? 1u << e : 0u;
      }
      heads_[q] = heads;
      lanes_with_heads_[q] = lanes::ballot(heads != 0);
    }
  }

  /// One more than the place of the step's last element that begins a run; 0 where none does.
  KOKKOS_FUNCTION Index last_head_of_all() const {
    Index own = 0;
    std::uint32_t any = 0;
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) {
      if (lanes_with_heads_[q] == 0) continue;
      any = lanes_with_heads_[q];
      own = last_head(q) + 1;
    }
    return lanes::from_lane(own, any == 0 ? lane_ : lanes::highest_one(any));
  }

  /// One more than the place of the step's first element that begins a run; 0 where none does.
  KOKKOS_FUNCTION Index first_head_of_all() const {
    Index own = 0;
    std::uint32_t any = 0;
    RIFFLE_UNROLL
    for (int q = quads - 1; q >= 0; --q) {
      if (lanes_with_heads_[q] == 0) continue;
      any = lanes_with_heads_[q];
      own = first_head(q) + 1;
    }
    return lanes::from_lane(own, any == 0 ? lane_ : lanes::lowest_one(any));
  }

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
  KOKKOS_FUNCTION void read_each(Source const& source) {
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) {
      // Elements beyond the end repeat the last one, and so begin no run.
      for (int e = 0; e < quad_size; ++e) {
        Index const i = place(q) + static_cast<Index>(e);
        x_[q][e] = source(i < n_ ? i : n_ - 1);
      }
    }
  }

  template <bool Whole, class Ranker, class Sink>
  KOKKOS_FUNCTION void write_quads(Ranker const& ranker, Sink const& sink, Index start,
                                   Index end) const {
    Index ends[quads];
    if constexpr (Ranker::needs_end) find_ends(end, ends);
    RIFFLE_UNROLL
    for (int q = 0; q < quads; ++q) {
      Index starts_of_quad[quad_size];
      Index ends_of_quad[quad_size];
      for (int e = 0; e < quad_size; ++e) {
        starts_of_quad[e] = ends_of_quad[e] = place(q) + static_cast<Index>(e);
      }
      if constexpr (Ranker::needs_start) start = find_starts(q, start, starts_of_quad);
      if constexpr (Ranker::needs_end) find_ends_of_quad(q, ends[q], ends_of_quad);
      if constexpr (Whole) {
        write_quad(q, ranker, sink, starts_of_quad, ends_of_quad);
      } else {
        write_each(q, ranker, sink, starts_of_quad, ends_of_quad);
      }
    }
  }

  /// ends[q]: where the run of the last element of all lanes' quads q ends.
  KOKKOS_FUNCTION void find_ends(Index carry, Index (&ends)[quads]) const {
    RIFFLE_UNROLL
    for (int q = quads - 1; q >= 0; --q) {
      ends[q] = carry;
      Index const own = first_head(q);
      std::uint32_t const any = lanes_with_heads_[q];
      Index const first = lanes::from_lane(own, any == 0 ? lane_ : lanes::lowest_one(any));
      carry = any == 0 ? carry : first;
    }
  }

  /// `carry`: where the run of the element before all lanes' quads q begins. Returns where the run of their last
  /// element begins.
  KOKKOS_FUNCTION Index find_starts(int q, Index carry, Index (&starts)[quad_size]) const {
    std::uint32_t const lower_lanes = (1u << lane_) - 1;
    std::uint32_t const any = lanes_with_heads_[q];
    std::uint32_t const below = any & lower_lanes;
    Index const own = last_head(q);
    Index const nearest = lanes::from_lane(own, below == 0 ? lane_ : lanes::highest_one(below));
    Index start = below == 0 ? carry : nearest;
    RIFFLE_UNROLL
    for (int e = 0; e < quad_size; ++e) {
      if ((heads_[q] >> e & 1u) != 0) start = place(q) + static_cast<Index>(e);
      starts[e] = start;
    }
    Index const last = lanes::from_lane(own, any == 0 ? lane_ : lanes::highest_one(any));
    return any == 0 ? carry : last;
  }

  KOKKOS_FUNCTION void find_ends_of_quad(int q, Index carry, Index (&ends)[quad_size]) const {
    std::uint32_t const higher_lanes = ~std::uint32_t{1} << lane_;
    std::uint32_t const above = lanes_with_heads_[q] & higher_lanes;
    Index const own = first_head(q);
    Index const nearest = lanes::from_lane(own, above == 0 ? lane_ : lanes::lowest_one(above));
    Index end = above == 0 ? carry : nearest;
    RIFFLE_UNROLL
    for (int e = quad_size - 1; e >= 0; --e) {
      ends[e] = end;
      if ((heads_[q] >> e & 1u) != 0) end = place(q) + static_cast<Index>(e);
    }
  }

  // The first, and the last, element that begins a run, for a quad that has one.
  KOKKOS_FUNCTION Index first_head(int q) const {
    std::uint32_t const heads = heads_[q];
    return place(q) + static_cast<Index>(heads == 0 ? 0 : lanes::lowest_one(heads));
  }
  KOKKOS_FUNCTION Index last_head(int q) const {
    std::uint32_t const heads = heads_[q];
    return place(q) + static_cast<Index>(heads == 0 ? 0 : lanes::highest_one(heads));
  }

  // Lanes write ranks of 8 bytes in pairs: one lane alone would write half of each sector at a time.
  template <class Ranker, class Sink>
  static constexpr bool writes_pairs =
      AddressableSink<Sink> && sizeof(typename Ranker::Rank) == 8 &&
      std::is_same_v<typename Sink::Element, typename Ranker::Rank>;

  template <class Ranker, class Sink>
  KOKKOS_FUNCTION void write_quad(int q, Ranker const& ranker, Sink const& sink,
                                  Index const (&starts)[quad_size],
                                  Index const (&ends)[quad_size]) const {
    typename Ranker::Rank ranks[quad_size];
    RIFFLE_UNROLL
    for (int e = 0; e < quad_size; ++e) {
      ranks[e] = ranker(place(q) + static_cast<Index>(e), starts[e], ends[e]);
    }
    if constexpr (writes_pairs<Ranker, Sink>) {
      write_by_pairs(sink.address(place(q)), lane_, ranks);
    } else {
      sink.write_quad(place(q), ranks);
    }
  }

  template <class Ranker, class Sink>
  KOKKOS_FUNCTION void write_each(int q, Ranker const& ranker, Sink const& sink,
                                  Index const (&starts)[quad_size],
                                  Index const (&ends)[quad_size]) const {
    for (int e = 0; e < quad_size; ++e) {
      Index const i = place(q) + static_cast<Index>(e);
      if (i < n_) sink(i, ranker(i, starts[e], ends[e]));
    }
  }

  Order order_;
  Index n_;
  Index begin_;
  int lane_;
  bool is_whole_;
  T x_[quads][quad_size];
  std::uint32_t heads_[quads];
  std::uint32_t lanes_with_heads_[quads];
};

}  // namespace riffle::detail::rank
