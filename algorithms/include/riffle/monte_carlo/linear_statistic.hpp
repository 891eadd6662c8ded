#pragma once

// t and F of a linear model from the sums of one replicate. The formulas are derived in
// riffle/monte_carlo/nuisance.hpp. All functions can be called in kernels. They write fused multiply-adds explicitly,
// so that the compiler contracts nothing and the results have the same bits on every back end.

#include <Kokkos_Core.hpp>

#include <cmath>

#include <riffle/backend/floating_point.hpp>

namespace riffle {

/// Returns t = r sqrt(v / (1 - r^2)) for a partial correlation r with v degrees of freedom. If |r| >= 1, as rounding
/// can give for data that the model fits exactly, t is infinite with the sign of r. A relative rounding error of 2^-53
/// in r becomes (1 + t^2 / v) 2^-53 in t: for t = 1e6 and v = 10, five digits are left.
KOKKOS_INLINE_FUNCTION double t_of_correlation(double r, double degrees_of_freedom) {
  double const rest = (1 - r) * (1 + r);
  if (rest <= 0) return Kokkos::copysign(detail::hidden_infinity(), r);
  return r * Kokkos::sqrt(degrees_of_freedom / rest);
}

/// Returns F = (R2 / s) / ((1 - R2) / v), where R2 = `share` is the share of the sum of squares that s columns explain,
/// and v the residual degrees of freedom. F is infinite if R2 >= 1. A relative rounding error of 2^-53 in R2 becomes (1
/// + s F / v) 2^-53 in F.
KOKKOS_INLINE_FUNCTION double f_of_share(double share, double effects, double degrees_of_freedom) {
  double const rest = 1 - share;
  if (rest <= 0) return detail::hidden_infinity();
  return share / effects * (degrees_of_freedom / rest);
}

/// Computes the statistic of one variable in one replicate from its sums.
///
/// `squares` is |u|^2, `interest` contains the s sums A' P u, and `nuisance` the k sums B' P u. If no sum of squares is
/// left to explain, |u|^2 - |B' P u|^2 <= 0, as for a constant variable, t and F are 0. NaN gives NaN.
///
/// Complexity: s + k multiplications, one square root and two divisions. Reproducible: the same bits on every back end.
class LinearStatistic {
 public:
  /// Makes the statistic for s = `effects` tested columns and k = `adjustments` columns in B. It is t if s = 1 and
  /// `is_f` is false, otherwise F.
  LinearStatistic(int effects, int adjustments, double degrees_of_freedom, bool is_f)
      : effects_(effects),
        adjustments_(adjustments),
        degrees_of_freedom_(degrees_of_freedom),
        is_f_(is_f || effects > 1) {}

  KOKKOS_FUNCTION double operator()(double const* interest, double const* nuisance,
                                    double squares) const {
    double const left = squares - sum_of_squares(nuisance, adjustments_);
    if (is_f_) return of_explained(sum_of_squares(interest, effects_), left);
    return of_sum(interest[0], left);
  }

  /// Returns F, given that the tested columns explain `explained` of the sum of squares `left`. For draper_stoneman,
  /// pass FreeGram::explained and |u|^2.
  KOKKOS_FUNCTION double of_explained(double explained, double left) const {
    if (left <= 0) return 0;
    return f_of_share(explained / left, effects_, degrees_of_freedom_);
  }

  /// Returns t, given the sum with the only tested column and the sum of squares `left`. For draper_stoneman, pass the
  /// sum that FreeGram::normalise returns, and |u|^2.
  KOKKOS_FUNCTION double of_sum(double sum, double left) const {
    if (left <= 0) return 0;
    return t_of_correlation(sum / Kokkos::sqrt(left), degrees_of_freedom_);
  }

  KOKKOS_FUNCTION bool is_f() const { return is_f_; }
  KOKKOS_FUNCTION int effects() const { return effects_; }
  KOKKOS_FUNCTION int adjustments() const { return adjustments_; }
  KOKKOS_FUNCTION double degrees_of_freedom() const { return degrees_of_freedom_; }

 private:
  KOKKOS_FUNCTION static double sum_of_squares(double const* values, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum = Kokkos::fma(values[i], values[i], sum);
    return sum;
  }

  int effects_;
  int adjustments_;
  double degrees_of_freedom_;
  bool is_f_;
};

/// The Cholesky factor L of the s x s matrix G = I - W'W, for a replicate of Nuisance::draper_stoneman. G is the Gram
/// matrix of the permuted columns of interest after the nuisance is projected out of them. Multiplying these columns by
/// L^-1 makes them orthonormal. L does not depend on the variable.
///
/// A permuted column explains nothing if it lies in the span of the nuisance and of the columns before it. A column
/// counts as such if the squared length of its part outside of this span is at most `min_pivot`. (The squared length of
/// the whole column is 1.)
///
/// The object refers to memory of the caller: s x s doubles in row-major order. Only the lower triangle is used.
class FreeGram {
 public:
  static constexpr double min_pivot = 1e-12;

  KOKKOS_FUNCTION FreeGram(double* lower, int effects) : lower_(lower), effects_(effects) {}

  /// Computes L from the q x s matrix W = (P Z_o)' X_o, stored in row-major order.
  ///
  /// Complexity: q s^2 / 2 + s^3 / 6 multiplications, s square roots.
  KOKKOS_FUNCTION void factorise(double const* sums, int nuisance_columns) const {
    for (int row = 0; row < effects_; ++row) {
      for (int column = 0; column <= row; ++column) {
        double const rest =
            gram(sums, nuisance_columns, row, column) - product_of_rows(row, column, column);
        at(row, column) = row == column ? root_of(rest) : over_pivot(rest, column);
      }
    }
  }

  /// Replaces the s sums X_o' P u by L^-1 X_o' P u. For s = 1, the result is the correlation times |u|.
  KOKKOS_FUNCTION void normalise(double* sums) const {
    for (int row = 0; row < effects_; ++row) {
      double rest = sums[row];
      for (int column = 0; column < row; ++column) {
        rest = Kokkos::fma(-at(row, column), sums[column], rest);
      }
      sums[row] = over_pivot(rest, row);
    }
  }

  /// Returns |L^-1 X_o' P u|^2, the part of |u|^2 that the permuted columns explain. Overwrites `sums` as normalise()
  /// does.
  KOKKOS_FUNCTION double explained(double* sums) const {
    normalise(sums);
    double sum = 0;
    for (int row = 0; row < effects_; ++row) sum = Kokkos::fma(sums[row], sums[row], sum);
    return sum;
  }

 private:
  KOKKOS_FUNCTION double& at(int row, int column) const { return lower_[row * effects_ + column]; }

  KOKKOS_FUNCTION double gram(double const* sums, int nuisance_columns, int row, int column) const {
    double sum = row == column ? 1 : 0;
    for (int z = 0; z < nuisance_columns; ++z) {
      sum = Kokkos::fma(-sums[z * effects_ + row], sums[z * effects_ + column], sum);
    }
    return sum;
  }

  KOKKOS_FUNCTION double product_of_rows(int first, int second, int columns) const {
    double sum = 0;
    for (int column = 0; column < columns; ++column) {
      sum = Kokkos::fma(at(first, column), at(second, column), sum);
    }
    return sum;
  }

  KOKKOS_FUNCTION static double root_of(double pivot) {
    return pivot > min_pivot ? Kokkos::sqrt(pivot) : 0;
  }

  /// Returns value / pivot, or 0 if the pivot is 0, so that its column explains nothing.
  KOKKOS_FUNCTION double over_pivot(double value, int pivot) const {
    double const diagonal = at(pivot, pivot);
    return diagonal > 0 ? value / diagonal : 0;
  }

  double* lower_;
  int effects_;
};

}  // namespace riffle
