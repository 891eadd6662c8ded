// The time to permute an array by a permutation that is known in advance.
//
// Table 2 of
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010:
// its five permutations of side^2 floats or doubles, with 32-bit indices. The rows Algorithm<Type>/permutation/side:S/n:N are,
// in one process,
//   Copy                  the limit: a copy of the values, measured once, for the identity,
//   DDesignated, SDesignated    the paper's conventional algorithms, riffle::scatter and riffle::gather,
//   Scheduled             riffle::ScheduledPermutation with its plan built in advance,
//   ScheduledInverse      the same permutation by the plan of its inverse, applied backwards,
//   Planned               riffle::PlannedPermutation, which chooses one of these three; it is made again for each run of a row,
//   Coloured              riffle::ColouredPermutation, the paper's schedule, if its rows fit in scratch memory,
//   Regular               riffle::transpose and riffle::permute_bits, which need no index; the paper's "in-place".
// An iteration of Plan/permutation, AnyPlan/permutation (for PlannedPermutation) and ColouredPlan/permutation builds one plan
// from indices and frees it.
//
// `of_limit` compares with a copy of the values, without indices and plans; for a plan, with a copy of the indices. Every row
// checks its answer before it is timed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include <riffle/workspace.hpp>

#include "permute/rows.hpp"
#include "support/copy_limit.hpp"
#include "support/permutation_problems.hpp"
#include "support/report.hpp"
#include "support/timing.hpp"

namespace perf {

PermutationProblem problem_of(benchmark::State const& state, Permutation permutation) {
  return {Exec(), permutation, static_cast<std::uint64_t>(state.range(0))};
}

/// Runs a row once on an output that is a wrong answer, and throws if the result is wrong. A result that was right once is not
/// checked again.
template <class Row, class T>
void check_once(PermutationProblem const& problem, Row& row, Array<T> const& in,
                Array<T> const& out) {
  static std::set<std::pair<Permutation, std::uint64_t>> known_as_right;
  std::pair const key(problem.permutation, problem.side);
  write_values(problem.exec, in);
  Kokkos::deep_copy(problem.exec, out, T(-1));
  row(in, out);
  if (known_as_right.contains(key)) return;
  check_values(problem, out);
  known_as_right.insert(key);
}

template <class Row>
void time_row(benchmark::State& state, Permutation permutation) {
  using T = typename Row::Element;
  PermutationProblem const problem = problem_of(state, permutation);
  Exec const& exec = problem.exec;
  std::uint64_t const n = problem.n();
  // In addition to the row's memory, the indices for the check.
  run_row(state, n * (2 * sizeof(T) + sizeof(std::uint32_t) + Row::bytes_beside), [&] {
    double const limit = copy_rate<T>(exec, n);
    Row row(problem);
    auto const in = allocate<T>(exec, "perf::in", n);
    auto const out = allocate<T>(exec, "perf::out", n);
    check_once(problem, row, in, out);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, [&] { row(in, out); });
    report(state, n, calls, 2 * sizeof(T), limit);
  });
}

template <class T>
void time_copy(benchmark::State& state, Permutation permutation) {
  PermutationProblem const problem = problem_of(state, permutation);
  Exec const& exec = problem.exec;
  std::uint64_t const n = problem.n();
  run_row(state, n * (2 * sizeof(T) + sizeof(std::uint32_t)), [&] {
    double const limit = copy_rate<T>(exec, n);
    auto const in = allocate<T>(exec, "perf::in", n);
    auto const out = allocate<T>(exec, "perf::out", n);
    write_values(exec, in);
    Kokkos::deep_copy(exec, out, T(-1));
    FastestCopy<T> const copy(exec, in, out);
    check_values(problem, out);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, copy);
    report(state, n, calls, 2 * sizeof(T), limit);
  });
}

/// Throws if the plan does not permute floats correctly.
template <class Plan>
void check_plan(PermutationProblem const& problem, Plan const& plan,
                riffle::Workspace<Exec>& workspace) {
  Exec const& exec = problem.exec;
  auto const in = allocate<float>(exec, "perf::in", problem.n());
  auto const out = allocate<float>(exec, "perf::out", problem.n());
  auto row = [&](auto const& from, auto const& to) {
    plan(riffle::Context(exec, workspace), from, to);
  };
  check_once(problem, row, in, out);
}

template <class Plan>
void time_plan(benchmark::State& state, Permutation permutation) {
  constexpr std::uint64_t bytes_of_check = 4 * sizeof(float);
  PermutationProblem const problem = problem_of(state, permutation);
  Exec const& exec = problem.exec;
  std::uint64_t const n = problem.n();
  run_row(state, n * (2 * sizeof(std::uint32_t) + bytes_to_build<Plan> + bytes_of_check), [&] {
    if constexpr (std::is_same_v<Plan, ColouredPlan>) check_scratch<float>(problem);
    double const limit = copy_rate<std::uint32_t>(exec, n);
    Indices const p = destinations(problem);
    riffle::Workspace<Exec> workspace(exec);
    check_plan(problem, Plan(riffle::Context(exec, workspace), p), workspace);
    for (auto _ : state) Plan const plan(riffle::Context(exec, workspace), p);
    report(state, n, 1, 2 * sizeof(std::uint32_t), limit);
  });
}

// --- the rows of the table ---

using TimeRow = void (*)(benchmark::State&, Permutation);

void register_named(std::string const& algorithm, TimeRow time, NamedPermutation const& named,
                    std::int64_t side) {
  std::string const name = algorithm + "/" + named.name;
  auto* const row = benchmark::RegisterBenchmark(name.c_str(), time, named.permutation);
  row->ArgNames({"side", "n"})->Args({side, side * side});
  row->UseRealTime()->Unit(benchmark::kMicrosecond);
}

template <class Row>
void register_row(std::string const& type, NamedPermutation const& named, std::int64_t side) {
  if (!Row::is_for(named.permutation)) return;
  register_named(std::string(Row::name) + "<" + type + ">", time_row<Row>, named, side);
}

/// Registers the rows of an algorithm for both types, which share a plan.
template <template <class> class... Rows>
void register_rows(NamedPermutation const& named, std::int64_t side) {
  ((register_row<Rows<float>>("float", named, side),
    register_row<Rows<double>>("double", named, side)),
   ...);
}

void register_problem(NamedPermutation const& named, std::int64_t side) {
  if (named.permutation == Permutation::identical) {
    register_named("Copy<float>", time_copy<float>, named, side);
    register_named("Copy<double>", time_copy<double>, named, side);
  }
  register_rows<DDesignated, SDesignated, Scheduled, Planned, ScheduledInverse, Coloured, Regular>(
      named, side);
  register_named("Plan", time_plan<ScheduledPlan>, named, side);
  register_named("AnyPlan", time_plan<AnyPlan>, named, side);
  register_named("ColouredPlan", time_plan<ColouredPlan>, named, side);
}

bool register_all() {
  for (NamedPermutation const& named : paper_permutations) {
    for (std::int64_t const side : {32, 64, 128, 256}) {
      register_rows<DDesignated, SDesignated, Scheduled, Planned>(named, side);
    }
    for (std::int64_t const side : {512, 1024, 2048, 4096, 8192, 16384}) {
      register_problem(named, side);
    }
  }
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
