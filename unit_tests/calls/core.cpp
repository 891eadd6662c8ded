// Functions of core for kernels: random words and permutations, operations, lanes, groups of rows; and the memory models.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/backend/matrix_units.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>
#include <riffle/published/bijective_shuffle/linear_congruential.hpp>
#include <riffle/published/bijective_shuffle/variable_philox.hpp>
#include <riffle/published/offline_permutation/memory_machine.hpp>
#include <riffle/published/offline_permutation/model_processors.hpp>
#include <riffle/random/lehmer.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/random/random_permutation.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::core_cases {
namespace {

constexpr std::uint64_t seed = 2011;

// The execution space of a Context is the space of its instance, also if it is not the default space.
using Host = Kokkos::DefaultHostExecutionSpace;
static_assert(std::is_same_v<decltype(Context(Host(), "label")), Context<Host>>);

template <class Function, class Out>
struct Store {
  Function function;
  Out out;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = function(i); }
};

/// Adds function(i) for i < n, one thread for each i.
template <class Exec, class Function>
void add_values(Exec const& exec, std::uint64_t n, Results& results, std::string const& name,
                Function const& function) {
  auto const out = make_output<Exec, std::uint64_t>(n);
  Kokkos::parallel_for("riffle::test::values", Kokkos::RangePolicy<Exec>(exec, 0, n),
                       Store<Function, Array<Exec, std::uint64_t>>{function, out});
  results.add(name, out);
}

template <class Sigma>
struct ImagesOf {
  Sigma sigma;
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return 3 * sigma(i) + sigma.inverse(i);
  }
};

struct AddImage {
  std::uint64_t& sum;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t image) const {
    sum = 31 * sum + (i ^ image);
  }
};

/// Permutations that are constructed in kernels.
struct MadeInKernel {
  std::uint64_t n;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    RandomPermutation const sigma(n, seed, i);
    std::uint64_t images[2] = {0, 0};
    if (i + 2 <= n) sigma.images(i, images);
    std::uint64_t sum = images[0] + 3 * images[1] + RandomPermutation::identity(n)(i);
    sigma.for_each_image(i, (n - i) % 7, AddImage{sum});
    int const size = static_cast<int>(i % 21);
    std::uint64_t const rank = uniform_below(factorial(size), seed, i);
    auto const ranked = RandomPermutation::from_rank(static_cast<std::uint64_t>(size), rank);
    LehmerPermutation const lehmer(size, rank);
    return sum + (size == 0 ? 0 : 5 * ranked(0) + 7 * lehmer.inverse(0)) + 11 * rank;
  }
};

struct Words {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    auto const block = Philox4x32(seed)({static_cast<std::uint32_t>(i), 1, 2, 3});
    return (std::uint64_t{block[0]} << 32 | block[1]) ^ (std::uint64_t{block[2]} << 32 | block[3]);
  }
};

struct Permutations {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    int const bits = static_cast<int>(std::bit_width(n));
    RandomPermutation const sigma(n, seed);
    add_values(exec, n, results, "RandomPermutation", ImagesOf<RandomPermutation>{sigma});
    add_values(exec, n, results, "MixedRadixFeistel",
               ImagesOf<MixedRadixFeistel>{MixedRadixFeistel(n, seed, 1)});
    add_values(exec, n, results, "VariablePhilox",
               ImagesOf<VariablePhilox<>>{VariablePhilox<>(bits, seed)});
    add_values(exec, n, results, "LinearCongruential",
               ImagesOf<LinearCongruential>{LinearCongruential(bits, seed)});
    add_values(exec, n, results, "made in the kernel", MadeInKernel{n});
    add_values(exec, n, results, "words", Words{});
    std::uint64_t sum = 0;
    sigma.specialize([&](auto const& form) {
      for (std::uint64_t i = 0; i < n; ++i) sum = 31 * sum + form(i);
    });
    results.add("specialized", sum);
  }
};

/// All of Riffle's operations, and their identities.
struct Operations {
  template <Monoid Op>
  KOKKOS_FUNCTION static std::uint64_t word_of(Op const& op, std::uint64_t i) {
    using T = typename Op::value_type;
    auto const a = static_cast<T>(i);
    auto const b = static_cast<T>(977 * i + 5);
    T const both = op(op(op.identity(), a), op(b, op.identity()));
    return both == both ? static_cast<std::uint64_t>(static_cast<std::int64_t>(both)) : 1;
  }

  struct Larger {
    KOKKOS_FUNCTION std::int32_t operator()(std::int32_t a, std::int32_t b) const {
      return a < b ? b : a;
    }
  };

  template <class T>
  KOKKOS_FUNCTION static std::uint64_t of_numbers(std::uint64_t i) {
    return word_of(Sum<T>{}, i) + 3 * word_of(Product<T>{}, i % 100) + 5 * word_of(Min<T>{}, i) +
           7 * word_of(Max<T>{}, i);
  }

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return of_numbers<double>(i) + 11 * of_numbers<float>(i) + 13 * of_numbers<std::int16_t>(i) +
           17 * word_of(BitAnd<std::uint32_t>{}, i) + 19 * word_of(BitOr<std::uint32_t>{}, i) +
           23 * word_of(BitXor<std::uint64_t>{}, i) + 29 * word_of(Count<>{}, i) +
           31 * word_of(CustomMonoid<Larger, std::int32_t>(Larger{}, -7), i);
  }
};

struct OperationsInKernel {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    add_values(exec, n, results, "operations", Operations{});
  }
};

/// All lanes pass the same value, since on a CPU a group has one thread.
template <class Exec>
struct SameLanes {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const lane = team.team_rank();
    auto const i = static_cast<std::uint64_t>(team.league_rank());
    Card const card{team.league_rank(), 7};
    std::uint64_t sum = backend::from_lane(card, 0) == card ? 1 : 0;
    sum += backend::shuffle_up(i, lane, 1) + (backend::all(i % 2 == 0) ? 2 : 0);
    sum += backend::ballot(false) + (backend::ballot(i % 2 == 0) != 0 ? 4 : 0);
    backend::synchronize();
    backend::reconverge();
    auto const bits = static_cast<std::uint32_t>(977 * i + 1);
    sum += static_cast<std::uint64_t>(backend::count_ones(bits) + 64 * backend::lowest_one(bits) +
                                      4096 * backend::highest_one(bits));
    sum += backend::choose_bytes(bits, ~bits, 0x7250 ^ (bits & 7));
    std::uint32_t kept = bits;
    backend::keep(kept);
    sum += kept + static_cast<std::uint64_t>(8 * backend::saturate(0.25f * static_cast<float>(i)));
    backend::ByteRows const rows{{bits, bits ^ 1, bits ^ 2, bits ^ 3}};
    backend::ByteColumns const columns{{bits ^ 4, bits ^ 5}};
    std::int32_t of_bytes[4];
    backend::multiply(lane, of_bytes, rows, columns, 3);
    backend::multiply_add(lane, of_bytes, rows, columns);
    double of_doubles[4] = {1, 2, 3, 4};
    double const pair[2] = {static_cast<double>(i), 2};
    backend::multiply_add(lane, of_doubles, pair, 0.5);
    for (int e = 0; e < 4; ++e) {
      sum += static_cast<std::uint32_t>(of_bytes[e]) + static_cast<std::uint64_t>(of_doubles[e]);
    }
    auto* const scratch = static_cast<std::uint32_t*>(team.team_scratch(0).get_shmem_aligned(8, 8));
    backend::store_same(scratch + 1, 9);
    team.team_barrier();
    if (lane == 0) {
      sum += scratch[1];
      scratch[0] = 5;
      backend::add_in_scratch(scratch, 6);
      sum += 100 * backend::fetch_add_in_scratch(scratch, 7) + scratch[0];
      backend::wait();
      backend::store_streaming(&ones(i), sum);
      backend::store_relaxed(&words(i), sum + backend::load_with_line(&ones(i)));
      sum += backend::load_streaming(&ones(i));
      backend::release_fence();
      sum += backend::fetch_add_relaxed(&words(i), 1);
      backend::acquire_fence();
      backend::store_relaxed(&words(i), sum + backend::load_relaxed(&words(i)));
    }
  }

  Array<Exec, std::uint64_t> ones;
  Array<Exec, std::uint64_t> words;
};

struct LanesInKernel {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    static_assert(backend::KernelsOf<Exec>::exist);
    SameLanes<Exec> const kernel{to_array<Exec>(std::vector<std::uint64_t>(n, 1)),
                                 make_output<Exec, std::uint64_t>(n)};
    constexpr int threads = backend::is_cpu<Exec> ? 1 : backend::width;
    Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(n), threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(64));
    if (n > 0) Kokkos::parallel_for("riffle::test::lanes", policy, kernel);
    results.add("words", kernel.words);
    if (backend::device_of_memory(exec, kernel.words.data()) != backend::device_id(exec)) {
      results.add("other device", backend::device_id(exec));
    }
    if constexpr (!backend::is_cpu<Exec>) {
      if (backend::processors(exec) == 0) results.add("no processors", backend::device_id(exec));
    }
  }
};

template <class Exec>
struct PlaceRows {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    // The type that bank_processors() returns.
    using Processors =
        std::conditional_t<backend::is_cpu<Exec>, ThreadProcessors<>, LaneProcessors>;
    Processors processors = bank_processors(team);
    RowGroups const all(processors);
    auto const groups = all.parts(rows).strides(3).alternating();
    processors.step([&](std::uint32_t p) {
      GroupPlace const& place = groups[p];
      places(p) = place.row(0) + 100 * place.index + 10000 * place.number + 1000000 * place.rows +
                  (place.descending ? 100000000 : 0);
    });
  }

  Array<Exec, std::uint32_t> places;
  std::uint32_t rows;
};

struct GroupsOfRows {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t rows, Results& results) const {
    PlaceRows<Exec> const kernel{make_output<Exec, std::uint32_t>(32),
                                 static_cast<std::uint32_t>(rows)};
    Kokkos::TeamPolicy<Exec> const policy(exec, 1, bank_processor_threads<Exec>);
    Kokkos::parallel_for("riffle::test::rows", policy, kernel);
    results.add("places", kernel.places);
  }
};

/// The memory models exist on the host only; this tests that they compile.
struct MemoryModels {
  template <class Exec>
  void operator()(Exec const&, std::uint64_t n, Results& results) const {
    auto const address = [](std::uint64_t thread) { return 3 * thread; };
    MemoryMachineParameters const parameters;
    DiscreteMemoryMachine discrete(parameters);
    discrete.read(n, address);
    UnifiedMemoryMachine unified(parameters);
    unified.write(n, address);
    HierarchicalMachineParameters const of_both;
    HierarchicalMemoryMachine both(of_both);
    both.read_global(2, n, in_vectors(4, [](std::uint64_t block, std::uint64_t thread) {
                       return 1000 * block + thread;
                     }));
    results.add("times", discrete.time() + 1000 * unified.time() + 1000000 * both.time());
    ModelProcessors processors(8);
    ModelMatrix<int> const matrix = processors.matrix<int>(4);
    processors.step([&](std::uint32_t p) { matrix.write(p, 1, matrix.read(p, 0) + 1); });
    results.add("time of the model", processors.time());
  }
};

Cases const cases{
    make_case<Permutations>("core_permutations", sizes()),
    make_case<OperationsInKernel>("core_operations", small_sizes()),
    make_case<LanesInKernel>("core_lanes", small_sizes()),
    make_case<GroupsOfRows>("core_row_groups", {1, 5, 32}),
    make_case<MemoryModels>("core_memory_models", {100}),
};

}  // namespace
}  // namespace riffle::test::calls::core_cases
