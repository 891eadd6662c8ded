// Permutation tests of variables with missing values compared with textbook formulas for the values that are present,
// over all arrangements and over random ones.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_scheme_views.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/per_variable_n_oracle.hpp"
#include "support/permutation_tests_oracle.hpp"
#include "support/permutation_tests_problems.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_tests_per_variable_n_test {
namespace {

using By = std::vector<double>;

double const nan_value = std::numeric_limits<double>::quiet_NaN();

struct Question {
  OracleStatistic which;
  By by;

  bool has_one_tail() const {
    return which == OracleStatistic::f || which == OracleStatistic::kruskal;
  }
  bool flips() const { return which == OracleStatistic::one_sample; }
};

/// Two unequal samples, three groups, covariates with ties and without.
std::vector<Question> questions(std::size_t n) {
  By labels(n);
  By groups(n);
  By covariate(n);
  By real(n);
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = i > n / 2 ? 1 : 0;
    groups[i] = static_cast<double>(i % 3);
    covariate[i] = static_cast<double>((i * i) % 5) + 1e6;
    real[i] = std::sqrt(static_cast<double>(7 * i % 11 + 2)) - 5;
  }
  return {{OracleStatistic::student, labels},      {OracleStatistic::welch, labels},
          {OracleStatistic::mann_whitney, labels}, {OracleStatistic::f, groups},
          {OracleStatistic::kruskal, groups},      {OracleStatistic::pearson, covariate},
          {OracleStatistic::pearson, real},        {OracleStatistic::spearman, covariate},
          {OracleStatistic::spearman, real},       {OracleStatistic::one_sample, {}}};
}

void lose(HostileVariables& variables, std::size_t g, std::size_t i) {
  variables.values[g][i] = nan_value;
  variables.paper[g][i] = nan_value;
}

/// Removes values at random places of most variables. Some variables have no value, one, two or three, equal ones, or
/// lack the first or the last half.
HostileVariables with_gaps(HostileVariables variables, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::size_t const n = variables.values[0].size();
  // Complete variables. The last one is very far from 0: with sign changes its t is nearly infinite if values are real.
  auto const is_complete = [](std::size_t g) { return g < 3 || g == 4; };
  for (std::size_t g = 0; g < variables.count(); ++g) {
    variables.is_missing[g] = false;
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isnan(variables.values[g][i])) lose(variables, g, i);
      if (!is_complete(g) && generator() % 5 == 0) lose(variables, g, i);
    }
  }
  std::size_t const first = variables.count();
  for (std::size_t left = 0; left < 4; ++left) {
    variables.add(small_numbers(n, 9, seed + left), 10, true);
    for (std::size_t i = left; i < n; ++i) lose(variables, first + left, i * 5 % n);
  }
  for (std::size_t const half : {0, 1}) {
    variables.add(small_numbers(n, 9, seed + 4), 1);
    for (std::size_t i = 0; i < n; ++i) {
      if ((i > n / 2) == (half == 1)) lose(variables, variables.count() - 1, i);
    }
  }
  variables.add(PaperRow(n, 3), 10, true);
  variables.add(small_numbers(n, 1, seed + 5), 1);
  for (std::size_t i = 1; i < n; i += 3) {
    lose(variables, variables.count() - 2, i);
    lose(variables, variables.count() - 1, i);
  }
  return variables;
}

Alternative alternative_of_side(int side) {
  if (side == 0) return Alternative::two_sided;
  return side > 0 ? Alternative::greater : Alternative::less;
}

/// Maps infinite values to the ends of a finite scale.
double bounded(long double x) {
  if (std::isinf(x)) return x > 0 ? 1 : -1;
  return static_cast<double>(x / std::sqrt(1 + x * x));
}

/// A few rounding errors if all numbers are exact; more if values are rounded to whole numbers, and half of the bits
/// for Welch's t.
double tolerance(Question const& question, HostileVariables const& variables) {
  bool const is_whole = std::all_of(question.by.begin(), question.by.end(),
                                    [](double x) { return x == std::floor(x); });
  if (!is_whole && question.which == OracleStatistic::pearson) return 1e-6;
  if (variables.are_all_decimals) return 1e-13;
  return question.which == OracleStatistic::welch ? 1e-5 : 1e-11;
}

template <class Exec>
class PermutationTestsPerVariableNTest : public ::testing::Test {
 protected:
  static PermutationTestsResult run(Question const& question, HostileVariables const& variables,
                                    PermutationTestsOptions options, Exec const& exec = {}) {
    options.missing = MissingValues::leave_value_out;
    return run_as_told(question, variables, options, exec);
  }

  static PermutationTestsResult run_as_told(Question const& question,
                                            HostileVariables const& variables,
                                            PermutationTestsOptions const& options,
                                            Exec const& exec = {}) {
    std::size_t const n = variables.values[0].size();
    auto const data = make_matrix<Exec, double, Kokkos::LayoutRight>(variables.count(), n);
    std::vector<double> all;
    for (auto const& row : variables.values) all.insert(all.end(), row.begin(), row.end());
    fill(data, all);
    auto const by = to_view<Exec>(question.by);
    switch (question.which) {
      case OracleStatistic::student: return permutation_tests(exec, StudentT{}, data, by, options);
      case OracleStatistic::welch: return permutation_tests(exec, WelchT{}, data, by, options);
      case OracleStatistic::mann_whitney:
        return permutation_tests(exec, MannWhitneyU{}, data, by, options);
      case OracleStatistic::f: return permutation_tests(exec, FStatistic{}, data, by, options);
      case OracleStatistic::kruskal:
        return permutation_tests(exec, KruskalWallisH{}, data, by, options);
      case OracleStatistic::pearson:
        return permutation_tests(exec, PearsonCorrelation{}, data, by, options);
      case OracleStatistic::spearman:
        return permutation_tests(exec, SpearmanCorrelation{}, data, by, options);
      case OracleStatistic::one_sample: break;
    }
    return permutation_tests(exec, OneSampleT{}, data, options);
  }

  static void expect_p(double p, std::uint64_t count, std::uint64_t counted,
                       PermutationTestsResult const& found, std::string const& name) {
    std::uint64_t const m = found.replicates;
    ASSERT_EQ(count * m % counted, 0u) << name;
    double const added = found.exact ? 0 : 1;
    EXPECT_EQ(p,
              (static_cast<double>(count * m / counted) + added) / (static_cast<double>(m) + added))
        << name << ": " << count * m / counted << " of " << m;
  }

  static void expect_table(Question const& question, HostileVariables const& variables,
                           OracleTable const& table, std::vector<bool> const& tested,
                           PermutationTestsResult const& found) {
    std::uint64_t const counted = table.maxima.size();
    for (std::size_t g = 0; g < variables.count(); ++g) {
      std::string const name = "variable " + std::to_string(g);
      ObservedSample const own(variables.paper[g], question.by);
      EXPECT_EQ(found.observations(g), own.y.size()) << name;
      auto const status = tested[g]                       ? VariableStatus::tested
                          : !is_defined_of(question, own) ? VariableStatus::missing_values
                                                          : VariableStatus::no_variation;
      EXPECT_EQ(found.status(g), status) << name;
      if (!tested[g]) {
        EXPECT_EQ(found.extreme(g), 0u) << name;
        for (double const x : {found.statistic(g), found.p(g), found.p_single_step(g),
                               found.p_step_down(g), found.p_false_discovery(g)}) {
          EXPECT_TRUE(std::isnan(x)) << name << ": " << x;
        }
      } else {
        EXPECT_NEAR(bounded(found.statistic(g)), bounded(table.statistic[g]),
                    tolerance(question, variables))
            << name << ": " << found.statistic(g);
        expect_p(found.p(g), table.extreme[g], counted, found, name + ", p");
        expect_p(found.p_single_step(g), table.single_step[g], counted, found,
                 name + ", single step");
        expect_p(found.p_step_down(g), table.step_down[g], counted, found, name + ", step-down");
      }
    }
  }

  static bool is_defined_of(Question const& question, ObservedSample const& own) {
    return !own.y.empty() && is_defined(question.which, own, question.by);
  }

  static std::vector<bool> tested_of(Question const& question, HostileVariables const& variables) {
    std::vector<bool> tested;
    for (auto const& row : variables.paper) {
      tested.push_back(is_defined_of(question, ObservedSample(row, question.by)) &&
                       is_tested(question.which, row));
    }
    return tested;
  }

  static void expect_arrangements(Question const& question, HostileVariables const& variables,
                                  PermutationTestsOptions options,
                                  std::vector<OracleArrangement> const& arrangements) {
    auto const tested = tested_of(question, variables);
    for (int const side : {0, 1, -1}) {
      if (question.has_one_tail() && side < 0) continue;
      SCOPED_TRACE("statistic " + std::to_string(static_cast<int>(question.which)) + ", side " +
                   std::to_string(side));
      options.alternative = alternative_of_side(side);
      auto const table = oracle_table_of(
          without_offsets(question.which, variables.paper), side, tested, arrangements,
          [&](PaperRow const& row) {
            return statistic_of_sample(question.which, row, question.by);
          },
          [&](PaperRow const& row) {
            return maximised_of_sample(question.which, row, question.by);
          });
      auto const found = run(question, variables, options);
      expect_table(question, variables, table, tested, found);
      if (found.exact) continue;
      ASSERT_EQ(found.maxima.extent(0), table.maxima.size());
      for (std::size_t r = 0; r < table.maxima.size(); ++r) {
        EXPECT_NEAR(bounded(found.maxima(r)), bounded(table.maxima[r]),
                    tolerance(question, variables))
            << "maximum of replicate " << r;
      }
    }
  }

  static void expect_all(HostileVariables const& variables) {
    std::size_t const n = variables.values[0].size();
    PermutationTestsOptions options;
    options.replicates = 5000;
    for (auto const& question : questions(n)) {
      expect_arrangements(question, variables, options,
                          all_arrangements(static_cast<int>(n), !question.flips(), question.flips(),
                                           [](std::vector<int> const&) { return true; }));
    }
  }

  /// Expects the replicates of a seed, as Views have them.
  static void expect_random(Question const& question, HostileVariables const& variables,
                            PermutationScheme const& scheme, std::uint64_t seed, std::size_t m) {
    auto const permutations = make_matrix<Exec, int, Kokkos::LayoutRight>(m, scheme.size());
    auto const signs = make_matrix<Exec, int, Kokkos::LayoutRight>(m, scheme.size());
    fill_arrangements(Exec(), scheme, seed, 0, permutations, signs);
    auto const rows = to_rows(permutations);
    auto const rows_of_signs = to_rows(signs);
    std::vector<OracleArrangement> arrangements;
    for (std::size_t r = 0; r < m; ++r) arrangements.push_back({rows[r], rows_of_signs[r]});
    PermutationTestsOptions options;
    options.replicates = m;
    options.seed = seed;
    options.enumerate = false;
    options.scheme = scheme;
    expect_arrangements(question, variables, options, arrangements);
  }
};
TYPED_TEST_SUITE(PermutationTestsPerVariableNTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermutationTestsPerVariableNTest, AllArrangementsOfDecimals) {
  for (std::uint64_t const seed : {1u, 2u}) {
    this->expect_all(with_gaps(hostile_decimals(6, seed), seed));
  }
}

TYPED_TEST(PermutationTestsPerVariableNTest, AllArrangementsOfReals) {
  this->expect_all(with_gaps(hostile_reals(6, 3), 3));
}

TYPED_TEST(PermutationTestsPerVariableNTest, RandomReplicates) {
  for (auto const& question : questions(13)) {
    auto const scheme =
        question.flips() ? PermutationScheme::sign_flips(13) : PermutationScheme::free(13);
    this->expect_random(question, with_gaps(hostile_decimals(13, 4), 4), scheme, 42, 300);
    this->expect_random(question, with_gaps(hostile_reals(13, 5), 5), scheme, 7, 131);
  }
}

TYPED_TEST(PermutationTestsPerVariableNTest, RandomReplicatesInBlocksAndOfSigns) {
  std::vector<int> const blocks{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  for (auto const& question : questions(12)) {
    auto const variables = with_gaps(hostile_decimals(12, 8), 8);
    if (question.flips()) {
      this->expect_random(question, variables, PermutationScheme::free(12).with_sign_flips(), 5,
                          200);
    } else {
      this->expect_random(question, variables, PermutationScheme::within_blocks(blocks), 5, 200);
      this->expect_random(question, variables, PermutationScheme::whole_blocks(blocks), 5, 200);
    }
  }
}

// --- options ---

std::vector<std::uint64_t> bits_of(PermutationTestsResult::Values<double> const& values) {
  std::vector<std::uint64_t> bits(values.extent(0));
  if (!bits.empty()) std::memcpy(bits.data(), values.data(), 8 * bits.size());
  return bits;
}

/// Compares bit by bit; NaNs are equal.
void expect_same(PermutationTestsResult const& found, PermutationTestsResult const& expected) {
  EXPECT_EQ(found.replicates, expected.replicates);
  EXPECT_EQ(found.exact, expected.exact);
  for (auto const& [a, b] :
       {std::pair{found.statistic, expected.statistic}, std::pair{found.p, expected.p},
        std::pair{found.p_single_step, expected.p_single_step},
        std::pair{found.p_step_down, expected.p_step_down},
        std::pair{found.p_single_step_min_p, expected.p_single_step_min_p},
        std::pair{found.p_step_down_min_p, expected.p_step_down_min_p},
        std::pair{found.p_false_discovery, expected.p_false_discovery},
        std::pair{found.maxima, expected.maxima}}) {
    EXPECT_EQ(bits_of(a), bits_of(b));
  }
  EXPECT_EQ(to_vector(found.extreme), to_vector(expected.extreme));
  EXPECT_EQ(to_vector(found.observations), to_vector(expected.observations));
  EXPECT_EQ(found.counts.extreme, expected.counts.extreme);
  EXPECT_EQ(found.counts.step_down, expected.counts.step_down);
  EXPECT_EQ(found.counts.maxima, expected.counts.maxima);
}

TYPED_TEST(PermutationTestsPerVariableNTest, BatchesInstancesAndResumeDoNotChangeResults) {
  auto const instances = Kokkos::Experimental::partition_space(TypeParam(), 1, 1);
  for (auto const& question : questions(12)) {
    SCOPED_TRACE(static_cast<int>(question.which));
    auto const variables = with_gaps(hostile_reals(12, 9), 9);
    PermutationTestsOptions options;
    options.replicates = 2500;
    options.enumerate = false;
    options.min_p = true;
    auto const expected = this->run(question, variables, options);
    options.batch = 1;
    expect_same(this->run(question, variables, options, instances[0]), expected);
    options.batch = 1100;
    expect_same(this->run(question, variables, options, instances[1]), expected);
    options.replicates = 900;
    options.resume = this->run(question, variables, options).counts;
    options.replicates = 2500;
    expect_same(this->run(question, variables, options), expected);
  }
}

TYPED_TEST(PermutationTestsPerVariableNTest, WithoutMissingValuesBothOptionsAreOne) {
  for (auto const& question : questions(12)) {
    SCOPED_TRACE(static_cast<int>(question.which));
    auto variables = hostile_reals(12, 10);
    PermutationTestsOptions options;
    options.replicates = 400;
    options.min_p = true;
    auto const found = this->run(question, variables, options);
    options.missing = MissingValues::leave_variable_out;
    expect_same(found, this->run_as_told(question, variables, options));
    EXPECT_EQ(to_vector(found.observations), std::vector<std::uint64_t>(variables.count(), 12));
  }
}

// The statistic and p-value of a complete variable do not depend on the other variables.
TYPED_TEST(PermutationTestsPerVariableNTest, CompleteVariablesAreAsAlone) {
  for (auto const& question : questions(9)) {
    SCOPED_TRACE(static_cast<int>(question.which));
    auto variables = with_gaps(hostile_decimals(9, 11), 11);
    PermutationTestsOptions options;
    options.replicates = 700;
    auto const found = this->run(question, variables, options);
    options.missing = MissingValues::leave_variable_out;
    auto const alone = this->run_as_told(question, variables, options);
    for (std::size_t g = 0; g < variables.count(); ++g) {
      if (found.observations(g) < 9) {
        EXPECT_TRUE(std::isnan(alone.p(g)));
        EXPECT_EQ(alone.observations(g), found.observations(g));
        continue;
      }
      EXPECT_EQ(found.status(g), alone.status(g)) << g;
      EXPECT_EQ(found.extreme(g), alone.extreme(g)) << g;
      if (found.status(g) != VariableStatus::tested) continue;
      EXPECT_NEAR(bounded(found.statistic(g)), bounded(alone.statistic(g)), 1e-7) << g;
    }
  }
}

/// FNV-1a.
std::uint64_t hash_of(std::vector<std::uint64_t> const& words) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (auto const word : words) hash = (hash ^ word) * 0x100000001b3u;
  return hash;
}

// The results of a seed must never change.
TYPED_TEST(PermutationTestsPerVariableNTest, Golden) {
  std::vector<std::uint64_t> statistics;
  std::vector<std::uint64_t> maxima;
  std::vector<std::uint64_t> counts;
  for (auto const& question : questions(14)) {
    PermutationTestsOptions options;
    options.replicates = 500;
    options.seed = 1993;
    options.enumerate = false;
    auto const found = this->run(question, with_gaps(hostile_decimals(14, 12), 12), options);
    statistics.push_back(hash_of(bits_of(found.statistic)));
    maxima.push_back(hash_of(bits_of(found.maxima)));
    counts.push_back(hash_of(found.counts.step_down));
  }
  EXPECT_EQ(hash_of(statistics), 15328194359610430489u);
  EXPECT_EQ(hash_of(maxima), 15189547146958186148u);
  EXPECT_EQ(hash_of(counts), 5509438321389711926u);
}

}  // namespace
}  // namespace riffle::test::permutation_tests_per_variable_n_test
