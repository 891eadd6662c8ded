#pragma once

// Statistics of the values that a variable has, NaN being one that it lacks: by the formulas of textbooks on these alone, in
// long double on the host.

#include <cstddef>
#include <vector>

#include "support/permutation_tests_oracle.hpp"

namespace riffle::test {

/// The values that are there, and what they are tested by.
struct ObservedSample {
  PaperRow y;
  std::vector<double> by;

  ObservedSample(PaperRow const& row, std::vector<double> const& all);

  std::ptrdiff_t with_label(double label) const;
  bool has_all_labels(std::vector<double> const& all, std::ptrdiff_t least) const;
};

/// Whether there are enough observations, and of each label.
bool is_defined(OracleStatistic which, ObservedSample const& own, std::vector<double> const& by);

/// NaN where it is not defined.
long double statistic_of_sample(OracleStatistic which, PaperRow const& row,
                                std::vector<double> const& by);

/// The same, U standardized without a correction for ties.
long double maximised_of_sample(OracleStatistic which, PaperRow const& row,
                                std::vector<double> const& by);

/// Whether a variable has a part, whose statistic is defined.
bool is_tested(OracleStatistic which, PaperRow const& row);

}  // namespace riffle::test
