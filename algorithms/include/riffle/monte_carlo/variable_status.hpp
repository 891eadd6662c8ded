#pragma once

// Which variables permutation tests of many variables tested.

namespace riffle {

/// Whether a variable was tested, or why it was not.
enum class VariableStatus {
  tested,
  /// It has missing values; where these are left out of variables, too few values are left, or the statistic of the observed
  /// arrangement is not defined.
  missing_values,
  /// All values are equal, but for changes of sign, where all are 0; or the nuisance (by Nuisance::ter_braak, the whole model)
  /// explains them, so that no more is left than rounding.
  no_variation
};

}  // namespace riffle
