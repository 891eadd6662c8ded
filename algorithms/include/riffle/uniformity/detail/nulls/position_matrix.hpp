#pragma once

// How often each element moves to each position: N(i, j) of m permutations send i to j.
//
// The entries are not independent, so that Pearson's statistic is not chi-square. Let A be a
// permutation matrix minus its mean 1/n everywhere. For a uniform permutation the covariance of
// A(i, j) and A(k, l) is C(i, k) C(j, l) / (n - 1), where C = I - 1/n is the projection that
// removes the mean of a vector; its rank is n - 1. So the covariance of all entries is
// 1 / (n - 1) times a projection of rank (n - 1)^2, and by the central limit theorem
//   X = (n - 1) / m * sum of (N(i, j) - m / n)^2,
// which is Pearson's statistic times (n - 1) / n, tends to chi-square with (n - 1)^2 degrees of
// freedom.
//
// The mean of X is the mean of the limit for any m. Two matrices A have the inner product F - 1,
// where F is the number of fixed points of one permutation after the inverse of the other; for n >=
// 2 its mean is 0 and its variance 1, and different pairs are uncorrelated. In X, m terms are the
// constant (n - 1)^2 / m and the m (m - 1) / 2 pairs have the factor (n - 1) 2 / m each, so that
// the variance is 2 (n - 1)^2 (m - 1) / m.
//
// If n^2 counts are too many, the positions are divided into K blocks of a(1), ..., a(K) positions,
// and the values likewise: N(r, c) points of block r move to block c, and E = m a(r) a(c) / n are
// expected. Let Z be (N - E) / sqrt(E). Summing the covariance above over blocks gives the
// covariance of Z: Q(r, s) Q(c, d) n / (n - 1), where Q(r, s) = delta(r, s) - sqrt(a(r) a(s)) / n
// is the projection that removes the unit vector of sqrt(a(r) / n); its rank is K - 1. So
//   X = (n - 1) / n * sum of (N(r, c) - E)^2 / E
// tends to chi-square with (K - 1)^2 degrees of freedom, and has the mean of the limit for any m.
// With blocks of one position it is the X above.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/chi_square.hpp>

namespace riffle::detail::uniformity {

/// Pearson's statistic of the counts of blocks; counts are in the order of rows.
inline double block_deviations(std::vector<std::uint64_t> const& counts,
                               std::vector<std::uint64_t> const& lengths, double scale) {
  double sum = 0;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    for (std::size_t c = 0; c < lengths.size(); ++c) {
      double const expected =
          scale * static_cast<double>(lengths[r]) * static_cast<double>(lengths[c]);
      double const deviation = static_cast<double>(counts[r * lengths.size() + c]) - expected;
      sum += deviation * deviation / expected;
    }
  }
  return sum;
}

/// Tests K^2 counts, in the order of rows, given the lengths of the K blocks, whose sum is n.
/// Throws std::invalid_argument unless n >= 2, samples > 0, all lengths are positive, there are K^2
/// counts and they sum to n times the samples.
inline ChiSquare position_blocks_test(std::vector<std::uint64_t> const& counts,
                                      std::vector<std::uint64_t> const& lengths,
                                      std::uint64_t samples) {
  constexpr char const* function = "position_blocks_test";
  auto const n = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  check(n >= 2, function, "n = ", n, ": must be at least 2");
  check(samples > 0, function, "samples = 0: must be at least 1");
  check(std::count(lengths.begin(), lengths.end(), 0u) == 0, function, "lengths: must be positive");
  check(counts.size() == lengths.size() * lengths.size(), function,
        "counts.size() = ", counts.size(), ": must be K * K with K = ", lengths.size());
  auto const total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  check(total == n * samples, function, "counts sum to ", total,
        ": must be n * samples = ", n * samples);
  auto const points = static_cast<double>(n);
  double const pearson = block_deviations(counts, lengths, static_cast<double>(samples) / points);
  auto const freedom = static_cast<double>(lengths.size() - 1);
  return chi_square_of((points - 1) / points * pearson, freedom * freedom);
}

}  // namespace riffle::detail::uniformity
