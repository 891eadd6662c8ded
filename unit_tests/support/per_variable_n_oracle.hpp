#pragma once

// Statistics of variables with missing values (NaN), by textbook formulas on the values that are present, in long double on
// the host.

#include <cstddef>
#include <vector>

#include "support/permutation_tests_oracle.hpp"

namespace riffle::test {

/// The values that are present, and the labels or covariate values of these observations.
struct ObservedSample {
  PaperRow y;
  std::vector<double> by;

  ObservedSample(PaperRow const& row, std::vector<double> const& all);

  std::ptrdiff_t with_label(double label) const;
  bool has_all_labels(std::vector<double> const& all, std::ptrdiff_t least) const;
};

/// Whether there are enough observations, in all and of each label.
bool is_defined(OracleStatistic which, ObservedSample const& own, std::vector<double> const& by);

/// NaN if the statistic is not defined.
long double statistic_of_sample(OracleStatistic which, PaperRow const& row,
                                std::vector<double> const& by);

/// The statistic as it is compared over variables: statistic_of_sample, but U is standardized without a correction for ties.
long double maximised_of_sample(OracleStatistic which, PaperRow const& row,
                                std::vector<double> const& by);

/// Whether the variable is tested, that is, whether its observed statistic is defined.
bool is_tested(OracleStatistic which, PaperRow const& row);

}  // namespace riffle::test
