#pragma once

// t and F of a linear model from the sums of one replicate; the formulas are derived in riffle/monte_carlo/nuisance.hpp.
// All can be called in kernels.
// Multiply-adds are fused by name, so that a compiler has nothing to contract: values have the same bits on every back end.

#include <Kokkos_Core.hpp>

#include <cmath>

#include <riffle/backend/floating_point.hpp>

namespace riffle {

/// t = r sqrt(v / (1 - r^2)) of a partial correlation r with v degrees of freedom; infinite with r's sign where
/// |r| >= 1, as rounding leaves it of data that the model fits without a rest. A rounding of r by a part of 2^-53 changes t
/// by one of (1 + t^2 / v) 2^-53: of t = 1e6, with 10 degrees of freedom, five digits are left.
KOKKOS_INLINE_FUNCTION double t_of_correlation(double r, double degrees_of_freedom) {
  double const rest = (1 - r) * (1 + r);
  if (rest <= 0) return Kokkos::copysign(detail::hidden_infinity(), r);
  return r * Kokkos::sqrt(degrees_of_freedom / rest);
}

/// F = (R2 / s) / ((1 - R2) / v) of the share R2 that s columns explain, with v degrees of freedom left; infinite where
/// R2 >= 1. A rounding of R2 by a part of 2^-53 changes F by one of (1 + s F / v) 2^-53.
KOKKOS_INLINE_FUNCTION double f_of_share(double share, double effects, double degrees_of_freedom) {
  double const rest = 1 - share;
  if (rest <= 0) return detail::hidden_infinity();
  return share / effects * (degrees_of_freedom / rest);
}

/// The statistic of one variable in one replicate from its sums.
///
/// `squares` is |u|^2, `interest` the s sums A' P u, `nuisance` the k sums B' P u. Where nothing is left to explain
/// (|u|^2 - |B' P u|^2 <= 0, as of a variable that is constant), t and F are 0. NaN in, NaN out.
///
/// Cost: s + k multiplications, one square root and two divisions. Reproducible: the same bits on every back end.
class LinearStatistic {
 public:
  /// Of s = `effects` tested columns and k = `adjustments` columns B. A t, where s is 1 and `is_f` is not set.
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

  /// F, where `explained` of a sum of squares `left` is explained; draper_stoneman has FreeGram::explained and |u|^2.
  KOKKOS_FUNCTION double of_explained(double explained, double left) const {
    if (left <= 0) return 0;
    return f_of_share(explained / left, effects_, degrees_of_freedom_);
  }

  /// t, where the sum with the one tested column is `sum`; draper_stoneman has FreeGram::normalise and |u|^2.
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

/// The Cholesky factor L of G = I - W'W, by which a replicate of Nuisance::draper_stoneman makes the permuted columns of
/// interest orthonormal after the nuisance is taken from them. It is the same for all variables.
///
/// A direction of the permuted columns that lies in the nuisance's span explains nothing: one whose squared length, of 1
/// before the nuisance was taken, is at most `min_pivot`.
///
/// A reference to memory of the caller's: s x s doubles row by row, of which the lower triangle is used.
class FreeGram {
 public:
  static constexpr double min_pivot = 1e-12;

  KOKKOS_FUNCTION FreeGram(double* lower, int effects) : lower_(lower), effects_(effects) {}

  /// Writes L, from the q x s sums W = (P Z_o)' X_o, row by row.
  ///
  /// Cost: q s^2 / 2 + s^3 / 6 multiplications, s square roots.
  KOKKOS_FUNCTION void factorise(double const* sums, int nuisance_columns) const {
    for (int row = 0; row < effects_; ++row) {
      for (int column = 0; column <= row; ++column) {
        double const rest =
            gram(sums, nuisance_columns, row, column) - product_of_rows(row, column, column);
        at(row, column) = row == column ? root_of(rest) : over_pivot(rest, column);
      }
    }
  }

  /// Replaces the s sums X_o' P u by L^-1 X_o' P u; for s = 1 the correlation times |u|.
  KOKKOS_FUNCTION void normalise(double* sums) const {
    for (int row = 0; row < effects_; ++row) {
      double rest = sums[row];
      for (int column = 0; column < row; ++column) {
        rest = Kokkos::fma(-at(row, column), sums[column], rest);
      }
      sums[row] = over_pivot(rest, row);
    }
  }

  /// |L^-1 X_o' P u|^2, the part of |u|^2 that the permuted columns explain; `sums` are normalised by it.
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

  /// 0 where the pivot is 0, so that its direction explains nothing.
  KOKKOS_FUNCTION double over_pivot(double value, int pivot) const {
    double const diagonal = at(pivot, pivot);
    return diagonal > 0 ? value / diagonal : 0;
  }

  double* lower_;
  int effects_;
};

}  // namespace riffle
