#pragma once

// Treatment of missing values in permutation tests of many variables.

namespace riffle {

/// Says how permutation tests of many variables treat missing values (NaN).
enum class MissingValues {
  /// The variable is left out: it has no statistic.
  leave_variable_out,
  /// Only the value is left out: in the data and in every replicate, the statistic of a variable is computed from the n
  /// observations that it has. Ranks are among these observations, and only their values of the covariate count.
  ///
  /// Labels are permuted among all observations, so the number of a variable's observations with a label changes from
  /// replicate to replicate, as in R's multtest.
  ///
  /// As degrees of freedom then differ between variables, variables are compared by the statistics themselves (t, F, H,
  /// r), and U by (U - n_1 n_2 / 2) / sqrt(n_1 n_2 (n + 1) / 12).
  ///
  /// A variable is left out, and has no p-values, if the statistic of the data is undefined: a group is empty (Welch's
  /// t: has fewer than two observations), no degrees of freedom are left, or the covariate is constant. A replicate
  /// with an undefined statistic counts as less extreme than any other, and does not contribute to the maximum.
  /// (multtest does not count it among the variable's replicates.)
  leave_value_out,
};

}  // namespace riffle
