#pragma once

// P-values of one observation. The distribution functions are Boost.Math's.

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <riffle/detail/uniformity/nulls/discrete_distribution.hpp>
#include <riffle/errors.hpp>

namespace riffle::detail::uniformity {

/// P(X <= x) and P(X >= x) of an observed x; both hold P(X = x), so their sum exceeds 1.
struct Tails {
  double lower;
  double upper;
};

/// Twice the smaller tail, and at most 1. Of a discrete X the chance of a p-value of at most alpha
/// is then at most alpha, and often less.
inline double two_sided_p(Tails tails) {
  return std::min(1.0, 2 * std::min(tails.lower, tails.upper));
}

inline Tails discrete_tails(DiscreteDistribution const& distribution, std::int64_t x) {
  return {distribution.lower_tail(x), distribution.upper_tail(x)};
}

/// Throws std::invalid_argument unless the mean is positive and finite.
inline Tails poisson_tails(std::uint64_t count, double mean) {
  check(mean > 0 && std::isfinite(mean), "poisson_tails", "mean = ", mean,
        ": must be positive and finite");
  boost::math::poisson_distribution<double> const poisson(mean);
  auto const x = static_cast<double>(count);
  return {cdf(poisson, x), count == 0 ? 1.0 : cdf(complement(poisson, x - 1))};
}

/// Throws std::invalid_argument unless 0 < probability < 1 and successes <= trials.
inline Tails binomial_tails(std::uint64_t successes, std::uint64_t trials, double probability) {
  check(probability > 0 && probability < 1, "binomial_tails", "probability = ", probability,
        ": must lie between 0 and 1");
  check(successes <= trials, "binomial_tails", "successes = ", successes,
        ": must not exceed trials = ", trials);
  boost::math::binomial_distribution<double> const binomial(static_cast<double>(trials),
                                                            probability);
  auto const x = static_cast<double>(successes);
  return {cdf(binomial, x), successes == 0 ? 1.0 : cdf(complement(binomial, x - 1))};
}

/// P(|Z| >= |z|) of a standard normal Z. Throws std::invalid_argument where z is not a number.
inline double normal_p(double z) {
  check(!std::isnan(z), "normal_p", "z = ", z, ": must be a number");
  if (std::isinf(z)) return 0;
  return 2 * cdf(complement(boost::math::normal_distribution<double>(), std::abs(z)));
}

/// The deviation of the mean of `samples` observations from what is expected, in its standard
/// deviations. Throws std::invalid_argument unless samples > 0 and the variance is positive.
inline double z_of_mean(double observed_mean, Moments expected, std::uint64_t samples) {
  check(samples > 0, "z_of_mean", "samples = 0: must be at least 1");
  check(expected.variance > 0, "z_of_mean", "variance = ", expected.variance, ": must be positive");
  double const variance = expected.variance / static_cast<double>(samples);
  return (observed_mean - expected.mean) / std::sqrt(variance);
}

}  // namespace riffle::detail::uniformity
