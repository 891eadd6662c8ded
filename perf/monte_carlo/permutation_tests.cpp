// The rate of statistics of permutation tests of many variables: two samples, with the maximum of each replicate and counts for
// each variable.
//
// There are n observations, 11 of 38 of them in sample 1, and G variables of normal data, a tenth of them with an effect. Rows:
//   Limit      the cost of the multiplications alone. On a GPU, the products of the matrix units for blocks of 32, times the
//              digits that are compared first (2 for up to 128 observations, otherwise 4). On a CPU, n multiply-adds in
//              registers; tables of partial sums need fewer, so Count may exceed this limit there,
//   Count      Riffle's kernels for a batch including drawing: a long test without its start and end,
//   Draw       the drawing of such a batch,
//   Tests      a whole call of riffle::permutation_tests with two batches,
//   Unfused    a user's test with a library: labels drawn by Riffle, KokkosBlas::gemm (if Kokkos Kernels is found), and a pass
//              over the product for maxima and counts,
//   OwnKernel  a user's kernel without a library: a thread multiplies a variable with a replicate, atomics for the counts.
// Items are statistics: G variables x m replicates. A row reports a rate only if its counts of the first variables equal those
// counted by plain loops on the host.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/matrix_units.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/variables/replicate_counter.hpp>
#include <riffle/monte_carlo/permutation_scheme_views.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/scope.hpp>

#if defined(RIFFLE_HAS_KOKKOS_KERNELS)
#include <KokkosBlas3_gemm.hpp>
#endif

#include "support/exec.hpp"
#include "support/report.hpp"

namespace {

using perf::Exec;
using Memory = Exec::memory_space;
using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Memory>;
using Labels = Kokkos::View<int*, Memory>;
using Counts = Kokkos::View<std::uint64_t*, Memory>;
using Doubles = Kokkos::View<double*, Memory>;

constexpr std::uint64_t seed = 1;

/// Number of digits that are multiplied for every statistic.
std::uint64_t coarse_digits(std::uint64_t n) { return n <= 128 ? 2 : 4; }

struct Problem {
  std::uint64_t n;
  std::uint64_t variables;
  std::vector<double> values;  // n values for each variable, normal, rounded to four decimals
  Matrix data;                 // variables x n
  Labels labels;
  std::uint64_t n_1;
};

Problem make_problem(std::uint64_t n, std::uint64_t variables) {
  Problem problem{n,
                  variables,
                  {},
                  Matrix("data", variables, n),
                  Labels("labels", n),
                  std::max<std::uint64_t>(2, n * 11 / 38)};
  auto const labels = Kokkos::create_mirror_view(problem.labels);
  for (std::uint64_t i = 0; i < n; ++i) labels(i) = i < problem.n_1 ? 1 : 0;
  Kokkos::deep_copy(problem.labels, labels);
  std::mt19937_64 generator(n + variables);
  std::normal_distribution<double> normal;
  auto const data = Kokkos::create_mirror_view(problem.data);
  for (std::uint64_t g = 0; g < variables; ++g) {
    double const effect = g % 10 == 0 ? 3 / std::sqrt(static_cast<double>(n)) : 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      double const value = normal(generator) + (i < problem.n_1 ? effect : 0);
      data(g, i) = std::nearbyint(value * 1e4) / 1e4;
    }
  }
  problem.values.resize(variables * n);
  for (std::uint64_t g = 0; g < variables; ++g) {
    for (std::uint64_t i = 0; i < n; ++i) problem.values[g * n + i] = data(g, i);
  }
  Kokkos::deep_copy(problem.data, data);
  return problem;
}

/// The problem that all rows of a size share. Its Views are freed before Kokkos::finalize.
Problem const& problem_of(std::uint64_t n, std::uint64_t variables) {
  static std::optional<Problem> known;
  static bool is_first = true;
  if (std::exchange(is_first, false)) Kokkos::push_finalize_hook([] { known.reset(); });
  if (!known || known->n != n || known->variables != variables) {
    known.reset();
    known = make_problem(n, variables);
  }
  return *known;
}

/// Number of replicates that take some tenths of a second.
std::uint64_t replicates_of(std::uint64_t n, std::uint64_t variables) {
  double const products = perf::runs_on_host ? 2e9 : 4e12;
  auto const wanted = products / (static_cast<double>(variables) *
                                  static_cast<double>(std::max<std::uint64_t>(n, 32)));
  constexpr std::uint64_t unit = 1 << 10;
  // Occupies all multiprocessors of a GPU.
  std::uint64_t const least = perf::runs_on_host ? unit : std::uint64_t{1} << 16;
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted) / unit * unit, least,
                                   std::uint64_t{1} << 20);
}

riffle::PermutationTestsOptions options_of(std::uint64_t replicates) {
  riffle::PermutationTestsOptions options;
  options.replicates = replicates;
  options.seed = seed;
  options.enumerate = false;
  return options;
}

// --- the reference result, by plain loops ---

constexpr std::uint64_t checked_variables = 16;
constexpr std::uint64_t checked_replicates = 1 << 10;

/// For the first variables, the number of the first replicates that are at least as extreme as the data. Sums are integers in
/// units of 10^-4; their distance from the mean orders |t|.
std::vector<std::uint64_t> expected_counts(Problem const& problem) {
  std::uint64_t const n = problem.n;
  Kokkos::View<int**, Memory> const device("permutations", checked_replicates, n);
  riffle::fill_permutations(Exec(), riffle::PermutationScheme::free(n), seed, 0, device);
  auto const permutations = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, device);
  std::vector<std::uint64_t> counts;
  for (std::uint64_t g = 0; g < std::min(checked_variables, problem.variables); ++g) {
    std::vector<std::int64_t> units(n);
    std::int64_t all = 0;
    for (std::uint64_t i = 0; i < n; ++i)
      all += units[i] = std::llround(problem.values[g * n + i] * 1e4);
    auto const distance = [&](auto const& place) {
      std::int64_t sum = 0;
      for (std::uint64_t i = 0; i < problem.n_1; ++i) sum += units[place(i)];
      return std::abs(static_cast<std::int64_t>(n) * sum -
                      static_cast<std::int64_t>(problem.n_1) * all);
    };
    std::int64_t const observed = distance([](std::uint64_t i) { return i; });
    std::uint64_t count = 0;
    for (std::uint64_t r = 0; r < checked_replicates; ++r) {
      count += distance([&](std::uint64_t i) {
                 return static_cast<std::uint64_t>(permutations(r, i));
               }) >= observed;
    }
    counts.push_back(count);
  }
  return counts;
}

void check_counts(Problem const& problem, std::vector<std::uint64_t> const& found) {
  auto const expected = expected_counts(problem);
  for (std::size_t g = 0; g < expected.size(); ++g) {
    if (found.at(g) == expected[g]) continue;
    throw std::runtime_error("variable " + std::to_string(g) + " has " + std::to_string(found[g]) +
                             " extreme replicates, but plain loops find " +
                             std::to_string(expected[g]));
  }
}

// --- the limit ---

/// Products of a warp in registers, combined so that they are not optimised away.
struct MultiplyBytes {
  int products;
  Kokkos::View<int*, Memory> out;

  KOKKOS_FUNCTION void operator()(std::uint64_t thread) const {
    int const lane = static_cast<int>(thread % riffle::backend::width);
    std::int32_t sums[8][4] = {};
    auto const word = static_cast<std::uint32_t>(thread * 2654435761u);
    riffle::backend::ByteRows const rows{{word, word ^ 1, word ^ 2, word ^ 3}};
    riffle::backend::ByteColumns const columns{{word ^ 5, word ^ 7}};
    for (int p = 0; p < products; p += 8) {
      RIFFLE_UNROLL
      for (auto& sum : sums) riffle::backend::multiply_add(lane, sum, rows, columns);
    }
    int folded = 0;
    for (auto const& sum : sums) folded += sum[0] + sum[1] + sum[2] + sum[3];
    out(thread) = folded;
  }
};

/// n multiply-adds per statistic, in vectors of a CPU.
struct MultiplyDoubles {
  std::uint64_t n;
  Doubles out;

  KOKKOS_FUNCTION void operator()(std::uint64_t thread) const {
    constexpr int width = 32;
    double sums[width] = {};
    double const x = 1e-9 * static_cast<double>(thread);
    for (std::uint64_t i = 0; i < n; ++i) {
      for (int r = 0; r < width; ++r) sums[r] = sums[r] * 0.999 + x;
    }
    double folded = 0;
    for (double const sum : sums) folded += sum;
    out(thread) = folded;
  }
};

/// Statistics per second.
double limit_rate(std::uint64_t n) {
  static std::map<std::uint64_t, double> known;
  auto const [entry, is_new] = known.try_emplace(n, 0.0);
  if (!is_new) return entry->second;
  Exec const exec;
  std::uint64_t const threads = perf::runs_on_host ? 1 << 14 : std::uint64_t{1} << 18;
  auto const best = [&](double statistics, auto const& kernel) {
    for (int repetition = 0; repetition < 5; ++repetition) {
      Kokkos::Timer const timer;
      Kokkos::parallel_for("perf::limit", perf::range(exec, threads), kernel);
      exec.fence("perf::limit");
      entry->second = std::max(entry->second, statistics / timer.seconds());
    }
  };
  if constexpr (riffle::backend::has_matrix_units && !perf::runs_on_host) {
    constexpr int products = 1 << 12;
    std::uint64_t const steps = (n + 31) / 32;
    double const of_a_product = 128.0 / static_cast<double>(steps * coarse_digits(n));
    best(of_a_product * products * static_cast<double>(threads / 32),
         MultiplyBytes{products, Kokkos::View<int*, Memory>("out", threads)});
  } else {
    best(32.0 * static_cast<double>(threads), MultiplyDoubles{n, Doubles("out", threads)});
  }
  return entry->second;
}

void report(benchmark::State& state, Problem const& problem, std::uint64_t replicates) {
  using benchmark::Counter;
  double const statistics = static_cast<double>(problem.variables) *
                            static_cast<double>(replicates) *
                            static_cast<double>(state.iterations());
  state.counters["items_per_second"] = Counter(statistics, Counter::kIsRate);
  state.counters["of_limit"] = Counter(statistics / limit_rate(problem.n), Counter::kIsRate);
  state.counters["replicates"] = static_cast<double>(replicates);
}

template <class Row>
void run_row(benchmark::State& state, Row const& row) {
  auto const n = static_cast<std::uint64_t>(state.range(0));
  auto const variables = static_cast<std::uint64_t>(state.range(1));
  perf::run_row(state, 40 * n * variables, [&] {
    Problem const& problem = problem_of(n, variables);
    std::uint64_t const replicates = replicates_of(n, variables);
    row(problem, replicates);
    report(state, problem, replicates);
  });
}

// --- Riffle ---

void tests(benchmark::State& state) {
  run_row(state, [&](Problem const& problem, std::uint64_t replicates) {
    auto const call = [&](std::uint64_t m) {
      return riffle::permutation_tests(Exec(), riffle::StudentT{}, problem.data, problem.labels,
                                       options_of(m));
    };
    auto const checked = call(checked_replicates);
    check_counts(problem, checked.counts.extreme);
    for (auto _ : state) benchmark::DoNotOptimize(call(replicates));
  });
}

/// A test in progress.
class UnderWay {
 public:
  UnderWay(Problem const& problem, std::uint64_t replicates)
      : call_(exec_, "perf::count"),
        scope_(context()),
        scheme_(riffle::PermutationScheme::free(problem.n)),
        plan_(riffle::detail::make_scheme_plan(context(), scope_, scheme_.layout())),
        counting_("perf", context(), riffle::detail::variables::test_data<Exec>(problem.data),
                  model_of(problem), riffle::Alternative::two_sided, replicates) {}

  void count(std::uint64_t replicates) {
    std::uint64_t const step = counting_.batch_size(0);
    for (std::uint64_t done = 0; done < replicates; done += step) {
      counting_.count(plan_, {seed, 0}, done, std::min(step, replicates - done));
    }
    exec_.fence("perf::count");
  }
  std::vector<std::uint64_t> extreme() const { return counting_.extreme(); }
  void draw(std::uint64_t replicates) {
    std::uint64_t const step = counting_.batch_size(0);
    for (std::uint64_t done = 0; done < replicates; done += step) {
      counting_.draw_without_counting(plan_, {seed, 0}, done, std::min(step, replicates - done));
    }
    exec_.fence("perf::draw");
  }

 private:
  riffle::Context<Exec> const& context() const { return call_; }

  static riffle::detail::variables::ColumnModel model_of(Problem const& problem) {
    std::vector<double> labels(problem.n, 0);
    std::fill_n(labels.begin(), problem.n_1, 1);
    return *riffle::detail::variables::model_of("perf", riffle::StudentT{}, labels);
  }

  Exec exec_;
  riffle::detail::Call<Exec> call_;
  riffle::detail::Scope<Exec> scope_;
  riffle::PermutationScheme scheme_;
  riffle::detail::SchemePlan<Memory> plan_;
  riffle::detail::variables::ReplicateCounter<Exec> counting_;
};

void count(benchmark::State& state) {
  run_row(state, [&](Problem const& problem, std::uint64_t replicates) {
    UnderWay checked(problem, checked_replicates);
    checked.count(checked_replicates);
    check_counts(problem, checked.extreme());
    UnderWay test(problem, replicates);
    test.count(replicates);
    for (auto _ : state) test.count(replicates);
  });
}

void draw(benchmark::State& state) {
  run_row(state, [&](Problem const& problem, std::uint64_t replicates) {
    UnderWay test(problem, replicates);
    test.draw(replicates);
    for (auto _ : state) test.draw(replicates);
  });
}

// --- tests built by users ---

/// A comparison of |t|: the distance of the sum of label 1 from its mean, divided by the length of the variable.
struct Observed {
  Doubles mean;       // mean of the sum
  Doubles factor;     // 1 / length
  Doubles threshold;  // observed statistic
};

Observed observe(Problem const& problem) {
  std::uint64_t const n = problem.n;
  Observed observed{Doubles("mean", problem.variables), Doubles("factor", problem.variables),
                    Doubles("threshold", problem.variables)};
  auto const mean = Kokkos::create_mirror_view(observed.mean);
  auto const factor = Kokkos::create_mirror_view(observed.factor);
  auto const threshold = Kokkos::create_mirror_view(observed.threshold);
  for (std::uint64_t g = 0; g < problem.variables; ++g) {
    double all = 0;
    double squares = 0;
    double sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      double const value = problem.values[g * n + i];
      all += value;
      squares += value * value;
      if (i < problem.n_1) sum += value;
    }
    auto const count = static_cast<double>(n);
    mean(g) = all / count * static_cast<double>(problem.n_1);
    factor(g) = 1 / std::sqrt(squares - all * all / count);
    threshold(g) = std::abs(sum - mean(g)) * factor(g) - 1e-9;
  }
  Kokkos::deep_copy(observed.mean, mean);
  Kokkos::deep_copy(observed.factor, factor);
  Kokkos::deep_copy(observed.threshold, threshold);
  return observed;
}

struct LabelsOfPermutations {
  Kokkos::View<int**, Memory> permutations;
  std::uint64_t n_1;
  Matrix labels;  // n x replicates

  KOKKOS_FUNCTION void operator()(std::uint64_t r) const {
    for (std::uint64_t i = 0; i < labels.extent(0); ++i) labels(i, r) = 0;
    for (std::uint64_t i = 0; i < n_1; ++i) {
      labels(static_cast<std::uint64_t>(permutations(r, i)), r) = 1;
    }
  }
};

#if defined(RIFFLE_HAS_KOKKOS_KERNELS)
/// A thread for each variable counts; a thread for each replicate finds the maximum.
struct CountProduct {
  Matrix product;  // variables x replicates
  Observed observed;
  Counts extreme;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    std::uint64_t count = 0;
    for (std::uint64_t r = 0; r < product.extent(1); ++r) {
      double const distance = Kokkos::abs(product(g, r) - observed.mean(g)) * observed.factor(g);
      product(g, r) = distance;
      count += distance >= observed.threshold(g);
    }
    extreme(g) += count;
  }
};

struct MaximaOfProduct {
  Matrix product;
  Doubles maxima;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const r = static_cast<std::uint64_t>(team.league_rank());
    double maximum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, product.extent(0)),
        [&](std::uint64_t g, double& largest) { largest = Kokkos::max(largest, product(g, r)); },
        Kokkos::Max<double>(maximum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { maxima(r) = maximum; });
  }
};

/// Works in batches whose product has at most 2^28 elements.
class Unfused {
 public:
  explicit Unfused(Problem const& problem)
      : problem_(problem),
        observed_(observe(problem)),
        batch_(std::clamp<std::uint64_t>((std::uint64_t{1} << 28) / problem.variables / 1024 * 1024,
                                         1024, 1 << 16)),
        permutations_("permutations", batch_, problem.n),
        labels_("labels", problem.n, batch_),
        product_("product", problem.variables, batch_),
        maxima_("maxima", batch_),
        extreme_("extreme", problem.variables) {}

  void count(std::uint64_t replicates) {
    for (std::uint64_t done = 0; done < replicates; done += batch_) {
      count_batch(done, std::min(batch_, replicates - done));
    }
    exec_.fence("perf::unfused");
  }

  std::vector<std::uint64_t> extreme() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, extreme_);
    return {host.data(), host.data() + host.extent(0)};
  }

 private:
  void count_batch(std::uint64_t first, std::uint64_t count) {
    auto const of_batch = std::make_pair<std::uint64_t, std::uint64_t>(0, std::uint64_t{count});
    auto const permutations = Kokkos::subview(permutations_, of_batch, Kokkos::ALL);
    riffle::fill_permutations(exec_, riffle::PermutationScheme::free(problem_.n), seed, first,
                              permutations);
    Kokkos::parallel_for("perf::labels", perf::range(exec_, count),
                         LabelsOfPermutations{permutations_, problem_.n_1, labels_});
    auto const labels = Kokkos::subview(labels_, Kokkos::ALL, of_batch);
    Matrix const product = Kokkos::subview(product_, Kokkos::ALL, of_batch);
    KokkosBlas::gemm(exec_, "N", "N", 1.0, problem_.data, labels, 0.0, product);
    Kokkos::parallel_for("perf::count", perf::range(exec_, problem_.variables),
                         CountProduct{product, observed_, extreme_});
    Kokkos::parallel_for("perf::maxima",
                         Kokkos::TeamPolicy<Exec>(exec_, static_cast<int>(count), Kokkos::AUTO),
                         MaximaOfProduct{product, maxima_});
  }

  Exec exec_;
  Problem const& problem_;
  Observed observed_;
  std::uint64_t batch_;
  Kokkos::View<int**, Memory> permutations_;
  Matrix labels_;
  Matrix product_;
  Doubles maxima_;
  Counts extreme_;
};

void unfused(benchmark::State& state) {
  run_row(state, [&](Problem const& problem, std::uint64_t replicates) {
    Unfused checked(problem);
    checked.count(checked_replicates);
    check_counts(problem, checked.extreme());
    for (auto _ : state) checked.count(replicates);
  });
}
#endif

/// A thread multiplies one replicate with all variables.
struct OwnKernel {
  Matrix data;
  Matrix labels;
  Observed observed;
  Counts extreme;
  Doubles maxima;

  KOKKOS_FUNCTION void operator()(std::uint64_t r) const {
    double maximum = 0;
    for (std::uint64_t g = 0; g < data.extent(0); ++g) {
      double sum = 0;
      for (std::uint64_t i = 0; i < data.extent(1); ++i) sum += data(g, i) * labels(i, r);
      double const distance = Kokkos::abs(sum - observed.mean(g)) * observed.factor(g);
      maximum = Kokkos::max(maximum, distance);
      if (distance >= observed.threshold(g)) Kokkos::atomic_add(&extreme(g), std::uint64_t{1});
    }
    maxima(r) = maximum;
  }
};

void own_kernel(benchmark::State& state) {
  auto const n = static_cast<std::uint64_t>(state.range(0));
  auto const variables = static_cast<std::uint64_t>(state.range(1));
  perf::run_row(state, 40 * n * variables, [&] {
    Problem const& problem = problem_of(n, variables);
    std::uint64_t const m = perf::runs_on_host ? checked_replicates : std::uint64_t{1} << 15;
    Exec const exec;
    Kokkos::View<int**, Memory> const permutations("permutations", m, n);
    riffle::fill_permutations(exec, riffle::PermutationScheme::free(n), seed, 0, permutations);
    Matrix const labels("labels", n, m);
    Kokkos::parallel_for("perf::labels", perf::range(exec, m),
                         LabelsOfPermutations{permutations, problem.n_1, labels});
    OwnKernel const kernel{problem.data, labels, observe(problem), Counts("extreme", variables),
                           Doubles("maxima", m)};
    auto const run = [&](std::uint64_t replicates) {
      Kokkos::parallel_for("perf::own", perf::range(exec, replicates), kernel);
      exec.fence("perf::own");
    };
    run(checked_replicates);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, kernel.extreme);
    check_counts(problem, {host.data(), host.data() + variables});
    for (auto _ : state) run(m);
    report(state, problem, m);
  });
}

void limit(benchmark::State& state) {
  auto const n = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(limit_rate(n));
  state.counters["limit_per_second"] = limit_rate(n);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"n", "G"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (std::int64_t const n : {20, 38, 100, 500, 2000}) {
    for (std::int64_t const variables : {1000, 3051, 10000, 50000, 1000000}) {
      if (n * variables <= 100'000'000) benchmark->Args({n, variables});
    }
  }
}

void lengths(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("n")->Iterations(1)->Unit(benchmark::kMillisecond);
  for (std::int64_t const n : {20, 38, 100, 500, 2000}) benchmark->Arg(n);
}

BENCHMARK(limit)->Name("Limit")->Apply(lengths);
BENCHMARK(count)->Name("Count")->Apply(sizes);
BENCHMARK(draw)->Name("Draw")->Apply(sizes);
BENCHMARK(tests)->Name("Tests")->Apply(sizes);
#if defined(RIFFLE_HAS_KOKKOS_KERNELS)
BENCHMARK(unfused)->Name("Unfused")->Apply(sizes);
#endif
BENCHMARK(own_kernel)->Name("OwnKernel")->Apply(sizes);

}  // namespace
