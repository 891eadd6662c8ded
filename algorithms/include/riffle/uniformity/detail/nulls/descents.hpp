#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

inline Moments descent_moments(std::uint64_t n) {
  if (n < 2) return {0, 0};
  auto const x = static_cast<double>(n);
  return {(x - 1) / 2, (x + 1) / 12};
}

/// The distribution of the number of i with sigma(i) > sigma(i + 1): Eulerian numbers divided by n!
/// (L. Euler, "Institutiones calculi differentialis" (1755), part 2, chapter 7). Consider an order
/// of i - 1 elements with k descents. If a larger element is inserted, k + 1 positions add no
/// descent, and the other i - 1 - k positions add one. All terms are positive, so tails are as
/// accurate as the middle, down to 1e-307. Throws std::invalid_argument if n > 8192.
inline DiscreteDistribution descent_distribution(std::uint64_t n) {
  check(n <= largest_descent_distribution, "descent_distribution", "n = ", n, ": must be at most ",
        largest_descent_distribution);
  std::vector<double> p{1.0};
  for (std::size_t i = 2; i <= n; ++i) {
    p.push_back(0);
    for (std::size_t k = i - 1; k > 0; --k) {
      auto const stay = static_cast<double>(k + 1) * p[k];
      p[k] = (stay + static_cast<double>(i - k) * p[k - 1]) / static_cast<double>(i);
    }
    p[0] /= static_cast<double>(i);
  }
  return {0, p};
}

}  // namespace riffle::detail::uniformity
