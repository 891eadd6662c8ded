#pragma once

// The number of inversions: pairs i < j with sigma(i) > sigma(j).
//   P. A. MacMahon, "The indices of permutations and the derivation therefrom of functions of a
//   single variable associated with the permutations of any assemblage of objects", American
//   Journal of Mathematics 35 (1913).
//   M. G. Kendall, "A new measure of rank correlation", Biometrika 30 (1938): the moments.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

inline Moments inversion_moments(std::uint64_t n) {
  auto const x = static_cast<double>(n);
  return {x * (x - 1) / 4, x * (x - 1) * (2 * x + 5) / 72};
}

/// Returns the distribution of X + U, where X has the probabilities p and U is uniform on 0, ...,
/// count - 1. Requires that p is symmetric and has one peak. Each probability is the sum over a
/// window that slides over p. Up to the middle the sum increases, so its rounding errors stay
/// relatively small. After the middle they would exceed the tail, so the upper half is copied from
/// the lower half by symmetry.
inline std::vector<double> add_uniform(std::vector<double> const& p, std::size_t count) {
  std::vector<double> sum(p.size() + count - 1);
  double window = 0;
  for (std::size_t k = 0; 2 * k < sum.size(); ++k) {
    window += p[k];
    if (k >= count) window -= p[k - count];
    sum[k] = window / static_cast<double>(count);
    sum[sum.size() - 1 - k] = sum[k];
  }
  return sum;
}

/// The distribution of the number of inversions, which is a sum of n independent numbers. Number i
/// is uniform on 0, ..., i - 1. Exact except for tails below 1e-307. Throws std::invalid_argument
/// if n > 1024.
inline DiscreteDistribution inversion_distribution(std::uint64_t n) {
  check(n <= largest_inversion_distribution, "inversion_distribution", "n = ", n,
        ": must be at most ", largest_inversion_distribution);
  std::vector<double> p{1.0};
  for (std::size_t i = 2; i <= n; ++i) p = add_uniform(p, i);
  return {0, p};
}

}  // namespace riffle::detail::uniformity
