#pragma once

// Permutation tests of all arrangements against what scipy.stats.permutation_test reports of them.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include <riffle/monte_carlo/permutation_test.hpp>

namespace riffle::test {

/// What SciPy reports with n_resamples=numpy.inf, a p-value for each alternative.
struct SciPyResult {
  double statistic;
  std::uint64_t arrangements;
  double p_less;
  double p_greater;
  double p_two_sided;
};

/// That run(options) enumerates all arrangements and agrees with SciPy for each alternative. The statistic may differ
/// by the relative error that the caller allows. p-values may not: their error is less than any two counts differ by.
template <class Run>
void expect_as_scipy(Run const& run, SciPyResult const& expected, double relative_error) {
  for (auto const& [alternative, p] :
       {std::pair{Alternative::less, expected.p_less},
        std::pair{Alternative::greater, expected.p_greater},
        std::pair{Alternative::two_sided_doubled, expected.p_two_sided}}) {
    PermutationTestOptions options;
    options.replicates = expected.arrangements;
    options.alternative = alternative;
    PermutationTestResult const result = run(options);
    EXPECT_NEAR(result.statistic, expected.statistic,
                relative_error * std::abs(expected.statistic));
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.replicates, expected.arrangements);
    EXPECT_NEAR(result.p_value(), p, 1e-14);
  }
}

}  // namespace riffle::test
