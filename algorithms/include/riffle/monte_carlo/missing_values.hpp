#pragma once

namespace riffle {

/// What a missing value (NaN) of a variable means for permutation tests of many variables.
enum class MissingValues {
  /// The variable is left out: it has no statistic.
  leave_variable_out,
  /// The value is left out: a variable has the statistic of the observations that it has, in the data and in every
  /// replicate. What is exchanged is exchanged among all observations, so that how many of a variable's values have a label
  /// changes from replicate to replicate.
  leave_value_out,
};

}  // namespace riffle
