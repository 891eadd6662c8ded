// The time of algorithms without bank conflicts on the memory model for which they were made.
//
// The theorems of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391:
// each algorithm runs on a model with w banks and w processors of unit latency
// (riffle/published/offline_permutation/model_processors.hpp), with the code of the kernels. A row Algorithm/input/w:W/m:M has
//   time_units   the time on the model,
//   bound        the bound of the theorem, without its constant factor,
//   of_bound     time_units / bound; constant if the time grows as the theorem says,
//   conflicts    number of simultaneous accesses of two processors to one bank: 0,
// and fails if the result is wrong, a bank conflict occurs, or a processor reads a value that another one writes in the same
// step. The real time is the time of the simulation and has no meaning.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <exception>
#include <string>

#include "published/memory_machine/model_problem.hpp"
#include "published/memory_machine/partitions.hpp"
#include "published/memory_machine/permutations.hpp"
#include "published/memory_machine/sorts.hpp"

namespace perf {

template <class Algorithm>
void count(benchmark::State& state, Input input) {
  Shape const shape{static_cast<std::uint32_t>(state.range(0)),
                    static_cast<std::uint32_t>(state.range(1))};
  ModelCost cost{};
  try {
    for (auto _ : state) cost = Algorithm::run(shape, input);
  } catch (std::exception const& failure) {
    return state.SkipWithError(failure.what());
  }
  if (cost.conflicts + cost.races > 0) {
    return state.SkipWithError("a bank conflict or a race occurred");
  }
  auto const time = static_cast<double>(cost.time);
  state.counters["time_units"] = time;
  state.counters["bound"] = Algorithm::bound(shape);
  state.counters["of_bound"] = time / Algorithm::bound(shape);
  state.counters["conflicts"] = static_cast<double>(cost.conflicts);
}

template <class Algorithm>
void register_algorithm() {
  for (Input const input : all_inputs) {
    std::string const name = std::string(Algorithm::name) + "/" + name_of(input);
    auto* const row = benchmark::RegisterBenchmark(name.c_str(), count<Algorithm>, input);
    for (auto const& shape : Algorithm::shapes()) row->Args({shape.w, shape.m});
    row->ArgNames({"w", "m"})->Iterations(1);
  }
}

template <class... Algorithms>
bool register_algorithms() {
  (register_algorithm<Algorithms>(), ...);
  return true;
}

[[maybe_unused]] bool const is_registered =
    register_algorithms<Conversion, Shearsort, Lemma1, Lemma1ByConversions, Theorem1, Theorem2,
                        Corollary1, Theorem1Partition, Lemma2, Offline, Theorem4, Theorem4Tall>();

}  // namespace perf
