#pragma once

// Ordinary least squares by the normal equations, in long double: an oracle that shares nothing with riffle::LinearModel.

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace riffle::test {

/// A matrix as a list of rows.
using Rows = std::vector<std::vector<long double>>;

inline Rows product(Rows const& a, Rows const& b) {
  Rows result(a.size(), std::vector<long double>(b[0].size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[0].size(); ++j) result[i][j] += a[i][k] * b[k][j];
    }
  }
  return result;
}

inline Rows transposed(Rows const& a) {
  Rows result(a[0].size(), std::vector<long double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[0].size(); ++j) result[j][i] = a[i][j];
  }
  return result;
}

/// The inverse by Gauss-Jordan elimination with row pivots.
inline Rows inverse(Rows a) {
  std::size_t const n = a.size();
  Rows result(n, std::vector<long double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) result[i][i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    std::swap(result[k], result[pivot]);
    long double const diagonal = a[k][k];
    for (std::size_t j = 0; j < n; ++j) {
      a[k][j] /= diagonal;
      result[k][j] /= diagonal;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      long double const factor = a[i][k];
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[k][j];
        result[i][j] -= factor * result[k][j];
      }
    }
  }
  return result;
}

/// The least-squares fit of y (n x m) to the columns of a design.
struct Fit {
  Rows gram_inverse;
  Rows coefficients;  // p x m
  Rows fitted;        // n x m
  Rows residuals;     // n x m
};

inline Fit fit(Rows const& design, Rows const& y) {
  Fit result;
  result.gram_inverse = inverse(product(transposed(design), design));
  result.coefficients = product(result.gram_inverse, product(transposed(design), y));
  result.fitted = product(design, result.coefficients);
  result.residuals = y;
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < y[i].size(); ++j) result.residuals[i][j] -= result.fitted[i][j];
  }
  return result;
}

/// t (one contrast row) or F of contrast * coefficients; the error variance is the residual sum of squares over
/// `degrees_of_freedom`.
inline double statistic_of(Fit const& fitted, Rows const& coefficients, Rows const& contrast,
                           double degrees_of_freedom, bool is_f) {
  Rows const effect = product(contrast, coefficients);
  Rows const covariance = product(product(contrast, fitted.gram_inverse), transposed(contrast));
  long double const variance =
      product(transposed(fitted.residuals), fitted.residuals)[0][0] / degrees_of_freedom;
  if (!is_f) return static_cast<double>(effect[0][0] / std::sqrt(variance * covariance[0][0]));
  Rows const squares = product(product(transposed(effect), inverse(covariance)), effect);
  return static_cast<double>(squares[0][0] / static_cast<long double>(contrast.size()) / variance);
}

}  // namespace riffle::test
