#pragma once

// The algorithms that rank sorted data, by name, after
//   J. Liang, J. Bisnett, A. Hylton, J. Sang, C. Yu, "Parallel computation of standard competition rankings
//   over a sorted array" [1].
//
// The ways of sections III.A and III.B, which are kept for comparison alone, lie in published/: NaivePrefixRanking in
// published/naive_prefix_ranking.hpp, PackedScanRanking in published/packed_scan_ranking.hpp.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/rank/detail/methods.hpp>

namespace riffle {

/// [1], section III.C: one pass; warps rank by ballots. On a GPU, the ends of runs that go far beyond the tiles of
/// teams are searched for beforehand; memory: at most 16 bytes for each 1024 elements in the workspace.
struct HybridRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    detail::rank::rank_by_hybrid(context, n, source, order, ranker, sink);
  }
};

/// [1], section III.D: one pass on a CPU; each thread searches for where its segments' first runs begin.
struct SegmentSearchRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    static_assert(
        backend::is_cpu<Exec>,
        "riffle: SegmentSearchRanking is for the threads of a CPU; of a GPU: HybridRanking");
    detail::rank::rank_by_segment_search(context, n, source, order, ranker, sink);
  }
};

/// HybridRanking on a GPU, SegmentSearchRanking on a CPU.
struct DefaultRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    detail::rank::with_index<Exec>(n, [&]<class Index>(Index) {
      detail::rank::RankingBy<Index>{}.rank(context, n, source, order, ranker, sink);
    });
  }
};

}  // namespace riffle
