// Compares compaction with a copy of the same bytes.
//
// 32-bit integers, of which a percentage is kept (rows kept:P/n:N), or in runs of a mean length (rows length:L/n:N). The rows are
//   CopyIf, UniqueCopy, RunLengthEncode   Riffle's,
//   Cub..., Thrust...                     CUDA's libraries, in a CUDA build,
//   KokkosCopyIf, KokkosUniqueCopy        Kokkos::Experimental::copy_if and unique_copy, which return the number to the host,
//   StdCopyIf, StdUniqueCopy              the standard library on one thread, if Kokkos runs on a CPU.
// `of_limit` compares with a copy of the number of bytes that the row reads and writes. Every row checks its answer before it is
// timed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <riffle/scan.hpp>
#include <riffle/select.hpp>
#include <riffle/workspace.hpp>

#include "baselines/split_mix.hpp"
#include "peers/kokkos_select.hpp"
#include "support/copy_limit.hpp"
#include "support/report.hpp"
#include "support/select_problem.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_select.hpp"
#endif

namespace perf {

struct CopyIf {
  static constexpr char const* name = "CopyIf";

  explicit CopyIf(SelectProblem const& data_) : data(data_), workspace(data_.exec) {}

  void operator()() {
    riffle::copy_if(riffle::Context(data.exec, workspace), data.in, data.out, data.is_kept,
                    data.count);
  }

  SelectProblem data;
  riffle::Workspace<Exec> workspace;
};

struct UniqueCopy {
  static constexpr char const* name = "UniqueCopy";

  explicit UniqueCopy(SelectProblem const& data_) : data(data_), workspace(data_.exec) {}

  void operator()() {
    riffle::unique_copy(riffle::Context(data.exec, workspace), data.in, data.out, data.count);
  }

  SelectProblem data;
  riffle::Workspace<Exec> workspace;
};

struct RunLengthEncode {
  static constexpr char const* name = "RunLengthEncode";
  static constexpr bool writes_lengths = true;

  explicit RunLengthEncode(SelectProblem const& data_) : data(data_), workspace(data_.exec) {}

  void operator()() {
    riffle::run_length_encode(riffle::Context(data.exec, workspace), data.in, data.out,
                              data.lengths, data.count);
  }

  SelectProblem data;
  riffle::Workspace<Exec> workspace;
};

struct WriteValue {
  Numbers in;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    in(i) = static_cast<std::int32_t>(mix(i) % 100);
  }
};

/// Whether element i is the first of a run. Runs have a random length.
struct BeginsRun {
  std::uint64_t mean_length;

  KOKKOS_FUNCTION std::int32_t operator()(std::uint64_t i) const {
    return mix(i) % mean_length == 0 ? 1 : 0;
  }
};

template <class Row>
constexpr bool writes_lengths() {
  if constexpr (requires { Row::writes_lengths; }) return true;
  return false;
}

/// Times a row on values that have been written to data.in. `expected` contains the results.
template <class Row>
void time_select(benchmark::State& state, SelectProblem const& data, Selected const& expected) {
  std::uint64_t const n = data.in.extent(0);
  std::uint64_t const written = expected.values.size() * (writes_lengths<Row>() ? 2 : 1);
  // A copy of (n + written) / 2 elements reads and writes the same number of bytes.
  double const copy = copy_rate<std::int32_t>(data.exec, (n + written) / 2);
  double const limit = copy * 2 * static_cast<double>(n) / static_cast<double>(n + written);
  Row row(data);
  row();
  if (std::string const error = select_error(data, expected, writes_lengths<Row>()); !error.empty())
    throw std::logic_error(error);
  int const calls = calls_per_fence(n);
  time_batches(state, data.exec, calls, [&] { row(); });
  report(state, n, calls, sizeof(std::int32_t) * (n + written) / n, limit);
}

template <class Row>
void time_copy_if(benchmark::State& state) {
  auto const n = static_cast<std::uint64_t>(state.range(1));
  run_row(state, 12 * n, [&] {
    SelectProblem const data(n, static_cast<std::int32_t>(state.range(0)));
    Kokkos::parallel_for("perf::values", range(data.exec, n), WriteValue{data.in});
    time_select<Row>(state, data, kept_values(data));
  });
}

template <class Row>
void time_runs(benchmark::State& state) {
  auto const n = static_cast<std::uint64_t>(state.range(1));
  run_row(state, 12 * n, [&] {
    SelectProblem const data(n, 0);
    riffle::inclusive_scan(data.exec, n, BeginsRun{static_cast<std::uint64_t>(state.range(0))},
                           data.in, riffle::Sum<std::int32_t>{});
    time_select<Row>(state, data, runs_of(data));
  });
}

template <class Row>
void register_row(char const* argument, void (*function)(benchmark::State&),
                  std::vector<std::int64_t> const& values) {
  auto* const row = benchmark::RegisterBenchmark(Row::name, function);
  row->ArgNames({argument, "n"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (std::int64_t const value : values) {
    for (std::int64_t const n : {power_of_two(20), power_of_two(24), power_of_two(27)}) {
      row->Args({value, n});
    }
  }
}

template <class Row>
void register_copy_if() {
  register_row<Row>("kept", time_copy_if<Row>, {1, 50, 99});
}

template <class Row>
void register_runs() {
  register_row<Row>("length", time_runs<Row>, {1, 2, 10, 1000});
}

bool register_all() {
  register_copy_if<CopyIf>();
  register_runs<UniqueCopy>();
  register_runs<RunLengthEncode>();
  register_copy_if<KokkosCopyIf>();
  register_runs<KokkosUniqueCopy>();
#ifdef KOKKOS_ENABLE_CUDA
  register_copy_if<CubCopyIf>();
  register_copy_if<ThrustCopyIf>();
  register_runs<CubUniqueCopy>();
  register_runs<CubRunLengthEncode>();
#endif
  if constexpr (runs_on_host) {
    register_copy_if<StdCopyIf>();
    register_runs<StdUniqueCopy>();
  }
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
