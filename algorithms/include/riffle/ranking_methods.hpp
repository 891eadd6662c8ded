#pragma once

// The algorithms that rank sorted data, by name, after
//   J. Liang, J. Bisnett, A. Hylton, J. Sang, C. Yu, "Parallel computation of standard competition rankings
//   over a sorted array" [1].

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/detail/rank/methods.hpp>
#include <riffle/lanes/lanes.hpp>

namespace riffle {

/// [1], section III.A: competition ranks in log2 n passes, each of which reads and writes everything. For comparison.
/// Memory: 2 n indices in the workspace.
struct NaivePrefixRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    static_assert(!Ranker::needs_end,
                  "NaivePrefixRanking knows where ties begin, not where they end");
    detail::rank::rank_by_prefix(context, n, source, order, ranker, sink);
  }
};

/// [1], section III.B: competition ranks by a scan of words that hold a place and a flag, of 32 bits up to
/// n = 2^31 and of 64 bits beyond. Riffle's scan has one pass where the paper's has several.
struct PackedScanRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    static_assert(!Ranker::needs_end,
                  "PackedScanRanking knows where ties begin, not where they end");
    detail::rank::rank_by_packed_scan(context, n, source, order, ranker, sink);
  }
};

/// [1], section III.C: one pass; groups of lanes rank by ballots. On a GPU, where runs go far beyond the tiles of teams
/// is searched for beforehand; memory: at most 16 bytes for each 1024 elements in the workspace.
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
    static_assert(lanes::has_vector_threads<Exec>,
                  "SegmentSearchRanking is for the threads of a CPU; of a GPU: HybridRanking");
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
