#if __has_include(<Eigen/QR>)  // as riffle/monte_carlo/linear_model.hpp needs it

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/linear_model.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/thrown_message.hpp"

namespace riffle::test::linear_model_test {
namespace {

using Values = std::vector<double>;

Values const y{4.1, 5.3, 2.2, 6.8, 7.1, 5.9, 8.4, 3.3, 9.2, 6.1, 4.7, 7.7};
Values const ages{23, 35, 31, 44, 52, 28, 61, 39, 47, 33, 58, 26};
std::vector<std::string> const groups{"a", "b", "c", "a", "b", "c", "a", "b", "c", "a", "b", "c"};
std::vector<std::string> const sexes{"m", "f", "f", "m", "m", "f", "f", "m", "f", "m", "m", "f"};

Nuisance const methods[] = {Nuisance::freedman_lane, Nuisance::ter_braak, Nuisance::manly,
                            Nuisance::draper_stoneman, Nuisance::still_white};

/// smf.ols("y ~ C(group, Treatment('b')) + age + sex", d) of statsmodels 0.13.5.
DesignMatrix design_of_main_effects() {
  DesignMatrix design(y.size());
  design.add_intercept().add_factor("group", groups, "b").add_covariate("age", ages);
  design.add_factor("sex", sexes);
  return design;
}

/// smf.ols("y ~ group * age", d).
DesignMatrix design_with_interaction() {
  DesignMatrix design(y.size());
  design.add_intercept().add_factor("group", groups).add_covariate("age", ages);
  design.add_interaction("group", "age");
  return design;
}

double observed(DesignMatrix const& design, Values const& contrast,
                LinearModelOptions const& options = {}) {
  return LinearModel(design, contrast, options).observed(y);
}

TEST(LinearModelTest, AgreesWithStatsmodelsAndR) {
  auto const design = design_of_main_effects();
  LinearModelOptions f;
  f.is_f = true;
  // m.tvalues; R: relevel(d$group, "b"), coef(summary(lm(y ~ group + age + sex, d)))[, 3] gives the same to 14 digits.
  EXPECT_NEAR(observed(design, design.contrast("intercept")), 0.4311653932503537, 1e-11);
  EXPECT_NEAR(observed(design, design.contrast("group[a]")), 1.225630953591507, 1e-11);
  EXPECT_NEAR(observed(design, design.contrast("group[c]")), 0.8081280582519802, 1e-11);
  EXPECT_NEAR(observed(design, design.contrast("sex[m]")), -0.5217239805697246, 1e-11);
  EXPECT_NEAR(observed(design, design.contrast("age")), 1.728725462380574, 1e-11);
  // m.t_test([0, 1, -1, 0, 0]).tvalue, m.t_test([0, .5, .5, 0, -1]).tvalue
  EXPECT_NEAR(observed(design, design.contrast("group[a] - group[c]")), 0.0361416065448734, 1e-11);
  EXPECT_NEAR(observed(design, design.contrast("0.5 group[a] + 0.5 * group[c] - age")),
              1.104264680959742, 1e-11);
  // m.f_test([[0, 1, 0, 0, 0], [0, 0, 1, 0, 0]]).fvalue; R: anova(lm(y ~ age + sex, d), m)
  EXPECT_NEAR(observed(design, design.term("group")), 0.8007040166559666, 1e-11);
  // m.f_test([[0, 0, 0, 1, 0]]).fvalue
  EXPECT_NEAR(observed(design, design.contrast("sex[m]"), f), 0.2721959119015184, 1e-11);
  // m.fvalue
  EXPECT_NEAR(observed(design, design.contrasts({"group[a]", "group[c]", "age", "sex[m]"})),
              1.188581316075012, 1e-11);
}

TEST(LinearModelTest, AgreesWithStatsmodelsOnInteractionsAndMeans) {
  auto const design = design_with_interaction();
  // i.tvalues
  EXPECT_NEAR(observed(design, design.contrast("group[b]")), 0.1155258133646736, 1e-11);
  EXPECT_NEAR(observed(design, design.contrast("group[b]:age")), -0.405936021046174, 1e-11);
  // i.f_test(np.eye(6)[4:]).fvalue, i.f_test(np.eye(6)[1:3]).fvalue
  EXPECT_NEAR(observed(design, design.term("group:age")), 0.167392772775162, 1e-11);
  EXPECT_NEAR(observed(design, design.term("group")), 0.02246537098647592, 1e-11);
  // g = smf.ols("y ~ group - 1", d).fit()
  DesignMatrix means(y.size());
  means.add_group_means("group", groups);
  // g.f_test([[1, -1, 0], [0, 1, -1]]).fvalue, g.t_test([1, -1, 0]).tvalue, g.tvalues
  EXPECT_NEAR(observed(means, means.contrasts({"group[a] - group[b]", "group[b] - group[c]"})),
              0.3920993227990969, 1e-11);
  EXPECT_NEAR(observed(means, means.contrast("group[a] - group[b]")), 0.7967909678837536, 1e-11);
  EXPECT_NEAR(observed(means, means.contrast("group[a]")), 5.724309573240554, 1e-11);
}

TEST(LinearModelTest, MatchesThePairedTOfSleep) {
  // R: coef(summary(lm(extra ~ group + ID, sleep)))["group2", 3], which is the paired t of t.test.
  Values const extra{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0,
                     1.9, 0.8,  1.1,  0.1,  -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  std::vector<std::string> drugs(20, "1");
  std::vector<std::string> patients;
  for (int i = 0; i < 20; ++i) {
    if (i >= 10) drugs[static_cast<std::size_t>(i)] = "2";
    patients.push_back(std::to_string(i % 10));
  }
  DesignMatrix design(20);
  design.add_intercept().add_factor("drug", drugs).add_factor("patient", patients);
  LinearModel const model(design, design.contrast("drug[2]"));
  EXPECT_NEAR(model.observed(extra), 4.062127683382035, 1e-11);
  EXPECT_EQ(model.degrees_of_freedom(), 9);
}

// An arm whose mean is equal in each block, written by several combinations of columns, and an arm without this
// property.
TEST(LinearModelTest, CountsTheEffectsThatPermutationsChange) {
  std::size_t const n = 12;
  std::vector<int> blocks(n);
  Values arm(n), treated(n), sum(n);
  for (std::size_t i = 0; i < n; ++i) {
    blocks[i] = static_cast<int>(i / 3);
    arm[i] = i < 6 ? 1 : 0;
    treated[i] = i % 3 == 0 ? 1 : 0;
    sum[i] = arm[i] + ages[i];
  }
  DesignMatrix design(n);
  design.add_intercept().add_covariate("arm", arm).add_covariate("age", ages);
  design.add_covariate("treated", treated);
  auto const changed = [&](DesignMatrix const& of, Values const& contrast,
                           std::vector<int> const& orbits) {
    return LinearModel(of, contrast).changed_effects(orbits);
  };
  std::vector<int> const free(n, 0);
  EXPECT_EQ(changed(design, design.contrast("arm"), blocks), 0u);
  EXPECT_EQ(changed(design, design.contrast("arm"), free), 1u);
  EXPECT_EQ(changed(design, design.contrast("treated"), blocks), 1u);
  EXPECT_EQ(changed(design, design.contrast("treated - arm"), blocks), 0u);
  EXPECT_EQ(changed(design, design.contrasts({"arm", "treated"}), blocks), 1u);
  EXPECT_EQ(changed(design, design.contrasts({"age", "treated"}), blocks), 2u);
  EXPECT_EQ(changed(design, design.contrast("intercept"), free), 0u);
  EXPECT_EQ(changed(design, design.contrasts({"intercept", "age"}), free), 1u);
  // Next to the covariate age, the coefficient of arm + age is the coefficient of the arm, and the coefficient of age
  // is its own minus the arm's.
  DesignMatrix same(n);
  same.add_intercept().add_covariate("sum", sum).add_covariate("age", ages);
  EXPECT_EQ(changed(same, same.contrast("sum"), blocks), 0u);
  EXPECT_EQ(changed(same, same.contrast("age"), blocks), 0u);
  EXPECT_EQ(changed(same, same.contrast("sum + age"), blocks), 1u);
  EXPECT_EQ(
      thrown_message([&] {
        changed(same, same.contrast("sum"), {0, 1});
      }),
      "riffle::LinearModel: changed_effects: orbits.size() = 2: must be the design's rows, 12");
  std::vector<int> negative(n, 0);
  negative[n - 1] = -1;
  EXPECT_EQ(thrown_message([&] { changed(same, same.contrast("sum"), negative); }),
            "riffle::LinearModel: changed_effects: an orbit is -1: must be at least 0");
}

TEST(LinearModelTest, HasOrthonormalBases) {
  auto const design = design_of_main_effects();
  LinearModel const model(design, design.term("group"));
  std::size_t const n = model.observations();
  EXPECT_EQ(model.effects(), 2u);
  EXPECT_EQ(model.nuisance_columns(), 3u);
  EXPECT_EQ(model.degrees_of_freedom(), 7);
  EXPECT_TRUE(model.is_f());
  EXPECT_TRUE(model.nuisance_has_constant());
  auto const product = [n](Values const& a, std::size_t columns_a, std::size_t i, Values const& b,
                           std::size_t columns_b, std::size_t j) {
    double sum = 0;
    for (std::size_t row = 0; row < n; ++row) {
      sum += a[row * columns_a + i] * b[row * columns_b + j];
    }
    return sum;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(product(model.nuisance(), 3, i, model.nuisance(), 3, j), i == j, 1e-15);
      if (j == 2) continue;
      EXPECT_NEAR(product(model.nuisance(), 3, i, model.interest(), 2, j), 0, 1e-15);
      if (i == 2) continue;
      EXPECT_NEAR(product(model.interest(), 2, i, model.interest(), 2, j), i == j, 1e-15);
      EXPECT_NEAR(product(model.unadjusted_interest(), 2, i, model.unadjusted_interest(), 2, j),
                  i == j, 1e-15);
    }
  }
}

TEST(LinearModelTest, DoesNotDependOnUnitsOfColumns) {
  DesignMatrix design(y.size());
  Values squares;
  Values scaled;
  for (double const age : ages) {
    squares.push_back((age + 2000) * (age + 2000));
    scaled.push_back(age * 1e200);
  }
  Values years = ages;
  for (double& year : years) year += 2000;
  design.add_intercept().add_covariate("year", years).add_covariate("square", squares);
  // smf.ols would lose digits. Columns about their mean span the same space, and t of the highest power does not
  // change.
  DesignMatrix centred(y.size());
  Values centred_squares;
  double const mean = std::accumulate(ages.begin(), ages.end(), 0.0) / 12;
  for (double const age : ages) centred_squares.push_back((age - mean) * (age - mean));
  centred.add_intercept().add_covariate("age", ages, true).add_covariate("square", centred_squares);
  EXPECT_NEAR(observed(design, design.contrast("square")),
              observed(centred, centred.contrast("square")), 1e-9);
  DesignMatrix large(y.size());
  large.add_intercept().add_covariate("age", scaled);
  DesignMatrix plain(y.size());
  plain.add_intercept().add_covariate("age", ages);
  EXPECT_NEAR(observed(large, large.contrast("age")), observed(plain, plain.contrast("age")),
              1e-12);
}

TEST(LinearModelTest, TakesViewsAndRows) {
  auto const design = design_of_main_effects();
  auto const contrast = design.contrast("age");
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const view("design", 12, 5);
  auto const values = design.values();
  for (std::size_t i = 0; i < values.size(); ++i) view(i / 5, i % 5) = values[i];
  LinearModel const expected(design, contrast);
  EXPECT_EQ(LinearModel(view, contrast).interest(), expected.interest());
  EXPECT_EQ(LinearModel(values, 12, 5, contrast).interest(), expected.interest());
}

TEST(LinearModelTest, ConstantVariablesHaveTheStatistic0) {
  auto const design = design_of_main_effects();
  for (Nuisance const method : methods) {
    LinearModelOptions options;
    options.nuisance = method;
    LinearModel const t(design, design.contrast("age"), options);
    EXPECT_EQ(t.observed(Values(12, 0.1)), 0);
    EXPECT_EQ(LinearModel(design, design.term("group"), options).observed(Values(12, 1e9 / 3)), 0);
    if (method != Nuisance::manly) {
      EXPECT_EQ(t.residuals(Values(12, 0.1)), Values(12, 0));
    }
    Values with_nan = y;
    with_nan[3] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(t.observed(with_nan)));
  }
}

TEST(LinearModelTest, RowsOfATypeHaveEqualWeights) {
  DesignMatrix design(12);
  design.add_intercept().add_factor("group", groups).add_factor("sex", sexes);
  for (Nuisance const method : methods) {
    LinearModelOptions options;
    options.nuisance = method;
    LinearModel const model(design, design.contrast("group[b] - group[c]"), options);
    // The types of the design (group, sex). For draper_stoneman only X is multiplied with permuted values: it is 1/2 in
    // b, -1/2 in c.
    bool const by_interest = method == Nuisance::draper_stoneman;
    std::vector<int> const of_design{0, 1, 2, 0, 3, 2, 4, 3, 2, 0, 3, 2};
    std::vector<int> const of_interest{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    EXPECT_EQ(model.row_types(), by_interest ? of_interest : of_design);
    for (std::size_t i = 0; i < 12; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (model.row_types()[i] != model.row_types()[j]) continue;
        EXPECT_EQ(model.weights()[i], model.weights()[j]);
        for (std::size_t k = 0; k < model.adjustments(); ++k) {
          EXPECT_EQ(model.adjustment_weights()[i * model.adjustments() + k],
                    model.adjustment_weights()[j * model.adjustments() + k]);
        }
      }
    }
  }
}

// --- errors ---

Values const one_and_x{1, 0, 1, 1, 1, 2, 1, 4};

std::string message(Values const& design, std::size_t n, std::size_t p, Values const& contrast,
                    std::vector<std::string> const& names = {}) {
  LinearModelOptions options;
  options.names = names;
  return thrown_message([&] { LinearModel(design, n, p, contrast, options); });
}

TEST(LinearModelTest, RejectsShapesThatDoNotFit) {
  EXPECT_EQ(message(one_and_x, 4, 0, {0, 1}), "riffle::LinearModel: design has no columns");
  EXPECT_EQ(message(one_and_x, 4, 3, {0, 1, 0}),
            "riffle::LinearModel: design.size() = 8: must be n p = 4 * 3");
  EXPECT_EQ(message(one_and_x, 4, 2, {}),
            "riffle::LinearModel: contrast is empty: it tests nothing");
  EXPECT_EQ(
      message(one_and_x, 4, 2, {0, 1, 0}),
      "riffle::LinearModel: contrast.size() = 3: must be a multiple of the design's columns, 2");
  EXPECT_EQ(message(one_and_x, 4, 2, {0, 1}, {"one"}),
            "riffle::LinearModel: options.names.size() = 1: must be 0 or the design's columns, 2");
  EXPECT_EQ(message({1, 0, 1, 1}, 2, 2, {0, 1}),
            "riffle::LinearModel: design has n = 2 rows and p = 2 columns: no degrees of freedom "
            "are left");
  LinearModel const model(one_and_x, 4, 2, {0, 1});
  EXPECT_EQ(thrown_message([&] {
              model.observed({1, 2, 3});
            }),
            "riffle::LinearModel: observed: y.size() = 3: must be the design's rows, 4");
  EXPECT_EQ(thrown_message([&] {
              model.residuals({1, 2, 3});
            }),
            "riffle::LinearModel: residuals: y.size() = 3: must be the design's rows, 4");
}

TEST(LinearModelTest, RejectsValuesThatAreNotFinite) {
  Values design = one_and_x;
  design[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message(design, 4, 2, {0, 1}),
            "riffle::LinearModel: design(2, 1) = NaN: must be a finite number");
  design[5] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message(design, 4, 2, {0, 1}, {"one", "x"}),
            "riffle::LinearModel: design(2, 1) = inf, of column 1 (x): must be a finite number");
  EXPECT_EQ(message(one_and_x, 4, 2, {0, -std::numeric_limits<double>::infinity()}),
            "riffle::LinearModel: contrast(0, 1) = -inf: must be a finite number");
}

TEST(LinearModelTest, RejectsDependentRowsOfTheContrast) {
  EXPECT_EQ(message(one_and_x, 4, 2, {0, 1, 0, 0}),
            "riffle::LinearModel: row 1 of contrast is 0: it tests nothing");
  EXPECT_EQ(message(one_and_x, 4, 2, {0, 1, 0, -3}),
            "riffle::LinearModel: row 1 of contrast depends on rows 0: rows must be independent");
  EXPECT_EQ(
      message(one_and_x, 4, 2, {0, 1, 1, 0, 2, 1}),
      "riffle::LinearModel: row 2 of contrast depends on rows 0, 1: rows must be independent");
}

TEST(LinearModelTest, RejectsDependentColumnsAndNamesThem) {
  DesignMatrix design(12);
  design.add_intercept().add_covariate("age", ages).add_group_means("group", groups);
  EXPECT_EQ(
      thrown_message([&] { LinearModel(design, design.contrast("age")); }),
      "riffle::LinearModel: design has 5 columns of rank 4: they must be independent; column 4 "
      "(group[c]) depends on column 0 (intercept), column 2 (group[a]), column 3 (group[b])");
  EXPECT_EQ(
      thrown_message([&] { LinearModel(design, design.contrast("group[a]")); }),
      "riffle::LinearModel: design has 5 columns of rank 4: they must be independent; column 4 "
      "(group[c]) depends on column 0 (intercept), column 2 (group[a]), column 3 (group[b]); "
      "row 0 of the contrast cannot be estimated");
  // The design is refused, although a difference of groups could be estimated.
  EXPECT_EQ(thrown_message([&] { LinearModel(design, design.contrast("group[a] - group[b]")); }),
            thrown_message([&] { LinearModel(design, design.contrast("age")); }));
}

TEST(LinearModelTest, RejectsColumnsOfZerosAndNearlyDependentOnes) {
  EXPECT_EQ(
      message({1, 0, 1, 0, 1, 0}, 3, 2, {1, 0}),
      "riffle::LinearModel: design has 2 columns of rank 1: they must be independent; column 1 "
      "is 0");
  EXPECT_EQ(
      message({0, 0, 0, 0, 0, 0}, 3, 2, {1, 0}),
      "riffle::LinearModel: design has 2 columns of rank 0: they must be independent; column 0 "
      "is 0; column 1 is 0; row 0 of the contrast cannot be estimated");
  Values nearly{1, 1, 1, 1, 1, 1, 1, 1 + 1e-11};
  EXPECT_EQ(
      message(nearly, 4, 2, {0, 1}),
      "riffle::LinearModel: design has 2 columns of rank 1: they must be independent; column 1 "
      "depends on column 0; row 0 of the contrast cannot be estimated");
  nearly[7] = 1 + 1e-7;
  EXPECT_EQ(message(nearly, 4, 2, {0, 1}), "nothing was thrown");
}

TEST(LinearModelTest, ExactFitsAreInfinite) {
  EXPECT_EQ(t_of_correlation(1, 5), std::numeric_limits<double>::infinity());
  EXPECT_EQ(t_of_correlation(-1, 5), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(f_of_share(1, 2, 5), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(t_of_correlation(0.5, 3), 1);
  EXPECT_DOUBLE_EQ(f_of_share(0.25, 1, 3), 1);
}

}  // namespace
}  // namespace riffle::test::linear_model_test

#endif
