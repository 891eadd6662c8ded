#pragma once

// The exact confidence interval of a binomial proportion,
//   C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case
//   of the binomial", Biometrika 26 (1934). Compiled with riffle::monte_carlo.

#include <cstdint>

namespace riffle {

/// The numbers from lower to upper, both among them.
struct Interval {
  double lower;
  double upper;
};

/// The interval that covers the unknown probability with at least `level` when `successes` of
/// `trials` independent trials succeeded. Throws std::invalid_argument unless 0 < level < 1, trials
/// > 0 and successes <= trials.
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double level);

}  // namespace riffle
