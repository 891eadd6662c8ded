// The kernel that counts replicates on a GPU, run on an emulated GPU, and the kernel for CPUs, compared with plain
// loops.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/variables/count_batch.hpp>
#include <riffle/monte_carlo/detail/variables/per_variable_n.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/views.hpp"

namespace riffle::test::count_gpu_test {
namespace {

using namespace detail::variables;

using Host = Kokkos::DefaultHostExecutionSpace;
using Memory = Host::memory_space;
using Numbers = std::vector<double>;

constexpr std::uint64_t n = 5;

struct Problem {
  Comparison comparison;
  std::uint64_t variables;
  std::uint64_t first;  // of the batch among all replicates
  std::uint64_t count;  // of the batch
  Numbers values;       // variables x n
  Numbers columns;      // (columns x n) x replicates
  std::vector<VariableTerms> terms;

  std::uint64_t width() const {
    return static_cast<std::uint64_t>(comparison.effects + comparison.adjustments);
  }
};

/// Small whole numbers, so that there are ties; every fifth variable is not tested.
Problem make_problem(Form form, int columns, std::uint64_t variables, std::uint64_t count) {
  std::mt19937_64 generator(variables * 1000 + count);
  auto const small = [&] { return static_cast<double>(generator() % 7) - 3; };
  Problem problem;
  problem.comparison.form = form;
  problem.comparison.alternative =
      form == Form::share ? Alternative::greater : Alternative::two_sided;
  problem.comparison.effects =
      form == Form::share || form == Form::per_variable_share ? columns : 1;
  problem.comparison.adjustments = columns - problem.comparison.effects;
  problem.comparison.n_1 = 2;
  problem.comparison.n_2 = 3;
  for (int k = 0; k < columns; ++k) {
    problem.comparison.scales[static_cast<std::size_t>(k)] = 0.5 / (k + 1);
  }
  problem.variables = variables;
  problem.first = 3;
  problem.count = count;
  for (std::uint64_t at = 0; at < variables * n; ++at) problem.values.push_back(small());
  for (std::uint64_t at = 0; at < problem.width() * n * count; ++at) {
    problem.columns.push_back(form == Form::welch ? static_cast<double>(generator() % 2) : small());
  }
  for (std::uint64_t g = 0; g < variables; ++g) {
    VariableTerms terms;
    if (g % 5 != 4) {
      terms.factor = 0.25;
      terms.squares = form == Form::welch ? 60 : 400;
      terms.base = form == Form::welch ? 1 : 0.5;
      terms.shift = 0;
      terms.threshold = 0.25 * static_cast<double>(generator() % 5);
    }
    problem.terms.push_back(terms);
  }
  double least = HUGE_VAL;
  for (auto terms = problem.terms.rbegin(); terms != problem.terms.rend(); ++terms) {
    if (terms->factor == 0) continue;
    terms->step_down_threshold = least = std::min(least, terms->threshold);
  }
  return problem;
}

struct Counted {
  std::vector<std::uint64_t> raw;
  std::vector<std::uint64_t> step_down;
  Numbers maxima;
};

void expect_same(Counted const& found, Counted const& expected) {
  EXPECT_EQ(found.raw, expected.raw);
  EXPECT_EQ(found.step_down, expected.step_down);
  EXPECT_EQ(found.maxima, expected.maxima);
}

/// Computes one replicate and one variable after the other.
Counted oracle(Problem const& problem, std::uint64_t padded) {
  Counted counted{std::vector<std::uint64_t>(padded), std::vector<std::uint64_t>(padded),
                  Numbers(problem.first + problem.count + 2, -7)};
  auto const& comparison = problem.comparison;
  for (std::uint64_t r = 0; r < problem.count; ++r) {
    double running = -HUGE_VAL;
    for (std::uint64_t g = 0; g < problem.variables; ++g) {
      Numbers sums(problem.width());
      double square_sum = 0;
      for (std::uint64_t k = 0; k < problem.width(); ++k) {
        for (std::uint64_t i = 0; i < n; ++i) {
          double const y = problem.values[g * n + i];
          double const x = problem.columns[(k * n + i) * problem.count + r];
          sums[k] += y * x;
          square_sum += y * y * x;
        }
      }
      auto const& terms = problem.terms[g];
      double value = 0;
      if (comparison.is_simple()) {
        value = comparison.simple(sums[0], terms);
      } else if (comparison.form == Form::welch) {
        value = comparison.welch(sums[0], square_sum, terms.base, terms.squares, terms);
      } else {
        Explained explained;
        for (std::uint64_t k = 0; k < problem.width(); ++k) {
          comparison.add(static_cast<int>(k), sums[k], explained);
        }
        value = comparison(explained, terms);
      }
      running = std::max(running, value);
      counted.raw[g] += value >= terms.threshold ? 1u : 0u;
      counted.step_down[g] += running >= terms.step_down_threshold ? 1u : 0u;
    }
    counted.maxima[problem.first + r] = running;
  }
  return counted;
}

/// The layout of kernels. The values after the last variable and the last replicate would be counted if they were read.
template <int V, int Width>
CountedBatch<Memory, V, Width> make_batch(Problem const& problem) {
  std::uint64_t const padded = (problem.variables + V - 1) / V * V;
  std::uint64_t const chunks = (problem.count + Width - 1) / Width;
  Blocks<Memory, V> const blocks{Array<Memory>("blocks", padded * n),
                                 Kokkos::View<VariableTerms*, Memory>("terms", padded), n};
  for (std::uint64_t place = 0; place < padded; ++place) {
    for (std::uint64_t i = 0; i < n; ++i) {
      blocks.values((place / V * n + i) * V + place % V) =
          place < problem.variables ? problem.values[place * n + i] : 0;
    }
    blocks.terms(place) = place < problem.variables ? problem.terms[place] : VariableTerms{};
  }
  ReplicateColumns<Memory, Width> const columns{
      Array<Memory>("columns", chunks * problem.width() * n * Width), n,
      static_cast<int>(problem.width())};
  Kokkos::deep_copy(columns.entries, 1e6);
  for (std::uint64_t r = 0; r < problem.count; ++r) {
    for (std::uint64_t at = 0; at < problem.width() * n; ++at) {
      columns.entries((r / Width * problem.width() * n + at) * Width + r % Width) =
          problem.columns[at * problem.count + r];
    }
  }
  Array<Memory> const maxima("maxima", problem.first + problem.count + 2);
  Kokkos::deep_copy(maxima, -7);
  return {blocks,
          columns,
          problem.comparison,
          Counts<Memory>("raw", padded),
          Counts<Memory>("step_down", padded),
          maxima,
          problem.first,
          problem.count};
}

/// Step-down counts of untested variables are unspecified: infinite maxima reach their thresholds.
void forget_untested(Problem const& problem, Counted& counted) {
  for (std::size_t g = 0; g < counted.step_down.size(); ++g) {
    bool const is_tested = g < problem.terms.size() && problem.terms[g].factor != 0;
    if (!is_tested) counted.step_down[g] = 0;
  }
}

template <class Batch>
Counted counted_by(Batch const& batch, Problem const& problem) {
  Counted counted{to_vector(batch.raw), to_vector(batch.step_down), to_vector(batch.maxima)};
  forget_untested(problem, counted);
  return counted;
}

template <int V>
Counted count_on_cpu(Problem const& problem) {
  constexpr int width = 8;
  using Kernel = CountOnCpu<Memory, V, width>;
  auto const batch = make_batch<V, width>(problem);
  std::uint64_t const chunks = (problem.count + width - 1) / width;
  for (std::uint64_t unit = 0; unit * Kernel::chunks_at_once < chunks; ++unit) Kernel{batch}(unit);
  return counted_by(batch, problem);
}

template <int V>
Counted count_on_gpu(Problem const& problem, int resident, std::uint64_t seed) {
  constexpr int width = 64;
  using Kernel = CountOnGpu<Memory, V, width>;
  auto const batch = make_batch<V, width>(problem);
  constexpr int per_team = width * Kernel::threads / backend::width;
  EmulatedGpu gpu(resident, seed);
  gpu.run((static_cast<int>(problem.count) + per_team - 1) / per_team, Kernel::threads,
          Kernel::scratch_bytes, Kernel{batch});
  return counted_by(batch, problem);
}

template <int V>
void expect_counts(Problem const& problem) {
  SCOPED_TRACE(std::to_string(problem.variables) + " variables, " + std::to_string(problem.count) +
               " replicates, form " + std::to_string(static_cast<int>(problem.comparison.form)));
  auto expected = oracle(problem, (problem.variables + V - 1) / V * V);
  forget_untested(problem, expected);
  expect_same(count_on_cpu<V>(problem), expected);
  expect_same(count_on_gpu<V>(problem, 2, 1), expected);
}

// Around the replicates of a lane, of a warp, of a team, and of a CPU's unit of 128.
TEST(CountOnEmulatedGpu, ReplicatesOfPartialChunks) {
  for (std::uint64_t const count : {1u, 31u, 33u, 63u, 64u, 65u, 127u, 129u, 255u, 257u, 300u}) {
    expect_counts<8>(make_problem(Form::correlation, 1, 11, count));
  }
}

TEST(CountOnEmulatedGpu, VariablesOfPartialBlocks) {
  for (std::uint64_t const variables : {1u, 7u, 8u, 9u, 21u}) {
    expect_counts<8>(make_problem(Form::correlation, 1, variables, 70));
    expect_counts<4>(make_problem(Form::correlation, 1, variables, 70));
  }
}

TEST(CountOnEmulatedGpu, AllForms) {
  expect_counts<8>(make_problem(Form::correlation, 3, 11, 70));
  expect_counts<8>(make_problem(Form::share, 2, 11, 70));
  expect_counts<8>(make_problem(Form::share, 4, 11, 130));
  expect_counts<4>(make_problem(Form::welch, 1, 11, 70));
}

// --- per-variable sample sizes ---

/// Makes a batch with values, masks and links of whole numbers; each fifth variable is not tested.
template <int V, int Width>
PerVariableBatch<Memory, V, Width> make_per_variable_batch(Form form, bool ranks_column) {
  auto problem = make_problem(form, form == Form::per_variable_share ? 3 : 1, 11, 70);
  problem.comparison.form = form;
  for (double& x : problem.columns) x = ranks_column ? x : static_cast<double>(x > 0);
  PerVariableBatch<Memory, V, Width> batch{make_batch<V, Width>(problem), {}};
  batch.own.form = form;
  batch.own.groups = problem.comparison.effects;
  batch.own.ranks_column = ranks_column;
  batch.own.is_binary = !ranks_column;
  batch.blocks.masks = Array<Memory>("masks", batch.blocks.values.size());
  std::mt19937_64 generator(7);
  for (std::uint64_t place = 0; place < batch.blocks.terms.extent(0); ++place) {
    double next = n;
    auto& terms = batch.blocks.terms(place);
    terms.n = terms.base = terms.squares = 0;
    for (std::uint64_t i = n; i-- > 0;) {
      std::uint64_t const at = (place / V * n + i) * V + place % V;
      bool const is_there = i < 3 || generator() % 2 == 0;
      if (!is_there) next = static_cast<double>(i);
      batch.blocks.masks(at) = ranks_column ? next : is_there ? 1 : 0;
      if (!is_there) batch.blocks.values(at) = 0;
      double const y = batch.blocks.values(at);
      terms.n += is_there ? 1 : 0;
      terms.base += y;
      terms.squares += y * y;
    }
    if (form != Form::per_variable_welch)
      terms.squares = terms.n * terms.squares - terms.base * terms.base;
    if (terms.shift == 0) terms.factor = terms.threshold = 0.25;
  }
  return batch;
}

/// Compares counts with plain loops, with the variables per block and replicates per chunk of a GPU, and of a CPU.
void expect_per_variable_counts(Form form, bool ranks_column) {
  SCOPED_TRACE("form " + std::to_string(static_cast<int>(form)));
  auto const on_cpu = make_per_variable_batch<4, 8>(form, ranks_column);
  using OnCpu = CountOnCpu<Memory, 4, 8, PerVariableBatch<Memory, 4, 8>>;
  OnCpu{on_cpu}(0);
  auto const on_gpu = make_per_variable_batch<4, 64>(form, ranks_column);
  using OnGpu = CountOnGpu<Memory, 4, 64, PerVariableBatch<Memory, 4, 64>>;
  EmulatedGpu gpu(2, 1);
  gpu.run(1, OnGpu::threads, OnGpu::scratch_bytes, OnGpu{on_gpu});
  EXPECT_EQ(to_vector(on_gpu.raw), to_vector(on_cpu.raw));
  EXPECT_EQ(to_vector(on_gpu.step_down), to_vector(on_cpu.step_down));
  auto const maxima = to_vector(on_gpu.maxima);
  EXPECT_EQ(maxima, to_vector(on_cpu.maxima));
  EXPECT_GT(*std::max_element(maxima.begin(), maxima.end()), 0.25);
}

TEST(CountOnEmulatedGpu, PerVariableSampleSizes) {
  expect_per_variable_counts(Form::per_variable_t, false);
  expect_per_variable_counts(Form::per_variable_welch, false);
  expect_per_variable_counts(Form::per_variable_share, false);
  expect_per_variable_counts(Form::per_variable_correlation, false);
  expect_per_variable_counts(Form::per_variable_correlation, true);
}

TEST(CountOnEmulatedGpu, TurnsDoNotChangeResults) {
  auto const problem = make_problem(Form::correlation, 1, 13, 600);
  auto const expected = count_on_gpu<8>(problem, 1, 1);
  for (std::uint64_t const seed : {2u, 3u})
    expect_same(count_on_gpu<8>(problem, 3, seed), expected);
}

}  // namespace
}  // namespace riffle::test::count_gpu_test
