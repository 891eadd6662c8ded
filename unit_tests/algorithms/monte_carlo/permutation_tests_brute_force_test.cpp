// Permutation tests of many variables compared with textbook formulas, over all arrangements and over random ones.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_scheme_views.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/permutation_tests_oracle.hpp"
#include "support/permutation_tests_problems.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_tests_brute_force_test {
namespace {

using By = std::vector<double>;
using Blocks = std::vector<int>;

/// A statistic, and the labels or covariate that it is computed with.
struct Question {
  OracleStatistic which;
  By by;

  bool has_one_tail() const {
    return which == OracleStatistic::f || which == OracleStatistic::kruskal;
  }
  bool flips() const { return which == OracleStatistic::one_sample; }
  /// Returns whether the design has whole numbers; otherwise correlations have errors of about 1e-8.
  bool is_whole() const {
    return std::all_of(by.begin(), by.end(), [](double x) { return x == std::floor(x); });
  }
  /// For Welch's t, values that are not decimals have half of the bits; for Student's t, 28.
  long double tolerance(bool are_decimals) const {
    if (!is_whole()) return 1e-7L;
    if (are_decimals) return 1e-13L;
    if (which == OracleStatistic::student) return 1e-8L;
    return which == OracleStatistic::welch ? 1e-6L : 1e-12L;
  }
};

Alternative alternative_of_side(int side) {
  if (side == 0) return Alternative::two_sided;
  return side > 0 ? Alternative::greater : Alternative::less;
}

/// Returns questions for n observations: two unequal samples, three groups, covariates with ties and without.
std::vector<Question> questions(std::size_t n) {
  By labels(n);
  By groups(n);
  By covariate(n);
  By real(n);
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = i >= n / 2 ? 1 : 0;
    groups[i] = static_cast<double>(i % 3);
    covariate[i] = static_cast<double>((i * i) % 5);
    real[i] = std::sqrt(static_cast<double>(7 * i % 11 + 2)) - 5e5;
  }
  return {{OracleStatistic::student, labels},      {OracleStatistic::welch, labels},
          {OracleStatistic::mann_whitney, labels}, {OracleStatistic::f, groups},
          {OracleStatistic::kruskal, groups},      {OracleStatistic::pearson, covariate},
          {OracleStatistic::pearson, real},        {OracleStatistic::spearman, covariate},
          {OracleStatistic::one_sample, {}}};
}

template <class Exec>
class PermutationTestsBruteForceTest : public ::testing::Test {
 protected:
  static PermutationTestsResult run(Question const& question, HostileVariables const& variables,
                                    PermutationTestsOptions const& options) {
    std::size_t const n = variables.values[0].size();
    auto const data = make_matrix<Exec, double, Kokkos::LayoutRight>(variables.count(), n);
    std::vector<double> all;
    for (auto const& row : variables.values) all.insert(all.end(), row.begin(), row.end());
    fill(data, all);
    auto const by = to_view<Exec>(question.by);
    Exec const exec;
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

  /// Expects p = (count + added) / (all + added). `all` is the number of distinct arrangements if these are enumerated;
  /// the oracle counts several permutations for each.
  static void expect_p(double p, std::uint64_t count, std::uint64_t counted,
                       PermutationTestsResult const& found, std::string const& name) {
    std::uint64_t const m = found.replicates;
    std::uint64_t const scaled = count * m;
    ASSERT_EQ(scaled % counted, 0u) << name;
    double const added = found.exact ? 0 : 1;
    EXPECT_EQ(p, (static_cast<double>(scaled / counted) + added) / (static_cast<double>(m) + added))
        << name << ": " << p * (static_cast<double>(m) + added) - added << " for "
        << scaled / counted << " of " << m;
  }

  static void expect_on_one_scale(Question const& question, std::size_t n, double found,
                                  long double expected, bool is_exact, std::string const& name) {
    auto const found_there =
        static_cast<double>(on_one_scale(question.which, found, question.by, n));
    auto const expected_there =
        static_cast<double>(on_one_scale(question.which, expected, question.by, n));
    if (std::isinf(expected_there)) {  // GoogleTest 1.12 does not find infinity near itself
      EXPECT_EQ(found_there, expected_there) << name;
      return;
    }
    long double const tolerance = question.tolerance(is_exact);
    EXPECT_NEAR(found_there, expected_there,
                static_cast<double>(tolerance * std::max(1.0L, std::abs(expected))))
        << name << ": " << found << " for " << static_cast<double>(expected);
  }

  /// Returns the least p G / (the number of p-values <= p) over all p at least as large as p(g), where only the G
  /// tested variables count.
  static double false_discovery_rate(PermutationTestsResult const& found,
                                     std::vector<bool> const& tested, std::size_t g) {
    double least = 1;
    for (std::size_t h = 0; h < tested.size(); ++h) {
      if (!tested[h] || found.p(h) < found.p(g)) continue;
      double count = 0;
      double at_most = 0;
      for (std::size_t i = 0; i < tested.size(); ++i) {
        if (tested[i]) ++count;
        if (tested[i] && found.p(i) <= found.p(h)) ++at_most;
      }
      least = std::min(least, found.p(h) * count / at_most);
    }
    return least;
  }

  static void expect_table(Question const& question, HostileVariables const& variables,
                           OracleTable const& table, PermutationTestsResult const& found) {
    std::size_t const n = variables.values[0].size();
    std::uint64_t const counted = table.maxima.size();
    auto const tested = variables.tested(question.which);
    for (std::size_t g = 0; g < variables.count(); ++g) {
      std::string const name = "variable " + std::to_string(g);
      auto const status = tested[g]                 ? VariableStatus::tested
                          : variables.is_missing[g] ? VariableStatus::missing_values
                                                    : VariableStatus::no_variation;
      EXPECT_EQ(found.status(g), status) << name;
      if (!tested[g]) {
        EXPECT_EQ(found.extreme(g), 0u) << name;
        for (double const x : {found.statistic(g), found.p(g), found.p_single_step(g),
                               found.p_step_down(g), found.p_false_discovery(g)}) {
          EXPECT_TRUE(std::isnan(x)) << name;
        }
      } else {
        EXPECT_NEAR(found.p_false_discovery(g), false_discovery_rate(found, tested, g), 1e-15)
            << name;
        expect_on_one_scale(question, n, found.statistic(g), table.statistic[g],
                            variables.are_all_decimals, name);
        expect_p(found.p(g), table.extreme[g], counted, found, name + ", p");
        EXPECT_EQ(found.extreme(g) * counted, table.extreme[g] * found.replicates) << name;
        expect_p(found.p_single_step(g), table.single_step[g], counted, found,
                 name + ", single step");
        expect_p(found.p_step_down(g), table.step_down[g], counted, found, name + ", step-down");
      }
    }
  }

  /// Compares maxima, for the alternative; one by one if replicates are known.
  static void expect_maxima(Question const& question, HostileVariables const& variables,
                            OracleTable const& table, PermutationTestsResult const& found) {
    ASSERT_EQ(found.maxima.extent(0), table.maxima.size());
    bool const is_u = question.which == OracleStatistic::mann_whitney;
    long double const mean = is_u ? oracle_mean_of_u(question.by) : 0;
    for (std::size_t r = 0; r < table.maxima.size(); ++r) {
      expect_on_one_scale(question, variables.values[0].size(), found.maxima(r),
                          table.maxima[r] + mean, variables.are_all_decimals,
                          "maximum of replicate " + std::to_string(r));
    }
  }

  template <class Check>
  static void for_each_side(Question const& question, Check const& check) {
    for (int const side : {0, 1, -1}) {
      if (question.has_one_tail() && side < 0) continue;
      SCOPED_TRACE("statistic " + std::to_string(static_cast<int>(question.which)) + ", side " +
                   std::to_string(side));
      check(side);
    }
  }

  static void expect_all_arrangements(Question const& question, HostileVariables const& variables,
                                      std::optional<PermutationScheme> const& scheme,
                                      std::vector<OracleArrangement> const& arrangements) {
    for_each_side(question, [&](int side) {
      PermutationTestsOptions options;
      options.replicates = 5000;
      options.alternative = alternative_of_side(side);
      options.scheme = scheme;
      auto const found = run(question, variables, options);
      EXPECT_TRUE(found.exact);
      expect_table(question, variables,
                   oracle_table(question.which, variables.paper, question.by, side,
                                variables.tested(question.which), arrangements),
                   found);
    });
  }

  static void expect_free(HostileVariables const& variables, std::size_t n) {
    auto const all = [](std::vector<int> const&) { return true; };
    for (auto const& question : questions(n)) {
      expect_all_arrangements(
          question, variables, {},
          all_arrangements(static_cast<int>(n), !question.flips(), question.flips(), all));
    }
  }

  /// Returns the replicates of a seed, as Views have them.
  static std::vector<OracleArrangement> replicates_of(PermutationScheme const& scheme,
                                                      std::uint64_t seed, std::size_t m) {
    auto const permutations = make_matrix<Exec, int, Kokkos::LayoutRight>(m, scheme.size());
    auto const signs = make_matrix<Exec, int, Kokkos::LayoutRight>(m, scheme.size());
    fill_arrangements(Exec(), scheme, seed, 0, permutations, signs);
    auto const rows = to_rows(permutations);
    auto const rows_of_signs = to_rows(signs);
    std::vector<OracleArrangement> result;
    for (std::size_t r = 0; r < m; ++r) result.push_back({rows[r], rows_of_signs[r]});
    return result;
  }

  static void expect_random(Question const& question, HostileVariables const& variables,
                            PermutationScheme const& scheme, std::uint64_t seed, std::size_t m) {
    auto const arrangements = replicates_of(scheme, seed, m);
    for_each_side(question, [&](int side) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      PermutationTestsOptions options;
      options.replicates = m;
      options.seed = seed;
      options.enumerate = false;
      options.alternative = alternative_of_side(side);
      options.scheme = scheme;
      auto const found = run(question, variables, options);
      EXPECT_FALSE(found.exact);
      EXPECT_EQ(found.replicates, m);
      auto const table = oracle_table(question.which, variables.paper, question.by, side,
                                      variables.tested(question.which), arrangements);
      expect_table(question, variables, table, found);
      expect_maxima(question, variables, table, found);
    });
  }
};
TYPED_TEST_SUITE(PermutationTestsBruteForceTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermutationTestsBruteForceTest, AllArrangementsOfDecimals) {
  for (std::uint64_t const seed : {1u, 2u}) this->expect_free(hostile_decimals(6, seed), 6);
}

TYPED_TEST(PermutationTestsBruteForceTest, AllArrangementsOfReals) {
  for (std::uint64_t const seed : {1u, 2u}) this->expect_free(hostile_reals(6, seed), 6);
}

TYPED_TEST(PermutationTestsBruteForceTest, FewObservations) {
  auto const all = [](std::vector<int> const&) { return true; };
  By const labels{0, 0, 1};
  By const covariate{0.5, 2, -7};
  for (auto const& variables : {hostile_decimals(3, 1), hostile_reals(3, 2)}) {
    for (auto const& question :
         {Question{OracleStatistic::student, labels},
          Question{OracleStatistic::mann_whitney, labels}, Question{OracleStatistic::f, labels},
          Question{OracleStatistic::kruskal, labels}, Question{OracleStatistic::pearson, covariate},
          Question{OracleStatistic::spearman, covariate},
          Question{OracleStatistic::one_sample, {}}}) {
      this->expect_all_arrangements(question, variables, {},
                                    all_arrangements(3, !question.flips(), question.flips(), all));
    }
  }
  this->expect_all_arrangements({OracleStatistic::welch, {1, 0, 0, 1}}, hostile_decimals(4, 3), {},
                                all_arrangements(4, true, false, all));
  this->expect_all_arrangements({OracleStatistic::one_sample, {}}, hostile_decimals(2, 3), {},
                                all_arrangements(2, false, true, all));
}

TYPED_TEST(PermutationTestsBruteForceTest, OneVariable) {
  auto const all = [](std::vector<int> const&) { return true; };
  HostileVariables one;
  one.add({3, 1, 4, 1, 5, 9}, 100, true);
  for (auto const& question : questions(6)) {
    this->expect_all_arrangements(question, one, {},
                                  all_arrangements(6, !question.flips(), question.flips(), all));
  }
}

TYPED_TEST(PermutationTestsBruteForceTest, WithinBlocks) {
  Blocks const blocks{0, 1, 0, 1, 1, 0};
  auto const inside = [&](std::vector<int> const& sigma) {
    for (std::size_t i = 0; i < sigma.size(); ++i) {
      if (blocks[static_cast<std::size_t>(sigma[i])] != blocks[i]) return false;
    }
    return true;
  };
  for (auto const& question : questions(6)) {
    if (question.flips()) continue;
    this->expect_all_arrangements(question, hostile_decimals(6, 5),
                                  PermutationScheme::within_blocks(blocks),
                                  all_arrangements(6, true, false, inside));
  }
}

TYPED_TEST(PermutationTestsBruteForceTest, WholeBlocks) {
  Blocks const blocks{0, 0, 1, 1, 2, 2};
  auto const as_wholes = [](std::vector<int> const& sigma) {
    for (std::size_t i = 0; i < sigma.size(); i += 2) {
      if (sigma[i] % 2 != 0 || sigma[i + 1] != sigma[i] + 1) return false;
    }
    return true;
  };
  for (auto const& question : questions(6)) {
    if (question.flips()) continue;
    this->expect_all_arrangements(question, hostile_decimals(6, 6),
                                  PermutationScheme::whole_blocks(blocks),
                                  all_arrangements(6, true, false, as_wholes));
  }
}

TYPED_TEST(PermutationTestsBruteForceTest, RandomReplicates) {
  for (auto const& question : questions(11)) {
    for (std::uint64_t const seed : {1u, 42u}) {
      this->expect_random(
          question, hostile_decimals(11, seed),
          question.flips() ? PermutationScheme::sign_flips(11) : PermutationScheme::free(11), seed,
          500);
    }
  }
}

TYPED_TEST(PermutationTestsBruteForceTest, RandomReplicatesOfReals) {
  for (auto const& question : questions(11)) {
    this->expect_random(
        question, hostile_reals(11, 7),
        question.flips() ? PermutationScheme::sign_flips(11) : PermutationScheme::free(11), 7, 131);
  }
}

TYPED_TEST(PermutationTestsBruteForceTest, RandomReplicatesInBlocksAndOfSigns) {
  Blocks const blocks{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  for (auto const& question : questions(12)) {
    auto const variables = hostile_decimals(12, 8);
    if (question.flips()) {
      this->expect_random(question, variables, PermutationScheme::free(12).with_sign_flips(), 5,
                          200);
      this->expect_random(question, variables,
                          PermutationScheme::within_blocks(blocks).with_block_sign_flips(blocks), 5,
                          200);
    } else {
      this->expect_random(question, variables, PermutationScheme::within_blocks(blocks), 5, 200);
      this->expect_random(question, variables, PermutationScheme::whole_blocks(blocks), 5, 200);
    }
  }
}

}  // namespace
}  // namespace riffle::test::permutation_tests_brute_force_test
