#pragma once

// The run boundaries that the ranking algorithms in published/ pass to a ranker.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include "support/rank_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test {

/// Asks for the first element of the run of ties, and returns it; -1 if it is called for another element than `i`.
struct StartRanker {
  static constexpr bool needs_start = true;
  static constexpr bool needs_end = false;

  template <class Index>
  KOKKOS_FUNCTION std::int64_t operator()(Index i, Index start, Index place) const {
    return i == place ? static_cast<std::int64_t>(start) : -1;
  }
};

/// Counts the writes of each element.
template <class Space>
struct CountingSink {
  Kokkos::View<std::int64_t*, Space> values;
  Kokkos::View<int*, Space> writes;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::int64_t value) const {
    values(i) = value;
    Kokkos::atomic_add(&writes(i), 1);
  }
};

template <class Space>
struct ReadElement {
  Kokkos::View<int*, Space> data;

  KOKKOS_FUNCTION int operator()(std::uint64_t i) const { return data(i); }
};

/// The first element of each element's run, as a method reports it; expects one report for each element.
template <class Exec, class Method>
std::vector<std::int64_t> starts_of(Method const& method, std::vector<int> const& sorted) {
  using Space = typename Exec::memory_space;
  Exec const exec;
  Workspace<Exec> workspace(exec);
  std::size_t const n = sorted.size();
  CountingSink<Space> const sink{zeros<Exec, std::int64_t>(n), zeros<Exec, int>(n)};
  method.rank(Context(exec, "riffle::test", workspace), n,
              ReadElement<Space>{to_view<Exec>(sorted)}, Ascending{}, StartRanker{}, sink);
  exec.fence();
  EXPECT_EQ(to_vector(sink.writes), std::vector<int>(n, 1));
  return to_vector(sink.values);
}

/// The first element of each element's run, by the oracle.
inline std::vector<std::int64_t> starts_of_runs(std::vector<int> const& sorted) {
  RankOracleOptions options;
  options.first = 0;
  std::vector<std::int64_t> starts;
  for (double const rank : rank_oracle(sorted, ties::Competition{}, options)) {
    starts.push_back(static_cast<std::int64_t>(rank));
  }
  return starts;
}

/// Data of 1 element and more: all different, all equal, and between.
inline std::vector<std::vector<int>> data_with_runs() {
  std::vector<std::vector<int>> data;
  for (std::size_t const n : {1, 2, 3, 33, 1000, 4097}) {
    for (double const recurring : {0.0, 0.5, 0.99, 1.0}) data.push_back(random_runs(n, recurring));
    data.push_back(runs_that_end_at(n, {1}));
    data.push_back(runs_that_end_at(n, {n - 1}));
  }
  return data;
}

}  // namespace riffle::test
