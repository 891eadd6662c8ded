#pragma once

// Several tests of one thing, by name.

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

/// Of a chi-square that may be too small as well: counts can be more even than random ones.
inline double two_sided_chi_square_p(double statistic, double degrees) {
  double const upper = detail::uniformity::chi_square_of(statistic, degrees).p;
  return detail::uniformity::two_sided_p({1 - upper, upper});
}

/// Whether none is rejected: true randomness fails with a chance of one in a thousand at most.
inline bool passes(std::vector<Finding> const& findings) {
  std::vector<double> p;
  for (auto const& finding : findings) p.push_back(finding.p);
  auto const adjusted = detail::uniformity::holm_adjusted(p);
  return std::all_of(adjusted.begin(), adjusted.end(), [](double one) { return one > 1e-3; });
}

/// Whether the test of that name rejects beyond doubt.
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
