// perf_permutations: writes permutations by generators of C++ libraries, each called through its public interface, for
// `perf_quality audit` and tools/audit.
//
//   perf_permutations list
//   perf_permutations write GENERATOR N --samples K --seed S   K permutations, drawn one after the other from seed S
//   perf_permutations write GENERATOR N --seeds FILE           the first permutation of each seed in FILE
//   perf_permutations write GENERATOR N                        the first one of the state in which the library starts
//
// Permutations of 0, ..., N - 1 go to standard output as unsigned integers of 32 bits, the least significant byte first. If a
// generator refuses a seed of a file, all bits of this permutation are 1.
// permutations.py and permutations.R have the same commands.

#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/version.hpp>

#include "support/context.hpp"
#include "support/exec.hpp"

#ifdef RIFFLE_PERF_HAS_CCCL
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/random.h>
#include <thrust/sequence.h>
#include <thrust/shuffle.h>
#include <cuda/iterator>
#include <cuda/random>
#include <cuda/std/random>
#include <cuda/version>
#endif
#ifdef RIFFLE_PERF_PARLAY
#include <parlay/random.h>
#endif

static_assert(std::endian::native == std::endian::little);

namespace perf::audit {
namespace {

using Row = std::span<std::uint32_t>;

/// Writes the next permutation to a row.
using Stream = std::function<void(Row)>;
/// Begins a stream, from a seed or from the state in which the library starts.
using Begin = std::function<Stream(std::optional<std::uint64_t>)>;

struct Generator {
  std::string name;
  std::string version;
  std::string device;
  Begin begin;
};

/// The seed of a library that has no initial state of its own.
std::uint64_t required(std::optional<std::uint64_t> seed) {
  if (!seed) throw std::invalid_argument("this generator needs a seed");
  return *seed;
}

template <class Engine>
Engine engine_of(std::optional<std::uint64_t> seed) {
  return seed ? Engine(static_cast<typename Engine::result_type>(*seed)) : Engine();
}

void number(Row row) { std::iota(row.begin(), row.end(), std::uint32_t{0}); }

/// A row in the memory of a Space, which is allocated once for each stream.
template <class Space>
class DeviceRow {
 public:
  using View = Kokkos::View<std::uint32_t*, Space>;

  View const& of_size(std::size_t n) {
    if (view_.size() != n) view_ = View("perf::permutation", n);
    return view_;
  }
  void copy_to(Row row) const {
    Kokkos::View<std::uint32_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const to(row.data(),
                                                                                      row.size());
    Kokkos::deep_copy(to, view_);
  }

 private:
  View view_;
};

// --- Riffle ---

Stream riffle_random_permutation(std::optional<std::uint64_t> seed) {
  return [master = required(seed), r = std::uint64_t{0}](Row row) mutable {
    riffle::RandomPermutation const sigma(row.size(), master, r++);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<std::uint32_t>(sigma(i));
  };
}

/// Consecutive permutations have consecutive seeds.
template <class Space>
Stream riffle_shuffle(std::optional<std::uint64_t> seed) {
  return [next = required(seed), device_row = DeviceRow<Space>()](Row row) mutable {
    riffle::random_permutation(Space(), device_row.of_size(row.size()), next++);
    device_row.copy_to(row);
  };
}

// --- the C++ standard library ---

std::string standard_library() {
#ifdef _GLIBCXX_RELEASE
  return "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
#else
  return "libc++ " + std::to_string(_LIBCPP_VERSION);
#endif
}

template <class Engine>
Stream std_shuffle(std::optional<std::uint64_t> seed) {
  return [engine = engine_of<Engine>(seed)](Row row) mutable {
    number(row);
    std::shuffle(row.begin(), row.end(), engine);
  };
}

Stream ranges_shuffle(std::optional<std::uint64_t> seed) {
  return [engine = engine_of<std::mt19937>(seed)](Row row) mutable {
    number(row);
    std::ranges::shuffle(row, engine);
  };
}

// --- loops over the random numbers of Kokkos ---

/// A Fisher-Yates shuffle by one thread.
template <class Space>
struct FisherYates {
  Kokkos::Random_XorShift64_Pool<Space> pool;
  Kokkos::View<std::uint32_t*, Space> view;

  KOKKOS_FUNCTION void operator()(int) const {
    auto generator = pool.get_state();
    auto const n = static_cast<std::uint32_t>(view.size());
    for (std::uint32_t i = 0; i < n; ++i) view(i) = i;
    for (std::uint32_t i = n - 1; i > 0; --i) {
      Kokkos::kokkos_swap(view(i), view(generator.urand(i + 1)));
    }
    pool.free_state(generator);
  }
};

template <class Space>
Stream kokkos_loop(std::optional<std::uint64_t> seed) {
  return [pool = Kokkos::Random_XorShift64_Pool<Space>(required(seed)),
          device_row = DeviceRow<Space>()](Row row) mutable {
    FisherYates<Space> const shuffle{pool, device_row.of_size(row.size())};
    Kokkos::parallel_for("perf::fisher_yates", Kokkos::RangePolicy<Space>(0, 1), shuffle);
    device_row.copy_to(row);
  };
}

/// Each item draws places until it finds one that is free.
template <class Space>
struct ThrowDarts {
  Kokkos::Random_XorShift64_Pool<Space> pool;
  Kokkos::View<std::uint32_t*, Space> view;  // the number of places marks a free place

  KOKKOS_FUNCTION void operator()(int item) const {
    auto generator = pool.get_state();
    auto const n = static_cast<std::uint32_t>(view.size());
    std::uint32_t found = 0;
    do {
      found = Kokkos::atomic_compare_exchange(&view(generator.urand(n)), n,
                                              static_cast<std::uint32_t>(item));
    } while (found != n);
    pool.free_state(generator);
  }
};

template <class Space>
Stream kokkos_darts(std::optional<std::uint64_t> seed) {
  return [pool = Kokkos::Random_XorShift64_Pool<Space>(required(seed)),
          device_row = DeviceRow<Space>()](Row row) mutable {
    ThrowDarts<Space> const throw_darts{pool, device_row.of_size(row.size())};
    Kokkos::deep_copy(throw_darts.view, static_cast<std::uint32_t>(row.size()));
    Kokkos::RangePolicy<Space> const items(0, static_cast<int>(row.size()));
    Kokkos::parallel_for("perf::throw_darts", items, throw_darts);
    device_row.copy_to(row);
  };
}

// --- CCCL ---

#ifdef RIFFLE_PERF_HAS_CCCL
std::string cccl_version() {
  return std::to_string(CCCL_MAJOR_VERSION) + "." + std::to_string(CCCL_MINOR_VERSION) + "." +
         std::to_string(CCCL_PATCH_VERSION);
}

template <class Engine>
Stream random_bijection(std::optional<std::uint64_t> seed) {
  return [engine = engine_of<Engine>(seed)](Row row) mutable {
    cuda::random_bijection<> const bijection(row.size(), engine);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<std::uint32_t>(bijection(i));
  };
}

Stream shuffle_iterator(std::optional<std::uint64_t> seed) {
  return [engine = engine_of<cuda::std::minstd_rand>(seed)](Row row) mutable {
    cuda::shuffle_iterator const first{
        cuda::random_bijection{static_cast<std::uint32_t>(row.size()), engine}};
    std::copy_n(first, row.size(), row.begin());
  };
}

Stream thrust_shuffle(std::optional<std::uint64_t> seed) {
  return [engine = engine_of<thrust::default_random_engine>(seed)](Row row) mutable {
    number(row);
    thrust::shuffle(thrust::host, row.begin(), row.end(), engine);
  };
}

Stream thrust_shuffle_copy(std::optional<std::uint64_t> seed) {
  return [engine = engine_of<thrust::default_random_engine>(seed)](Row row) mutable {
    thrust::counting_iterator<std::uint32_t> const first(0);
    thrust::shuffle_copy(thrust::host, first, first + row.size(), row.begin(), engine);
  };
}

#ifdef __CUDACC__
Stream thrust_shuffle_on_device(std::optional<std::uint64_t> seed) {
  return [engine = engine_of<thrust::default_random_engine>(seed)](Row row) mutable {
    thrust::device_vector<std::uint32_t> values(row.size());
    thrust::sequence(values.begin(), values.end());
    thrust::shuffle(values.begin(), values.end(), engine);
    thrust::copy(values.begin(), values.end(), row.begin());
  };
}
#endif
#endif

// --- parlaylib ---

#ifdef RIFFLE_PERF_PARLAY
Stream parlay_shuffle(std::optional<std::uint64_t> seed) {
  return [random = seed ? parlay::random(*seed) : parlay::random()](Row row) mutable {
    auto const drawn = parlay::random_permutation(static_cast<std::uint32_t>(row.size()), random);
    std::copy(drawn.begin(), drawn.end(), row.begin());
    random = random.next();
  };
}
#endif

// --- the program ---

std::string const cpu = "CPU";

template <class Space>
void add_generators_on(std::string const& device, std::vector<Generator>& all) {
  std::string const kokkos = "Kokkos " + kokkos_version();
  std::string const riffle = "Riffle " RIFFLE_VERSION_STRING;
  all.push_back({"riffle::random_permutation", riffle, device, riffle_shuffle<Space>});
  all.push_back({"Kokkos pool, one thread", kokkos, device, kokkos_loop<Space>});
  all.push_back({"Kokkos pool, darts", kokkos, device, kokkos_darts<Space>});
}

std::vector<Generator> generators() {
  std::vector<Generator> all{
      {"riffle::RandomPermutation", "Riffle " RIFFLE_VERSION_STRING, cpu,
       riffle_random_permutation},
      {"std::shuffle, mt19937", standard_library(), cpu, std_shuffle<std::mt19937>},
      {"std::shuffle, mt19937_64", standard_library(), cpu, std_shuffle<std::mt19937_64>},
      {"std::shuffle, minstd_rand", standard_library(), cpu, std_shuffle<std::minstd_rand>},
#ifdef __cpp_lib_philox_engine
      {"std::shuffle, philox4x32", standard_library(), cpu, std_shuffle<std::philox4x32>},
#endif
      {"std::ranges::shuffle, mt19937", standard_library(), cpu, ranges_shuffle},
  };
  add_generators_on<Host>(cpu, all);
  if constexpr (!runs_on_host) add_generators_on<Exec>("GPU", all);
#ifdef RIFFLE_PERF_HAS_CCCL
  std::string const cccl = "CCCL " + cccl_version();
  using cuda::std::minstd_rand;
  using cuda::std::philox4x32;
  all.push_back({"cuda::random_bijection, minstd_rand", cccl, cpu, random_bijection<minstd_rand>});
  all.push_back({"cuda::random_bijection, philox4x32", cccl, cpu, random_bijection<philox4x32>});
  all.push_back({"cuda::shuffle_iterator, minstd_rand", cccl, cpu, shuffle_iterator});
  all.push_back({"thrust::shuffle", cccl, cpu, thrust_shuffle});
  all.push_back({"thrust::shuffle_copy", cccl, cpu, thrust_shuffle_copy});
#ifdef __CUDACC__
  all.push_back({"thrust::shuffle", cccl, "GPU", thrust_shuffle_on_device});
#endif
#endif
#ifdef RIFFLE_PERF_PARLAY
  all.push_back(
      {"parlay::random_permutation", "parlaylib " RIFFLE_PERF_PARLAY, cpu, parlay_shuffle});
#endif
  return all;
}

std::string full_name(Generator const& one) { return one.name + " (" + one.device + ")"; }

Generator generator(std::string const& name) {
  for (auto const& one : generators()) {
    if (full_name(one) == name) return one;
  }
  throw std::invalid_argument("no generator " + name);
}

void write(std::vector<std::uint32_t> const& row) {
  if (std::fwrite(row.data(), sizeof(row[0]), row.size(), stdout) != row.size()) {
    throw std::runtime_error("standard output cannot be written");
  }
}

/// Writes the first permutation of a seed, or refused if the generator refuses the seed.
void write_first(Generator const& chosen, std::uint64_t seed, std::vector<std::uint32_t>& row) {
  constexpr std::uint32_t refused = ~std::uint32_t{0};
  try {
    chosen.begin(seed)(row);
  } catch (std::exception const&) {
    std::fill(row.begin(), row.end(), refused);
  }
  write(row);
}

std::vector<std::uint64_t> seeds_of(std::string const& file) {
  std::ifstream in(file);
  std::vector<std::uint64_t> const seeds{std::istream_iterator<std::uint64_t>(in), {}};
  if (!in.eof()) throw std::invalid_argument(file + " cannot be read as whole numbers");
  return seeds;
}

struct Options {
  std::string generator;
  std::uint64_t n = 0;
  std::uint64_t samples = 1;
  std::optional<std::uint64_t> seed;
  std::string seeds;
};

void print_list() {
  for (auto const& one : generators()) {
    std::cout << full_name(one) << '\t' << one.version << '\t' << one.device << '\n';
  }
}

void write_all(Options const& options) {
  auto const chosen = generator(options.generator);
  std::vector<std::uint32_t> row(options.n);
  if (!options.seeds.empty()) {
    for (auto const seed : seeds_of(options.seeds)) write_first(chosen, seed, row);
    return;
  }
  auto const stream = chosen.begin(options.seed);
  for (std::uint64_t r = 0; r < options.samples; ++r) {
    stream(row);
    write(row);
  }
}

int run(int argc, char** argv) {
  CLI::App app{"Writes permutations by generators of C++ libraries.", "perf_permutations"};
  app.require_subcommand(1);
  Options options;
  app.add_subcommand("list", "the names of the generators, with their versions and devices")
      ->callback(print_list);
  auto* const command = app.add_subcommand("write", "permutations of 0, ..., N - 1");
  command->add_option("generator", options.generator, "a name of the list")->required();
  command->add_option("n", options.n, "number of points")->required()->check(CLI::PositiveNumber);
  command->add_option("--samples", options.samples, "number of permutations");
  command->add_option("--seed", options.seed, "without it, the state in which the library starts");
  command->add_option("--seeds", options.seeds, "a file of seeds: the first permutation of each")
      ->excludes("--seed")
      ->excludes("--samples");
  command->callback([&options] { write_all(options); });
  CLI11_PARSE(app, argc, argv)
  return 0;
}

}  // namespace
}  // namespace perf::audit

int main(int argc, char** argv) {
  try {
    Kokkos::ScopeGuard const guard(argc, argv);
    return perf::audit::run(argc, argv);
  } catch (std::exception const& error) {
    std::cerr << "perf_permutations: " << error.what() << '\n';
    return 2;
  }
}
