#pragma once

// Competition ranking by segments, in one pass, following
//   J. Liang, J. Bisnett, A. Hylton, J. Sang, C. Yu, "Parallel computation of standard competition rankings
//   over a sorted array", section III.D.
//
// On a CPU, this is the algorithm of DefaultRanking.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/rank/detail/rank_elements.hpp>

namespace riffle {

/// Section III.D: one pass on a CPU. A thread's first element may belong to a run that starts in an earlier segment. So
/// each thread searches for the first element of this run.
struct SegmentSearchRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    static_assert(
        backend::is_cpu<Exec>,
        "riffle: SegmentSearchRanking is for the threads of a CPU; use HybridRanking on a GPU");
    detail::rank::with_index<Exec>(n, [&]<class Index>(Index) {
      detail::rank::rank_by_segments<Index>(context, n, source, order, ranker, sink);
    });
  }
};

}  // namespace riffle
