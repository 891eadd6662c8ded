#pragma once

// P-values that control the false discovery rate (Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B
// 57, 1995). The function is compiled into the library riffle::monte_carlo.

#include <vector>

namespace riffle {

/// Returns the adjusted p-values. Let p_(1) <= ... <= p_(G) be the p-values in ascending order. The adjusted value of
/// p_(i) is the minimum of p_(j) G / j over all j >= i, capped at 1. The procedure at level q rejects the variables
/// whose adjusted values are at most q. NaNs stay NaN, and are not counted in G.
///
/// Requires: 0 <= p <= 1 unless p is NaN. Throws: std::invalid_argument otherwise. Complexity: one sort, on the host.
std::vector<double> benjamini_hochberg(std::vector<double> const& p);

}  // namespace riffle
