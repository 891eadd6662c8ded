#pragma once

// The circular sum of c(i) c(i + 1), where c(i) = 2 sigma(i) - (n - 1); the sum of all c(i) is 0.
//   A. Wald, J. Wolfowitz, "An exact test for randomness in the non-parametric case based on serial
//   correlation", Annals of Mathematical Statistics 14 (1943).
// Let S2 be the sum of the squares of all c(i), and S4 the sum of their fourth powers. The circular
// sum has
//   mean = -S2 / (n - 1),
//   variance = (S2^2 - S4) / (n - 1) + (S2^2 - 2 S4) / ((n - 1) (n - 2)) - S2^2 / (n - 1)^2.
// Here S2 = n (n^2 - 1) / 3 and S4 = n (n^2 - 1) (3 n^2 - 7) / 15. If these are inserted, most
// factors cancel.

#include <cstdint>
#include <limits>

#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>

namespace riffle::detail::uniformity {

/// If n <= 3, all points are neighbours, and the sum is constant.
inline Moments serial_correlation_moments(std::uint64_t n) {
  if (n < 2) return {0, 0};
  auto const x = static_cast<double>(n);
  double const mean = -x * (x + 1) / 3;
  return {mean, n < 4 ? 0 : x * x * (x + 1) * (x - 3) * (5 * x + 6) / 45};
}

/// The largest n for which S2 = n (n^2 - 1) / 3 fits in 63 bits. S2 bounds each partial sum of
/// products, and is also the largest sum of squared differences.
inline constexpr std::uint64_t largest_cubic_sum = 3024616;
static_assert((largest_cubic_sum * largest_cubic_sum - 1) / 3 <=
              std::numeric_limits<std::int64_t>::max() / largest_cubic_sum);

}  // namespace riffle::detail::uniformity
