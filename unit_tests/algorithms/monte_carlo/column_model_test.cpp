// The columns that replicates are multiplied with: their sums, lengths and types, and whether they are whole numbers.

#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/statistic_models.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace riffle::test::column_model_test {
namespace {

using namespace detail::variables;

using Values = std::vector<double>;

Values column_of(ColumnModel const& model, int k) {
  auto const begin = model.columns.begin() + k * static_cast<std::ptrdiff_t>(model.n);
  return Values(begin, begin + static_cast<std::ptrdiff_t>(model.n));
}

/// The scale must make the column's length 1, which is exact for a column of whole numbers.
void expect_scale(ColumnModel const& model, int k, double tolerance) {
  EXPECT_NEAR(model.length_of(k) * model.scales[static_cast<std::size_t>(k)], 1, tolerance);
  for (double const x : column_of(model, k)) EXPECT_EQ(x, std::floor(x));
}

TEST(ColumnModel, ContrastOfTwo) {
  Values const labels{1, 0, 1, 0, 0, 0};
  ColumnModel model = two_sample_model("test", labels, 1);
  add_contrast_of_two(labels, 1, model);
  EXPECT_EQ(model.columns, (Values{2, -1, 2, -1, -1, -1})) << "over the common divisor";
  expect_scale(model, 0, 1e-15);
  EXPECT_EQ(model.n_1, 2);
  EXPECT_EQ(model.n_2, 4);
  EXPECT_EQ(model.degrees_of_freedom, 4);
  EXPECT_EQ(model.types, (std::vector<int>{1, 0, 1, 0, 0, 0}));
  EXPECT_TRUE(model.is_exact);
  EXPECT_DOUBLE_EQ(model.length(), std::sqrt(12.0));
}

// For values with sum 0, a sum over label 1 times the scale equals the sum with the contrast of length 1.
TEST(ColumnModel, Labels) {
  Values const labels{1, 0, 1, 0, 0, 0, 1};
  ColumnModel model = two_sample_model("test", labels, 1);
  add_labels(labels, model);
  EXPECT_TRUE(model.is_of_labels);
  EXPECT_TRUE(model.is_exact);
  EXPECT_EQ(model.width(), 1);
  EXPECT_EQ(model.columns, labels);
  EXPECT_DOUBLE_EQ(model.scales[0], std::sqrt(7.0 / 12));
  EXPECT_DOUBLE_EQ(model.length(), std::sqrt(3.0));
  ColumnModel contrast = two_sample_model("test", labels, 1);
  add_contrast_of_two(labels, 1, contrast);
  EXPECT_FALSE(contrast.is_of_labels);
  Values const values{3, -1, 4, -1, -5, 2, -2};
  auto const sum = [&](ColumnModel const& of) {
    return std::inner_product(values.begin(), values.end(), of.columns.begin(), 0.0) * of.scales[0];
  };
  EXPECT_NEAR(sum(model), sum(contrast), 1e-14);
}

TEST(ColumnModel, OtherModelsAreNotOfLabels) {
  EXPECT_FALSE(welch_model("test", {0, 1, 1, 0}).is_of_labels);
  EXPECT_FALSE(groups_model("test", {0, 1, 1, 0}).is_of_labels);
  EXPECT_FALSE(covariate_model("test", {0, 1, 1, 0}).is_of_labels);
  EXPECT_FALSE(one_sample_model("test", 4).is_of_labels);
}

TEST(ColumnModel, Groups) {
  auto const model = groups_model("test", {0, 2, 1, 1, 2, 2, 0});
  EXPECT_EQ(model.effects, 3);
  EXPECT_EQ(column_of(model, 0), (Values{1, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(column_of(model, 1), (Values{0, 0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(column_of(model, 2), (Values{0, 1, 0, 0, 1, 1, 0}));
  for (int k = 0; k < 3; ++k) expect_scale(model, k, 1e-15);
  EXPECT_EQ(model.effect_degrees, 2);
  EXPECT_EQ(model.degrees_of_freedom, 4);
}

TEST(ColumnModel, WelchHasBitsForSquares) {
  auto const model = welch_model("test", {0, 1, 1, 0});
  EXPECT_EQ(model.columns, (Values{0, 1, 1, 0}));
  EXPECT_EQ(model.length(), 0x1p26);
}

TEST(ColumnModel, WholeCovariates) {
  auto const model = covariate_model("test", {3, -1, 4, 1, 5});
  EXPECT_EQ(model.columns, (Values{3, -17, 8, -7, 13})) << "n x less the sum";
  EXPECT_TRUE(model.is_exact);
  expect_scale(model, 0, 1e-15);
  EXPECT_EQ(covariate_model("test", {1e9 + 3, 1e9 - 1, 1e9 + 4, 1e9 + 1, 1e9 + 5}).columns,
            model.columns)
      << "an offset takes no bits";
}

// Each value has an error of at most half a unit, about the same mean, whichever value comes first.
TEST(ColumnModel, RealCovariates) {
  for (Values const& x :
       {Values{0.5, -2.25, 3.125, 7.5}, Values{7.5, 0.1, -2.25, 3.3}, Values{-9.7, 1e3, 0.5, 1e3},
        Values{1e9 + 0.5, 1e9 - 0.25, 1e9 + 0.125, 1e9}, Values{0, 1e7, 1e9, 3}}) {
    auto const model = covariate_model("test", x);
    EXPECT_FALSE(model.is_exact);
    expect_scale(model, 0, 1e-7);
    auto const column = column_of(model, 0);
    long double const mean = std::accumulate(x.begin(), x.end(), 0.0L) / 4;
    long double squares = 0;
    for (double const v : x) squares += (v - mean) * (v - mean);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(column[i], static_cast<double>((x[i] - mean) / std::sqrt(squares)) * 0x1p26,
                  0.501);
    }
    EXPECT_LE(std::abs(std::accumulate(column.begin(), column.end(), 0.0)), 2);
  }
}

// Values whose squares or differences overflow or underflow.
TEST(ColumnModel, CovariatesOfAnySize) {
  Values x;
  for (int i = 0; i < 12; ++i) x.push_back(std::sin(1.7 * i) + 0.1 * i);
  auto const expected = covariate_model("test", x);
  for (double const power : {0x1p-1000, 0x1p-600, 0x1p-300, 0x1p+300, 0x1p+600, 0x1p+1020}) {
    Values scaled = x;
    for (double& v : scaled) v *= power;
    auto const model = covariate_model("test", scaled);
    EXPECT_EQ(model.columns, expected.columns) << power;
    EXPECT_EQ(model.scales, expected.scales) << power;
    EXPECT_EQ(model.length(), expected.length()) << power;
  }
  EXPECT_EQ(covariate_model("test", {1e200, 2e200, 3e200, 5e200}).columns,
            covariate_model("test", {0.25, 0.5, 0.75, 1.25}).columns);
  EXPECT_EQ(covariate_model("test", {-0x1.8p1023, 0x1.8p1023, 0}).columns,
            covariate_model("test", {-0.5, 0.5, 0}).columns);
}

TEST(ColumnModel, Types) {
  EXPECT_EQ(types_of({2.5, -1, 2.5, 7, -1}), (std::vector<int>{1, 0, 1, 2, 0}));
}

TEST(ColumnModel, CentredRanks) {
  EXPECT_EQ(centred_ranks({10, 30, 20}), (Values{-2, 2, 0}));
  EXPECT_EQ(centred_ranks({5, 5, 1, 9}), (Values{0, 0, -3, 3}));
  EXPECT_EQ(centred_ranks({1, 1, 1}), (Values{0, 0, 0}));
}

TEST(ColumnModel, OneSample) {
  auto const model = one_sample_model("test", 9);
  EXPECT_EQ(model.columns, Values(9, 1));
  EXPECT_EQ(model.scales[0], 1.0 / 3);
  EXPECT_EQ(model.degrees_of_freedom, 8);
  EXPECT_TRUE(model.flips_signs);
}

}  // namespace
}  // namespace riffle::test::column_model_test
