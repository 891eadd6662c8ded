#pragma once

// K. Pearson, "On the criterion that a given system of deviations from the probable in the case of
// a correlated system of variables is such that it can be reasonably supposed to have arisen from
// random sampling", Philosophical Magazine 50 (1900).

#include <boost/math/distributions/chi_squared.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <riffle/errors.hpp>

namespace riffle::detail::uniformity {

/// A statistic, its degrees of freedom, and its p-value: the probability that a chi-square variable
/// is at least as large as the statistic.
struct ChiSquare {
  double statistic;
  double degrees;
  double p;
};

/// If there are 0 degrees of freedom, there is nothing to test, and p = 1.
inline ChiSquare chi_square_of(double statistic, double degrees) {
  if (degrees == 0) return {statistic, degrees, 1.0};
  boost::math::chi_squared_distribution<double> const limit(degrees);
  return {statistic, degrees, cdf(complement(limit, statistic))};
}

inline void check_cells(std::size_t counts, std::vector<double> const& probabilities) {
  check(counts > 0, "chi_square_p", "counts: must not be empty");
  check(counts == probabilities.size(), "chi_square_p", "counts.size() = ", counts,
        ": must be probabilities.size() = ", probabilities.size());
  double sum = 0;
  for (std::size_t c = 0; c < counts; ++c) {
    check(probabilities[c] > 0, "chi_square_p", "probabilities[", c, "] = ", probabilities[c],
          ": must be positive");
    sum += probabilities[c];
  }
  check(std::abs(sum - 1) < 1e-9, "chi_square_p", "probabilities sum to ", sum, ": must be 1");
}

/// Pearson's test of counts against the probabilities of the cells. Throws std::invalid_argument
/// unless there is one probability for each count, the probabilities are positive and sum to 1, and
/// the counts are not all 0.
inline ChiSquare chi_square_p(std::vector<std::uint64_t> const& counts,
                              std::vector<double> const& probabilities) {
  check_cells(counts.size(), probabilities);
  auto const total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  check(total > 0, "chi_square_p", "counts sum to 0: must be at least 1");
  double statistic = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    double const expected = static_cast<double>(total) * probabilities[c];
    double const deviation = static_cast<double>(counts[c]) - expected;
    statistic += deviation * deviation / expected;
  }
  return chi_square_of(statistic, static_cast<double>(counts.size() - 1));
}

}  // namespace riffle::detail::uniformity
