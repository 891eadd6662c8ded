#pragma once

// Competition ranks by a parallel prefix in several passes, for comparison:
//   J. Liang, J. Bisnett, A. Hylton, J. Sang, C. Yu, "Parallel computation of standard competition rankings
//   over a sorted array" [1], section III.A.
//
// The paper uses this algorithm to show that ranks are prefixes, and as a baseline for its other
// algorithms. DefaultRanking never uses it, because it is far slower (perf/rank/rank.cpp).

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/rank/detail/rank_elements.hpp>

namespace riffle {

namespace detail::rank {

template <class Source, class Order, class Index>
struct StepOfPrefix {
  Source source;
  Order order;
  std::uint64_t distance;
  Index const* starts;
  Index* next;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    bool const is_tied = i >= distance && !differ(order, source(i - distance), source(i));
    next[i] = starts[is_tied ? i - distance : i];
  }
};

template <class Index, class Ranker, class Sink>
struct EndOfPrefix {
  Index const* starts;
  Ranker ranker;
  Sink sink;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    sink(i, ranker(static_cast<Index>(i), starts[i], static_cast<Index>(i)));
  }
};

template <class Exec, class Source, class Order, class Ranker, class Sink>
void rank_by_prefix(Context<Exec> const& context, std::uint64_t n, Source const& source,
                    Order const& order, Ranker const& ranker, Sink const& sink) {
  with_index<Exec>(n, [&]<class Index>(Index) {
    Scope scope(context);
    auto* starts = scope.template take<Index>(2 * n);
    Index* next = starts + n;
    context.named("start").for_each(n, MakeIndices<Index>{starts});
    for (std::uint64_t distance = 1; distance < n; distance *= 2) {
      context.named("step").for_each(
          n, StepOfPrefix<Source, Order, Index>{source, order, distance, starts, next});
      std::swap(starts, next);
    }
    context.named("end").for_each(n, EndOfPrefix<Index, Ranker, Sink>{starts, ranker, sink});
  });
}

}  // namespace detail::rank

/// [1], section III.A: competition ranks in log2 n passes, each of which reads and writes all
/// elements. Memory: 2 n indices in the workspace.
struct NaivePrefixRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    static_assert(!Ranker::needs_end,
                  "riffle: NaivePrefixRanking knows where ties begin, not where they end");
    detail::rank::rank_by_prefix(context, n, source, order, ranker, sink);
  }

  /// Grows the workspace such that n elements can be ranked without allocations.
  template <class Exec>
  void reserve(Context<Exec> const& context, std::uint64_t n) const {
    detail::rank::with_index<Exec>(n, [&]<class Index>(Index) {
      detail::Scope scope(context);
      scope.template take<Index>(2 * n);
    });
  }
};

}  // namespace riffle
