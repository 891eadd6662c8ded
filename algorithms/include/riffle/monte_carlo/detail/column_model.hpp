#pragma once

// The columns that replicates are multiplied with. They are whole numbers, so that every sum is exact.
//
// A statistic of a variable y is a function of sums of its permuted values with the columns of a design,
//   S_k = sum over i of c_ik s_i y_sigma(i) = sum over j of x_jk y_j,   x_sigma(i)k = s_i c_ik,
// where the columns c and the values y are whole numbers, stored in doubles. The length of a column times the length of
// a variable is at most 2^53. By the Cauchy-Schwarz inequality no sum, nor a part of one, exceeds this product. So
// every sum is exact in any order, with fused operations or without: replicates that tie in exact arithmetic have equal
// sums, and back ends, tiles and linear algebra libraries agree bit by bit.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace riffle::detail::variables {

/// Says how sums become a test statistic, which grows with the reported statistic.
enum class Form {
  /// r, the correlation with the one column after adjustment: S_0 scale_0 / sqrt(residual squares).
  correlation,
  /// R^2, the share of the residual squares that the effects explain: the sum of (S_k scale_k)^2 over them.
  share,
  /// Welch's t, from the sums of values and of squares over the observations of label 1.
  welch,
  // With per-variable sample sizes (per_variable_statistic.hpp): t, Welch's t, F or H, and statistics without degrees
  // of freedom, r or the standardized U.
  per_variable_t,
  per_variable_welch,
  per_variable_share,
  per_variable_correlation,
};

inline bool has_per_variable_n(Form form) { return form >= Form::per_variable_t; }

/// Says how a variable's values are transformed before they are converted to whole numbers.
enum class Treatment {
  /// A constant is subtracted, which changes no sum.
  centred,
  /// Unchanged: signs change about 0.
  as_they_are,
  /// Replaced by twice their ranks among the variable's values, about their mean.
  ranked,
  /// The part in the span of `residual_basis` is subtracted.
  residuals,
};

/// The statistic that is reported in place of the test statistic.
enum class Reported { t, f, correlation, mann_whitney_u, kruskal_wallis_h, itself };

/// The length of a column times the length of a variable is below 2^52, which leaves one of a double's 53 bits for the
/// rounding of the values.
inline constexpr int exact_bits = 52;
/// The length of a column that is rounded to whole numbers, in bits. The error of a sum is about 2^-26 / sqrt(12), or
/// 4e-9, of the product of the two lengths.
inline constexpr int real_column_bits = 26;

struct ColumnModel {
  std::uint64_t n = 0;
  int effects = 1;
  int adjustments = 0;
  /// Column by column, effects first: whole numbers.
  std::vector<double> columns;
  /// The factor of each column's sums that scales the column to length 1.
  std::vector<double> scales;
  /// Whether the columns are whole numbers without rounding.
  bool is_exact = true;
  /// Whether there is one column, of the labels 0 and 1. The values of a variable then sum to 0, so that the sum over
  /// one label determines the difference of the two groups.
  bool is_of_labels = false;
  /// Whether the effects explain a constant, which is not counted.
  bool explains_constant = false;

  Form form = Form::correlation;
  Treatment treatment = Treatment::centred;
  Reported reported = Reported::t;
  double degrees_of_freedom = 0;
  /// The type of each observation; observations with equal rows of the design have one type.
  std::vector<int> types;
  /// n rows of `basis_columns` orthonormal columns.
  std::vector<double> residual_basis;
  int basis_columns = 0;
  /// Whether the identity's replicate has the observed statistic; otherwise the observed statistic is computed from the
  /// residuals of `observed_basis`.
  bool identity_is_observed = true;
  std::vector<double> observed_basis = {};
  int observed_basis_columns = 0;
  /// The sum of squares that all variables' sums are scaled by, or 0 if each variable has its own. It is set for U,
  /// which is compared without a correction for ties.
  double common_squares = 0;
  /// The degrees of freedom of the effects.
  double effect_degrees = 1;
  /// The sizes of the two samples, label 1 first.
  double n_1 = 0;
  double n_2 = 0;
  /// For draper_stoneman: columns of length 1 that are permuted, and nuisance columns that are then projected out of
  /// them (draw_columns.hpp). Both column by column; empty if the columns of the design are permuted.
  std::vector<double> free_columns = {};
  std::vector<double> fixed_nuisance = {};
  /// Whether a scheme may change signs.
  bool may_flip_signs = false;
  /// Whether the default scheme changes signs instead of places.
  bool flips_signs = false;
  /// The one column with up to 52 bits, if it is a covariate (wide_integers.hpp), and the error of a correlation with it
  /// from rounding.
  std::vector<double> wide_column = {};
  double wide_column_error = 0;
  /// Whether most values of the column are so close to each other that rounding leaves them few bits.
  bool is_coarse = false;

  int width() const { return effects + adjustments; }

  /// Returns the model of the observed statistic.
  ColumnModel observed_model() const {
    ColumnModel model = *this;
    model.residual_basis = observed_basis;
    model.basis_columns = observed_basis_columns;
    return model;
  }

  /// Returns the greatest length of a column; for Welch's t the length that keeps sums of squares exact, too.
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

  /// Adds a column of length 1, rounded.
  void add_real_column(std::vector<double> const& column) {
    double const unit = std::ldexp(1.0, real_column_bits);
    std::vector<double> whole(column.size());
    std::transform(column.begin(), column.end(), whole.begin(),
                   [unit](double x) { return std::nearbyint(x * unit); });
    add_column(whole, 1 / unit);
    is_exact = false;
  }
};

/// Adds the column of the difference of two means, of the observations with `label` minus the others: whole numbers
/// with sum 0.
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

/// Adds a column of length 1. It is exact in whole numbers if it has two values and sum 0, as the difference of two
/// groups has; otherwise it is rounded.
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
