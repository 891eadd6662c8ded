#pragma once

// p-values of one observation, computed with the distribution functions of Boost.Math.

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>

namespace riffle::detail::uniformity {

/// P(X <= x) and P(X >= x) for an observed x. Both include P(X = x), so their sum exceeds 1.
struct Tails {
  double lower;
  double upper;
};

/// Twice the smaller tail, capped at 1. If X is discrete, the probability that this p-value is at most alpha is at most
/// alpha, and often less.
inline double two_sided_p(Tails tails) {
  return std::min(1.0, 2 * std::min(tails.lower, tails.upper));
}

inline Tails discrete_tails(DiscreteDistribution const& distribution, std::int64_t x) {
  return {distribution.lower_tail(x), distribution.upper_tail(x)};
}

/// The tails of a binomial distribution. Throws std::invalid_argument unless 0 < probability < 1 and
/// successes <= trials.
inline Tails binomial_tails(std::uint64_t successes, std::uint64_t trials, double probability) {
  check(is_finite(probability) && probability > 0 && probability < 1, "binomial_tails",
        "probability = ", probability, ": must lie between 0 and 1");
  check(successes <= trials, "binomial_tails", "successes = ", successes,
        ": must not exceed trials = ", trials);
  boost::math::binomial_distribution<double> const binomial(static_cast<double>(trials),
                                                            probability);
  auto const x = static_cast<double>(successes);
  return {cdf(binomial, x), successes == 0 ? 1.0 : cdf(complement(binomial, x - 1))};
}

/// P(|Z| >= |z|) for a standard normal Z. Throws std::invalid_argument if z is a NaN.
inline double normal_p(double z) {
  check(!detail::is_nan(z), "normal_p", "z = ", z, ": must be a number");
  if (is_infinite(z)) return 0;
  return 2 * cdf(complement(boost::math::normal_distribution<double>(), std::abs(z)));
}

}  // namespace riffle::detail::uniformity
