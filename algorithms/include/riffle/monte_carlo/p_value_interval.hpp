#pragma once

// The confidence interval of a permutation test's p-value. The function is compiled into the library
// riffle::monte_carlo.

#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/permutation_test_result.hpp>

namespace riffle {

/// Returns the Clopper-Pearson interval for the p-value that infinitely many replicates would give, at confidence level
/// `level`, from the b of m replicates that were at least as extreme as the data. If the test was exact, the upper end
/// is result.p_value(), which counts the `uncertain` arrangements, and the lower end is the p-value without them.
///
/// Requires: 0 < level < 1. Throws: std::invalid_argument otherwise.
Interval p_value_interval(PermutationTestResult const& result, double level = 0.95);

}  // namespace riffle
