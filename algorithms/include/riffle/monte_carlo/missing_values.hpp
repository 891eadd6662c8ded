#pragma once

// Treatment of missing values in permutation tests of many variables.

namespace riffle {

/// Says how permutation tests of many variables treat missing values (NaN).
enum class MissingValues {
  /// The variable is left out: it has no statistic.
  leave_variable_out,
  /// Only the missing values are left out: in the data and in every replicate, the statistic of a variable is computed
  /// from its n observed values. Ranks are computed among these values, and only the covariate values at the same
  /// observations are used.
  ///
  /// Labels are permuted among all observations. So the number of observed values of a variable in each group changes
  /// from replicate to replicate, as in R's multtest.
  ///
  /// Degrees of freedom then differ between variables. Maxima over variables are therefore taken over the statistics t,
  /// F, H and r themselves, and for U over (U - n_1 n_2 / 2) / sqrt(n_1 n_2 (n + 1) / 12).
  ///
  /// A variable is left out and has no p-values if the statistic of the data is undefined: if a group is empty (for
  /// Welch's t, if it has fewer than two observations), if no degrees of freedom are left, or if the covariate is
  /// constant. A replicate with an undefined statistic counts as less extreme than any other, and does not contribute
  /// to the maximum. (multtest excludes it from the variable's number of replicates.)
  leave_value_out,
};

}  // namespace riffle
