#pragma once

// The default algorithm that ranks sorted data. Its search for run boundaries is taken from
//   J. Liang, J. Bisnett, A. Hylton, J. Sang, C. Yu, "Parallel computation of standard competition rankings
//   over a sorted array".
//
// Calls with a parameter `method` accept any type with the member function `rank` below.
// riffle/published/competition_ranking/ has the algorithms of the paper, one type for each.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/rank/detail/rank_elements.hpp>

namespace riffle {

/// Ranks in one pass over the data. On a GPU each warp finds run boundaries in a tile by ballots.
/// On a CPU each thread searches for the start of the run that extends into its segment, and then
/// goes through the segment. Memory of the workspace: up to 16 bytes for each 1024 elements on a
/// GPU.
struct DefaultRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    detail::rank::with_index<Exec>(n, [&]<class Index>(Index) {
      detail::rank::OnePassRanking<Index>{}.rank(context, n, source, order, ranker, sink);
    });
  }
};

}  // namespace riffle
