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

/// The indices of p, in the order of ascending p.
inline std::vector<std::size_t> ascending_order(std::vector<double> const& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

/// The adjusted p-values, in the order of p. If all hypotheses with an adjusted p-value of at most
/// alpha are rejected, a true hypothesis is rejected with a probability of at most alpha, for any
/// dependence between the tests. The smallest p is multiplied by the number of tests, the next one
/// by one less, and so on; each is at least the one before, and at most 1. Throws
/// std::invalid_argument unless each p is in [0, 1].
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
