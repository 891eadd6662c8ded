#pragma once

// What missing values mean for permutation tests of many variables.

namespace riffle {

/// What a missing value (NaN) of a variable means for permutation tests of many variables.
enum class MissingValues {
  /// Its variable is left out: it has no statistic.
  leave_variable_out,
  /// The value is left out: a variable has the statistic of the n observations that it has, in the data and in every
  /// replicate, ranks being among these. Of covariates, too, only these count.
  ///
  /// Labels are exchanged among all observations, so that how many of a variable's have a label changes from replicate to
  /// replicate, as in R's multtest.
  ///
  /// Variables have degrees of freedom of their own then, and are compared with each other by the statistics themselves (t,
  /// F, H, r), of U by (U - n_1 n_2 / 2) / sqrt(n_1 n_2 (n + 1) / 12), as sizes change.
  ///
  /// A variable of which the data have no statistic is left out, as its p-values are: where a group is empty (of Welch's t
  /// has fewer than two observations), no degrees of freedom are left, or a covariate is constant. A replicate of which that
  /// is so counts as less extreme than any other, and has no part in the maximum. (multtest does not count it among the
  /// variable's replicates.)
  leave_value_out,
};

}  // namespace riffle
