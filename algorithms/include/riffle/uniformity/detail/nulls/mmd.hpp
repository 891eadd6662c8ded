#pragma once

// Tests by the maximum mean discrepancy, with the Mallows kernel, between the drawn permutations and uniform ones: the
// mean of the kernel over the draws minus its mean under uniformity.
//   [1] R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//       arXiv:2106.06161, version 1 (2021), section 5: the kernel of each draw with the identity.
//   [2] Version 2 of [1] (2022; ACM Trans. Parallel Computing 9), section 5: the kernel of draws 1
//       and 2, of 3 and 4, and so on.
//   [3] W. Hoeffding, "Probability inequalities for sums of bounded random variables", J. American
//       Statistical Association 58 (1963), theorem 2.
// The expectation of the statistic of [2] is 0 only for uniform permutations. The expectation of the statistic of [1]
// is also 0 for every other distribution that has the same mean kernel with the identity, so this statistic detects
// fewer faults.

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/mallows_kernel.hpp>
#include <riffle/uniformity/detail/nulls/tails.hpp>

namespace riffle::detail::uniformity {

/// The null distribution of the statistic, that is, of the mean of `terms` independent kernels minus `kernel_mean`. Its
/// mean is 0.
struct MmdNull {
  std::uint64_t terms;
  double kernel_mean;
  double deviation;  // the standard deviation of the statistic

  double statistic(double mean_of_kernels) const { return mean_of_kernels - kernel_mean; }
};

inline MmdNull mmd_null(std::uint64_t n, double lambda, std::uint64_t terms) {
  auto const kernel = mallows_kernel_moments(n, lambda);
  return {terms, kernel.mean, std::sqrt(kernel.variance / static_cast<double>(terms))};
}

/// The null distribution of the statistic of [1], with one kernel per sample. Throws std::invalid_argument unless n >=
/// 2, lambda >= 0 and samples > 0.
inline MmdNull one_sample_mmd(std::uint64_t n, double lambda, std::uint64_t samples) {
  check_kernel("one_sample_mmd", n, lambda);
  check(samples > 0, "one_sample_mmd", "samples = 0: must be at least 1");
  return mmd_null(n, lambda, samples);
}

/// The null distribution of the statistic of [2], with one kernel per pair of samples. Throws std::invalid_argument
/// unless n >= 2, lambda >= 0 and samples is even and not 0.
inline MmdNull paired_mmd(std::uint64_t n, double lambda, std::uint64_t samples) {
  check_kernel("paired_mmd", n, lambda);
  check(samples > 0 && samples % 2 == 0, "paired_mmd", "samples = ", samples,
        ": must be even and at least 2");
  return mmd_null(n, lambda, samples / 2);
}

inline void check_level(char const* function, double alpha) {
  check(is_finite(alpha) && alpha > 0 && alpha < 1, function, "alpha = ", alpha,
        ": must lie between 0 and 1");
}

/// The threshold of equation 4 of [1] and equation 6 of [2]. As functions of the number of terms, the two are equal.
/// For uniform permutations, the absolute value of the statistic exceeds the threshold with a probability of at most
/// alpha, for any number of terms, because the kernel is between 0 and 1. Throws std::invalid_argument unless 0 < alpha
/// < 1.
inline double hoeffding_threshold(MmdNull const& null, double alpha) {
  check_level("hoeffding_threshold", alpha);
  return std::sqrt(std::log(2 / alpha) / (2 * static_cast<double>(null.terms)));
}

/// Returns the smallest alpha whose threshold the statistic reaches, but at most 1.
inline double hoeffding_p(MmdNull const& null, double statistic) {
  double const exponent = -2 * static_cast<double>(null.terms) * statistic * statistic;
  return std::min(1.0, 2 * std::exp(exponent));
}

/// The threshold of equation 5 of [1] and equation 7 of [2], from the central limit theorem. It is tighter, and valid
/// for 100 samples or more. Throws std::invalid_argument unless 0 < alpha < 1.
inline double normal_threshold(MmdNull const& null, double alpha) {
  check_level("normal_threshold", alpha);
  boost::math::normal_distribution<double> const normal;
  return null.deviation * quantile(complement(normal, alpha / 2));
}

/// The two-sided p-value of the statistic, from the central limit theorem. If lambda = 0, the kernel is constant, and p
/// = 1.
inline double mmd_normal_p(MmdNull const& null, double statistic) {
  return null.deviation == 0 ? 1.0 : normal_p(statistic / null.deviation);
}

}  // namespace riffle::detail::uniformity
