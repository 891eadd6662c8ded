#pragma once

// The confidence interval of a permutation test's p-value. It is compiled with riffle::monte_carlo.

#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/permutation_test_result.hpp>

namespace riffle {

/// Returns the Clopper-Pearson interval that covers the p-value of infinitely many replicates with at least `level`,
/// given b of m replicates. If the test was exact, the interval goes from p without the `uncertain` arrangements to
/// result.p_value(), which counts them.
///
/// Requires: 0 < level < 1. Throws: std::invalid_argument otherwise.
Interval p_value_interval(PermutationTestResult const& result, double level = 0.95);

}  // namespace riffle
