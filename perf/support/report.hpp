#pragma once

// What a row reports, and how it says that it cannot.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <exception>
#include <string>

#include "support/memory.hpp"

namespace perf {

/// A row that this machine cannot run. Before version 1.8 Google Benchmark knows errors alone.
template <class State>
void skip(State& state, std::string const& reason) {
  if constexpr (requires { state.SkipWithMessage(reason); }) {
    state.SkipWithMessage(reason);
  } else {
    state.SkipWithError(reason.c_str());
  }
}

/// The rates of a row of `calls` calls an iteration, each on n items whose answer takes
/// `bytes_per_item` bytes read and written at least; limit_rate is the limit's items per second.
inline void report(benchmark::State& state, std::uint64_t n, int calls,
                   std::uint64_t bytes_per_item, double limit_rate) {
  using benchmark::Counter;
  double const items = static_cast<double>(n) * calls * static_cast<double>(state.iterations());
  double const bytes = items * static_cast<double>(bytes_per_item);
  state.counters["items_per_second"] = Counter(items, Counter::kIsRate);
  state.counters["bytes_per_second"] = Counter(bytes, Counter::kIsRate);
  state.counters["of_limit"] = Counter(items / limit_rate, Counter::kIsRate);
}

/// Runs a row that takes `bytes` of memory. What goes wrong in it is the row's result.
template <class Row>
void run_row(benchmark::State& state, std::uint64_t bytes, Row const& row) {
  if (!may_fit(bytes)) {
    skip(state, "takes " + std::to_string(bytes >> 20) + " MiB, more than there are");
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
