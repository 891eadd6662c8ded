#pragma once

// Spearman's footrule, the sum of |sigma(i) - i|.
//   C. Spearman, "'Footrule' for measuring correlation", British Journal of Psychology 2 (1906).
//   P. Diaconis, R. L. Graham, "Spearman's footrule as a measure of disarray", J. Royal Statistical
//   Society B 39 (1977): the moments.
//   M. Guay-Paquet, T. K. Petersen, "The generating function for total displacement", Electronic
//   Journal of Combinatorics 21 (2014): the distribution.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

inline Moments footrule_moments(std::uint64_t n) {
  if (n < 2) return {0, 0};
  auto const x = static_cast<double>(n);
  return {(x * x - 1) / 3, (x + 1) * (2 * x * x + 7) / 45};
}

/// Builds permutations from left to right. After step i, let `open` be the number of positions 1,
/// ..., i whose value is greater than i. The number of values 1, ..., i whose position is greater
/// than i is the same. Each of these positions and values crosses the border between i and i + 1,
/// so the footrule is twice the sum of `open` over all steps. Therefore a state consists only of
/// `open` and the sum so far.
class OpenPositions {
 public:
  explicit OpenPositions(std::size_t n)
      : width_(n * n / 4 + 1), weights_(n / 2 + 3, std::vector<double>(width_)) {
    weights_[0][0] = 1;
    for (std::size_t i = 1; i <= n; ++i) step(i, std::min(i, n - i));
  }

  /// probabilities()[s] is the probability that the footrule is 2 s.
  std::vector<double> const& probabilities() const { return weights_[0]; }

 private:
  // Step i divides by i, so after the last step the counts have been divided by n!.
  void step(std::size_t i, std::size_t max_open) {
    auto const before = weights_;
    for (auto& row : weights_) std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t open = 0; open <= max_open; ++open) {
      auto const k = static_cast<double>(open);
      auto const steps = static_cast<double>(i);
      if (open > 0) add(open, before[open - 1], 1 / steps);  // value i and position i stay open
      add(open, before[open], (2 * k + 1) / steps);          // i -> i, or one of the two stays open
      add(open, before[open + 1], (k + 1) * (k + 1) / steps);  // neither stays open
    }
  }

  void add(std::size_t open, std::vector<double> const& before, double factor) {
    auto& row = weights_[open];
    for (std::size_t half = open; half < width_; ++half) row[half] += factor * before[half - open];
  }

  std::size_t width_;
  std::vector<std::vector<double>> weights_;  // [open][half the footrule so far]
};

/// The distribution of the footrule, whose values are even. All terms are positive. Throws
/// std::invalid_argument if n > 128.
inline DiscreteDistribution footrule_distribution(std::uint64_t n) {
  check(n <= largest_footrule_distribution, "footrule_distribution", "n = ", n,
        ": must be at most ", largest_footrule_distribution);
  auto const half = OpenPositions(static_cast<std::size_t>(n)).probabilities();
  DiscreteDistribution result{0, std::vector<double>(2 * half.size() - 1)};
  for (std::size_t k = 0; k < half.size(); ++k) result.probabilities[2 * k] = half[k];
  return result;
}

}  // namespace riffle::detail::uniformity
