#pragma once

// P-values that control the false discovery rate (Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B
// 57, 1995).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>

namespace riffle {

/// Returns the adjusted p-values. Let p_(1) <= ... <= p_(G) be the p-values in ascending order. The adjusted value of
/// p_(i) is the minimum of p_(j) G / j over all j >= i, capped at 1. The procedure at level q rejects the variables
/// whose adjusted values are at most q. NaNs stay NaN, and are not counted in G.
///
/// Requires: 0 <= p <= 1 unless p is NaN. Throws: std::invalid_argument otherwise. Complexity: one sort, on the host.
inline std::vector<double> benjamini_hochberg(std::vector<double> const& p) {
  std::vector<std::size_t> order;
  for (std::size_t g = 0; g < p.size(); ++g) {
    if (detail::is_nan(p[g])) continue;
    detail::check(p[g] >= 0 && p[g] <= 1, "benjamini_hochberg", "p[", g, "] = ", p[g],
                  ": must lie between 0 and 1");
    order.push_back(g);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted = p;
  double least = 1;
  auto const count = static_cast<double>(order.size());
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    double& own = adjusted[order[rank - 1]];
    own = least = std::min(least, own * count / static_cast<double>(rank));
  }
  return adjusted;
}

}  // namespace riffle
