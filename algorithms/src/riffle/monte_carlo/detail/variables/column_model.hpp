#pragma once

// The columns by which the permuted values of a replicate are multiplied. They are whole numbers, so that every sum is
// exact.
//
// The statistic of a variable y is a function of the sums of products of its permuted values and the columns of a
// design,
//   S_k = sum over i of c_ik s_i y_sigma(i) = sum over j of x_jk y_j,   x_sigma(i)k = s_i c_ik,
// where the columns c and the values y are whole numbers, stored in doubles. The (Euclidean) length of a column times
// the length of a variable is below 2^52 (exact_bits). By the Cauchy-Schwarz inequality no sum or partial sum exceeds
// this product, and doubles represent all whole numbers up to 2^53. Therefore every sum is exact in any order of
// summation, with or without fused operations. Replicates that tie in exact arithmetic have equal sums, and the result
// is bitwise identical for every back end, tile size and linear algebra library.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace riffle::detail::variables {

/// The formula that computes the test statistic from sums. The test statistic is an increasing function of the reported
/// statistic.
enum class Form {
  /// r, the correlation with the only tested column after adjustment: S_0 scale_0 / sqrt(residual sum of squares).
  correlation,
  /// R^2 = (sum of (S_k scale_k)^2 over the effects k) / (residual sum of squares), the share of the residual sum of
  /// squares that the effects explain.
  share,
  /// Welch's t, from the sum of the values and the sum of their squares over the observations with label 1.
  welch,
  // The forms with per-variable sample sizes (per_variable_statistic.hpp) are, in this order: t; Welch's t; F or H; and
  // the statistics without degrees of freedom, r or the standardized U.
  per_variable_t,
  per_variable_welch,
  per_variable_share,
  per_variable_correlation,
};

inline bool has_per_variable_n(Form form) { return form >= Form::per_variable_t; }

/// Says how a variable's values are transformed before they are converted to whole numbers.
enum class Treatment {
  /// A constant is subtracted, which does not change the statistic.
  centred,
  /// The values are not transformed, because signs change about 0.
  as_they_are,
  /// Each value is replaced by twice its rank among the variable's values, minus the mean of these numbers.
  ranked,
  /// The projection on `residual_basis` is subtracted.
  residuals,
};

/// The statistic that is reported in place of the test statistic.
enum class Reported { t, f, correlation, mann_whitney_u, kruskal_wallis_h, itself };

/// The length of a column times the length of a variable is below 2^exact_bits. A double has 53 bits; the remaining bit
/// allows for the rounding of the values.
inline constexpr int exact_bits = 52;
/// A column of real numbers is scaled to length 2^real_column_bits before it is rounded to whole numbers. The resulting
/// error of a sum is about 2^-26 / sqrt(12), or 4e-9, times (length of the column) x (length of the variable).
inline constexpr int real_column_bits = 26;

struct ColumnModel {
  std::uint64_t n = 0;
  int effects = 1;
  int adjustments = 0;
  /// The columns, which are whole numbers, in column-major order: first the effects, then the adjustments.
  std::vector<double> columns;
  /// Sums with column k are multiplied by scales[k], which scales the column to length 1.
  std::vector<double> scales;
  /// Whether the columns, up to their scales, are whole numbers without rounding.
  bool is_exact = true;
  /// Whether the only column contains the labels 0 and 1. The values of a variable then sum to 0, so that the sum over
  /// one label determines the difference between the two groups.
  bool is_of_labels = false;
  /// Whether the constant column is in the span of the effect columns, as it is for groups. effect_degrees is then
  /// effects - 1.
  bool explains_constant = false;

  Form form = Form::correlation;
  Treatment treatment = Treatment::centred;
  Reported reported = Reported::t;
  double degrees_of_freedom = 0;
  /// The type of each observation. Observations with equal rows of the design have the same type.
  std::vector<int> types;
  /// An n x basis_columns matrix with orthonormal columns, in row-major order.
  std::vector<double> residual_basis;
  int basis_columns = 0;
  /// Whether the identity permutation gives the observed statistic. If not, the observed statistic is computed from the
  /// residuals after projection on `observed_basis`.
  bool identity_is_observed = true;
  std::vector<double> observed_basis = {};
  int observed_basis_columns = 0;
  /// For U, unless sample sizes are per variable: the sum of squares that scales the sums of all variables, because
  /// maxima over variables are taken over U itself, without a correction for ties. Otherwise 0: each variable is scaled
  /// by its own sum of squares.
  double common_squares = 0;
  /// The degrees of freedom of the effects.
  double effect_degrees = 1;
  /// The sizes of the two samples, label 1 first.
  double n_1 = 0;
  double n_2 = 0;
  /// For draper_stoneman: free_columns are the columns that are permuted; they have length 1. fixed_nuisance are the
  /// nuisance columns that are then projected out of the permuted columns (draw_columns.hpp). Both are in column-major
  /// order. They are empty if a replicate only permutes the columns of the design.
  std::vector<double> free_columns = {};
  std::vector<double> fixed_nuisance = {};
  /// Whether the caller's scheme may change signs.
  bool may_flip_signs = false;
  /// Whether the default scheme changes signs instead of permuting observations.
  bool flips_signs = false;
  /// If the only column is a covariate: wide_column contains its values as whole numbers of up to 52 bits
  /// (wide_integers.hpp), and wide_column_error is the error that rounding the covariate causes in a correlation.
  std::vector<double> wide_column = {};
  double wide_column_error = 0;
  /// Whether most values of the column are so close to each other that rounding to whole numbers leaves few bits for
  /// their differences.
  bool is_coarse = false;

  int width() const { return effects + adjustments; }

  /// Returns the model with which the observed statistic is computed if `identity_is_observed` is false.
  ColumnModel observed_model() const {
    ColumnModel model = *this;
    model.residual_basis = observed_basis;
    model.basis_columns = observed_basis_columns;
    return model;
  }

  /// Returns the greatest length of a column. For Welch's t it returns a length for which sums of squares are exact,
  /// too.
  double length() const {
    if (form == Form::welch) return std::ldexp(1.0, exact_bits / 2);
    double longest = 0;
    for (int k = 0; k < width(); ++k) longest = std::max(longest, length_of(k));
    return longest;
  }

  double length_of(int k) const {
    double squares = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      double const x = columns[static_cast<std::uint64_t>(k) * n + i];
      squares += x * x;
    }
    return std::sqrt(squares);
  }

  /// Adds a column of whole numbers, whose sums are scaled by `scale`.
  void add_column(std::vector<double> const& column, double scale) {
    columns.insert(columns.end(), column.begin(), column.end());
    scales.push_back(scale);
  }

  /// Adds a column of length 1, after rounding it to whole numbers.
  void add_real_column(std::vector<double> const& column) {
    double const unit = std::ldexp(1.0, real_column_bits);
    std::vector<double> whole(column.size());
    std::transform(column.begin(), column.end(), whole.begin(),
                   [unit](double x) { return std::nearbyint(x * unit); });
    add_column(whole, 1 / unit);
    is_exact = false;
  }
};

/// Adds a column of whole numbers with sum 0. The sum of products with this column is proportional to the mean of the
/// observations with `label` minus the mean of the other observations.
inline void add_contrast_of_two(std::vector<double> const& labels, double label,
                                ColumnModel& model) {
  auto const first = static_cast<std::uint64_t>(std::count(labels.begin(), labels.end(), label));
  std::uint64_t const second = labels.size() - first;
  std::uint64_t const common = std::gcd(first, second);
  auto const of_first = static_cast<double>(second / common);
  auto const of_second = -static_cast<double>(first / common);
  std::vector<double> column(labels.size());
  for (std::uint64_t i = 0; i < labels.size(); ++i) {
    column[i] = labels[i] == label ? of_first : of_second;
  }
  double const squares = static_cast<double>(first) * of_first * of_first +
                         static_cast<double>(second) * of_second * of_second;
  model.add_column(column, 1 / std::sqrt(squares));
}

/// Adds a column of length 1. A column with two distinct values and sum 0, as for the difference between two groups, is
/// stored exactly; any other column is rounded.
inline void add_unit_column(std::vector<double> const& column, ColumnModel& model) {
  auto const [least, greatest] = std::minmax_element(column.begin(), column.end());
  auto const of_greatest = static_cast<double>(std::count(column.begin(), column.end(), *greatest));
  auto const of_least = static_cast<double>(std::count(column.begin(), column.end(), *least));
  bool const has_two_values = of_greatest + of_least == static_cast<double>(column.size());
  constexpr double rounding = 1e-12;
  double const sum = of_greatest * *greatest + of_least * *least;
  if (has_two_values && std::abs(sum) <= rounding) {
    add_contrast_of_two(column, *greatest, model);
  } else {
    model.add_real_column(column);
  }
}

}  // namespace riffle::detail::variables
