#pragma once

// Test statistics with per-variable sample sizes (per_variable_model() below). The test statistics are the statistics
// t, F, H, r and U themselves, because a correlation or a share has no fixed relation to t or F if degrees of freedom
// differ between variables.
//
// Let y_j be the value of the variable at observation j and m_j = 1, or y_j = m_j = 0 if the value is missing. Let x be
// the permuted column, n the sum of m, and Y the sum of y. Let S, M and M2 be the sums of y x, m x and m x^2. Then:
// - n S - M Y is n times the sum of products of deviations from the means.
// - n M2 - M^2 and n (sum of y^2) - Y^2 are n times the sums of squared deviations from the means.
//
// All of these are whole numbers. n (sum of y^2) - Y^2, which no permutation changes, is stored in two doubles. So
//   t = (n S - M Y) sqrt((n - 2) / ((n M2 - M^2) (n (sum of y^2) - Y^2) - (n S - M Y)^2))
// loses no digits if the correlation is nearly 1, and t is infinite if the correlation is 1.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/statistic_models.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>

namespace riffle::detail::variables {

// --- the model ---
//
// The column model with per-variable sample sizes, for data with missing values.
//
// With m and x as above, a replicate needs the sums of y x, m x and m x^2; Welch's t also needs the sum of y^2 x. The
// statistic also depends on n, the sum of y and the sum of y^2, which no permutation changes. All sums are exact whole
// numbers.

/// Returns the column of a model. For a correlation with whole numbers x, the model's column is n x - (sum of x). The
/// difference between any two elements is a multiple of n. Therefore the elements are shifted by a constant and divided
/// by n, which gives whole numbers that are smaller.
inline std::vector<double> per_variable_column(ColumnModel const& model) {
  std::vector<double> column(model.columns.begin(),
                             model.columns.begin() + static_cast<std::ptrdiff_t>(model.n));
  if (!model.is_exact || model.reported != Reported::correlation) return column;
  auto const n = static_cast<double>(model.n);
  double const first = column[0];
  double sum = 0;
  for (double& x : column) sum += x = (x - first) / n;
  double const mean = std::nearbyint(sum / n);
  for (double& x : column) x -= mean;
  return column;
}

inline Form per_variable_form(ColumnModel const& model) {
  if (model.form == Form::welch) return Form::per_variable_welch;
  if (model.form == Form::share) return Form::per_variable_share;
  return model.reported == Reported::t ? Form::per_variable_t : Form::per_variable_correlation;
}

/// Returns the model of the same test with per-variable sample sizes. Requires: `model` is not the model of a
/// LinearModel.
inline ColumnModel per_variable_model(ColumnModel const& model) {
  ColumnModel own = model;
  own.form = per_variable_form(model);
  own.common_squares = 0;
  if (own.form == Form::per_variable_welch || own.form == Form::per_variable_share ||
      model.flips_signs)
    return own;
  own.columns.clear();
  own.scales.clear();
  if (model.reported == Reported::t || model.reported == Reported::mann_whitney_u) {
    own.add_column({model.types.begin(), model.types.end()}, 1);  // the labels
  } else if (model.treatment == Treatment::ranked) {
    own.add_column(centred_ranks({model.types.begin(), model.types.end()}), 1);
    own.is_exact = true;
  } else {
    own.add_column(per_variable_column(model), 1);
  }
  return own;
}

/// The largest length of a variable's values for which sums are exact.
struct ValueRange {
  double length = 1;
  /// Whether n times a sum minus the product of two other sums is exact, too.
  bool is_exact = false;
};

inline ValueRange value_range(ColumnModel const& own) {
  if (own.form == Form::per_variable_welch) return {std::ldexp(1.0, exact_bits / 2), false};
  double const length = own.length();
  if (own.form == Form::per_variable_share) return {length, false};
  double const all =
      own.treatment == Treatment::as_they_are ? length : length * static_cast<double>(own.n);
  bool const is_exact = own.is_exact && all <= std::ldexp(1.0, exact_bits / 2);
  return {is_exact ? all : length, is_exact};
}

/// Returns the smallest number of values for which the statistic of a variable is defined.
inline std::uint64_t fewest_values(ColumnModel const& own) {
  if (own.form == Form::per_variable_share) return static_cast<std::uint64_t>(own.effects) + 1;
  if (own.form == Form::per_variable_welch) return 4;
  return own.treatment == Treatment::as_they_are ? 2 : 3;
}

// --- test statistics ---

/// The sum over all groups of (sum of the group)^2 / (size of the group). It is NaN if a group is empty. (A separate
/// flag for empty groups is not used, because nvcc 13.0 then generates kernels that count wrongly.)
struct PerVariableShare {
  double between = 0;
};

/// Computes test statistics from sums. The VariableTerms of a variable contain n, base = Y, and squares + squares_low =
/// n (sum of y^2) - Y^2. For Welch's t, or if is_about_0, squares is the sum of y^2 instead. The correlation is
/// multiplied by `factor` instead of being divided by the length of y.
struct PerVariableComparison {
  Form form = Form::per_variable_t;
  Alternative alternative = Alternative::two_sided;
  int groups = 0;
  bool is_about_0 = false;
  /// Whether the statistic is H; otherwise it is F.
  bool is_h = false;
  /// Whether the statistic is U, standardized without a correction for ties.
  bool is_u = false;
  /// Whether the column is ranked again among the observations of each variable.
  bool ranks_column = false;
  /// Whether all x are 0 or 1, so that m x^2 = m x.
  bool is_binary = false;
  /// A difference of products counts as 0 if it is at most `rounding` times its greatest possible value. `rounding` is
  /// 0 if products are exact.
  double rounding = 0;

  /// Returns the statistic of a model with one column. It is NaN if it is undefined, that is, if too few observations
  /// have a label, or if x is constant among the observations of the variable.
  KOKKOS_FUNCTION double of_column(double sum, double column_sum, double column_squares,
                                   VariableTerms const& terms) const {
    double const n = terms.n;
    double const product =
        is_about_0 ? sum : separate_product(n, sum) - separate_product(column_sum, terms.base);
    double const whole = is_about_0 ? n : separate_product(n, column_squares);
    double const spread = is_about_0 ? whole : whole - separate_product(column_sum, column_sum);
    if (!(spread > rounding * whole)) return hidden_nan();
    if (form == Form::per_variable_correlation)
      return product * terms.factor / Kokkos::sqrt(spread);
    double const square = separate_product(product, product);
    double const rest = Kokkos::fma(spread, terms.squares, -square) -
                        Kokkos::fma(product, product, -square) +
                        separate_product(spread, terms.squares_low);
    if (!(rest > rounding * spread * terms.squares)) {
      return product == 0 ? 0 : Kokkos::copysign(hidden_infinity(), product);
    }
    return product * Kokkos::sqrt((n - (is_about_0 ? 1 : 2)) / rest);
  }

  /// Returns Welch's t if `count` observations have label 1.
  KOKKOS_FUNCTION double welch(double sum, double square_sum, double count,
                               VariableTerms const& terms) const {
    if (count < 2 || terms.n - count < 2) return hidden_nan();
    return welch_t(sum, square_sum, terms.base, terms.squares, count, terms.n - count);
  }

  /// Adds a group with `count` observations whose sum is `sum`.
  KOKKOS_FUNCTION static void add(double sum, double count, PerVariableShare& found) {
    found.between += count > 0 ? sum * sum / count : hidden_nan();
  }

  /// Returns F or H, given the sum over all groups.
  KOKKOS_FUNCTION double of_share(PerVariableShare const& found, VariableTerms const& terms) const {
    double const n = terms.n;
    double const all = terms.squares / n;
    if (detail::is_nan(found.between)) return found.between;
    if (!(all > 0)) return 0;
    double const between = Kokkos::max(0.0, found.between - terms.base * terms.base / n);
    if (is_h) return between * (n - 1) / all;
    double const within = all - between;
    if (!(within > share_rounding * all)) return hidden_infinity();
    return between / (groups - 1) / (within / (n - groups));
  }

  /// Returns the test statistic for the alternative. It increases as the statistic becomes more extreme. For an
  /// undefined statistic or an untested variable, it is minus infinity.
  KOKKOS_FUNCTION double sided(double statistic, VariableTerms const& terms) const {
    if (terms.shift != 0 || detail::is_nan(statistic)) return -hidden_infinity();
    if (alternative == Alternative::two_sided) return Kokkos::abs(statistic);
    return alternative == Alternative::less ? -statistic : statistic;
  }

  /// Returns the least test statistic that ties with `test_statistic`, given n observations. t and F are converted to a
  /// correlation or share, `tie` (and a few rounding errors) is subtracted, and the result is converted back.
  KOKKOS_FUNCTION double threshold(double test_statistic, double n, double tie) const {
    if (tie == 0 && is_infinite(test_statistic)) return test_statistic;
    if (form == Form::per_variable_share) {
      double const freedom = is_h ? n - 1 : (n - groups) / (groups - 1);
      if (is_h) return Kokkos::fma(-tie, freedom, test_statistic);
      double const share =
          is_infinite(test_statistic) ? 1 : test_statistic / (test_statistic + freedom);
      return (share - tie) / (1 - share + tie) * freedom;
    }
    constexpr double roundings = 0x1p-48;
    double const close = test_statistic - roundings * Kokkos::abs(test_statistic);
    if (tie == 0) return close;
    if (form == Form::per_variable_correlation) {
      return Kokkos::fma(-tie, is_u ? Kokkos::sqrt(n) : 1, close);
    }
    double const freedom = n - (is_about_0 ? 1 : 2);
    double const length = Kokkos::sqrt(Kokkos::fma(test_statistic, test_statistic, freedom));
    double const r = (is_infinite(test_statistic) ? Kokkos::copysign(1.0, test_statistic)
                                                  : test_statistic / length) -
                     tie;
    if (r <= -1) return -hidden_infinity();
    return r * Kokkos::sqrt(freedom / ((1 - r) * (1 + r)));
  }

 private:
  static constexpr double share_rounding = 0x1p-45;
};

inline PerVariableComparison per_variable_comparison(ColumnModel const& model,
                                                     Alternative alternative) {
  PerVariableComparison own;
  own.form = model.form;
  own.alternative = alternative;
  own.groups = model.effects;
  own.is_about_0 = model.treatment == Treatment::as_they_are;
  own.is_h = model.reported == Reported::kruskal_wallis_h;
  own.is_u = model.reported == Reported::mann_whitney_u;
  own.ranks_column = model.form == Form::per_variable_correlation && !own.is_u &&
                     model.treatment == Treatment::ranked;
  own.is_binary = !own.is_about_0 && std::all_of(model.columns.begin(), model.columns.end(),
                                                 [](double x) { return x == 0 || x == 1; });
  own.rounding = value_range(model).is_exact ? 0 : 0x1p-45;
  return own;
}

}  // namespace riffle::detail::variables
