#pragma once

// Says which variables permutation tests of many variables tested.

namespace riffle {

/// Says whether a variable was tested, or why it was not.
enum class VariableStatus {
  tested,
  /// The variable has missing values. If only values are left out: too few values are left, or the observed statistic
  /// is not defined.
  missing_values,
  /// All values are equal (for sign changes: all are 0), or the nuisance (for Nuisance::ter_braak: the whole model)
  /// explains them, so that no more than rounding errors is left.
  no_variation
};

}  // namespace riffle
