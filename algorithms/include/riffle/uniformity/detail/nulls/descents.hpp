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

/// The number of i with sigma(i) > sigma(i + 1): Eulerian numbers over n! (L. Euler, "Institutiones
/// calculi differentialis" (1755), part 2, chapter 7). Inserting the largest of i elements into an
/// order of the others with k descents makes no new descent at k + 1 places, and one more at the
/// other i - 1 - k places. All terms are positive, so that tails are as exact as the middle, down
/// to 1e-307. Throws std::invalid_argument if n > 8192.
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
