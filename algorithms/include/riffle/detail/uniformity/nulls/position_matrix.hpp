#pragma once

// How often each element comes to each position: N(i, j) of m permutations send i to j.
//
// The entries are not independent, so Pearson's statistic is not chi-square as it stands. Let A be
// a permutation matrix less its mean 1/n everywhere. For a uniform permutation the covariance of
// A(i, j) and A(k, l) is C(i, k) C(j, l) / (n - 1), with C = I - 1/n: the projection that
// takes the mean out of a vector, of rank n - 1. So the covariance of all entries is 1 / (n - 1)
// times a projection of rank (n - 1)^2, and by the central limit theorem
//   X = (n - 1) / m * sum of (N(i, j) - m / n)^2,
// which is Pearson's statistic times (n - 1) / n, tends to chi-square with (n - 1)^2 degrees of
// freedom.
//
// For any m the mean is that of the limit. Two matrices A have the inner product F - 1, with F the
// fixed points of one permutation after the inverse of the other; for n >= 2 its mean is 0 and its
// variance 1, and different pairs are uncorrelated. Of X, m terms are the constant (n - 1)^2 / m
// and the m (m - 1) / 2 pairs count (n - 1) 2 / m each, so the variance is 2 (n - 1)^2 (m - 1) / m.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <riffle/detail/uniformity/nulls/chi_square.hpp>
#include <riffle/detail/uniformity/nulls/discrete_distribution.hpp>
#include <riffle/errors.hpp>

namespace riffle::detail::uniformity {

inline void check_position_matrix(char const* function, std::uint64_t n, std::uint64_t samples) {
  check(n >= 2, function, "n = ", n, ": must be at least 2");
  check(samples > 0, function, "samples = 0: must be at least 1");
}

/// Of X above, exact for any number of samples. Throws std::invalid_argument unless n >= 2 and
/// samples > 0.
inline Moments position_matrix_moments(std::uint64_t n, std::uint64_t samples) {
  check_position_matrix("position_matrix_moments", n, samples);
  auto const m = static_cast<double>(samples);
  double const degrees = static_cast<double>(n - 1) * static_cast<double>(n - 1);
  return {degrees, 2 * degrees * (m - 1) / m};
}

/// The test of the n^2 counts, row by row. Throws std::invalid_argument unless n >= 2, samples > 0,
/// there are n^2 counts and they sum to n times the samples.
inline ChiSquare position_matrix_test(std::vector<std::uint64_t> const& counts, std::uint64_t n,
                                      std::uint64_t samples) {
  check_position_matrix("position_matrix_test", n, samples);
  check(counts.size() == n * n, "position_matrix_test", "counts.size() = ", counts.size(),
        ": must be n * n with n = ", n);
  auto const total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  check(total == n * samples, "position_matrix_test", "counts sum to ", total,
        ": must be n * samples = ", n * samples);
  double const expected = static_cast<double>(samples) / static_cast<double>(n);
  double squares = 0;
  for (auto const count : counts) {
    double const deviation = static_cast<double>(count) - expected;
    squares += deviation * deviation;
  }
  auto const freedom = static_cast<double>(n - 1);
  return chi_square_of(freedom / static_cast<double>(samples) * squares, freedom * freedom);
}

}  // namespace riffle::detail::uniformity
