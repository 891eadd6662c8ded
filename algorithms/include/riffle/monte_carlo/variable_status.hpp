#pragma once

// The status of each variable in permutation tests of many variables.

namespace riffle {

/// Says whether a variable was tested, or why it was not.
enum class VariableStatus {
  tested,
  /// The variable has missing values. With MissingValues::leave_value_out: too few values are left, or the observed
  /// statistic is undefined.
  missing_values,
  /// All values are equal (if signs change: all are 0), or the nuisance variables explain them up to rounding errors
  /// (for Nuisance::ter_braak: the whole model explains them).
  no_variation
};

}  // namespace riffle
