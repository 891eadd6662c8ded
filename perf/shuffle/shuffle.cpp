// Compares random shuffles with a random gather.
//
// 64-bit keys, as in section 6 of
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//   ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287.
// In addition to Riffle's shuffles there are, in the same process, the rows
//   Copy                        moves the same bytes without a permutation,
//   Gather                      the limit: a gather through a stored random permutation,
//   DartThrowing, SortShuffle   the baselines of the paper, and similar ones:
//   CubSortShuffle, ThrustShuffleCopy         CUDA's libraries, in a CUDA build,
//   StdShuffle, RaoSandelius, MergeShuffle    on a CPU.
// Every row checks, before it is timed, that its result is a permutation and not the identity. A row is a class with a name and
// the memory that it needs. It is constructed for n keys, and called with input and output.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <set>
#include <stdexcept>
#include <string>

#include <riffle/published/bijective_shuffle/bijective_shuffle.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/shuffle/fisher_yates_shuffle.hpp>
#include <riffle/workspace.hpp>

#include "baselines/dart_throwing.hpp"
#include "baselines/merge_shuffle.hpp"
#include "baselines/rao_sandelius.hpp"
#include "baselines/sort_shuffle.hpp"
#include "baselines/std_shuffle.hpp"
#include "support/check_shuffle.hpp"
#include "support/copy_limit.hpp"
#include "support/gather_limit.hpp"
#include "support/report.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_sort_shuffle.hpp"
#include "peers/thrust_shuffle.hpp"
#endif

namespace perf {

template <class Algorithm>
class RiffleShuffle {
 public:
  static constexpr std::uint64_t scratch_bytes_per_item = 0;

  RiffleShuffle(Exec const& exec, std::uint64_t) : exec_(exec), workspace_(exec) {}

  void operator()(Keys const& in, Keys const& out) {
    riffle::shuffle_copy(riffle::Context(exec_, workspace_), in, out, 1, Algorithm{});
  }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
};

/// A call without an algorithm.
struct DefaultShuffle : RiffleShuffle<riffle::DefaultShuffle> {
  static constexpr char const* name = "Riffle";
  static constexpr std::uint64_t scratch_bytes_per_item = 2 * sizeof(std::uint64_t);
  using RiffleShuffle::RiffleShuffle;
};

struct BucketShuffle : RiffleShuffle<riffle::BucketShuffle> {
  static constexpr char const* name = "BucketShuffle";
  static constexpr std::uint64_t scratch_bytes_per_item = 2 * sizeof(std::uint64_t);
  using RiffleShuffle::RiffleShuffle;
};

struct PermutationGather : RiffleShuffle<riffle::PermutationGather> {
  static constexpr char const* name = "PermutationGather";
  using RiffleShuffle::RiffleShuffle;
};

/// On one thread, like the baselines for small n.
struct FisherYates : RiffleShuffle<riffle::FisherYates> {
  static constexpr char const* name = "FisherYates";
  using RiffleShuffle::RiffleShuffle;
};

struct Bijective0Philox : RiffleShuffle<riffle::Bijective0<riffle::VariablePhilox<24>>> {
  static constexpr char const* name = "Bijective0<VariablePhilox>";
  // Indices for the next power of two, and for n.
  static constexpr std::uint64_t scratch_bytes_per_item = 3 * sizeof(std::uint64_t);
  using RiffleShuffle::RiffleShuffle;
};

struct Bijective1Philox : RiffleShuffle<riffle::Bijective1<riffle::VariablePhilox<24>>> {
  static constexpr char const* name = "Bijective1<VariablePhilox>";
  using RiffleShuffle::RiffleShuffle;
};

struct Bijective2Philox : RiffleShuffle<riffle::Bijective2<riffle::VariablePhilox<24>>> {
  static constexpr char const* name = "Bijective2<VariablePhilox>";
  using RiffleShuffle::RiffleShuffle;
};

struct Bijective1Lcg : RiffleShuffle<riffle::Bijective1<riffle::LinearCongruential>> {
  static constexpr char const* name = "Bijective1<LinearCongruential>";
  using RiffleShuffle::RiffleShuffle;
};

struct Bijective2Lcg : RiffleShuffle<riffle::Bijective2<riffle::LinearCongruential>> {
  static constexpr char const* name = "Bijective2<LinearCongruential>";
  using RiffleShuffle::RiffleShuffle;
};

struct StdShuffle : StdShuffleBy<std::mt19937_64> {
  static constexpr char const* name = "StdShuffle";
  using StdShuffleBy::StdShuffleBy;
};

/// With the generator of the other baselines.
struct StdShuffleSplitMix : StdShuffleBy<SplitMix64> {
  static constexpr char const* name = "StdShuffle<SplitMix64>";
  using StdShuffleBy::StdShuffleBy;
};

/// Runs a row once and throws if the result is wrong. A result that was right once is not checked again.
template <class Row>
void check_shuffle_once(Exec const& exec, Row& row, Keys const& in, Keys const& out) {
  static std::set<std::uint64_t> known_as_right;
  row(in, out);
  if (known_as_right.contains(in.extent(0))) return;
  std::string const error = shuffle_error(exec, out);
  if (!error.empty()) throw std::logic_error(error);
  known_as_right.insert(in.extent(0));
}

template <class Row>
void time_shuffle(benchmark::State& state) {
  constexpr std::uint64_t bytes_per_item = 2 * sizeof(std::uint64_t);
  auto const n = static_cast<std::uint64_t>(state.range(0));
  run_row(state, n * (bytes_per_item + Row::scratch_bytes_per_item), [&] {
    Exec const exec;
    double const limit = gather_rate(exec, n);
    Keys const in = ascending_keys(exec, n);
    Keys const out = allocate<std::uint64_t>(exec, "perf::out", n);
    Row row(exec, n);
    check_shuffle_once(exec, row, in, out);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, [&] { row(in, out); });
    report(state, n, calls, bytes_per_item, limit);
  });
}

/// Moves the same bytes without a permutation.
void time_copy(benchmark::State& state) {
  constexpr std::uint64_t bytes_per_item = 2 * sizeof(std::uint64_t);
  auto const n = static_cast<std::uint64_t>(state.range(0));
  run_row(state, n * bytes_per_item, [&] {
    Exec const exec;
    double const limit = gather_rate(exec, n);
    Keys const in = ascending_keys(exec, n);
    Keys const out = allocate<std::uint64_t>(exec, "perf::out", n);
    FastestCopy<std::uint64_t> const copy(exec, in, out);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, copy);
    report(state, n, calls, bytes_per_item, limit);
  });
}

enum class Sizes { paper, paper_and_powers };

template <class Row>
void register_row(Sizes sizes = Sizes::paper) {
  auto* const row = benchmark::RegisterBenchmark(Row::name, time_shuffle<Row>);
  row->ArgName("n")->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (int const exponent : paper_exponents) {
    if (sizes == Sizes::paper_and_powers) row->Arg(power_of_two(exponent));
    row->Arg(power_of_two(exponent) + 1);
  }
}

void register_riffle() {
  register_row<DefaultShuffle>(Sizes::paper_and_powers);
  register_row<PermutationGather>();
  register_row<BucketShuffle>();
  register_row<Bijective0Philox>(Sizes::paper_and_powers);
  register_row<Bijective1Philox>(Sizes::paper_and_powers);
  register_row<Bijective2Philox>(Sizes::paper_and_powers);
  register_row<Bijective1Lcg>(Sizes::paper_and_powers);
  register_row<Bijective2Lcg>(Sizes::paper_and_powers);
}

void register_baselines() {
  register_row<DartThrowing>();
  register_row<SortShuffle>();
#ifdef KOKKOS_ENABLE_CUDA
  register_row<CubSortShuffle>();
  register_row<ThrustShuffleCopy>();
#endif
  if constexpr (runs_on_host) {
    register_row<FisherYates>();
    register_row<StdShuffle>();
    register_row<StdShuffleSplitMix>();
    register_row<RaoSandelius>();
    register_row<MergeShuffle>();
  }
}

void register_copy() {
  auto* const row = benchmark::RegisterBenchmark("Copy", time_copy);
  row->ArgName("n")->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (int const exponent : paper_exponents) row->Arg(power_of_two(exponent) + 1);
}

bool register_all() {
  register_copy();
  register_row<Gather>(Sizes::paper_and_powers);
  register_riffle();
  register_baselines();
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
