#pragma once

// The confidence intervals of the p-values of permutation tests of many variables. They are compiled with
// riffle::monte_carlo.

#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>

namespace riffle {

/// An interval for each p-value of one variable; NaNs if the variable was not tested.
struct PValueIntervals {
  Interval p;
  Interval p_single_step;
  Interval p_step_down;
  /// NaNs unless options.min_p.
  Interval p_single_step_min_p;
  Interval p_step_down_min_p;
};

/// Returns confidence intervals of the p-values of each variable, in the order of the data. They are Clopper-Pearson
/// intervals that cover the p-value of infinitely many replicates with at least `level`, given b of m replicates. If
/// the tests were exact, they are {p, p}, except that the interval of p itself begins at p without the arrangements
/// counted in `uncertain`. Each interval is for one p-value by itself.
///
/// A step-down p-value is made monotone: it is the greatest of several proportions of the same replicates, and its
/// interval is the interval of the greatest. For p-values by the minimum, the intervals take the p-values that are
/// compared as given.
///
/// Requires: 0 < level < 1. Throws: std::invalid_argument otherwise. Complexity: some microseconds on the host for each
/// distinct count.
std::vector<PValueIntervals> p_value_intervals(PermutationTestsResult const& result,
                                               double level = 0.95);

/// Returns the intervals of variable g. Also throws std::invalid_argument if g is not less than the number of
/// variables.
PValueIntervals p_value_intervals_of_variable(PermutationTestsResult const& result, std::uint64_t g,
                                              double level = 0.95);

}  // namespace riffle
