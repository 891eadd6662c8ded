#pragma once

// Adjustment for many tests: S. Holm, "A simple sequentially rejective multiple test procedure",
// Scandinavian Journal of Statistics 6 (1979).

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>

namespace riffle::detail::uniformity {

/// Returns the indices of p, ordered such that p is ascending.
inline std::vector<std::size_t> ascending_order(std::vector<double> const& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

/// Returns the adjusted p-values, in the order of p. If all hypotheses whose adjusted p-value is at
/// most alpha are rejected, the probability that a true hypothesis is rejected is at most alpha,
/// for any dependence between the tests. The smallest of m p-values is multiplied by m, the next
/// one by m - 1, and so on; each adjusted p-value is at least the previous one, and at most 1.
/// Throws std::invalid_argument unless each p is in [0, 1].
inline std::vector<double> holm_adjusted(std::vector<double> const& p) {
  for (std::size_t i = 0; i < p.size(); ++i)
    check(is_finite(p[i]) && p[i] >= 0 && p[i] <= 1, "holm_adjusted", "p[", i, "] = ", p[i],
          ": must lie in [0, 1]");
  std::vector<double> adjusted(p.size());
  double largest = 0;
  std::size_t left = p.size();
  for (auto const i : ascending_order(p)) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(left--) * p[i]));
    adjusted[i] = largest;
  }
  return adjusted;
}

}  // namespace riffle::detail::uniformity
