#pragma once

// Checks of randomness. Each returns a number that is approximately standard normal if the generator is uniform. Tests require
// |z| to be below a threshold for fixed seeds, so that they are deterministic; core/checks_test.cpp passes generators to
// which each check must give a large |z|.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/chi_square.hpp"
#include "support/permutations.hpp"

namespace riffle::test {

/// The images of 0, ..., f.size() - 1.
template <class Bijection>
std::vector<std::uint64_t> arrangement(Bijection const& f) {
  std::vector<std::uint64_t> images(f.size());
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = f(i);
  return images;
}

/// Transforms a chi-square statistic to a standard normal: E. B. Wilson and M. M. Hilferty, "The distribution of
/// chi-square", PNAS 17 (1931).
inline double chi_square_to_z(double statistic, double degrees) {
  double const spread = 2 / (9 * degrees);
  return (std::cbrt(statistic / degrees) - (1 - spread)) / std::sqrt(spread);
}

/// Tests that all cells are equally likely.
inline double cells_z(std::vector<std::uint64_t> const& counts) {
  return chi_square_to_z(chi_square(counts), static_cast<double>(counts.size()) - 1);
}

/// Tests that a fair coin shows heads `heads` times.
inline double coin_z(std::uint64_t heads, std::uint64_t throws) {
  auto const n = static_cast<double>(throws);
  return (2 * static_cast<double>(heads) - n) / std::sqrt(n);
}

// In the following checks make(0), make(1), ... are independent random permutations of n points.

/// Tests that half of the permutations are odd.
template <class Make>
double sign_z(std::uint64_t samples, Make const& make) {
  std::uint64_t odd = 0;
  for (std::uint64_t sample = 0; sample < samples; ++sample)
    odd += is_odd(arrangement(make(sample))) ? 1 : 0;
  return coin_z(odd, samples);
}

/// Tests that all n! permutations are equally likely.
template <class Make>
double arrangements_z(std::uint64_t n, std::uint64_t samples, Make const& make) {
  std::uint64_t cells = 1;
  for (std::uint64_t i = 2; i <= n; ++i) cells *= i;
  std::vector<std::uint64_t> counts(cells);
  for (std::uint64_t sample = 0; sample < samples; ++sample)
    ++counts[rank_of(arrangement(make(sample)))];
  return cells_z(counts);
}

/// Tests that every point has every image equally often. The rows and columns of the matrix of counts have fixed sums, which
/// leaves (n - 1)^2 degrees of freedom.
template <class Make>
double positions_z(std::uint64_t n, std::uint64_t samples, Make const& make) {
  std::vector<std::uint64_t> counts(n * n);
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    auto const sigma = make(sample);
    for (std::uint64_t i = 0; i < n; ++i) ++counts[i * n + sigma(i)];
  }
  auto const size = static_cast<double>(n);
  return chi_square_to_z(chi_square(counts) * (size - 1) / size, (size - 1) * (size - 1));
}

/// Tests that the distance (modulo n) between the images of neighbours has every value but 0 equally often. One pair of each
/// permutation is used, so that pairs are independent.
template <class Make>
double distances_z(std::uint64_t n, std::uint64_t samples, Make const& make) {
  std::vector<std::uint64_t> counts(n - 1);
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    auto const sigma = make(sample);
    std::uint64_t const i = sample % n;
    ++counts[(sigma((i + 1) % n) + n - sigma(i)) % n - 1];
  }
  return cells_z(counts);
}

/// Tests that consecutive permutations agree as often as independent ones: at one place on average, with variance 1.
template <class Make>
double agreements_z(std::uint64_t n, std::uint64_t samples, Make const& make) {
  std::uint64_t agreements = 0;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    auto const sigma = make(2 * sample);
    auto const tau = make(2 * sample + 1);
    for (std::uint64_t i = 0; i < n; ++i) agreements += sigma(i) == tau(i) ? 1 : 0;
  }
  auto const mean = static_cast<double>(samples);
  return (static_cast<double>(agreements) - mean) / std::sqrt(mean);
}

/// Tests that the image of point 0 is in each of `bins` equal parts of the range equally often; n must be far above `bins`.
template <class Make>
double coarse_positions_z(std::uint64_t n, std::uint64_t bins, std::uint64_t samples,
                          Make const& make) {
  std::vector<std::uint64_t> counts(bins);
  std::uint64_t const width = (n - 1) / bins + 1;
  for (std::uint64_t sample = 0; sample < samples; ++sample) ++counts[make(sample)(0) / width];
  return cells_z(counts);
}

}  // namespace riffle::test
