#pragma once

// The exact confidence interval of a binomial proportion,
//   C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case
//   of the binomial", Biometrika 26 (1934).
// The function is compiled into the library riffle::monte_carlo.

#include <cstdint>

namespace riffle {

/// The closed interval from lower to upper.
struct Interval {
  double lower;
  double upper;
};

/// Returns the confidence interval of a success probability at confidence level `level`, given `successes` in `trials`
/// independent trials. It covers the true probability with probability at least `level`.
///
/// Requires: 0 < level < 1, trials > 0, successes <= trials. Throws: std::invalid_argument otherwise.
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double level);

}  // namespace riffle
