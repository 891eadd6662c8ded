#pragma once

// The confidence intervals of the p-values of permutation tests of many variables. They are compiled with
// riffle::monte_carlo.

#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>

namespace riffle {

/// Of one variable, an interval for each of its p-values; NaNs where it has none.
struct PValueIntervals {
  Interval p;
  Interval p_single_step;
  Interval p_step_down;
  /// NaNs unless options.min_p.
  Interval p_single_step_min_p;
  Interval p_step_down_min_p;
};

/// How exactly random replicates know the p-values of each variable, in the order of the data: Clopper-Pearson intervals,
/// from b of m replicates, that cover the p-value of infinitely many with at least `level`; {p, p} where the tests were
/// exact, but for p itself from what it would be without the arrangements of `uncertain`. Each is of one p-value by itself.
///
/// A step-down p-value is the greatest of several proportions of the same replicates, where it was made monotone; its
/// interval is that of the greatest. So are those by the minimum of p-values, given the p-values that are compared.
///
/// Throws std::invalid_argument unless 0 < level < 1. Cost: on the host, some microseconds for each distinct count.
std::vector<PValueIntervals> p_value_intervals(PermutationTestsResult const& result,
                                               double level = 0.95);

/// The same of variable g alone. Throws std::invalid_argument where there is none of this number, too.
PValueIntervals p_value_intervals_of_variable(PermutationTestsResult const& result, std::uint64_t g,
                                              double level = 0.95);

}  // namespace riffle
