// The time of calls with few elements.
//
// With 2^4 to 2^14 elements, launching takes longer than moving them. The rows Algorithm/n:N are
//   Launch           an empty kernel of N iterations, with which calls are compared,
//   InclusiveScan    riffle::inclusive_scan of 32-bit integers,
//   SortCopy         riffle::sort_copy of doubles that are uniform in [0, 1),
//   ShuffleCopy      riffle::shuffle_copy of 64-bit keys,
//   Rank             riffle::rank of sorted floats, half of which equal the one before,
// each with a workspace of its own, and the peers of perf_scan, perf_sort, perf_shuffle and perf_rank:
//   Cub..., Thrust...                                CUDA's libraries, in a CUDA build,
//   StdSequential, StdSort, StdShuffle, Sequential   one thread, if Kokkos runs on a CPU.
// One iteration is eight calls and a fence. `host_seconds` is the time of the host for a call, without the fence. `of_limit` is
// the time of a launch divided by the time of a call; on a CPU, calls with few elements launch nothing and can be faster. Every
// row checks its answer before it is timed. scan.cpp describes rows.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

#include <riffle/rank.hpp>
#include <riffle/scan.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/sort.hpp>
#include <riffle/workspace.hpp>

#include "baselines/sequential_rank.hpp"
#include "baselines/std_shuffle.hpp"
#include "peers/std_scan.hpp"
#include "support/check_rank.hpp"
#include "support/check_scan.hpp"
#include "support/check_shuffle.hpp"
#include "support/check_sorted.hpp"
#include "support/gather_limit.hpp"
#include "support/recurring_values.hpp"
#include "support/report.hpp"
#include "support/scan_problems.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"
#include "support/unsorted_values.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_rank.hpp"
#include "peers/cub_scan.hpp"
#include "peers/cub_sort_shuffle.hpp"
#include "peers/cub_sort_values.hpp"
#include "peers/thrust_shuffle.hpp"
#endif

namespace perf {

constexpr int calls = 8;

// --- a launch ---

struct DoNothing {
  KOKKOS_FUNCTION void operator()(std::uint64_t) const {}
};

class Launch {
 public:
  Launch(Exec const& exec, std::uint64_t n) : exec_(exec), n_(n) {}

  void operator()() const { Kokkos::parallel_for("perf::launch", range(exec_, n_), DoNothing{}); }

 private:
  Exec exec_;
  std::uint64_t n_;
};

/// Items per second of a launch of n iterations, measured once per n.
double launch_rate(Exec const& exec, std::uint64_t n) {
  static std::map<std::uint64_t, double> known;
  auto const entry = known.find(n);
  if (entry != known.end()) return entry->second;
  return known[n] = static_cast<double>(n) / median_seconds(exec, calls, Launch(exec, n));
}

// --- problems: input, output and a check of the output ---

struct Scanned {
  using Problem = SumProblem<std::int32_t>;
  using Array = Kokkos::View<std::int32_t*, Exec>;

  struct Write {
    Array data;
    KOKKOS_FUNCTION void operator()(std::uint64_t i) const { data(i) = Problem::element(i); }
  };

  Scanned(Exec const& exec, std::uint64_t n)
      : in(allocate<std::int32_t>(exec, "perf::in", n)),
        out(allocate<std::int32_t>(exec, "perf::out", n)) {
    Kokkos::parallel_for("perf::elements", range(exec, n), Write{in});
  }

  std::string error(Exec const& exec) const {
    return scan_error<Problem, ScanKind::inclusive>(exec, in, out);
  }

  Array in;
  Array out;
};

struct Sorted {
  Sorted(Exec const& exec, std::uint64_t n)
      : in(unsorted_values(exec, n, ValueKind::uniform)),
        out(allocate<double>(exec, "perf::out", n)) {}

  std::string error(Exec const& exec) const { return SortedAnswer::error(exec, in, out); }

  UnsortedValues in;
  UnsortedValues out;
};

struct Shuffled {
  Shuffled(Exec const& exec, std::uint64_t n)
      : in(ascending_keys(exec, n)), out(allocate<std::uint64_t>(exec, "perf::out", n)) {}

  std::string error(Exec const& exec) const { return shuffle_error(exec, out); }

  Keys in;
  Keys out;
};

struct Ranked {
  using Rule = riffle::ties::Competition;

  Ranked(Exec const& exec, std::uint64_t n)
      : in(recurring_values(exec, n, 0.5)), out(allocate<std::int32_t>(exec, "perf::out", n)) {}

  std::string error(Exec const& exec) const { return rank_error<Rule>(exec, in, out); }

  Values in;
  Ranks<std::int32_t> out;
};

// --- Riffle's rows ---

/// The workspace is kept between calls.
class RiffleRow {
 public:
  RiffleRow(Exec const& exec, std::uint64_t) : exec_(exec), workspace_(exec) {}

 protected:
  riffle::Context<Exec> context() { return riffle::Context(exec_, workspace_); }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
};

struct InclusiveScan : RiffleRow {
  static constexpr char const* name = "InclusiveScan";
  using RiffleRow::RiffleRow;

  void operator()(Scanned::Array const& in, Scanned::Array const& out) {
    riffle::inclusive_scan(context(), in, out);
  }
};

struct SortCopy : RiffleRow {
  static constexpr char const* name = "SortCopy";
  using RiffleRow::RiffleRow;

  void operator()(UnsortedValues const& in, UnsortedValues const& out) {
    riffle::sort_copy(context(), in, out);
  }
};

struct ShuffleCopy : RiffleRow {
  static constexpr char const* name = "ShuffleCopy";
  using RiffleRow::RiffleRow;

  void operator()(Keys const& in, Keys const& out) { riffle::shuffle_copy(context(), in, out, 1); }
};

struct Rank : RiffleRow {
  static constexpr char const* name = "Rank";
  using RiffleRow::RiffleRow;

  void operator()(Values const& in, Ranks<std::int32_t> const& out) {
    riffle::rank(context(), in, out);
  }
};

// --- peers that differ from the rows of the other programs ---

/// Also copies on the calling thread, because a copy kernel would take longer than the sort.
struct StdSort {
  static constexpr char const* name = "StdSort";

  StdSort(Exec const&, std::uint64_t) {}

  void operator()(UnsortedValues const& in, UnsortedValues const& out) const {
    double* const begin = out.data();
    std::sort(begin, std::copy_n(in.data(), in.extent(0), begin));
  }
};

struct StdShuffle : StdShuffleBy<std::mt19937_64> {
  static constexpr char const* name = "StdShuffle";
  using StdShuffleBy::StdShuffleBy;
};

// --- timing ---

/// The timing loop of a row; the caller has warmed up already.
template <class Call>
void time_calls(benchmark::State& state, Exec const& exec, Call const& call) {
  double on_host = 0;
  for (auto _ : state) {
    Kokkos::Timer const timer;
    for (int c = 0; c < calls; ++c) call();
    on_host += timer.seconds();
    exec.fence("perf::time_calls");
  }
  state.counters["host_seconds"] =
      benchmark::Counter(on_host / calls, benchmark::Counter::kAvgIterations);
}

void time_launch(benchmark::State& state) {
  auto const n = static_cast<std::uint64_t>(state.range(0));
  Exec const exec;
  double const limit = launch_rate(exec, n);
  time_calls(state, exec, Launch(exec, n));
  report(state, n, calls, 0, limit);
}

/// Runs a row once on an output that is a wrong answer, and throws if the result is wrong.
template <class Data, class Row>
void check_row(Exec const& exec, Data const& data, Row& row) {
  using Item = typename decltype(data.out)::value_type;
  Kokkos::deep_copy(exec, data.out, static_cast<Item>(-1));
  row(data.in, data.out);
  std::string const error = data.error(exec);
  if (!error.empty()) throw std::logic_error(error);
}

template <class Data, class Row>
void time_row(benchmark::State& state) {
  auto const n = static_cast<std::uint64_t>(state.range(0));
  run_row(state, 0, [&] {
    Exec const exec;
    double const limit = launch_rate(exec, n);
    Data const data(exec, n);
    Row row(exec, n);
    check_row(exec, data, row);
    time_calls(state, exec, [&] { row(data.in, data.out); });
    report(state, n, calls, sizeof(data.in(0)) + sizeof(data.out(0)), limit);
  });
}

void register_function(char const* name, void (*function)(benchmark::State&)) {
  auto* const row = benchmark::RegisterBenchmark(name, function);
  row->ArgName("n")->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (int const exponent : {4, 8, 10, 12, 14}) row->Arg(power_of_two(exponent));
}

template <class Data, class... Rows>
void register_rows() {
  (register_function(Rows::name, time_row<Data, Rows>), ...);
}

bool register_all() {
  register_function("Launch", time_launch);
  register_rows<Scanned, InclusiveScan>();
  register_rows<Sorted, SortCopy>();
  register_rows<Shuffled, ShuffleCopy>();
  register_rows<Ranked, Rank>();
#ifdef KOKKOS_ENABLE_CUDA
  register_rows<Scanned, CubInclusiveSum<Scanned::Problem>>();
  register_rows<Sorted, CubSortKeys>();
  register_rows<Shuffled, CubSortShuffle, ThrustShuffleCopy>();
  register_rows<Ranked, CubScanRanking>();
#endif
  if constexpr (runs_on_host) {
    register_rows<Scanned, StdSequential<Scanned::Problem>>();
    register_rows<Sorted, StdSort>();
    register_rows<Shuffled, StdShuffle>();
    register_rows<Ranked, SequentialRanking, SequentialBranchFreeRanking>();
  }
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
