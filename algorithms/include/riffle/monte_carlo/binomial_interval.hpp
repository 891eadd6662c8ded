#pragma once

// The exact confidence interval of a binomial proportion,
//   C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case
//   of the binomial", Biometrika 26 (1934).
// It is compiled with riffle::monte_carlo.

#include <cstdint>

namespace riffle {

/// The closed interval from lower to upper.
struct Interval {
  double lower;
  double upper;
};

/// Returns the interval that covers the unknown probability with at least `level`, if `successes` of `trials`
/// independent trials succeeded.
///
/// Requires: 0 < level < 1, trials > 0, successes <= trials. Throws: std::invalid_argument otherwise.
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double level);

}  // namespace riffle
