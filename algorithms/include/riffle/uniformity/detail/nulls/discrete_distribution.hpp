#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <riffle/errors.hpp>

namespace riffle::detail::uniformity {

/// The moments that the normal approximation of a statistic needs.
struct Moments {
  double mean;
  double variance;
};

/// The distribution of a random integer: probabilities[k] is the probability of the value first +
/// k. Probabilities are stored instead of counts, because n! overflows a double for n >= 171.
struct DiscreteDistribution {
  std::int64_t first = 0;
  std::vector<double> probabilities;

  std::int64_t last() const { return first + std::ssize(probabilities) - 1; }

  /// P(X = x); 0 for values that are not stored.
  double probability(std::int64_t x) const {
    return x < first || x > last() ? 0.0 : probabilities[static_cast<std::size_t>(x - first)];
  }

  double mean() const {
    double sum = 0;
    for (std::int64_t x = first; x <= last(); ++x) sum += static_cast<double>(x) * probability(x);
    return sum;
  }

  double variance() const {
    double const center = mean();
    double sum = 0;
    for (std::int64_t x = first; x <= last(); ++x) {
      double const deviation = static_cast<double>(x) - center;
      sum += deviation * deviation * probability(x);
    }
    return sum;
  }

  /// P(X <= x). Each tail is summed separately, because a small probability computed as 1 minus the
  /// other tail would lose its digits.
  double lower_tail(std::int64_t x) const {
    auto const end = probabilities.begin() + std::clamp(x, first - 1, last()) - first + 1;
    return std::accumulate(probabilities.begin(), end, 0.0);
  }

  /// P(X >= x).
  double upper_tail(std::int64_t x) const {
    auto const end = probabilities.rbegin() + last() - std::clamp(x, first, last() + 1) + 1;
    return std::accumulate(probabilities.rbegin(), end, 0.0);
  }
};

/// The uniform distribution on 0, ..., count - 1. Throws std::invalid_argument if count is 0.
inline DiscreteDistribution uniform_distribution(std::size_t count) {
  check(count > 0, "uniform_distribution", "count = 0: must be at least 1");
  return {0, std::vector<double>(count, 1 / static_cast<double>(count))};
}

// --- statistics whose values are all equally likely ---

/// The distribution of the parity of the number of inversions. It is uniform on 0 and 1 if n >= 2,
/// because then transpositions exist.
inline DiscreteDistribution parity_distribution(std::uint64_t n) {
  return uniform_distribution(n < 2 ? 1 : 2);
}

/// The maximum length of a block whose orders are counted.
inline constexpr std::uint64_t longest_block = 10;

/// The distribution of the rank of the order of `length` given values among all orders: uniform on
/// 0, ..., length! - 1. The orders of disjoint blocks are independent. Throws std::invalid_argument
/// unless 1 <= length <= 10.
inline DiscreteDistribution block_order_distribution(std::uint64_t length) {
  check(1 <= length && length <= longest_block, "block_order_distribution", "length = ", length,
        ": must be at least 1 and at most ", longest_block);
  std::size_t orders = 1;
  for (std::uint64_t i = 2; i <= length; ++i) orders *= i;
  return uniform_distribution(orders);
}

}  // namespace riffle::detail::uniformity
