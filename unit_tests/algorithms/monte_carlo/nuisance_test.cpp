// The statistics of each method's replicates from their sums, compared with fits of the permuted model by its
// definition.

#if __has_include(<Eigen/QR>)  // as riffle/monte_carlo/linear_model.hpp needs it

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/linear_model.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

#include "support/least_squares.hpp"

namespace riffle::test::nuisance_test {
namespace {

using Values = std::vector<double>;

/// (P y)_i = signs_i y_indices_i.
struct SignedPermutation {
  std::vector<std::size_t> indices;
  std::vector<int> signs;

  explicit SignedPermutation(std::size_t n) : indices(n), signs(n, 1) {
    std::iota(indices.begin(), indices.end(), std::size_t(0));
  }

  SignedPermutation(std::size_t n, std::mt19937& random, bool with_signs) : SignedPermutation(n) {
    std::shuffle(indices.begin(), indices.end(), random);
    for (int& sign : signs) sign = with_signs && random() % 2 == 0 ? -1 : 1;
  }

  Rows operator()(Rows const& rows) const {
    Rows permuted = rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows[i].size(); ++j) {
        permuted[i][j] = signs[i] * rows[indices[i]][j];
      }
    }
    return permuted;
  }

  Rows inverse_of(Rows const& rows) const {
    Rows permuted = rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows[i].size(); ++j) {
        permuted[indices[i]][j] = signs[i] * rows[i][j];
      }
    }
    return permuted;
  }
};

Rows rows_of(Values const& values, std::size_t columns) {
  Rows rows(columns == 0 ? 0 : values.size() / columns);
  for (std::size_t i = 0; i < values.size(); ++i) rows[i / columns].push_back(values[i]);
  return rows;
}

Rows beside(Rows a, Rows const& b) {
  for (std::size_t i = 0; i < b.size(); ++i) a[i].insert(a[i].end(), b[i].begin(), b[i].end());
  return a;
}

Rows sum(Rows a, Rows const& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i][0] += b[i][0];
  return a;
}

/// A model, and its partition as in papers: X, Z and their contrast.
struct Problem {
  LinearModel model;
  Rows interest;
  Rows nuisance;

  std::size_t s() const { return interest[0].size(); }
  std::size_t q() const { return nuisance.empty() ? 0 : nuisance[0].size(); }

  /// Returns the contrast that selects the columns of X in [X Z].
  Rows contrast(std::size_t columns) const {
    Rows rows(s(), std::vector<long double>(columns, 0));
    for (std::size_t i = 0; i < s(); ++i) rows[i][i] = 1;
    return rows;
  }

  double tested(Rows const& design, Rows const& y) const {
    auto const fitted = fit(design, y);
    return statistic_of(fitted, fitted.coefficients, contrast(design[0].size()),
                        model.degrees_of_freedom(), model.is_f());
  }

  Fit fit_of_nuisance(Rows const& y) const {
    return q() > 0 ? fit(nuisance, y) : Fit{{}, {}, Rows(y.size(), {0}), y};
  }
};

/// Returns the statistic of a replicate by the definition in the table of nuisance.hpp, by full fits.
double by_fits(Problem const& problem, Rows const& y, SignedPermutation const& permute) {
  Rows const both = beside(problem.interest, problem.nuisance);
  auto const without_interest = problem.fit_of_nuisance(y);
  auto const full = fit(both, y);
  switch (problem.model.method()) {
    case Nuisance::manly: return problem.tested(both, permute(y));
    case Nuisance::draper_stoneman:
      return problem.tested(beside(permute.inverse_of(problem.interest), problem.nuisance), y);
    case Nuisance::still_white:
      return problem.tested(problem.fit_of_nuisance(problem.interest).residuals,
                            permute(without_interest.residuals));
    case Nuisance::ter_braak: {
      auto const again = fit(both, sum(permute(full.residuals), full.fitted));
      Rows difference = again.coefficients;
      for (std::size_t i = 0; i < difference.size(); ++i) {
        difference[i][0] -= full.coefficients[i][0];
      }
      return statistic_of(again, difference, problem.contrast(both[0].size()),
                          problem.model.degrees_of_freedom(), problem.model.is_f());
    }
    default:
      return problem.tested(both,
                            sum(permute(without_interest.residuals), without_interest.fitted));
  }
}

Values doubles_of(Rows const& rows) {
  Values values;
  for (auto const& row : rows) {
    for (long double const value : row) values.push_back(static_cast<double>(value));
  }
  return values;
}

/// Returns the sums of permuted data (n x 1 or more) with columns: columns of data x columns of weights.
Values sums_of(Values const& weights, std::size_t columns, Rows const& permuted) {
  if (columns == 0) return {};
  return doubles_of(product(transposed(permuted), rows_of(weights, columns)));
}

/// Returns the statistic by the model's plan: residuals once, then sums.
double by_sums(LinearModel const& model, Rows const& y, SignedPermutation const& permute) {
  auto const u = rows_of(model.residuals(doubles_of(y)), 1);
  Rows const permuted = permute(u);
  double const squares = static_cast<double>(product(transposed(u), u)[0][0]);
  auto interest = sums_of(model.weights(), model.effects(), permuted);
  auto const nuisance = sums_of(model.adjustment_weights(), model.adjustments(), permuted);
  auto const statistic = model.statistic();
  if (!model.needs_free_gram()) return statistic(interest.data(), nuisance.data(), squares);
  std::size_t const s = model.effects();
  std::size_t const q = model.nuisance_columns();
  Values const crossed =
      q == 0 ? Values{}
             : sums_of(model.weights(), s, permute(rows_of(model.nuisance(), q)));  // q x s
  Values lower(s * s);
  FreeGram const gram(lower.data(), static_cast<int>(s));
  gram.factorise(crossed.data(), static_cast<int>(q));
  double const explained = gram.explained(interest.data());
  return model.is_f() ? statistic.of_explained(explained, squares)
                      : statistic.of_sum(interest[0], squares);
}

/// Twelve observations: an intercept, two covariates, and a factor with three levels; the first `picked` columns are
/// tested.
Problem make_problem(Nuisance method, std::size_t s, std::size_t q, bool is_f,
                     std::mt19937& random) {
  std::size_t const n = 12;
  std::normal_distribution<double> normal;
  Values design;
  Problem problem{LinearModel({1, 2, 3}, 3, 1, {1}), {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    Values row;
    for (std::size_t j = 0; j < s; ++j) row.push_back(j == 0 ? i % 3 == 0 : normal(random));
    for (std::size_t j = 0; j < q; ++j) row.push_back(j == 0 ? 1 : normal(random) + row[0]);
    design.insert(design.end(), row.begin(), row.end());
    problem.interest.emplace_back(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(s));
    if (q > 0)
      problem.nuisance.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(s), row.end());
  }
  Values contrast;
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t j = 0; j < s + q; ++j) contrast.push_back(i == j);
  }
  LinearModelOptions options;
  options.nuisance = method;
  options.is_f = is_f;
  problem.model = LinearModel(design, n, s + q, contrast, options);
  return problem;
}

Rows random_data(std::size_t n, std::mt19937& random) {
  std::normal_distribution<double> normal(5, 1);
  Rows y;
  for (std::size_t i = 0; i < n; ++i) y.push_back({normal(random)});
  return y;
}

class NuisanceTest : public ::testing::TestWithParam<Nuisance> {};

TEST_P(NuisanceTest, SumsMatchLeastSquaresFits) {
  std::mt19937 random(2014);
  for (std::size_t s = 1; s <= 3; ++s) {
    for (std::size_t q = 0; q <= 4; ++q) {
      for (bool const is_f : {false, true}) {
        auto const problem = make_problem(GetParam(), s, q, is_f, random);
        auto const y = random_data(12, random);
        for (int replicate = 0; replicate < 20; ++replicate) {
          SignedPermutation const permute(12, random, replicate % 2 == 1);
          double const expected = by_fits(problem, y, permute);
          EXPECT_NEAR(by_sums(problem.model, y, permute), expected,
                      1e-10 * std::max(1.0, std::abs(expected)))
              << "s = " << s << ", q = " << q;
        }
      }
    }
  }
}

TEST_P(NuisanceTest, ObservedStatisticIsTheOrdinaryOne) {
  std::mt19937 random(2001);
  for (std::size_t s = 1; s <= 2; ++s) {
    auto const problem = make_problem(GetParam(), s, 3, false, random);
    auto const y = random_data(12, random);
    double const ordinary = problem.tested(beside(problem.interest, problem.nuisance), y);
    double const observed = problem.model.observed(doubles_of(y));
    double const of_identity = by_sums(problem.model, y, SignedPermutation(12));
    switch (GetParam()) {
      case Nuisance::ter_braak:
        EXPECT_NEAR(observed, ordinary, 1e-11);
        EXPECT_NEAR(of_identity, 0, 1e-11);
        EXPECT_FALSE(problem.model.identity_is_observed());
        break;
      default:
        EXPECT_NEAR(observed, ordinary, 1e-11);
        EXPECT_NEAR(of_identity, ordinary, 1e-11);
        EXPECT_TRUE(problem.model.identity_is_observed());
    }
  }
}

/// Contrasts that do not select columns: the difference of two, and C = [1 1 0; 0 1 -2].
TEST_P(NuisanceTest, ContrastsOfSeveralColumnsAreFitted) {
  std::mt19937 random(1983);
  std::normal_distribution<double> normal;
  Values design;
  for (int i = 0; i < 10; ++i) {
    design.insert(design.end(), {1, normal(random), normal(random), normal(random)});
  }
  LinearModelOptions options;
  options.nuisance = GetParam();
  for (auto const& contrast : {Values{0, 1, -1, 0}, Values{0, 1, 1, 0, 0, 0, 1, -2}}) {
    LinearModel const model(design, 10, 4, contrast, options);
    auto const y = random_data(10, random);
    Rows const rows = rows_of(contrast, 4);
    Rows const pseudoinverse = product(transposed(rows), inverse(product(rows, transposed(rows))));
    // X and Z as documented: M C+, and any columns that span M times the null space of C.
    Problem const problem{model, product(rows_of(design, 4), pseudoinverse),
                          rows_of(model.nuisance(), model.nuisance_columns())};
    auto const fitted = fit(rows_of(design, 4), y);
    EXPECT_NEAR(model.observed(doubles_of(y)),
                statistic_of(fitted, fitted.coefficients, rows, 6, model.is_f()), 1e-11);
    for (int replicate = 0; replicate < 20; ++replicate) {
      SignedPermutation const permute(10, random, false);
      EXPECT_NEAR(by_sums(model, y, permute), by_fits(problem, y, permute), 1e-10);
    }
  }
}

TEST_P(NuisanceTest, PermutationsWithinATypeKeepAllBits) {
  std::mt19937 random(1966);
  Values design;
  Values const levels{0.1, 0.7, 1.3};
  for (std::size_t i = 0; i < 12; ++i) {
    design.insert(design.end(), {1, i % 2 == 0 ? 1.0 : 0.0, levels[i % 3]});
  }
  LinearModelOptions options;
  options.nuisance = GetParam();
  LinearModel const model(design, 12, 3, {0, 1, 0}, options);
  auto const& types = model.row_types();
  SignedPermutation swap(12);
  for (std::size_t i = 0; i < 6; ++i) {
    ASSERT_EQ(types[i], types[i + 6]);
    std::swap(swap.indices[i], swap.indices[i + 6]);
  }
  auto const y = random_data(12, random);
  for (int replicate = 0; replicate < 10; ++replicate) {
    SignedPermutation const permute(12, random, false);
    SignedPermutation after = permute;
    for (std::size_t i = 0; i < 12; ++i) after.indices[i] = permute.indices[swap.indices[i]];
    EXPECT_NEAR(by_sums(model, y, permute), by_sums(model, y, after), 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(, NuisanceTest,
                         ::testing::Values(Nuisance::freedman_lane, Nuisance::ter_braak,
                                           Nuisance::manly, Nuisance::draper_stoneman,
                                           Nuisance::still_white));

TEST(FreeGramTest, DirectionsInTheNuisanceAreIgnored) {
  // Two columns of interest; the permutation moves the first into the span of the nuisance.
  Values const crossed{1, 0};
  Values lower(4);
  FreeGram const gram(lower.data(), 2);
  gram.factorise(crossed.data(), 1);
  Values sums{1e-9, 3};
  EXPECT_DOUBLE_EQ(gram.explained(sums.data()), 9);
  EXPECT_EQ(sums[0], 0);
}

}  // namespace
}  // namespace riffle::test::nuisance_test

#endif
