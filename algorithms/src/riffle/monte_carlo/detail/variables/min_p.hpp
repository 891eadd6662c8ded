#pragma once

// Adjusts p-values by the minimum of p-values over variables, min-P (P. H. Westfall, S. S. Young, Resampling-Based
// Multiple Testing, 1993; Y. Ge, S. Dudoit, T. P. Speed, Test 12, 2003, section 4.3 and box 4).
//
// The p-value of a replicate for a variable is determined by the rank of the replicate's test statistic among all
// arrangements. Therefore all test statistics of a variable must be stored at the same time. Variables are processed a
// few at a time, from the least to the most significant one: their test statistics are computed and ranked, and the
// ranks are replaced by running minima over the variables. Only this part of the matrix (variables x replicates) is
// stored.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/running_tests.hpp>
#include <riffle/monte_carlo/detail/variables/count_batch.hpp>
#include <riffle/monte_carlo/detail/variables/draw_columns.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle::detail::variables {

/// Rounds a test statistic to 40 significant bits. Arrangements whose test statistics are equal in exact arithmetic
/// then tie, even if formulas with several sums round the test statistics differently.
KOKKOS_INLINE_FUNCTION double rounded_to_40_bits(double x) {
  constexpr int lost = 13;
  auto const bits = Kokkos::bit_cast<std::uint64_t>(x) + (std::uint64_t{1} << (lost - 1));
  return Kokkos::bit_cast<double>(bits >> lost << lost);
}

/// Stores the test statistics of a block of variables for one replicate.
template <class Memory, int V, int Width, class Batch = CountedBatch<Memory, V, Width>>
struct StoreTestStatistics {
  Batch batch;
  Matrix<Memory> test_statistics;  // variables x arrangements

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const block = at / batch.count;
    std::uint64_t const r = at % batch.count;
    Tile<V, 1> tile;
    find_test_statistics<Batch, V, 1, Width, 1>(batch, block, r / Width,
                                                static_cast<int>(r % Width), tile);
    for (int v = 0; v < V; ++v) {
      std::uint64_t const row = block * V + static_cast<std::uint64_t>(v);
      if (row >= test_statistics.extent(0)) break;
      double const test_statistic = tile.sums[v][0];
      test_statistics(row, batch.first + r) =
          batch.comparison.is_simple() ? test_statistic : rounded_to_40_bits(test_statistic);
    }
  }
};

template <class Memory>
using Ranks = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Memory>;

/// Replaces ranks(row, a) by the minimum of ranks over the variables up to `row`, including the variables of earlier calls.
/// `least` passes the minima from one call to the next.
template <class Memory>
struct RunningMinima {
  Ranks<Memory> ranks;
  Kokkos::View<std::uint32_t*, Memory> least;

  KOKKOS_FUNCTION void operator()(std::uint64_t a) const {
    std::uint32_t running = least(a);
    for (std::uint64_t row = 0; row < ranks.extent(0); ++row) {
      running = Kokkos::min(running, ranks(row, a));
      ranks(row, a) = running;
    }
    least(a) = running;
  }
};

/// Sets counts(row) to the number of arrangements a for which ranks(row, a) <= bounds(row).
template <class Memory>
struct CountAtMost {
  Ranks<Memory> ranks;
  Kokkos::View<std::uint32_t*, Memory> bounds;
  Kokkos::View<std::uint64_t*, Memory> counts;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const row = static_cast<std::uint64_t>(team.league_rank());
    std::uint64_t count = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, ranks.extent(1)),
        [&](std::uint64_t a, std::uint64_t& sum) { sum += ranks(row, a) <= bounds(row); }, count);
    Kokkos::single(Kokkos::PerTeam(team), [&] { counts(row) = count; });
  }
};

template <class Memory>
struct CopyColumn {
  Ranks<Memory> ranks;
  std::uint64_t column;
  Kokkos::View<std::uint32_t*, Memory> to;
  KOKKOS_FUNCTION void operator()(std::uint64_t row) const { to(row) = ranks(row, column); }
};

/// Copies the observed test statistics to the last column.
template <class Memory>
struct CopyObserved {
  Array<Memory> observed;  // observed(g): the test statistic of variable g
  Kokkos::View<std::uint64_t*, Memory> order;
  bool is_simple;
  Matrix<Memory> test_statistics;

  KOKKOS_FUNCTION void operator()(std::uint64_t row) const {
    double const x = observed(order(row));
    test_statistics(row, test_statistics.extent(1) - 1) = is_simple ? x : rounded_to_40_bits(x);
  }
};

/// Returns, for each bound, the number of values <= bound. Requires: `values` is in ascending order.
inline std::vector<std::uint64_t> counts_up_to(std::vector<std::uint32_t> const& values,
                                               std::vector<std::uint32_t> const& bounds) {
  std::vector<std::uint64_t> counts;
  for (std::uint32_t const bound : bounds) {
    counts.push_back(static_cast<std::uint64_t>(
        std::upper_bound(values.begin(), values.end(), bound) - values.begin()));
  }
  return counts;
}

}  // namespace riffle::detail::variables
