#pragma once

// The algorithm that ranks sorted data, after
//   J. Liang, J. Bisnett, A. Hylton, J. Sang, C. Yu, "Parallel computation of standard competition rankings
//   over a sorted array".
//
// A call that takes a method accepts any type with this member function. The algorithms of the paper, each by its name, are
// in riffle/published/competition_ranking/.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/rank/detail/methods.hpp>

namespace riffle {

/// One pass over the data: each warp of a GPU ranks by ballots; each thread of a CPU searches for the first run of its
/// segments. Memory: on a GPU, at most 16 bytes for each 1024 elements in the workspace.
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
