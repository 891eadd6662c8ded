#pragma once

// Several calls are enqueued, followed by one fence. A launch may therefore overlap with the kernel before it, as in a user's
// program. The time that Google Benchmark prints is for all these calls; compare the rates.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/exec.hpp"

namespace perf {

/// Calls between two fences. On a CPU a fence is cheap, and one call that takes milliseconds is enough.
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

/// Seconds of one call: the median of at least nine batches after a warm-up. For measurements that are not rows.
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
