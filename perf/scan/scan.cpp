// Compares scans with a copy.
//
// In addition to Riffle's scans there are, in the same process, the rows
//   Copy                 the limit: the faster of Kokkos::deep_copy and a copy kernel,
//   KokkosInclusiveScan  Kokkos::Experimental::inclusive_scan (Thrust's on CUDA),
//   KokkosParallelScan   Kokkos::parallel_scan with a simple functor,
//   Cub..., Thrust...    CUDA's libraries, in a CUDA build,
//   StdSequential        std::inclusive_scan on one thread, if Kokkos runs on a CPU,
//   StdInclusiveScan     std::inclusive_scan in parallel, if TBB is found,
//   ParlayInPlaceScan    parlaylib's scan on a CPU, if it is found; compare it with InPlaceScan.
// Every row checks its answer before it is timed. A row is a class with a name and a kind. It is constructed for n elements, and
// called with input and output; `<int32>` and the like are element types.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <riffle/scan.hpp>

#include "peers/kokkos_scan.hpp"
#include "peers/std_scan.hpp"
#include "support/check_scan.hpp"
#include "support/copy_limit.hpp"
#include "support/report.hpp"
#include "support/scan_problems.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"

#ifdef RIFFLE_PERF_HAS_PARLAY
#include "peers/parlay.hpp"
#endif

#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_scan.hpp"
#endif

namespace perf {

template <class Problem>
using ArrayOf = Kokkos::View<typename Problem::value_type*, Exec>;

template <class Problem>
class InclusiveScan {
 public:
  static constexpr char const* name = "InclusiveScan";
  static constexpr ScanKind kind = ScanKind::inclusive;

  InclusiveScan(Exec const& exec, std::uint64_t) : exec_(exec), workspace_(exec) {}

  void operator()(ArrayOf<Problem> const& in, ArrayOf<Problem> const& out) {
    riffle::inclusive_scan(riffle::Context(exec_, workspace_), in, out, typename Problem::Monoid{});
  }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
};

template <class Problem>
class ExclusiveScan {
 public:
  static constexpr char const* name = "ExclusiveScan";
  static constexpr ScanKind kind = ScanKind::exclusive;

  ExclusiveScan(Exec const& exec, std::uint64_t) : exec_(exec), workspace_(exec) {}

  void operator()(ArrayOf<Problem> const& in, ArrayOf<Problem> const& out) {
    riffle::exclusive_scan(riffle::Context(exec_, workspace_), in, out, typename Problem::Monoid{},
                           Problem::identity());
  }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
};

/// In place. After the first call, each call scans the result of the call before, which takes the same time.
template <class Problem>
class InPlaceScan : public InclusiveScan<Problem> {
 public:
  static constexpr char const* name = "InPlaceScan";

  using InclusiveScan<Problem>::InclusiveScan;

  void operator()(ArrayOf<Problem> const&, ArrayOf<Problem> const& data) {
    InclusiveScan<Problem>::operator()(data, data);
  }
};

template <class Problem>
struct WriteElement {
  ArrayOf<Problem> data;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { data(i) = Problem::element(i); }
};

/// Runs a row once on an output that begins as a copy of the input, and throws if the result is wrong. A result that was right
/// once is not checked again.
template <class Row, class Problem>
void check_scan_once(Exec const& exec, Row& row, ArrayOf<Problem> const& in,
                     ArrayOf<Problem> const& out) {
  static std::set<std::uint64_t> known_as_right;
  Kokkos::deep_copy(exec, out, in);
  row(in, out);
  if (known_as_right.contains(in.extent(0))) return;
  std::string const error = scan_error<Problem, Row::kind>(exec, in, out);
  if (!error.empty()) throw std::logic_error(error);
  known_as_right.insert(in.extent(0));
}

template <class Row, class Problem>
void time_scan(benchmark::State& state) {
  using Value = typename Problem::value_type;
  auto const n = static_cast<std::uint64_t>(state.range(0));
  run_row(state, 2 * n * sizeof(Value), [&] {
    Exec const exec;
    double const limit = copy_rate<Value>(exec, n);
    ArrayOf<Problem> const in = allocate<Value>(exec, "perf::in", n);
    ArrayOf<Problem> const out = allocate<Value>(exec, "perf::out", n);
    Kokkos::parallel_for("perf::elements", range(exec, n), WriteElement<Problem>{in});
    Row row(exec, n);
    check_scan_once<Row, Problem>(exec, row, in, out);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, [&] { row(in, out); });
    report(state, n, calls, 2 * sizeof(Value), limit);
  });
}

template <class T>
void time_copy(benchmark::State& state) {
  auto const n = static_cast<std::uint64_t>(state.range(0));
  run_row(state, 2 * n * sizeof(T), [&] {
    Exec const exec;
    double const limit = copy_rate<T>(exec, n);
    Kokkos::View<T*, Exec> const in(Kokkos::view_alloc(exec, "perf::in"), n);
    Kokkos::View<T*, Exec> const out(Kokkos::view_alloc(exec, "perf::out"), n);
    FastestCopy<T> const copy(exec, in, out);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, copy);
    report(state, n, calls, 2 * sizeof(T), limit);
  });
}

/// The sizes of rows of 32-bit integers.
std::vector<std::int64_t> all_sizes() {
  return {power_of_two(8),  power_of_two(11),     power_of_two(14),     power_of_two(17),
          power_of_two(20), power_of_two(20) + 1, power_of_two(23),     power_of_two(23) + 1,
          power_of_two(26), power_of_two(27),     power_of_two(27) + 1, power_of_two(29)};
}

/// For other types, sizes with about the bytes of 2^25 and 2^27 32-bit integers.
std::vector<std::int64_t> sizes_by_bytes(std::size_t bytes_per_element) {
  auto const bytes = static_cast<std::int64_t>(bytes_per_element);
  return {power_of_two(27) / bytes, power_of_two(29) / bytes};
}

void register_function(std::string const& name, void (*function)(benchmark::State&),
                       std::vector<std::int64_t> const& sizes) {
  auto* const row = benchmark::RegisterBenchmark(name.c_str(), function);
  row->ArgName("n")->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (std::int64_t const n : sizes) row->Arg(n);
}

template <template <class> class Row, class Problem>
void register_row(std::vector<std::int64_t> const& sizes) {
  register_function(std::string(Row<Problem>::name) + "<" + Problem::name() + ">",
                    time_scan<Row<Problem>, Problem>, sizes);
}

template <class Problem>
void register_type() {
  auto const sizes = sizes_by_bytes(sizeof(typename Problem::value_type));
  register_row<InclusiveScan, Problem>(sizes);
  register_row<ExclusiveScan, Problem>(sizes);
}

using Int32 = SumProblem<std::int32_t>;

void register_peers() {
  register_row<KokkosInclusiveScan, Int32>(all_sizes());
  register_row<KokkosParallelScan, Int32>(all_sizes());
#ifdef KOKKOS_ENABLE_CUDA
  register_row<CubInclusiveSum, Int32>(all_sizes());
  register_row<CubExclusiveSum, Int32>(all_sizes());
  register_row<ThrustInclusiveScan, Int32>(all_sizes());
#endif
  if constexpr (runs_on_host) {
    register_row<StdSequential, Int32>(all_sizes());
#ifdef RIFFLE_PERF_HAS_TBB
    register_row<StdInclusiveScan, Int32>(all_sizes());
#endif
  }
}

bool register_all() {
  register_function("Copy<int32>", time_copy<std::int32_t>, all_sizes());
  register_row<InclusiveScan, Int32>(all_sizes());
  register_row<ExclusiveScan, Int32>(all_sizes());
  register_peers();
  register_type<SumProblem<std::int8_t>>();
  register_type<SumProblem<std::int16_t>>();
  register_type<SumProblem<std::int64_t>>();
  register_type<SumProblem<float>>();
  register_type<SumProblem<double>>();
  register_type<CountAndSumProblem>();
  register_type<AffineProblem>();
  // Unsigned, because repeated scans overflow.
  register_row<InPlaceScan, SumProblem<std::uint32_t>>(sizes_by_bytes(4));
#ifdef RIFFLE_PERF_HAS_PARLAY
  if constexpr (runs_on_host) {
    register_row<ParlayInPlaceScan, SumProblem<std::uint32_t>>(sizes_by_bytes(4));
  }
#endif
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
