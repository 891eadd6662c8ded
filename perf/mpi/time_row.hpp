#pragma once

// Times a row on all ranks at the same time.
//
// A row is a class that every rank constructs for n elements per rank (or n replicates), with the members
//   name                       of the row,
//   is_local                   whether its calls do not wait for other ranks,
//   bytes_sent_by(n, P)        bytes that each of P ranks sends, and receives, in a call,
//   items_of(n, P)             number of items of all ranks in a call,
//   memory_of(n)               bytes that a rank needs,
//   fraction, limit(ranks, n)  name of the ratio of limit to time, and the limit in seconds, if known,
//   prepare(), run()           makes the input, which is not timed; then the call,
//   errors()                   number of errors after a call; the answer is right if the sum over all ranks is 0.
// A row whose result must equal the result of one device bit by bit also has output() and on_one_device(n); each rank compares
// its block.

#include <mpi.h>

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/elements.hpp"
#include "mpi/ranks.hpp"
#include "support/exec.hpp"
#include "support/memory.hpp"

namespace perf {

template <class Row>
void run_once(Ranks const& ranks, Row& row) {
  row.prepare();
  if constexpr (Row::is_local) {
    ranks.agree([&] {
      row.run();
      Kokkos::fence("perf::run_once");
    });
  } else {
    row.run();
  }
}

/// Whether few elements give the same result as on one device; every rank must call this.
template <class Row>
void check_beside_one_device(Ranks& ranks) {
  constexpr std::uint64_t n = std::uint64_t{1} << 16;
  Row row(ranks, n);
  run_once(ranks, row);
  auto const expected = row.on_one_device(n * static_cast<std::uint64_t>(ranks.size()));
  std::uint64_t const differences =
      count_differences(row.output(), expected, n * static_cast<std::uint64_t>(ranks.rank()));
  if (ranks.sum(differences) != 0)
    throw std::logic_error("the result differs from the result of one device");
}

/// Runs a row once, and throws on all ranks if its answer is wrong.
template <class Row>
void check_row(Ranks& ranks, Row& row) {
  if constexpr (requires { row.output(); }) check_beside_one_device<Row>(ranks);
  run_once(ranks, row);
  if (ranks.sum(row.errors()) != 0) throw std::logic_error("the result is wrong");
}

/// The time of the slowest rank, from the moment when all ranks are ready.
template <class Row>
std::vector<double> time_calls(benchmark::State& state, Ranks const& ranks, Row& row) {
  std::vector<double> seconds;
  for (auto _ : state) {
    row.prepare();
    Kokkos::fence("perf::time_calls: all is ready");
    ranks.wait_for_all();
    Kokkos::Timer const timer;
    row.run();
    Kokkos::fence("perf::time_calls: a call");
    seconds.push_back(ranks.greatest(timer.seconds()));
    state.SetIterationTime(seconds.back());
  }
  return seconds;
}

inline double median_of(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Reports the rates of the median call.
template <class Row>
void report_row(benchmark::State& state, Ranks& ranks, std::uint64_t n, double seconds) {
  auto const limit = Row::limit(ranks, n);  // before this row's time is added
  ranks.measured().set(Row::name, n, seconds);
  auto const size = static_cast<std::uint64_t>(ranks.size());
  double const bytes = Row::bytes_sent_by(n, size);
  state.counters["ranks"] = ranks.size();
  state.counters["median_seconds"] = seconds;
  state.counters["items_per_second"] = Row::items_of(n, size) / seconds;
  if (bytes > 0) {
    state.counters["bytes_each_way"] = bytes;
    state.counters["bytes_each_way_per_second"] = bytes / seconds;
  }
  if (limit) state.counters[Row::fraction] = *limit / seconds;
}

template <class Row>
void time_row(benchmark::State& state, Ranks& ranks) {
  auto const n = static_cast<std::uint64_t>(state.range(0));
  try {
    std::optional<Row> row;
    ranks.agree([&] {
      std::uint64_t const bytes = Row::memory_of(n) * static_cast<std::uint64_t>(ranks.size());
      if (!may_fit(bytes)) {
        throw OutOfMemory("needs " + std::to_string(bytes >> 20) + " MiB, more than available");
      }
      row.emplace(ranks, n);
    });
    check_row(ranks, *row);
    report_row<Row>(state, ranks, n, median_of(time_calls(state, ranks, *row)));
  } catch (std::exception const& error) {
    ranks.fail();
    state.SkipWithError(error.what());
  }
}

template <class Row>
void register_row(Ranks& ranks, char const* argument, std::vector<std::int64_t> const& sizes) {
  auto* const row = benchmark::RegisterBenchmark(
      Row::name, [&ranks](benchmark::State& state) { time_row<Row>(state, ranks); });
  row->ArgName(argument)->UseManualTime()->Unit(benchmark::kMillisecond);
  row->Iterations(ranks.options().iterations);
  for (std::int64_t const n : sizes) row->Arg(n);
}

/// Registers a row with n elements per rank.
template <class Row>
void register_row(Ranks& ranks) {
  register_row<Row>(ranks, "n", ranks.options().sizes);
}

}  // namespace perf
