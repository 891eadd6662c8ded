#pragma once

// How a row is timed by all ranks at once.
//
// A row is a class, made for n elements a rank (or n replicates), on every rank, with
//   name                       of the row,
//   is_local                   whether its calls wait for no other rank,
//   bytes_sent_by(n, P)        what each of P ranks sends, and receives, in a call,
//   items_of(n, P)             what all ranks together do in a call,
//   memory_of(n)               bytes that a rank takes,
//   fraction, limit(ranks, n)  what the limit's share of the row's time is called, and the limit in seconds, if known,
//   prepare(), run()           a call, and what makes its input anew, which is not timed,
//   errors()                   what is wrong after a call: nothing where the sum over all ranks is 0.
// A row whose ranks are to have the bits of one device also has output() and on_one_device(n), of which a rank compares
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

/// Whether few elements come out as on one device, which every rank asks.
template <class Row>
void check_beside_one_device(Ranks& ranks) {
  constexpr std::uint64_t n = std::uint64_t{1} << 16;
  Row row(ranks, n);
  run_once(ranks, row);
  auto const expected = row.on_one_device(n * static_cast<std::uint64_t>(ranks.size()));
  std::uint64_t const differences =
      count_differences(row.output(), expected, n * static_cast<std::uint64_t>(ranks.rank()));
  if (ranks.sum(differences) != 0) throw std::logic_error("other bits than on one device");
}

/// Runs a row once, and throws on all ranks where its answer is wrong.
template <class Row>
void check_row(Ranks& ranks, Row& row) {
  if constexpr (requires { row.output(); }) check_beside_one_device<Row>(ranks);
  run_once(ranks, row);
  if (ranks.sum(row.errors()) != 0) throw std::logic_error("a wrong answer");
}

/// The time of a call is that of the slowest rank, from when all are ready.
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

/// Rates are those of the median call.
template <class Row>
void report_row(benchmark::State& state, Ranks& ranks, std::uint64_t n, double seconds) {
  auto const limit = Row::limit(ranks, n);  // before this row is known
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
        throw OutOfMemory("takes " + std::to_string(bytes >> 20) + " MiB, more than there are");
      }
      row.emplace(ranks, n);
    });
    check_row(ranks, *row);
    report_row<Row>(state, ranks, n, median_of(time_calls(state, ranks, *row)));
  } catch (std::exception const& error) {
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

/// A row of n elements a rank.
template <class Row>
void register_row(Ranks& ranks) {
  register_row<Row>(ranks, "n", ranks.options().sizes);
}

}  // namespace perf
