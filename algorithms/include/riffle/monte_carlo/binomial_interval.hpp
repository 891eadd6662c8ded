#pragma once

// The exact confidence interval of a binomial proportion,
//   C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case
//   of the binomial", Biometrika 26 (1934), from Boost.Math's binomial distribution.

#include <boost/math/distributions/binomial.hpp>

#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>

namespace riffle {

/// The numbers from lower to upper, both among them.
struct Interval {
  double lower;
  double upper;
};

/// The interval that covers the unknown probability with at least `level` when `successes` of
/// `trials` independent trials succeeded. Throws std::invalid_argument unless 0 < level < 1, trials
/// > 0 and successes <= trials.
inline Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double level) {
  detail::check(detail::is_finite(level) && level > 0 && level < 1, "clopper_pearson",
                "level = ", level, ": must lie between 0 and 1");
  detail::check(trials > 0, "clopper_pearson", "trials = 0: must be at least 1");
  detail::check(successes <= trials, "clopper_pearson", "successes = ", successes,
                ": must not exceed trials = ", trials);
  using Binomial = boost::math::binomial_distribution<double>;
  auto const m = static_cast<double>(trials);
  auto const b = static_cast<double>(successes);
  double const tail = (1 - level) / 2;
  return {successes == 0 ? 0.0 : Binomial::find_lower_bound_on_p(m, b, tail),
          successes == trials ? 1.0 : Binomial::find_upper_bound_on_p(m, b, tail)};
}

}  // namespace riffle
