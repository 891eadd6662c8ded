#pragma once

// The p-values of several tests of one property, each with a name.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <riffle/uniformity/detail/nulls/chi_square.hpp>
#include <riffle/uniformity/detail/nulls/holm.hpp>
#include <riffle/uniformity/detail/nulls/tails.hpp>

namespace riffle::test {

struct Finding {
  std::string test;
  double p;
};

/// Two-sided, since counts can also be more even than random ones.
inline double two_sided_chi_square_p(double statistic, double degrees) {
  double const upper = detail::uniformity::chi_square_of(statistic, degrees).p;
  return detail::uniformity::two_sided_p({1 - upper, upper});
}

/// Whether no test rejects. For a true null hypothesis the probability of a failure is at most 0.001.
inline bool passes(std::vector<Finding> const& findings) {
  std::vector<double> p;
  for (auto const& finding : findings) p.push_back(finding.p);
  auto const adjusted = detail::uniformity::holm_adjusted(p);
  return std::all_of(adjusted.begin(), adjusted.end(), [](double one) { return one > 1e-3; });
}

/// Whether the test of this name rejects with a p-value far below that level.
inline bool rejects(std::vector<Finding> const& findings, std::string const& test) {
  return std::any_of(findings.begin(), findings.end(), [&](Finding const& finding) {
    return finding.test == test && finding.p < 1e-9;
  });
}

inline std::string table(std::vector<Finding> const& findings) {
  std::string text;
  for (auto const& [test, p] : findings) text += test + ": p = " + std::to_string(p) + "\n";
  return text;
}

}  // namespace riffle::test
