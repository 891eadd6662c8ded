#pragma once

// The confidence interval of a permutation test's p-value. It is compiled with riffle::monte_carlo.

#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/permutation_test_result.hpp>

namespace riffle {

/// The Clopper-Pearson interval that covers the p-value of infinitely many replicates with at least `level`, computed
/// from b of m replicates. If the test was exact: p where the `uncertain` arrangements are less extreme than the data, and
/// p where they tie with them, which is result.p_value(). Throws std::invalid_argument unless 0 < level < 1.
Interval p_value_interval(PermutationTestResult const& result, double level = 0.95);

}  // namespace riffle
