#pragma once

// Spearman's sum of squared differences, the sum of (sigma(i) - i)^2.
//   C. Spearman, "The proof and measurement of association between two things", American Journal of
//   Psychology 15 (1904).
//   H. Hotelling, M. R. Pabst, "Rank correlation and tests of significance involving no assumption
//   of normality", Annals of Mathematical Statistics 7 (1936): the moments.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

/// The variance is ((n^3 - n) / 6)^2 / (n - 1), because the variance of the rank correlation is 1 /
/// (n - 1).
inline Moments squared_difference_moments(std::uint64_t n) {
  auto const x = static_cast<double>(n);
  return {x * (x - 1) * (x + 1) / 6, x * x * (x - 1) * (x + 1) * (x + 1) / 36};
}

/// One step of the dynamic programming over sets of values: adds `factor` times `smaller`, shifted
/// by `shift`, to `sums`. `sums` is the distribution of the sum for a set S. `smaller` is the
/// distribution for S without v, where v is the value at the last position. `shift` is the squared
/// difference between v and the last position.
inline void add_shifted(std::vector<double>& sums, std::vector<double> const& smaller,
                        std::size_t shift, double factor) {
  for (std::size_t s = shift; s < sums.size(); ++s) sums[s] += factor * smaller[s - shift];
}

/// The distribution of the sum of squared differences, by dynamic programming over all sets S of
/// values: if the first |S| positions contain the values of S, each of these values is equally
/// likely to be at the last of these positions. Throws std::invalid_argument if n > 12.
inline DiscreteDistribution squared_difference_distribution(std::uint64_t n) {
  check(n <= largest_squared_difference_distribution, "squared_difference_distribution", "n = ", n,
        ": must be at most ", largest_squared_difference_distribution);
  std::size_t const largest = n == 0 ? 0 : n * (n * n - 1) / 3;  // the sum for the reversal
  std::size_t const sets = std::size_t{1} << n;
  std::vector<std::vector<double>> by_set(sets, std::vector<double>(largest + 1));
  by_set[0][0] = 1;
  for (std::size_t set = 1; set < sets; ++set) {
    auto const size = static_cast<std::size_t>(std::popcount(set));
    for (std::size_t image = 0; image < n; ++image) {
      if ((set >> image & 1) == 0) continue;
      std::size_t const apart = image < size ? size - 1 - image : image - (size - 1);
      add_shifted(by_set[set], by_set[set ^ std::size_t{1} << image], apart * apart,
                  1 / static_cast<double>(size));
    }
  }
  return {0, by_set.back()};
}

}  // namespace riffle::detail::uniformity
