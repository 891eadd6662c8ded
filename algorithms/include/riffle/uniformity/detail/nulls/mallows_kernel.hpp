#pragma once

// The Mallows kernel exp(-lambda d / (n choose 2)), where d is the number of pairs that two
// permutations order differently. d is divided by the number of all pairs, so that the kernel is
// between exp(-lambda) and 1 for every n.
//   Y. Jiao, J.-P. Vert, "The Kendall and Mallows kernels for permutations", International
//   Conference on Machine Learning (2015).
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs", ACM
//   Trans. Parallel Computing 9 (2022), section 5, where lambda = 5.
//
// If one of the permutations is uniform, d has the distribution of the number of inversions. That
// is a sum of independent uniform numbers on 0, ..., i - 1, for i = 1, ..., n. So with t = lambda /
// (n choose 2) the mean of the kernel is
//   M(t) = product of (1 - exp(-i t)) / (i (1 - exp(-t))) for i = 1, ..., n,
// and its variance is M(2 t) - M(t)^2. For n = 10^6 the factors are close to 1, and the two terms
// of the variance are close to each other. With logarithms no digits are lost:
//   log M(t)                  = sum of u(i t) - u(t),         u(x) = log((1 - exp(-x)) / x),
//   log M(2 t) - 2 log M(t)   = sum of g(i t / 2) - g(t / 2), g(x) = log(x coth x).
// All terms of each sum have the same sign, because u decreases and g increases.

#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>

namespace riffle::detail::uniformity {

/// Returns log((1 - exp(-x)) / x). Requires x >= 0.
inline double log_mean_decay(double x) {
  if (x > 0.5) return std::log1p(-std::exp(-x)) - std::log(x);
  // The power series, which is the sum of (-x)^k / (k + 1)!, without its first term 1.
  double term = 1;
  double sum = 0;
  for (int k = 1; k <= 14; ++k) {
    term *= -x / (k + 1);
    sum += term;
  }
  return std::log1p(sum);
}

/// Returns log(x coth x). Requires x >= 0.
inline double log_x_coth_x(double x) {
  if (x > 1) return std::log(x / std::tanh(x));
  // Lambert's continued fraction 1 + x^2 / (3 + x^2 / (5 + ...)), in which no term is negative.
  double tail = 0;
  for (int odd = 21; odd >= 3; odd -= 2) tail = x * x / (odd + tail);
  return std::log1p(tail);
}

/// Returns the sum of term(i) for first <= i < last. The range is halved recursively, so that the
/// rounding error of a million terms is about the error of twenty additions.
template <class Term>
double pairwise_sum(std::uint64_t first, std::uint64_t last, Term const& term) {
  if (last - first > 32) {
    std::uint64_t const middle = first + (last - first) / 2;
    return pairwise_sum(first, middle, term) + pairwise_sum(middle, last, term);
  }
  double sum = 0;
  for (std::uint64_t i = first; i < last; ++i) sum += term(i);
  return sum;
}

inline double pairs_of(std::uint64_t n) {
  return static_cast<double>(n) * static_cast<double>(n - 1) / 2;
}

inline void check_kernel(char const* function, std::uint64_t n, double lambda) {
  check(n >= 2, function, "n = ", n, ": must be at least 2");
  check(lambda >= 0 && is_finite(lambda), function, "lambda = ", lambda,
        ": must be finite and not negative");
}

/// The mean and the variance of the kernel between a uniform permutation and any other permutation.
/// Takes time proportional to n. Throws std::invalid_argument unless n >= 2 and lambda >= 0.
inline Moments mallows_kernel_moments(std::uint64_t n, double lambda) {
  check_kernel("mallows_kernel_moments", n, lambda);
  double const t = lambda / pairs_of(n);
  double const log_mean = pairwise_sum(2, n + 1, [&](std::uint64_t i) {
    return log_mean_decay(static_cast<double>(i) * t) - log_mean_decay(t);
  });
  double const log_ratio = pairwise_sum(2, n + 1, [&](std::uint64_t i) {
    return log_x_coth_x(static_cast<double>(i) * t / 2) - log_x_coth_x(t / 2);
  });
  // Equals M(2 t) (1 - M(t)^2 / M(2 t)). Neither factor can overflow.
  double const mean_of_square = std::exp(2 * log_mean + log_ratio);
  return {std::exp(log_mean), -mean_of_square * std::expm1(-log_ratio)};
}

}  // namespace riffle::detail::uniformity
