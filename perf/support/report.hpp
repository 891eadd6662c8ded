#pragma once

// Reports the results of a row, or the reason why it was skipped.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <exception>
#include <string>

#include "support/memory.hpp"

namespace perf {

/// Reports a row that this machine cannot run. Google Benchmark before version 1.8 can only report errors.
template <class State>
void skip(State& state, std::string const& reason) {
  if constexpr (requires { state.SkipWithMessage(reason); }) {
    state.SkipWithMessage(reason);
  } else {
    state.SkipWithError(reason.c_str());
  }
}

/// Reports the rates of a row with `calls` calls per iteration, each with n items, for which at least `bytes_per_item` bytes
/// are read and written per item. limit_rate is the limit in items per second.
inline void report(benchmark::State& state, std::uint64_t n, int calls,
                   std::uint64_t bytes_per_item, double limit_rate) {
  using benchmark::Counter;
  double const items = static_cast<double>(n) * calls * static_cast<double>(state.iterations());
  double const bytes = items * static_cast<double>(bytes_per_item);
  state.counters["items_per_second"] = Counter(items, Counter::kIsRate);
  state.counters["bytes_per_second"] = Counter(bytes, Counter::kIsRate);
  state.counters["of_limit"] = Counter(items / limit_rate, Counter::kIsRate);
}

/// Runs a row that needs `bytes` of memory. An exception becomes the result of the row.
template <class Row>
void run_row(benchmark::State& state, std::uint64_t bytes, Row const& row) {
  if (!may_fit(bytes)) {
    skip(state, "needs " + std::to_string(bytes >> 20) + " MiB, more than available");
    return;
  }
  try {
    row();
  } catch (OutOfMemory const& shortage) {
    skip(state, shortage.what());
  } catch (std::exception const& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace perf
