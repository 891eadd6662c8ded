#pragma once

// Tests by the maximum mean discrepancy, with the Mallows kernel. They compare the drawn permutations with uniform
// ones. The statistic is the mean kernel value over the draws, minus its expectation for uniform permutations.
//   [1] R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//       arXiv:2106.06161, version 1 (2021), section 5: the kernel of each draw with the identity.
//   [2] Version 2 of [1] (2022; ACM Trans. Parallel Computing 9), section 5: the kernel of draws 1
//       and 2, of 3 and 4, and so on.
//   [3] W. Hoeffding, "Probability inequalities for sums of bounded random variables", J. American
//       Statistical Association 58 (1963), theorem 2.
// The statistic of [2] has expectation 0 only if the permutations are uniform. The statistic of [1] has expectation 0
// for every distribution whose mean kernel with the identity is the same as for uniform permutations. Therefore the
// test of [1] detects fewer faults than the test of [2].

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/mallows_kernel.hpp>
#include <riffle/uniformity/detail/nulls/tails.hpp>

namespace riffle::detail::uniformity {

/// The null distribution of the statistic. The statistic is the mean of `terms` independent kernel values minus
/// `kernel_mean`, so its expectation is 0.
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

/// The threshold in equation 4 of [1] and in equation 6 of [2]. As functions of the number of terms, both equations are
/// equal. For uniform permutations, the absolute value of the statistic exceeds the threshold with a probability of at
/// most alpha, for any number of terms, because the kernel is between 0 and 1. Throws std::invalid_argument unless 0 <
/// alpha < 1.
inline double hoeffding_threshold(MmdNull const& null, double alpha) {
  check_level("hoeffding_threshold", alpha);
  return std::sqrt(std::log(2 / alpha) / (2 * static_cast<double>(null.terms)));
}

/// Returns the smallest alpha whose threshold the statistic reaches, but at most 1.
inline double hoeffding_p(MmdNull const& null, double statistic) {
  double const exponent = -2 * static_cast<double>(null.terms) * statistic * statistic;
  return std::min(1.0, 2 * std::exp(exponent));
}

/// The threshold in equation 5 of [1] and in equation 7 of [2], from the central limit theorem. It is tighter than
/// hoeffding_threshold, and valid for 100 samples or more. Throws std::invalid_argument unless 0 < alpha < 1.
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
