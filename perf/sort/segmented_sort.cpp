// The time to sort segments: 32-bit integers or doubles in random order, in segments with random lengths between 0 and twice the mean
// (rows mean:L/n:N). The rows are
//   SortSegments         riffle::sort_segments, in place,
//   CubSegmentedSort     cub::DeviceSegmentedSort::SortKeys, from one array to another, in a CUDA build,
//   StdSortDynamic       a loop over segments with std::sort, by a RangePolicy with a dynamic schedule, on a CPU,
//   StdSort              the same loop on one thread, on a CPU.
// The inputs of the sorts in place are copied before a batch, which is not timed. `of_limit` compares with a copy of the values.
// Every row checks its answer before it is timed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <riffle/segmented_sort.hpp>
#include <riffle/workspace.hpp>

#include "support/copy_limit.hpp"
#include "support/report.hpp"
#include "support/segments_problem.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_segmented_sort.hpp"
#endif

namespace perf {

template <class T>
class SortSegments {
 public:
  static constexpr char const* name = "SortSegments";

  explicit SortSegments(SegmentsProblem<T> const& data)
      : exec_(data.exec), offsets_(data.offsets), workspace_(data.exec) {}

  void operator()(Kokkos::View<T*, Exec> const& values) {
    riffle::sort_segments(riffle::Context(exec_, workspace_), values, offsets_);
  }

 private:
  Exec exec_;
  Kokkos::View<std::int32_t*, Exec> offsets_;
  riffle::Workspace<Exec> workspace_;
};

template <class T>
struct SortSegment {
  T* values;
  std::int32_t const* offsets;

  void operator()(std::uint64_t segment) const {
    std::sort(values + offsets[segment], values + offsets[segment + 1]);
  }
};

template <class T>
struct StdSort {
  static constexpr char const* name = "StdSort";

  explicit StdSort(SegmentsProblem<T> const& data_) : data(data_) {}

  void operator()(Kokkos::View<T*, Exec> const& values) const {
    SortSegment<T> const sort{values.data(), data.offsets.data()};
    for (std::uint64_t s = 0; s < data.segments(); ++s) sort(s);
  }

  SegmentsProblem<T> data;
};

template <class T>
struct StdSortDynamic {
  static constexpr char const* name = "StdSortDynamic";

  explicit StdSortDynamic(SegmentsProblem<T> const& data_) : data(data_) {}

  void operator()(Kokkos::View<T*, Exec> const& values) const {
    Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>,
                        Kokkos::IndexType<std::uint64_t>> const segments(Host(), 0,
                                                                         data.segments());
    Kokkos::parallel_for("perf::sort_segments", segments,
                         SortSegment<T>{values.data(), data.offsets.data()});
  }

  SegmentsProblem<T> data;
};

template <template <class> class Row, class T>
void time_row(benchmark::State& state) {
  auto const mean = static_cast<std::uint64_t>(state.range(0));
  auto const n = static_cast<std::uint64_t>(state.range(1));
  int const calls = calls_per_fence(n);
  // The input, the inputs of a batch, Riffle's memory, and at most an offset per element.
  std::uint64_t const bytes = n * (sizeof(T) * (static_cast<std::uint64_t>(calls) + 2) + 8);
  run_row(state, bytes, [&] {
    SegmentsProblem<T> const data(n, mean);
    double const limit = limit_rate<T>(data.exec, n, 2 * sizeof(T));
    std::vector<Kokkos::View<T*, Exec>> inputs;
    for (int c = 0; c < calls; ++c) inputs.push_back(allocate<T>(data.exec, "perf::values", n));
    auto const prepare = [&] {
      for (auto const& input : inputs) Kokkos::deep_copy(data.exec, input, data.in);
      data.exec.fence("perf::prepare");
    };
    Row<T> row(data);
    prepare();
    row(inputs[0]);
    data.exec.fence("perf::check");
    if (std::string const error = data.error(inputs[0]); !error.empty())
      throw std::logic_error(error);
    for (auto _ : state) {
      state.PauseTiming();
      prepare();
      state.ResumeTiming();
      auto input = inputs.begin();
      run_batch(data.exec, calls, [&] { row(*input++); });
    }
    report(state, n, calls, 2 * sizeof(T), limit);
  });
}

template <template <class> class Row, class T>
void register_rows_of(char const* type) {
  auto* const row = benchmark::RegisterBenchmark((std::string(Row<T>::name) + "/" + type).c_str(),
                                                 time_row<Row, T>);
  row->ArgNames({"mean", "n"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (std::int64_t const mean : {1, 3, 10, 30, 100, 1000, 10'000, 100'000, 1'000'000}) {
    for (int const exponent : {20, 22, 24, 27}) row->Args({mean, power_of_two(exponent)});
  }
}

template <template <class> class Row>
void register_rows() {
  register_rows_of<Row, std::int32_t>("int32");
  register_rows_of<Row, double>("double");
}

bool register_all() {
  register_rows<SortSegments>();
#ifdef KOKKOS_ENABLE_CUDA
  register_rows<CubSegmentedSort>();
#endif
  if constexpr (runs_on_host) {
    register_rows<StdSortDynamic>();
    register_rows<StdSort>();
  }
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
