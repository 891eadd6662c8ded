// Compares the k smallest keys and weighted samples with reads of the keys.
//
// Random doubles in [0, 1), k of n. The rows are
//   BottomK          riffle::bottom_k,
//   WeightedSample   riffle::weighted_sample, with the keys as weights,
//   CubSortPairs     CUB's radix sort of all keys with their indices, in a CUDA build,
//   StdNthElement    std::nth_element of pairs of a key and an index, and std::sort of the first k, if Kokkos runs on a CPU.
// `of_limit` compares with the time in which a copy reads and writes the keys' bytes once. Every row checks its answer before it is
// timed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/top_k.hpp>
#include <riffle/weighted_sample.hpp>
#include <riffle/workspace.hpp>

#include "baselines/split_mix.hpp"
#include "support/check_order.hpp"
#include "support/copy_limit.hpp"
#include "support/report.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_sort_pairs.hpp"
#endif

namespace perf {

/// Writes the indices of the k smallest keys, in ascending order of keys, to the start of `indices`.
class BottomK {
 public:
  static constexpr char const* name = "BottomK";

  BottomK(Exec const& exec, std::uint64_t, std::uint64_t k)
      : exec_(exec), workspace_(exec), smallest_(allocate<double>(exec, "perf::smallest", k)) {}

  void operator()(UnsortedValues const& keys, OrderIndices const& indices) {
    std::uint64_t const k = smallest_.extent(0);
    riffle::bottom_k(riffle::Context(exec_, workspace_), keys, smallest_,
                     Kokkos::subview(indices, std::pair(std::uint64_t{0}, k)));
  }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
  UnsortedValues smallest_;
};

class WeightedSample {
 public:
  static constexpr char const* name = "WeightedSample";

  WeightedSample(Exec const& exec, std::uint64_t, std::uint64_t k)
      : exec_(exec), workspace_(exec), k_(k) {}

  void operator()(UnsortedValues const& keys, OrderIndices const& indices) {
    riffle::weighted_sample(riffle::Context(exec_, workspace_), keys,
                            Kokkos::subview(indices, std::pair(std::uint64_t{0}, k_)), 2026);
  }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
  std::uint64_t k_;
};

#ifdef KOKKOS_ENABLE_CUDA
class SortAll : public CubSortPairs {
 public:
  SortAll(Exec const& exec, std::uint64_t n, std::uint64_t) : CubSortPairs(exec, n) {}
};
#endif

using KeyedIndex = std::pair<double, std::uint32_t>;

/// Sorts the k smallest pairs to the start. keys(i) and indices(i) can be accessed on the host.
template <class Keys>
void sort_smallest(Keys const& keys, std::uint64_t k, std::vector<KeyedIndex>& pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = {keys(i), static_cast<std::uint32_t>(i)};
  auto const end = pairs.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(pairs.begin(), end, pairs.end());
  std::sort(pairs.begin(), end);
}

/// Requires that keys can be accessed on the host.
class StdNthElement {
 public:
  static constexpr char const* name = "StdNthElement";

  StdNthElement(Exec const&, std::uint64_t n, std::uint64_t k) : k_(k), pairs_(n) {}

  void operator()(UnsortedValues const& keys, OrderIndices const& indices) {
    sort_smallest(keys, k_, pairs_);
    for (std::uint64_t i = 0; i < k_; ++i) indices(i) = pairs_[i].second;
  }

 private:
  std::uint64_t k_;
  std::vector<KeyedIndex> pairs_;
};

struct WriteKey {
  UnsortedValues keys;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    keys(i) = static_cast<double>(mix(i) >> 11) * 0x1p-53;
  }
};

/// Throws unless the first k indices are the answer of the row.
template <class Row>
void check_top_k(UnsortedValues const& keys, std::uint64_t k, OrderIndices const& indices) {
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), indices);
  auto const host_keys = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), keys);
  if constexpr (std::is_same_v<Row, WeightedSample>) {
    std::vector<std::uint32_t> sample(found.data(), found.data() + k);
    std::sort(sample.begin(), sample.end());
    if (std::adjacent_find(sample.begin(), sample.end()) != sample.end() ||
        sample.back() >= keys.extent(0))
      throw std::logic_error("not a sample without replacement");
  } else {
    std::vector<KeyedIndex> pairs(keys.extent(0));
    sort_smallest(host_keys, k, pairs);
    for (std::uint64_t i = 0; i < k; ++i) {
      if (found(i) != pairs[i].second) throw std::logic_error("wrong indices");
    }
  }
}

template <class Row>
void time_top_k(benchmark::State& state) {
  auto const k = static_cast<std::uint64_t>(state.range(0));
  auto const n = static_cast<std::uint64_t>(state.range(1));
  run_row(state, 48 * n, [&] {
    Exec const exec;
    auto const keys = allocate<double>(exec, "perf::keys", n);
    auto const indices = allocate<std::uint32_t>(exec, "perf::indices", n);
    Kokkos::parallel_for("perf::keys", range(exec, n), WriteKey{keys});
    double const limit = limit_rate<double>(exec, n, sizeof(double));
    Row row(exec, n, k);
    row(keys, indices);
    exec.fence("perf::check");
    check_top_k<Row>(keys, k, indices);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, [&] { row(keys, indices); });
    report(state, n, calls, sizeof(double), limit);
  });
}

template <class Row>
void register_row() {
  auto* const row = benchmark::RegisterBenchmark(Row::name, time_top_k<Row>);
  row->ArgNames({"k", "n"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (std::int64_t const n : {power_of_two(20), power_of_two(24), power_of_two(27)}) {
    for (std::int64_t const k : {std::int64_t{10}, n / 1000, n / 10}) row->Args({k, n});
  }
}

bool register_all() {
  register_row<BottomK>();
  register_row<WeightedSample>();
#ifdef KOKKOS_ENABLE_CUDA
  register_row<SortAll>();
#endif
  if constexpr (runs_on_host) register_row<StdNthElement>();
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
