#pragma once

// How often each element moves to each position: N(i, j) of m permutations map i to j.
//
// The entries are not independent, so Pearson's statistic does not have a chi-square distribution.
// Let A be a permutation matrix minus its mean, which is 1/n in all entries. For a uniform
// permutation the covariance of A(i, j) and A(k, l) is C(i, k) C(j, l) / (n - 1), where C = I - 1/n
// is the projection that removes the mean of a vector; the rank of C is n - 1. So the covariance
// matrix of all entries is 1 / (n - 1) times a projection of rank (n - 1)^2. Let
//   X = (n - 1) / m * sum of (N(i, j) - m / n)^2,
// which is Pearson's statistic times (n - 1) / n. By the central limit theorem, X tends to
// chi-square with (n - 1)^2 degrees of freedom.
//
// The mean of X equals the mean of the limit for any m. Let A and B be two such matrices, for
// independent permutations a and b. The inner product of A and B is F - 1, where F is the number of
// fixed points of a after the inverse of b. For n >= 2 the mean of the inner product is 0 and its
// variance 1, and different pairs are uncorrelated. X is the sum of m constants (n - 1)^2 / m and
// of m (m - 1) / 2 random terms. Each random term is 2 (n - 1) / m times an inner product. So the
// variance is 2 (n - 1)^2 (m - 1) / m.
//
// If n^2 counts are too many, the positions are divided into K blocks of a(1), ..., a(K) positions,
// and the values in the same way. N(r, c) points of block r move to block c, and E = m a(r) a(c) /
// n are expected. Let Z be (N - E) / sqrt(E). Summing the covariance above over blocks gives the
// covariance of Z: Q(r, s) Q(c, d) n / (n - 1), where Q(r, s) = delta(r, s) - sqrt(a(r) a(s)) / n
// is the projection that removes the unit vector with the entries sqrt(a(r) / n); the rank of Q is
// K - 1. So
//   X = (n - 1) / n * sum of (N(r, c) - E)^2 / E
// tends to chi-square with (K - 1)^2 degrees of freedom, and its mean equals the mean of the limit
// for any m. With blocks of one position this is the X above.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/chi_square.hpp>

namespace riffle::detail::uniformity {

/// Returns the sum of (count - expected)^2 / expected over all counts, which are stored row by row.
/// The expected count in row r and column c is scale * lengths[r] * lengths[c].
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

/// Tests K^2 counts, stored row by row, given the lengths of the K blocks, whose sum is n. Throws
/// std::invalid_argument unless n >= 2, samples > 0, all lengths are positive, and there are K^2
/// counts whose sum is n times `samples`.
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
