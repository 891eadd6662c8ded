#pragma once

// How a call is timed: some calls are enqueued one after the other, then one fence. So a launch may
// overlap with the kernel before it, as it does in a user's program. The time that Google Benchmark
// prints is that of all these calls; rates are what to compare.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/exec.hpp"

namespace perf {

/// Calls between two fences. On a CPU, where a fence costs next to nothing, one call is enough once
/// it takes milliseconds.
inline constexpr int most_calls_per_fence = 8;
inline int calls_per_fence(std::uint64_t n) {
  return runs_on_host && n > (1u << 20) ? 1 : most_calls_per_fence;
}

template <class Call>
void run_batch(Exec const& exec, int calls, Call const& call) {
  for (int c = 0; c < calls; ++c) call();
  exec.fence("perf::run_batch");
}

/// The loop of a row; the caller has warmed up already.
template <class Call>
void time_batches(benchmark::State& state, Exec const& exec, int calls, Call const& call) {
  for (auto _ : state) run_batch(exec, calls, call);
}

/// Seconds of one call: the median of nine batches or more, after a warm-up, for what is measured
/// beside the rows.
template <class Call>
double median_seconds(Exec const& exec, int calls, Call const& call) {
  constexpr std::size_t min_batches = 9;
  constexpr double min_seconds = 0.1;
  run_batch(exec, calls, call);
  std::vector<double> seconds;
  Kokkos::Timer const total;
  while (seconds.size() < min_batches || total.seconds() < min_seconds) {
    Kokkos::Timer const timer;
    run_batch(exec, calls, call);
    seconds.push_back(timer.seconds() / calls);
  }
  auto const middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

}  // namespace perf
