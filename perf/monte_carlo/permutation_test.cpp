// The rate of permutations of permutation tests: for the difference of two means, and for pairs by the signs of their
// differences.
//
// Compared with riffle::permutation_test are, in the same process,
//   the limit     the cost of the random numbers: one 32-bit word of Philox4x32-10 for each value of each permutation, or one
//                 bit for each sign,
//   OwnLoop       a user's loop without a library, on one CPU thread: std::shuffle of the pooled values and a sum, or a bit of
//                 std::mt19937_64 for each sign,
//   KokkosPool    a user's Kokkos kernel: selection sampling, or signs, with a Kokkos::Random_XorShift64_Pool,
//   Functor       the same statistic as a functor on riffle::RandomPermutation, by gathers.
// Every row compares its p-value with OwnLoop's before it is timed. Items are values: permutations x (n + n); for pairs, items
// are signs: sign patterns x n.

#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/random/philox.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Values = Kokkos::View<double*, Exec>;

struct Samples {
  std::vector<double> pooled;  // n values of x, then n values of y
  Values x;
  Values y;
  Values device_pooled;
};

/// Two normal samples of n whose means differ by 1.5 standard errors, so that p is neither 0 nor 1.
Samples make_samples(std::size_t n) {
  Samples samples;
  std::mt19937_64 generator(n);
  std::normal_distribution<double> normal;
  double const shift = 1.5 * std::sqrt(2.0 / static_cast<double>(n));
  for (std::size_t i = 0; i < 2 * n; ++i)
    samples.pooled.push_back(normal(generator) + (i < n ? shift : 0));
  samples.device_pooled = Values("pooled", 2 * n);
  Kokkos::deep_copy(samples.device_pooled,
                    Kokkos::View<double const*, Kokkos::HostSpace>(samples.pooled.data(), 2 * n));
  samples.x = Kokkos::subview(samples.device_pooled, std::pair<std::size_t, std::size_t>(0, n));
  samples.y = Kokkos::subview(samples.device_pooled, std::pair<std::size_t, std::size_t>(n, 2 * n));
  return samples;
}

/// The number of shuffles, of m, whose first half sums to at least the sum of x.
std::uint64_t own_loop(Samples const& samples, std::uint64_t replicates, std::uint64_t seed) {
  auto values = samples.pooled;
  auto const half = static_cast<std::ptrdiff_t>(values.size() / 2);
  auto first_sum = [&] { return std::accumulate(values.begin(), values.begin() + half, 0.0); };
  double const observed = first_sum();
  std::mt19937_64 generator(seed);
  std::uint64_t extreme = 0;
  for (std::uint64_t r = 0; r < replicates; ++r) {
    std::shuffle(values.begin(), values.end(), generator);
    extreme += first_sum() >= observed;
  }
  return extreme;
}

/// x_i - y_i.
std::vector<double> differences(Samples const& samples) {
  std::size_t const n = samples.pooled.size() / 2;
  std::vector<double> differences;
  for (std::size_t i = 0; i < n; ++i) {
    differences.push_back(samples.pooled[i] - samples.pooled[n + i]);
  }
  return differences;
}

/// The number of sign patterns, of m, whose sum is at least the observed sum.
std::uint64_t own_loop_of_signs(Samples const& samples, std::uint64_t replicates,
                                std::uint64_t seed) {
  auto const values = differences(samples);
  double const observed = std::accumulate(values.begin(), values.end(), 0.0);
  std::mt19937_64 generator(seed);
  std::uint64_t extreme = 0;
  for (std::uint64_t r = 0; r < replicates; ++r) {
    double sum = 0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < values.size(); ++i, bits >>= 1) {
      if (i % 64 == 0) bits = generator();
      sum += (bits & 1) != 0 ? -values[i] : values[i];
    }
    extreme += sum >= observed;
  }
  return extreme;
}

/// Two samples of size n. An item is a value; the limit draws a random word per item.
struct SamplesProblem {
  static std::uint64_t items(std::size_t n) { return 2 * n; }
  static std::uint32_t blocks(std::size_t n) { return static_cast<std::uint32_t>((2 * n + 3) / 4); }
  static std::uint64_t streams(std::size_t, std::uint64_t replicates) { return replicates; }
  static std::uint64_t own_loop(Samples const& samples, std::uint64_t m, std::uint64_t seed) {
    return ::own_loop(samples, m, seed);
  }
};

/// n pairs. An item is a sign; the limit draws a random bit per item, in blocks of 128 bits shared by the number of replicates
/// that fits in whole words.
struct PairsProblem {
  static std::uint64_t items(std::size_t n) { return n; }
  static std::uint32_t blocks(std::size_t n) { return static_cast<std::uint32_t>((n + 127) / 128); }
  static std::uint64_t streams(std::size_t n, std::uint64_t replicates) {
    return replicates / (n <= 32 ? 4 : n <= 64 ? 2 : 1);
  }
  static std::uint64_t own_loop(Samples const& samples, std::uint64_t m, std::uint64_t seed) {
    return own_loop_of_signs(samples, m, seed);
  }
};

constexpr std::uint64_t reference_replicates = 20000;

/// OwnLoop's p-value, computed once per n.
template <class Kind>
double reference_p(std::size_t n, Samples const& samples) {
  static std::map<std::size_t, double> known;
  auto const [entry, is_new] = known.try_emplace(n, 0.0);
  if (is_new) {
    entry->second = static_cast<double>(Kind::own_loop(samples, reference_replicates, 7) + 1) /
                    (reference_replicates + 1);
  }
  return entry->second;
}

/// Whether p, from m replicates, lies within five standard errors of the reference.
bool agrees(double p, std::uint64_t m, double reference) {
  double const variance = reference * (1 - reference);
  return std::abs(p - reference) <
         5 * std::sqrt(variance / static_cast<double>(m) +
                       variance / static_cast<double>(reference_replicates));
}

/// Number of replicates that a thread computes at the same time.
constexpr int width = riffle::backend::problems_per_thread<Exec>;

/// Number of replicates that take about a tenth of a second on the device.
template <class Kind>
std::uint64_t replicates_for(std::size_t n) {
  double const items = std::max(1e8, 4e5 * Exec().concurrency());
  return static_cast<std::uint64_t>(items / static_cast<double>(Kind::items(n)));
}

/// The words of `width` streams with `blocks` blocks each, in the vector lanes of a CPU; combined, so that they are not
/// optimised away.
template <class Vector>
std::uint64_t draw_vectors(std::uint64_t thread, std::uint32_t blocks) {
  auto folded = Vector::broadcast(0);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    for (int v = 0; v < width; v += Vector::width) {
      Vector words[4] = {Vector::broadcast(block), Vector::broadcast(0),
                         Vector::iota(thread * width + static_cast<std::uint64_t>(v)),
                         Vector::broadcast(0)};
      riffle::Philox4x32(1).transform(words);
      folded = folded + (words[0] ^ words[1] ^ words[2] ^ words[3]);
    }
  }
  std::int64_t lanes[Vector::width];
  folded.store(lanes);
  return static_cast<std::uint64_t>(lanes[0]);
}

struct DrawWords {
  std::uint32_t blocks;

  KOKKOS_FUNCTION void operator()(std::uint64_t thread, std::uint64_t& sum) const {
    if constexpr (riffle::backend::is_cpu<Exec>) {
      KOKKOS_IF_ON_HOST((sum += draw_vectors<riffle::backend::Vector>(thread, blocks);))
    } else {
      for (std::uint32_t block = 0; block < blocks; ++block) {
        auto const words =
            riffle::detail::random_block(1, thread, riffle::detail::Purpose::labels, block);
        sum += words[0] ^ words[1] ^ words[2] ^ words[3];
      }
    }
  }
};

/// Draws the random words of all items.
template <class Kind>
void draw_words(std::uint64_t n, std::uint64_t replicates) {
  std::uint64_t const streams = Kind::streams(n, replicates) / width;
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("perf::draw_words",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(0, streams),
                          DrawWords{Kind::blocks(n)}, sum);
  benchmark::DoNotOptimize(sum);
}

/// Items per second of the limit, the best of several runs, measured once per n.
template <class Kind>
double limit_rate(std::size_t n) {
  static std::map<std::size_t, double> known;
  auto const [entry, is_new] = known.try_emplace(n, 0.0);
  if (!is_new) return entry->second;
  std::uint64_t const replicates = replicates_for<Kind>(n);
  for (int repetition = 0; repetition < 5; ++repetition) {
    Kokkos::Timer timer;
    draw_words<Kind>(n, replicates);
    entry->second =
        std::max(entry->second, static_cast<double>(Kind::items(n) * replicates) / timer.seconds());
  }
  return entry->second;
}

template <class Kind>
void report(benchmark::State& state, std::size_t n, std::uint64_t replicates) {
  using benchmark::Counter;
  auto const iterations = static_cast<double>(state.iterations());
  auto const m = static_cast<double>(replicates);
  auto const items = m * static_cast<double>(Kind::items(n));
  state.counters["permutations_per_second"] = Counter(m * iterations, Counter::kIsRate);
  state.counters["items_per_second"] = Counter(items * iterations, Counter::kIsRate);
  state.counters["of_limit"] = Counter(items * iterations / limit_rate<Kind>(n), Counter::kIsRate);
}

template <class Kind>
void limit(benchmark::State& state) {
  auto const n = static_cast<std::size_t>(state.range(0));
  std::uint64_t const replicates = replicates_for<Kind>(n);
  for (auto _ : state) draw_words<Kind>(n, replicates);
  report<Kind>(state, n, replicates);
}

/// Checks and then times run(samples, replicates) -> b.
template <class Kind, class Run>
void time_test(benchmark::State& state, std::uint64_t replicates, Run const& run) {
  auto const n = static_cast<std::size_t>(state.range(0));
  Samples const samples = make_samples(n);
  double const p =
      static_cast<double>(run(samples, replicates) + 1) / static_cast<double>(replicates + 1);
  double const reference = reference_p<Kind>(n, samples);
  if (!agrees(p, replicates, reference)) {
    std::string const error =
        "p = " + std::to_string(p) + ", but OwnLoop finds " + std::to_string(reference);
    state.SkipWithError(error.c_str());
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(run(samples, replicates));
  report<Kind>(state, n, replicates);
  state.counters["p"] = p;
}

riffle::PermutationTestOptions options(std::uint64_t replicates) {
  riffle::PermutationTestOptions chosen;
  chosen.replicates = replicates;
  chosen.seed = 1;
  chosen.alternative = riffle::Alternative::greater;
  chosen.enumerate = false;
  return chosen;
}

template <class Kind, class Statistic>
void riffle_test(benchmark::State& state) {
  time_test<Kind>(state, replicates_for<Kind>(static_cast<std::size_t>(state.range(0))),
                  [](Samples const& samples, std::uint64_t replicates) {
                    return riffle::permutation_test(Exec(), Statistic{}, samples.x, samples.y,
                                                    options(replicates))
                        .greater_equal;
                  });
}

struct AddValue {
  Values const& pooled;
  double& sum;

  KOKKOS_FUNCTION void operator()(std::uint64_t, std::uint64_t image) const {
    sum += pooled(image);
  }
};

/// The sum of the first half, by gathers through sigma; it orders permutations as the difference of means does.
struct FirstSum {
  Values pooled;

  KOKKOS_FUNCTION double operator()(riffle::RandomPermutation const& sigma) const {
    double sum = 0;
    sigma.for_each_image(0, pooled.extent(0) / 2, AddValue{pooled, sum});
    return sum;
  }
};

void functor_test(benchmark::State& state) {
  time_test<SamplesProblem>(
      state, replicates_for<SamplesProblem>(static_cast<std::size_t>(state.range(0))) / 16 + 1000,
      [](Samples const& samples, std::uint64_t replicates) {
        return riffle::permutation_test(Exec(), samples.pooled.size(),
                                        FirstSum{samples.device_pooled}, options(replicates))
            .greater_equal;
      });
}

using Pool = Kokkos::Random_XorShift64_Pool<Exec>;

struct PoolReplicate {
  Pool pool;
  Values pooled;
  double observed;

  KOKKOS_FUNCTION void operator()(std::uint64_t, std::uint64_t& extreme) const {
    auto generator = pool.get_state();
    auto const n = static_cast<std::uint32_t>(pooled.extent(0));
    std::uint32_t left = n / 2;
    double sum = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (generator.urand(n - i) < left) {
        --left;
        sum += pooled(i);
      }
    }
    pool.free_state(generator);
    extreme += sum >= observed;
  }
};

void pool_test(benchmark::State& state) {
  Pool const pool(1);
  time_test<SamplesProblem>(
      state, replicates_for<SamplesProblem>(static_cast<std::size_t>(state.range(0))),
      [&](Samples const& samples, std::uint64_t replicates) {
        double const observed = std::accumulate(
            samples.pooled.begin(),
            samples.pooled.begin() + static_cast<std::ptrdiff_t>(samples.pooled.size() / 2), 0.0);
        std::uint64_t extreme = 0;
        Kokkos::parallel_reduce(
            "perf::pool_test",
            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(0, replicates),
            PoolReplicate{pool, samples.device_pooled, observed - 1e-9}, extreme);
        return extreme;
      });
}

struct PoolSigns {
  Pool pool;
  Values values;
  double observed;

  KOKKOS_FUNCTION void operator()(std::uint64_t, std::uint64_t& extreme) const {
    auto generator = pool.get_state();
    double sum = 0;
    std::uint64_t bits = 0;
    for (std::uint64_t i = 0; i < values.extent(0); ++i, bits >>= 1) {
      if (i % 64 == 0) bits = generator.urand64();
      sum += (bits & 1) != 0 ? -values(i) : values(i);
    }
    pool.free_state(generator);
    extreme += sum >= observed;
  }
};

void pool_signs_test(benchmark::State& state) {
  Pool const pool(1);
  auto const n = static_cast<std::size_t>(state.range(0));
  auto const host = differences(make_samples(n));
  Values const values("differences", n);
  Kokkos::deep_copy(values, Kokkos::View<double const*, Kokkos::HostSpace>(host.data(), n));
  double const observed = std::accumulate(host.begin(), host.end(), 0.0);
  time_test<PairsProblem>(
      state, replicates_for<PairsProblem>(n), [&](Samples const&, std::uint64_t replicates) {
        std::uint64_t extreme = 0;
        Kokkos::parallel_reduce(
            "perf::pool_signs_test",
            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(0, replicates),
            PoolSigns{pool, values, observed - 1e-9}, extreme);
        return extreme;
      });
}

template <class Kind>
void own_loop_test(benchmark::State& state) {
  auto const n = static_cast<std::uint64_t>(state.range(0));
  time_test<Kind>(state, 4000000 / n + 2000, [](Samples const& samples, std::uint64_t replicates) {
    return Kind::own_loop(samples, replicates, 1);
  });
}

void two_groups(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("n")->Arg(20)->Arg(200)->Arg(2000)->UseRealTime()->Unit(
      benchmark::kMillisecond);
}

BENCHMARK_TEMPLATE(limit, SamplesProblem)->Name("Limit")->Apply(two_groups);
BENCHMARK_TEMPLATE(riffle_test, SamplesProblem, riffle::DifferenceOfMeans)
    ->Name("DifferenceOfMeans")
    ->Apply(two_groups);
BENCHMARK_TEMPLATE(riffle_test, SamplesProblem, riffle::WelchT)->Name("WelchT")->Apply(two_groups);
BENCHMARK(functor_test)->Name("Functor")->Apply(two_groups);
BENCHMARK(pool_test)->Name("KokkosPool")->Apply(two_groups);
BENCHMARK_TEMPLATE(own_loop_test, SamplesProblem)->Name("OwnLoop")->Apply(two_groups);

BENCHMARK_TEMPLATE(limit, PairsProblem)->Name("LimitOfPairs")->Apply(two_groups);
BENCHMARK_TEMPLATE(riffle_test, PairsProblem, riffle::PairedDifference)
    ->Name("PairedDifference")
    ->Apply(two_groups);
BENCHMARK(pool_signs_test)->Name("KokkosPoolOfPairs")->Apply(two_groups);
BENCHMARK_TEMPLATE(own_loop_test, PairsProblem)->Name("OwnLoopOfPairs")->Apply(two_groups);

}  // namespace
