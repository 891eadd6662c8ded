#pragma once

// Compares permutation tests of all arrangements with results of scipy.stats.permutation_test.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include <riffle/monte_carlo/permutation_test.hpp>

namespace riffle::test {

/// The results of SciPy with n_resamples=numpy.inf, with a p-value for each alternative.
struct SciPyResult {
  double statistic;
  std::uint64_t arrangements;
  double p_less;
  double p_greater;
  double p_two_sided;
};

/// Expects that run(options) enumerates all arrangements and agrees with SciPy for each alternative. The statistic may differ
/// by a relative error, the p-values by less than one arrangement.
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
