#pragma once

// Null distributions of permutation tests on the host, by enumeration of all arrangements, and counts of extreme values.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/statistics.hpp"

namespace riffle::test {

inline std::vector<double> concatenated(std::vector<double> x, std::vector<double> const& y) {
  x.insert(x.end(), y.begin(), y.end());
  return x;
}

/// statistic(x, y), where x has the values with label 0 and y the others.
template <class Statistic>
double split_by(std::vector<int> const& labels, std::vector<double> const& values,
                Statistic const& statistic) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < values.size(); ++i) (labels[i] == 0 ? x : y).push_back(values[i]);
  return statistic(x, y);
}

/// statistic(labels) for every distinct order of the labels.
template <class Statistic>
std::vector<double> all_labellings(std::vector<int> labels, Statistic const& statistic) {
  std::sort(labels.begin(), labels.end());
  std::vector<double> values;
  do values.push_back(statistic(labels));
  while (std::next_permutation(labels.begin(), labels.end()));
  return values;
}

/// statistic(x, y) for every division of the pooled values into two samples of the given sizes.
template <class Statistic>
std::vector<double> all_splits(std::vector<double> const& x, std::vector<double> const& y,
                               Statistic const& statistic) {
  std::vector<int> labels(x.size() + y.size(), 1);
  std::fill_n(labels.begin(), x.size(), 0);
  auto const pooled = concatenated(x, y);
  return all_labellings(labels, [&](std::vector<int> const& arrangement) {
    return split_by(arrangement, pooled, statistic);
  });
}

/// statistic(sigma) of each of the n! permutations.
template <class Statistic>
std::vector<double> all_permutations(std::size_t n, Statistic const& statistic) {
  std::vector<std::size_t> sigma(n);
  std::iota(sigma.begin(), sigma.end(), std::size_t{0});
  std::vector<double> values;
  do values.push_back(statistic(sigma));
  while (std::next_permutation(sigma.begin(), sigma.end()));
  return values;
}

inline std::vector<double> permuted(std::vector<double> const& y,
                                    std::vector<std::size_t> const& sigma) {
  std::vector<double> result;
  for (auto const i : sigma) result.push_back(y[i]);
  return result;
}

struct Sides {
  std::uint64_t less_equal = 0;
  std::uint64_t greater_equal = 0;
  std::uint64_t as_far = 0;

  friend bool operator==(Sides const& a, Sides const& b) = default;
};

/// Counts the values <= `observed`, the values >= `observed`, and the values that are at least as far from `middle`. Values
/// within 1e-9 of each other are ties: the tests' data have few digits, so that different values differ by more.
inline Sides count_sides(std::vector<double> const& values, double observed, double middle = 0) {
  double const tie = std::isfinite(observed) ? 1e-9 * std::max(1.0, std::abs(observed)) : 0;
  Sides sides;
  for (double const value : values) {
    sides.less_equal += value <= observed + tie;
    sides.greater_equal += value >= observed - tie;
    sides.as_far += std::abs(value - middle) >= std::abs(observed - middle) - tie;
  }
  return sides;
}

}  // namespace riffle::test
