#pragma once

// Competition ranking by warps, in one pass, following
//   J. Liang, J. Bisnett, A. Hylton, J. Sang, C. Yu, "Parallel computation of standard competition rankings
//   over a sorted array", section III.C.
//
// On a GPU, this is the algorithm of DefaultRanking. On a CPU, a thread does the work of a team.
// There, DefaultRanking uses SegmentSearchRanking, which is more than three times as fast
// (docs/performance.md).

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/published/competition_ranking/detail/cpu/rank_by_chunks.hpp>
#include <riffle/rank/detail/rank_elements.hpp>

namespace riffle {

/// Section III.C: one pass, in which warps rank elements by ballots. On a GPU, run boundaries that are far outside of a
/// team's tile are searched for in advance. Memory: the workspace provides at most 16 bytes for each 1024 elements.
struct HybridRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    detail::rank::with_index<Exec>(n, [&]<class Index>(Index) {
      if constexpr (backend::is_cpu<Exec>) {
        detail::rank::rank_by_chunks<Index>(context, n, source, order, ranker, sink);
      } else {
        detail::rank::rank_by_warps<Index>(context, n, detail::rank::OneGroup{}, source, order,
                                           ranker, sink);
      }
    });
  }
};

}  // namespace riffle
