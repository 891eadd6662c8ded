// Permutation tests of linear models by all methods, compared with LinearModel evaluated for each replicate.

#if __has_include(<Eigen/QR>)  // as riffle/monte_carlo/linear_model.hpp needs it

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/linear_model.hpp>
#include <riffle/monte_carlo/linear_model_tests.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_scheme_views.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_tests_linear_model_test {
namespace {

using Values = std::vector<double>;

constexpr Nuisance methods[] = {Nuisance::freedman_lane, Nuisance::ter_braak, Nuisance::manly,
                                Nuisance::draper_stoneman, Nuisance::still_white};

/// Adjacent columns, and a contrast.
struct Design {
  std::string name;
  std::vector<Values> columns;
  Values contrast;
  bool is_f = false;

  LinearModel model(Nuisance method) const {
    LinearModelOptions options;
    options.nuisance = method;
    options.is_f = is_f;
    std::size_t const n = columns[0].size();
    Values values;
    for (std::size_t i = 0; i < n; ++i) {
      for (auto const& column : columns) values.push_back(column[i]);
    }
    return LinearModel(values, n, columns.size(), contrast, options);
  }
};

Values column_of(std::size_t n, double (*entry)(std::size_t)) {
  Values column(n);
  for (std::size_t i = 0; i < n; ++i) column[i] = entry(i);
  return column;
}

/// Designs: a group alone; next to batches, for which several arrangements are equal; next to covariates; three groups;
/// a covariate that is far from 0; and no constant.
std::vector<Design> designs(std::size_t n, double first_year = 2000) {
  auto const one = column_of(n, [](std::size_t) { return 1.0; });
  auto const group = column_of(n, [](std::size_t i) { return i % 2 == 0 ? 1.0 : 0.0; });
  auto const batch = column_of(n, [](std::size_t i) { return i % 4 < 2 ? 1.0 : 0.0; });
  auto const second = column_of(n, [](std::size_t i) { return i % 3 == 1 ? 1.0 : 0.0; });
  auto const third = column_of(n, [](std::size_t i) { return i % 3 == 2 ? 1.0 : 0.0; });
  auto const first = column_of(n, [](std::size_t i) { return i % 3 == 0 ? 1.0 : 0.0; });
  auto const middle = column_of(n, [](std::size_t i) { return i >= 4 && i < 8 ? 1.0 : 0.0; });
  auto const last = column_of(n, [](std::size_t i) { return i == 1 || i > 8 ? 1.0 : 0.0; });
  auto const age =
      column_of(n, [](std::size_t i) { return std::sqrt(static_cast<double>(i + 2)); });
  Values const reverse(age.rbegin(), age.rend());
  auto year = column_of(n, [](std::size_t i) { return static_cast<double>(i * i % 7); });
  for (double& y : year) y += first_year;
  return {{"group", {one, group}, {0, 1}},
          {"group, F", {one, group}, {0, 1}, true},
          {"group beside a batch", {one, group, batch}, {0, 1, 0}},
          {"group beside three batches", {one, first, middle, last}, {0, 1, 0, 0}},
          {"group beside a covariate", {one, group, age}, {0, -1, 0}},
          {"covariate beside its reverse", {one, reverse, age}, {0, 1, 0}},
          {"covariate beside a batch", {one, year, batch}, {0, 1, 0}},
          {"three groups beside a covariate", {one, second, third, age}, {0, 1, 0, 0, 0, 0, 1, 0}},
          {"a difference of groups", {one, second, third, year}, {0, 1, -1, 0}},
          {"without a constant", {group, age}, {1, 0}},
          {"without nuisance", {group, age}, {1, 0, 0, 1}}};
}

/// Whole numbers with ties, reals, some with an effect, and a constant. A mean that the nuisance does not explain costs
/// digits.
std::vector<Values> variables(Design const& design, double offset) {
  std::size_t const n = design.columns[0].size();
  std::mt19937 random(5);
  std::vector<Values> all;
  for (int const range : {4, 50, 1000}) {
    Values row(n);
    for (double& y : row) y = static_cast<double>(random() % static_cast<unsigned>(range));
    all.push_back(row);
    for (std::size_t i = 0; i < n; ++i) row[i] += offset + range * design.columns[1][i];
    all.push_back(row);
    for (double& y : row) y = (y - offset) / 7;
    all.push_back(row);
  }
  all.push_back(Values(n, 0.3));
  return all;
}

Values exchanged(Values const& u, std::vector<int> const& sigma, std::vector<int> const& signs) {
  Values result(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    result[i] = signs[i] * u[static_cast<std::size_t>(sigma[i])];
  }
  return result;
}

/// Returns the sums of some columns of `matrix`, row by row, with y.
Values sums_of(Values const& matrix, Values const& y) {
  std::size_t const columns = matrix.size() / y.size();
  std::vector<long double> sums(columns);
  for (std::size_t at = 0; at < matrix.size(); ++at) {
    sums[at % columns] += static_cast<long double>(matrix[at]) * y[at / columns];
  }
  return {sums.begin(), sums.end()};
}

double squares_of(Values const& y) {
  return static_cast<double>(
      std::inner_product(y.begin(), y.end(), y.begin(), 0.0L, std::plus<>(),
                         [](double a, double b) { return static_cast<long double>(a) * b; }));
}

/// Computes the statistic as LinearModel documents it.
double statistic_of_replicate(LinearModel const& model, Values const& u,
                              std::vector<int> const& sigma, std::vector<int> const& signs) {
  auto const y = exchanged(u, sigma, signs);
  auto interest = sums_of(model.weights(), y);
  auto const statistic = model.statistic();
  if (!model.needs_free_gram()) {
    auto const nuisance =
        model.adjustments() > 0 ? sums_of(model.adjustment_weights(), y) : Values();
    // If nothing is left, the rest is rounding.
    if (squares_of(y) - squares_of(nuisance) <= 1e-10 * squares_of(y)) return 0;
    return statistic(interest.data(), nuisance.data(), squares_of(y));
  }
  std::size_t const s = model.effects();
  std::size_t const q = model.nuisance_columns();
  Values w;  // q x s
  for (std::size_t z = 0; z < q; ++z) {
    Values column(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) column[i] = model.nuisance()[i * q + z];
    auto const row = sums_of(model.unadjusted_interest(), exchanged(column, sigma, signs));
    w.insert(w.end(), row.begin(), row.end());
  }
  Values lower(s * s);
  FreeGram const gram(lower.data(), static_cast<int>(s));
  gram.factorise(w.data(), static_cast<int>(q));
  if (model.is_f()) return statistic.of_explained(gram.explained(interest.data()), squares_of(y));
  gram.normalise(interest.data());
  return statistic.of_sum(interest[0], squares_of(y));
}

/// Returns a correlation or share.
double on_one_scale(LinearModel const& model, double statistic) {
  double const v = model.degrees_of_freedom();
  if (std::isinf(statistic)) return std::copysign(1, statistic);
  if (!model.is_f()) return statistic / std::sqrt(v + statistic * statistic);
  double const explained = static_cast<double>(model.effects()) * statistic;
  return explained / (explained + v);
}

/// Returns the offset of the data: 1000 if the tests can subtract a constant exactly, otherwise 0.
double offset_of(LinearModel const& model, bool flips_signs) {
  return model.nuisance_has_constant() && !flips_signs ? 1000 : 0;
}

Values about_mean(bool takes_constant, Values y) {
  if (!takes_constant) return y;
  double const mean =
      std::nearbyint(std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size()));
  for (double& x : y) x -= mean;
  return y;
}

struct Table {
  std::vector<bool> is_tested;
  Values statistic;
  std::vector<std::uint64_t> extreme;
  std::vector<std::uint64_t> single_step;
  Values maxima;
};

template <class Exec>
class PermutationTestsLinearModelTest : public ::testing::Test {
 protected:
  static auto data_of(std::vector<Values> const& rows) {
    auto const data = make_matrix<Exec, double, Kokkos::LayoutRight>(rows.size(), rows[0].size());
    Values all;
    for (auto const& row : rows) all.insert(all.end(), row.begin(), row.end());
    fill(data, all);
    return data;
  }

  /// Returns the table of two-sided t, or of F.
  static Table table_of(LinearModel const& model, std::vector<Values> const& rows,
                        std::vector<std::vector<int>> const& permutations,
                        std::vector<std::vector<int>> const& signs, bool flips_signs) {
    // LinearModel loses digits if the permuted columns are nearly in the span of the nuisance.
    double const rounding = model.needs_free_gram() ? 1e-8 : 1e-10;
    Table table{std::vector<bool>(rows.size()), Values(rows.size()),
                std::vector<std::uint64_t>(rows.size()), std::vector<std::uint64_t>(rows.size()),
                Values(permutations.size(), -1.0)};
    std::vector<Values> values(rows.size());
    for (std::size_t g = 0; g < rows.size(); ++g) {
      auto const u = model.residuals(about_mean(offset_of(model, flips_signs) != 0, rows[g]));
      table.statistic[g] = model.observed(rows[g]);
      // For Manly's method, sign flips of a constant have a statistic, but the constant itself has none.
      bool const is_idle = is_nothing(offset_of(model, flips_signs) != 0, u) ||
                           (model.nuisance_has_constant() && is_nothing(true, rows[g]));
      table.is_tested[g] = !is_idle;
      double const observed = std::abs(on_one_scale(model, table.statistic[g]));
      for (std::size_t r = 0; r < permutations.size(); ++r) {
        double const found = std::abs(
            on_one_scale(model, statistic_of_replicate(model, u, permutations[r], signs[r])));
        table.extreme[g] += found >= observed - rounding ? 1u : 0u;
        if (!is_idle) table.maxima[r] = std::max(table.maxima[r], found);
      }
    }
    for (std::size_t g = 0; g < rows.size(); ++g) {
      double const observed = std::abs(on_one_scale(model, table.statistic[g]));
      for (double const maximum : table.maxima) {
        table.single_step[g] += maximum >= observed - rounding ? 1u : 0u;
      }
    }
    return table;
  }

  /// Returns whether u is 0, up to a constant that no replicate changes.
  static bool is_nothing(bool takes_constant, Values const& u) {
    return std::all_of(u.begin(), u.end(),
                       [&](double x) { return x == (takes_constant ? u[0] : 0.0); });
  }

  static void expect_random(Design const& design, Nuisance method,
                            PermutationScheme const& scheme) {
    bool const flips = scheme.flips_signs();
    std::size_t const m = 400;
    SCOPED_TRACE(design.name + ", method " + std::to_string(static_cast<int>(method)));
    auto const model = design.model(method);
    auto const rows = variables(design, offset_of(model, flips));
    auto const permutations = make_matrix<Exec, int, Kokkos::LayoutRight>(m, scheme.size());
    auto const signs = make_matrix<Exec, int, Kokkos::LayoutRight>(m, scheme.size());
    fill_arrangements(Exec(), scheme, 11, 0, permutations, signs);
    auto const table = table_of(model, rows, to_rows(permutations), to_rows(signs), flips);
    PermutationTestsOptions options;
    options.replicates = m;
    options.seed = 11;
    options.enumerate = false;
    options.scheme = scheme;
    auto const found = permutation_tests(Exec(), model, data_of(rows), options);
    double const tolerance = offset_of(model, flips) > 0 ? 2e-7 : 4e-6;
    for (std::size_t g = 0; g < rows.size(); ++g) {
      SCOPED_TRACE("variable " + std::to_string(g));
      if (!table.is_tested[g]) {
        EXPECT_EQ(found.status(g), VariableStatus::no_variation);
        EXPECT_TRUE(std::isnan(found.p(g)));
        continue;
      }
      EXPECT_NEAR(on_one_scale(model, found.statistic(g)), on_one_scale(model, table.statistic[g]),
                  tolerance);
      EXPECT_EQ(found.extreme(g), table.extreme[g]);
      EXPECT_EQ(found.p_single_step(g), static_cast<double>(table.single_step[g] + 1) / (m + 1));
    }
    for (std::size_t r = 0; r < m; ++r) {
      EXPECT_NEAR(on_one_scale(model, found.maxima(r)), table.maxima[r], tolerance) << r;
    }
  }
};
TYPED_TEST_SUITE(PermutationTestsLinearModelTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermutationTestsLinearModelTest, Permutations) {
  for (auto const& design : designs(12)) {
    for (auto const method : methods)
      this->expect_random(design, method, PermutationScheme::free(12));
  }
}

TYPED_TEST(PermutationTestsLinearModelTest, SignsAndBlocks) {
  std::vector<int> const thirds{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
  for (auto const method : methods) {
    for (auto const& design : designs(12, 5)) {
      this->expect_random(design, method, PermutationScheme::free(12).with_sign_flips());
    }
    for (auto const& design : designs(12)) {
      this->expect_random(design, method, PermutationScheme::within_blocks(thirds));
    }
  }
}

/// The oracle counts all permutations, the tests count all distinct arrangements.
TYPED_TEST(PermutationTestsLinearModelTest, Enumeration) {
  std::vector<std::vector<int>> permutations;
  std::vector<int> sigma(7);
  std::iota(sigma.begin(), sigma.end(), 0);
  do {
    permutations.push_back(sigma);
  } while (std::next_permutation(sigma.begin(), sigma.end()));
  std::vector<std::vector<int>> const signs(permutations.size(), std::vector<int>(7, 1));
  for (auto const& design : designs(7)) {
    for (auto const method : methods) {
      if (method == Nuisance::ter_braak) continue;  // never enumerated
      // For seven observations, a nuisance of three columns explains nearly everything in some arrangements, and
      // rounding breaks their ties.
      if (method == Nuisance::manly && design.name == "group beside three batches") continue;
      SCOPED_TRACE(design.name + ", method " + std::to_string(static_cast<int>(method)));
      auto const model = design.model(method);
      auto const all = variables(design, offset_of(model, false));
      // One variable of each kind and range, since the oracle is slow.
      std::vector<Values> const rows{all[0], all[4], all[8], all[9]};
      auto const table = this->table_of(model, rows, permutations, signs, false);
      PermutationTestsOptions options;
      options.replicates = 5040;
      auto const found = permutation_tests(TypeParam(), model, this->data_of(rows), options);
      EXPECT_TRUE(found.exact);
      for (std::size_t g = 0; g < rows.size(); ++g) {
        std::uint64_t const extreme = table.is_tested[g] ? table.extreme[g] : 0;
        EXPECT_EQ(found.extreme(g) * 5040, extreme * found.replicates) << g;
      }
    }
  }
}

TYPED_TEST(PermutationTestsLinearModelTest, BatchesAndResumeDoNotChangeResults) {
  auto const design = designs(12)[7];
  auto const model = design.model(Nuisance::draper_stoneman);
  auto const data = this->data_of(variables(design, 1000));
  PermutationTestsOptions options;
  options.replicates = 2500;
  options.enumerate = false;
  auto const expected = permutation_tests(TypeParam(), model, data, options);
  options.batch = 1;
  auto const found = permutation_tests(TypeParam(), model, data, options);
  EXPECT_EQ(found.counts.maxima, expected.counts.maxima);
  EXPECT_EQ(found.counts.extreme, expected.counts.extreme);
  options.replicates = 700;
  options.resume = permutation_tests(TypeParam(), model, data, options).counts;
  options.resume->maxima.resize(options.resume->done);
  options.replicates = 2500;
  auto const resumed = permutation_tests(TypeParam(), model, data, options);
  EXPECT_EQ(resumed.counts.maxima, expected.counts.maxima);
  EXPECT_EQ(resumed.counts.step_down, expected.counts.step_down);
}

/// Includes data whose squares overflow a double.
TYPED_TEST(PermutationTestsLinearModelTest, UnitsDoNotChangeResults) {
  auto const design = designs(12)[4];
  auto const model = design.model(Nuisance::freedman_lane);
  PermutationTestsOptions options;
  options.replicates = 500;
  auto const tested = [&](int exponent) {
    auto rows = variables(design, 1000);
    for (auto& row : rows) {
      for (double& y : row) y = std::ldexp(y, exponent);
    }
    return permutation_tests(TypeParam(), model, this->data_of(rows), options);
  };
  auto const expected = tested(0);
  for (int const exponent : {-900, 900}) {
    auto const found = tested(exponent);
    EXPECT_EQ(found.counts.maxima, expected.counts.maxima) << exponent;
    EXPECT_EQ(found.counts.extreme, expected.counts.extreme) << exponent;
    EXPECT_EQ(found.counts.step_down, expected.counts.step_down) << exponent;
    for (std::size_t g = 0; g < 9; ++g) EXPECT_EQ(found.statistic(g), expected.statistic(g));
  }
}

/// Sign flips change all columns.
TYPED_TEST(PermutationTestsLinearModelTest, RejectsSchemesThatKeepTheStatistic) {
  std::vector<int> const pairs{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
  auto design = designs(12)[6];  // a covariate next to a batch
  std::swap(design.contrast[1], design.contrast[2]);
  auto const message = [&](Design const& of, PermutationScheme const& scheme, Nuisance method) {
    PermutationTestsOptions options;
    options.scheme = scheme;
    options.replicates = 9;
    return thrown_message([&] {
      permutation_tests(TypeParam(), of.model(method), this->data_of(variables(of, 0)), options);
    });
  };
  std::string const none =
      "riffle::permutation_tests: no permutation changes what is compared: apart from nuisance, "
      "the "
      "tested columns are equal for observations that may change places";
  auto of_constant = designs(12)[4];
  of_constant.contrast = {1, 0, 0};
  for (auto const method : methods) {
    EXPECT_EQ(message(design, PermutationScheme::pairs(pairs), method), none);
    EXPECT_EQ(message(design, PermutationScheme::free(12), method), "nothing was thrown");
    EXPECT_EQ(message(design, PermutationScheme::pairs(pairs).with_block_sign_flips(pairs), method),
              "nothing was thrown");
    EXPECT_EQ(message(of_constant, PermutationScheme::free(12), method), none);
  }
  auto both = design;
  both.contrast = {0, 1, 0, 0, 0, 1};
  EXPECT_EQ(
      message(both, PermutationScheme::within_blocks(pairs), methods[0]),
      "riffle::permutation_tests: permutations change 1 of the 2 tested columns: of the others, "
      "which apart from nuisance are equal for observations that may change places, they say "
      "nothing");
}

TYPED_TEST(PermutationTestsLinearModelTest, ValuesCannotBeLeftOut) {
  auto const design = designs(12)[4];
  auto rows = variables(design, 1000);
  rows[1][3] = std::nan("");
  auto const data = this->data_of(rows);
  PermutationTestsOptions options;
  options.replicates = 20;
  options.missing = MissingValues::leave_value_out;
  auto const model = design.model(Nuisance::freedman_lane);
  EXPECT_EQ(
      thrown_message([&] { permutation_tests(TypeParam(), model, data, options); }),
      "riffle::permutation_tests: options.missing = leave_value_out: nuisance cannot be taken "
      "from a variable's own observations, a linear model must leave_variable_out");
  options.missing = MissingValues::leave_variable_out;
  auto const found = permutation_tests(TypeParam(), model, data, options);
  EXPECT_TRUE(std::isnan(found.p(1)));
  EXPECT_EQ(found.observations(1), 11u);
  EXPECT_FALSE(std::isnan(found.p(0)));
}

// A group next to a batch, both balanced, so that their columns are whole numbers. Counted in whole numbers: with sums
// e and b of signs by group and by batch, F grows with e^2 / (n S - b^2), where S is the sum of squares about the mean.
TYPED_TEST(PermutationTestsLinearModelTest, ManlysFMatchesIntegerArithmetic) {
  constexpr std::size_t n = 8;
  std::vector<std::vector<std::int64_t>> const variables{
      {3, 1, 4, 1, 5, 9, 2, 6}, {0, 0, 1, 1, 7, 2, 2, 3}, {50, 10, 3, 1, 0, 2, 70, 11}};
  Design design{"group beside a batch", {Values(n, 1), Values(n), Values(n)}, {0, 1, 0}, true};
  for (std::size_t i = 0; i < n; ++i) {
    design.columns[1][i] = i % 2 == 0 ? 1 : 0;
    design.columns[2][i] = i % 4 < 2 ? 1 : 0;
  }
  Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> const data("data", variables.size(), n);
  auto const host = HostElements(data);
  for (std::size_t g = 0; g < variables.size(); ++g) {
    for (std::size_t i = 0; i < n; ++i) host(g, i) = static_cast<double>(variables[g][i]);
  }
  host.store();
  PermutationTestsOptions options;
  options.replicates = 100'000;
  auto const result =
      riffle::permutation_tests(TypeParam(), design.model(Nuisance::manly), data, options);
  EXPECT_TRUE(result.exact);
  EXPECT_EQ(result.replicates, 2520u);  // 8! / 2!^4
  for (std::size_t g = 0; g < variables.size(); ++g) {
    auto const& y = variables[g];
    std::int64_t sum = 0;
    std::int64_t squares = 0;
    for (std::int64_t const x : y) {
      sum += x;
      squares += x * x;
    }
    std::vector<std::size_t> sigma(n);
    std::iota(sigma.begin(), sigma.end(), std::size_t{0});
    auto const fraction = [&] {
      std::int64_t by_group = 0;
      std::int64_t by_batch = 0;
      for (std::size_t i = 0; i < n; ++i) {
        by_group += (i % 2 == 0 ? 1 : -1) * y[sigma[i]];
        by_batch += (i % 4 < 2 ? 1 : -1) * y[sigma[i]];
      }
      auto const size = static_cast<std::int64_t>(n);
      return std::pair{by_group * by_group, size * squares - sum * sum - by_batch * by_batch};
    };
    auto const observed = fraction();
    std::uint64_t extreme = 0;
    do {
      auto const found = fraction();
      extreme += found.first * observed.second >= observed.first * found.second ? 1 : 0;
    } while (std::next_permutation(sigma.begin(), sigma.end()));
    EXPECT_EQ(result.extreme(g), extreme / 16) << g;
    EXPECT_NEAR(result.statistic(g),
                5. * static_cast<double>(observed.first) /
                    static_cast<double>(observed.second - observed.first),
                1e-9)
        << g;
  }
}

}  // namespace
}  // namespace riffle::test::permutation_tests_linear_model_test

#endif
