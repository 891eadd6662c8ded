// The time of a histogram of 32-bit labels, and of doubles in equal bins.
//
// A percentage of the labels or values is the same, the others are random (rows bins:K/equal:P/n:N). The rows are
//   Histogram             riffle::histogram,
//   AtomicHistogram       a loop with an atomic addition for each element,
//   ScatterViewHistogram  the same with Kokkos's ScatterView, which on a CPU has a copy of the counts for each thread,
//   LoopHistogram         a loop of one thread, on a CPU,
//   CubHistogram          cub::DeviceHistogram::HistogramEven, in a CUDA build.
// The loops do not check whether elements are in range. `of_limit` compares with a copy of the number of bytes that a histogram reads.
// Every row checks its answer before it is timed.

#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <riffle/histogram.hpp>
#include <riffle/workspace.hpp>

#include "support/copy_limit.hpp"
#include "support/histogram_problem.hpp"
#include "support/report.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_histogram.hpp"
#endif

namespace perf {

template <class T>
struct Histogram {
  static constexpr char const* name = "Histogram";

  explicit Histogram(HistogramProblem<T> const& data_) : data(data_), workspace(data_.exec) {}

  void operator()() {
    riffle::Context<Exec> const context(data.exec, workspace);
    if constexpr (std::is_integral_v<T>) {
      riffle::histogram(context, data.in, data.counts);
    } else {
      riffle::histogram(context, data.in, 0, static_cast<double>(data.bins()), data.counts);
    }
  }

  HistogramProblem<T> data;
  riffle::Workspace<Exec> workspace;
};

/// The bin of an element, as a program has it that knows that the bins have width 1.
template <class T>
KOKKOS_INLINE_FUNCTION std::uint64_t bin_of(T value, std::uint64_t bins) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else {
    auto const bin = static_cast<std::uint64_t>(value);
    return bin < bins ? bin : bins - 1;
  }
}

template <class T>
struct AddAtomically {
  Kokkos::View<T*, Exec> in;
  Kokkos::View<std::int32_t*, Exec> counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    Kokkos::atomic_inc(&counts(bin_of(in(i), counts.extent(0))));
  }
};

template <class T>
struct AtomicHistogram {
  static constexpr char const* name = "AtomicHistogram";

  explicit AtomicHistogram(HistogramProblem<T> const& data_) : data(data_) {}

  void operator()() {
    Kokkos::deep_copy(data.exec, data.counts, 0);
    Kokkos::parallel_for("perf::count", range(data.exec, data.in.extent(0)),
                         AddAtomically<T>{data.in, data.counts});
  }

  HistogramProblem<T> data;
};

template <class T>
struct LoopHistogram {
  static constexpr char const* name = "LoopHistogram";

  explicit LoopHistogram(HistogramProblem<T> const& data_) : data(data_) {}

  void operator()() {
    std::uint64_t const bins = data.bins();
    std::fill_n(data.counts.data(), bins, 0);
    T const* const in = data.in.data();
    std::int32_t* const counts = data.counts.data();
    std::uint64_t const n = data.in.extent(0);
    for (std::uint64_t i = 0; i < n; ++i) ++counts[bin_of(in[i], bins)];
  }

  HistogramProblem<T> data;
};

using ScatteredCounts = Kokkos::Experimental::ScatterView<std::int32_t*, Kokkos::LayoutRight, Exec>;

template <class T>
struct AddToScatterView {
  Kokkos::View<T*, Exec> in;
  ScatteredCounts counts;
  std::uint64_t bins;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    auto const access = counts.access();
    access(bin_of(in(i), bins)) += 1;
  }
};

template <class T>
struct ScatterViewHistogram {
  static constexpr char const* name = "ScatterViewHistogram";

  explicit ScatterViewHistogram(HistogramProblem<T> const& data_)
      : data(data_),
        scattered(data_.exec,
                  Kokkos::View<std::int32_t*, Kokkos::LayoutRight, Exec>(data_.counts)) {}

  void operator()() {
    Kokkos::deep_copy(data.exec, data.counts, 0);
    scattered.reset(data.exec);
    Kokkos::parallel_for("perf::count", range(data.exec, data.in.extent(0)),
                         AddToScatterView<T>{data.in, scattered, data.bins()});
    scattered.contribute_into(data.exec,
                              Kokkos::View<std::int32_t*, Kokkos::LayoutRight, Exec>(data.counts));
  }

  HistogramProblem<T> data;
  ScatteredCounts scattered;
};

template <template <class> class Row, class T>
void time_row(benchmark::State& state) {
  auto const bins = static_cast<std::uint64_t>(state.range(0));
  auto const equal = static_cast<std::uint64_t>(state.range(1));
  auto const n = static_cast<std::uint64_t>(state.range(2));
  run_row(state, 4 * sizeof(T) * n, [&] {
    HistogramProblem<T> const data(n, bins);
    Kokkos::parallel_for("perf::write", range(data.exec, n), WriteNumber<T>{data.in, bins, equal});
    double const limit = limit_rate<T>(data.exec, n, sizeof(T));
    Row<T> row(data);
    row();
    data.exec.fence();
    if (has_wrong_counts(data, counts_on_host(data))) throw std::logic_error("wrong counts");
    int const calls = calls_per_fence(n);
    time_batches(state, data.exec, calls, [&] { row(); });
    report(state, n, calls, sizeof(T), limit);
  });
}

template <template <class> class Row, class T>
void register_rows_of(char const* type) {
  auto* const row = benchmark::RegisterBenchmark((std::string(Row<T>::name) + "/" + type).c_str(),
                                                 time_row<Row, T>);
  row->ArgNames({"bins", "equal", "n"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (std::int64_t const bins : {16, 256, 8192, 65'536, 1 << 20}) {
    for (std::int64_t const equal : {0, 90, 100}) {
      for (std::int64_t const n : {power_of_two(20), power_of_two(24), power_of_two(27)}) {
        row->Args({bins, equal, n});
      }
    }
  }
}

template <template <class> class Row>
void register_rows() {
  register_rows_of<Row, std::int32_t>("int32");
  register_rows_of<Row, double>("double");
}

bool register_all() {
  register_rows<Histogram>();
  register_rows<AtomicHistogram>();
  register_rows<ScatterViewHistogram>();
#ifdef KOKKOS_ENABLE_CUDA
  register_rows<CubHistogram>();
#endif
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                           typename Exec::memory_space>::accessible) {
    register_rows<LoopHistogram>();
  }
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
