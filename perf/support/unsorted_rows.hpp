#pragma once

// Times rows with unsorted input; rank_unsorted.cpp describes rows.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <initializer_list>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/copy_limit.hpp"
#include "support/exec.hpp"
#include "support/report.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"
#include "support/unsorted_values.hpp"

namespace perf {

template <class Row>
using Answers = Kokkos::View<typename Row::Answer::Item*, Exec>;

/// Runs a row once on a wrong answer, and throws if the result is wrong. A result that was right once is not checked again.
template <class Row>
void check_answer_once(Exec const& exec, Row& row, ValueKind kind, UnsortedValues const& values,
                       Answers<Row> const& answers) {
  static std::set<std::pair<ValueKind, std::uint64_t>> known_as_right;
  std::pair const problem(kind, static_cast<std::uint64_t>(values.extent(0)));
  Kokkos::deep_copy(exec, answers, static_cast<typename Row::Answer::Item>(-1));
  row(values, answers);
  if (known_as_right.contains(problem)) return;
  std::string const error = Row::Answer::error(exec, values, answers);
  if (!error.empty()) throw std::logic_error(error);
  known_as_right.insert(problem);
}

/// A row that overwrites its input: prepare(values, count) makes `count` inputs, which is not timed, and call(c) uses input c.
template <class Row>
concept UsesInputsUp = requires(Row& row, UnsortedValues const& values) {
  row.prepare(values, 1);
  row.call(0);
};

template <class Row>
void time_calls_of_row(benchmark::State& state, Exec const& exec, int calls, Row& row,
                       UnsortedValues const& values, Answers<Row> const& answers) {
  if constexpr (UsesInputsUp<Row>) {
    for (auto _ : state) {
      state.PauseTiming();
      row.prepare(values, calls);
      exec.fence("perf::prepare");
      state.ResumeTiming();
      int c = 0;
      run_batch(exec, calls, [&] { row.call(c++); });
    }
  } else {
    time_batches(state, exec, calls, [&] { row(values, answers); });
  }
}

template <class Row>
void time_row(benchmark::State& state, ValueKind kind) {
  using Item = typename Row::Answer::Item;
  constexpr std::uint64_t bytes_per_item = sizeof(double) + sizeof(Item);
  // The check of ranks needs a size, a value and a place for each group.
  constexpr std::uint64_t check_bytes_per_item = 32;
  auto const n = static_cast<std::uint64_t>(state.range(0));
  run_row(state, n * (bytes_per_item + Row::scratch_bytes_per_item + check_bytes_per_item), [&] {
    Exec const exec;
    double const limit = limit_rate<double>(exec, n, bytes_per_item);
    UnsortedValues const values = unsorted_values(exec, n, kind);
    Answers<Row> const answers = allocate<Item>(exec, "perf::answers", n);
    Row row(exec, n);
    check_answer_once(exec, row, kind, values, answers);
    int const calls = calls_per_fence(n);
    time_calls_of_row(state, exec, calls, row, values, answers);
    report(state, n, calls, bytes_per_item, limit);
  });
}

/// Rows of 2^exponent values for each exponent.
template <class Row>
void register_kind(ValueKind kind, std::string const& label,
                   std::initializer_list<int> exponents = {20, 22, 24, 26}) {
  auto* const row = benchmark::RegisterBenchmark((Row::name + label).c_str(), time_row<Row>, kind);
  row->ArgName("n")->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (int const exponent : exponents) row->Arg(power_of_two(exponent));
}

}  // namespace perf
