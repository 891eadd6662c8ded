#pragma once

#include <algorithm>
#include <cstdint>

namespace riffle::detail::uniformity {

/// For statistics whose probabilities decrease like 1 / k!: the largest value k whose probability
/// is stored. At k = 128 the probability is less than 1e-215.
inline constexpr std::uint64_t last_rare_value = 128;

/// Returns the sum of (-x)^i / i! for i = 0, ..., terms. Requires 0 <= x <= 1. For x = 1 this is
/// the fraction of permutations of `terms` elements without a fixed point, by inclusion and
/// exclusion. The limit is exp(-x), which 25 terms reach to double precision.
inline double avoiding_all(double x, std::uint64_t terms) {
  double term = 1;
  double sum = 1;
  for (std::uint64_t i = 1; i <= std::min<std::uint64_t>(terms, 25); ++i) {
    term *= -x / static_cast<double>(i);
    sum += term;
  }
  return sum;
}

}  // namespace riffle::detail::uniformity
