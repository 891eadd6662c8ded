// The rate of arrangements of permutation tests that enumerate all of them.
//
// For each test by riffle::permutation_test there are, in the same process, the rows
//   Random    the same test with the same number of random arrangements,
//   OwnLoop   a user's loop on one CPU thread: std::next_permutation of the labels, or of the second members of the pairs, and
//             a sum that orders arrangements as the statistic does.
// The data are integers, so OwnLoop is exact. Every row compares its counts with OwnLoop's before it is timed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <riffle/monte_carlo/permutation_test.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Values = Kokkos::View<double*, Exec>;

Values on_device(std::vector<int> const& numbers) {
  Values const values("values", numbers.size());
  auto const host = Kokkos::create_mirror_view(values);
  for (std::size_t i = 0; i < numbers.size(); ++i) host(i) = numbers[i];
  Kokkos::deep_copy(values, host);
  return values;
}

std::vector<int> integers(std::size_t count) {
  std::mt19937_64 generator(count);
  std::vector<int> numbers(count);
  for (int& number : numbers) number = static_cast<int>(generator() % 1000);
  return numbers;
}

riffle::PermutationTestOptions options(std::uint64_t replicates, bool enumerate) {
  riffle::PermutationTestOptions chosen;
  chosen.replicates = replicates;
  chosen.seed = 1;
  chosen.alternative = riffle::Alternative::greater;
  chosen.enumerate = enumerate;
  return chosen;
}

struct Arrangements {
  std::uint64_t count = 0;
  std::uint64_t extreme = 0;  // at least the observed one
};

/// Enumerates the distinct arrangements of `labels`, which must be sorted; score(labels) orders them.
template <class Score>
Arrangements own_loop(std::vector<int> labels, std::int64_t observed, Score const& score) {
  Arrangements found;
  do {
    ++found.count;
    found.extreme += score(labels) >= observed;
  } while (std::next_permutation(labels.begin(), labels.end()));
  return found;
}

/// Two samples of size n.
struct TwoSamples {
  explicit TwoSamples(std::size_t n)
      : numbers(integers(2 * n)),
        x(on_device({numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(n)})),
        y(on_device({numbers.begin() + static_cast<std::ptrdiff_t>(n), numbers.end()})) {}

  Arrangements enumerate_alone() const {
    std::vector<int> labels(numbers.size(), 1);
    std::fill_n(labels.begin(), numbers.size() / 2, 0);
    auto const score = [&](std::vector<int> const& g) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < g.size(); ++i) sum += g[i] == 0 ? numbers[i] : 0;
      return sum;
    };
    return own_loop(labels, score(labels), score);
  }
  auto test(riffle::PermutationTestOptions const& chosen) const {
    return riffle::permutation_test(Exec(), riffle::DifferenceOfMeans{}, x, y, chosen);
  }

  std::vector<int> numbers;
  Values x;
  Values y;
};

/// Three groups of size n; F increases with the sum of the squared sums of the groups.
struct ThreeGroups {
  explicit ThreeGroups(std::size_t n) : numbers(integers(3 * n)), x(on_device(numbers)) {
    for (std::size_t i = 0; i < numbers.size(); ++i) own.push_back(static_cast<int>(i / n));
    labels = Kokkos::View<int*, Exec>("labels", own.size());
    Kokkos::deep_copy(labels, Kokkos::View<int const*, Kokkos::HostSpace>(own.data(), own.size()));
  }

  Arrangements enumerate_alone() const {
    auto const score = [&](std::vector<int> const& g) {
      std::array<std::int64_t, 3> sums{};
      for (std::size_t i = 0; i < g.size(); ++i) sums[static_cast<std::size_t>(g[i])] += numbers[i];
      return sums[0] * sums[0] + sums[1] * sums[1] + sums[2] * sums[2];
    };
    return own_loop(own, score(own), score);
  }
  auto test(riffle::PermutationTestOptions const& chosen) const {
    return riffle::permutation_test(Exec(), riffle::FStatistic{}, x, labels, chosen);
  }

  std::vector<int> numbers;
  std::vector<int> own;
  Values x;
  Kokkos::View<int*, Exec> labels;
};

/// n pairs; their correlation increases with the sum of products.
struct Pairs {
  explicit Pairs(std::size_t n) : first(integers(n)), second(integers(n + 1)), x(on_device(first)) {
    second.resize(n);
    y = on_device(second);
  }

  Arrangements enumerate_alone() const {
    std::vector<int> places(first.size());
    std::iota(places.begin(), places.end(), 0);
    auto const score = [&](std::vector<int> const& p) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < p.size(); ++i) {
        sum += std::int64_t{first[i]} * second[static_cast<std::size_t>(p[i])];
      }
      return sum;
    };
    return own_loop(places, score(places), score);
  }
  auto test(riffle::PermutationTestOptions const& chosen) const {
    return riffle::permutation_test(Exec(), riffle::PearsonCorrelation{}, x, y, chosen);
  }

  std::vector<int> first;
  std::vector<int> second;
  Values x;
  Values y;
};

template <class Problem>
Arrangements known(std::size_t n, Problem const& problem) {
  static std::map<std::size_t, Arrangements> found;
  auto const [entry, is_new] = found.try_emplace(n);
  if (is_new) entry->second = problem.enumerate_alone();
  return entry->second;
}

void report(benchmark::State& state, std::uint64_t arrangements) {
  auto const all = static_cast<double>(arrangements) * static_cast<double>(state.iterations());
  state.counters["arrangements"] = static_cast<double>(arrangements);
  state.counters["arrangements_per_second"] = benchmark::Counter(all, benchmark::Counter::kIsRate);
}

template <class Problem, bool Enumerate>
void riffle_test(benchmark::State& state) {
  auto const n = static_cast<std::size_t>(state.range(0));
  Problem const problem(n);
  Arrangements const expected = known(n, problem);
  auto const chosen = options(expected.count, Enumerate);
  auto const found = problem.test(chosen);
  double const p = static_cast<double>(expected.extreme) / static_cast<double>(expected.count);
  double const error = 5 * std::sqrt(p * (1 - p) / static_cast<double>(expected.count));
  double const difference =
      static_cast<double>(found.greater_equal) / static_cast<double>(expected.count) - p;
  bool const agrees =
      Enumerate ? found.greater_equal == expected.extreme : std::abs(difference) < error;
  if (found.exact != Enumerate || !agrees) {
    return state.SkipWithError("the counts differ from OwnLoop's");
  }
  for (auto _ : state) benchmark::DoNotOptimize(problem.test(chosen));
  report(state, expected.count);
}

template <class Problem>
void own_loop_row(benchmark::State& state) {
  auto const n = static_cast<std::size_t>(state.range(0));
  Problem const problem(n);
  for (auto _ : state) benchmark::DoNotOptimize(problem.enumerate_alone());
  report(state, known(n, problem).count);
}

template <class Problem>
void register_problem(std::string const& name, std::vector<std::int64_t> const& sizes) {
  auto const add = [&](std::string const& what, void (*row)(benchmark::State&)) {
    auto* const benchmark = benchmark::RegisterBenchmark((what + "/" + name).c_str(), row);
    benchmark->ArgName("n")->UseRealTime()->Unit(benchmark::kMillisecond);
    for (auto const n : sizes) benchmark->Arg(n);
  };
  add("Enumerated", riffle_test<Problem, true>);
  add("Random", riffle_test<Problem, false>);
  add("OwnLoop", own_loop_row<Problem>);
}

[[maybe_unused]] bool const is_registered = [] {
  register_problem<TwoSamples>("DifferenceOfMeans", {10, 12});
  register_problem<ThreeGroups>("FStatistic", {4, 5});
  register_problem<Pairs>("PearsonCorrelation", {9, 10});
  return true;
}();

}  // namespace
