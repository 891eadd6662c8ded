#pragma once

// The confidence intervals of the p-values of permutation tests of many variables. The functions are compiled into the
// library riffle::monte_carlo.

#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>

namespace riffle {

/// An interval for each p-value of one variable. The ends are NaN if the variable was not tested.
struct PValueIntervals {
  Interval p;
  Interval p_single_step;
  Interval p_step_down;
  /// The ends are NaN unless options.min_p was set.
  Interval p_single_step_min_p;
  Interval p_step_down_min_p;
};

/// Returns confidence intervals of the p-values of each variable, in the order of the data. They are Clopper-Pearson
/// intervals at confidence level `level` for the p-values that infinitely many replicates would give, from the b of m
/// replicates that were at least as extreme as the data. If the tests were exact, the interval of each adjusted p-value
/// q is {q, q}; the interval of p ends at p and begins at the p-value without the arrangements counted in `uncertain`.
/// The confidence level holds for each interval separately, not for all of them together.
///
/// A step-down p-value is the maximum of several proportions of the same replicates, since it is made monotone. Its
/// interval is the Clopper-Pearson interval of this maximum. Min-P compares replicates by their unadjusted p-values;
/// the intervals of min-P p-values treat these unadjusted p-values as known exactly.
///
/// Requires: 0 < level < 1. Throws: std::invalid_argument otherwise. Complexity: a few microseconds on the host for
/// each distinct value of b.
std::vector<PValueIntervals> p_value_intervals(PermutationTestsResult const& result,
                                               double level = 0.95);

/// Returns the intervals of variable g. Throws: as p_value_intervals(), and std::invalid_argument if g is not less than
/// the number of variables.
PValueIntervals p_value_intervals_of_variable(PermutationTestsResult const& result, std::uint64_t g,
                                              double level = 0.95);

}  // namespace riffle
