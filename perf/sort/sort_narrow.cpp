// The time to sort numbers of 4 bytes from one array to another.
//
// A row SortCopyFloat/n:N sorts N floats that are multiples of 2^-24 in [0, 1), a row SortCopyInt32/n:N integers of random bits;
// with /ties they have 1000 different values, with /nans one in ten is NaN. In a CUDA build, CubSortFloat and CubSortInt32 sort
// these values by CUB's radix sort. `of_limit` compares with a copy. Every row checks its answer before it is timed.
// rank_unsorted.cpp describes rows.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <riffle/sort.hpp>
#include <riffle/workspace.hpp>

#include "baselines/split_mix.hpp"
#include "support/check_sorted.hpp"
#include "support/copy_limit.hpp"
#include "support/exec.hpp"
#include "support/report.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cub/device/device_radix_sort.cuh>

#include "peers/cub_temporary.hpp"
#endif

namespace perf {

enum class NarrowKind { uniform, ties, nans };

template <class T>
using Narrow = Kokkos::View<T*, Exec>;

template <class T>
struct WriteNarrow {
  Narrow<T> values;
  NarrowKind kind;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const random = mix(i);
    constexpr std::uint64_t different_values = 1000;
    values(i) = static_cast<T>(kind == NarrowKind::ties ? random % different_values : random >> 40);
    if constexpr (std::is_floating_point_v<T>) {
      values(i) *= T(0x1p-24f);
      if (kind == NarrowKind::nans && random % 10 == 0) {
        values(i) = Kokkos::Experimental::quiet_NaN_v<T>;
      }
    } else if (kind == NarrowKind::uniform) {
      values(i) = static_cast<T>(random);
    }
  }
};

// --- the rows ---

template <class T>
class SortCopyNarrow {
 public:
  static constexpr char const* name =
      std::is_floating_point_v<T> ? "SortCopyFloat" : "SortCopyInt32";

  SortCopyNarrow(Exec const& exec, Narrow<T> const&, Narrow<T> const&)
      : exec_(exec), workspace_(exec) {}

  void operator()(Narrow<T> const& values, Narrow<T> const& sorted) {
    riffle::sort_copy(riffle::Context(exec_, workspace_), values, sorted);
  }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
};

#ifdef KOKKOS_ENABLE_CUDA
template <class T>
class CubSortNarrow {
 public:
  static constexpr char const* name = std::is_floating_point_v<T> ? "CubSortFloat" : "CubSortInt32";

  CubSortNarrow(Exec const& exec, Narrow<T> const& values, Narrow<T> const& sorted)
      : exec_(exec), temporary_(exec, [&](void* storage, std::size_t& bytes) {
          return sort(storage, bytes, values, sorted);
        }) {}

  void operator()(Narrow<T> const& values, Narrow<T> const& sorted) {
    temporary_.run(
        [&](void* storage, std::size_t& bytes) { return sort(storage, bytes, values, sorted); });
  }

 private:
  cudaError_t sort(void* storage, std::size_t& bytes, Narrow<T> const& values,
                   Narrow<T> const& sorted) const {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, values.data(), sorted.data(),
                                          static_cast<std::uint32_t>(values.extent(0)), 0, 32,
                                          exec_.cuda_stream());
  }

  Exec exec_;
  CubTemporary temporary_;
};
#endif

template <class Row, class T>
void time_narrow(benchmark::State& state, NarrowKind kind) {
  constexpr std::uint64_t bytes_per_item = 2 * sizeof(T);
  // Two more arrays: keys that distinguish NaNs, and their temporary copy.
  constexpr std::uint64_t scratch_bytes_per_item = 4 * sizeof(T);
  auto const n = static_cast<std::uint64_t>(state.range(0));
  run_row(state, n * (bytes_per_item + scratch_bytes_per_item), [&] {
    Exec const exec;
    double const limit = limit_rate<T>(exec, n, bytes_per_item);
    auto const values = allocate<T>(exec, "perf::values", n);
    auto const sorted = allocate<T>(exec, "perf::sorted", n);
    Kokkos::parallel_for("perf::narrow", range(exec, n), WriteNarrow<T>{values, kind});
    Row row(exec, values, sorted);
    row(values, sorted);
    std::string const error = error_of_sorted(exec, values, sorted);
    if (!error.empty()) throw std::logic_error(error);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, [&] { row(values, sorted); });
    report(state, n, calls, bytes_per_item, limit);
  });
}

template <class Row, class T>
void register_narrow(NarrowKind kind, std::string const& label) {
  auto* const row =
      benchmark::RegisterBenchmark((Row::name + label).c_str(), time_narrow<Row, T>, kind);
  row->ArgName("n")->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (int const exponent : {21, 22, 24, 26, 28, 30}) {
    if (!runs_on_host || exponent <= 24) row->Arg(power_of_two(exponent));
  }
}

template <template <class> class Row>
void register_narrow_rows() {
  register_narrow<Row<float>, float>(NarrowKind::uniform, "");
  register_narrow<Row<float>, float>(NarrowKind::ties, "/ties");
  register_narrow<Row<float>, float>(NarrowKind::nans, "/nans");
  register_narrow<Row<std::int32_t>, std::int32_t>(NarrowKind::uniform, "");
  register_narrow<Row<std::int32_t>, std::int32_t>(NarrowKind::ties, "/ties");
}

bool register_all_narrow() {
  register_narrow_rows<SortCopyNarrow>();
#ifdef KOKKOS_ENABLE_CUDA
  register_narrow_rows<CubSortNarrow>();
#endif
  return true;
}

[[maybe_unused]] bool const narrow_is_registered = register_all_narrow();

}  // namespace perf
