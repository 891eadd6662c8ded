#pragma once

#include <algorithm>
#include <cstdint>

#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/detail/nulls/inclusion_exclusion.hpp>

namespace riffle::detail::uniformity {

/// The distribution of the number of successions, that is, of i with sigma(i + 1) = sigma(i) + 1
/// (W. A. Whitworth, "Choice and Chance", fifth edition (1901)). Exact for all n. Derivation for k
/// successions: glue k of the (n - 1) pairs of neighbours together. This leaves m = n - k pieces.
/// D_m + D_(m-1) orders of the pieces have no further succession, where D_m is the number of
/// derangements, m! avoiding_all(1, m). So
///   P(X = k) = C(n - 1, k) (D_m + D_(m-1)) / n! = (m D_m / m! + D_(m-1) / (m-1)!) / (n k!).
/// The limit is Poisson(1); the distance to the limit is O(1 / n).
inline DiscreteDistribution succession_distribution(std::uint64_t n) {
  if (n == 0) return {0, {1.0}};
  DiscreteDistribution result;
  double weight = 1 / static_cast<double>(n);
  for (std::uint64_t k = 0; k <= std::min(n - 1, last_rare_value); ++k) {
    if (k > 0) weight /= static_cast<double>(k);
    std::uint64_t const pieces = n - k;
    double const first_kind = static_cast<double>(pieces) * avoiding_all(1, pieces);
    result.probabilities.push_back(weight * (first_kind + avoiding_all(1, pieces - 1)));
  }
  return result;
}

}  // namespace riffle::detail::uniformity
