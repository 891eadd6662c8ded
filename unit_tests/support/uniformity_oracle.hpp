#pragma once

// Statistics of permutations by their definitions, and their distributions by enumeration of all n! permutations: the oracle
// of the closed forms in riffle::detail::uniformity.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>

#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>

namespace riffle::test::oracle {

using Permutation = std::vector<std::int64_t>;

inline std::size_t image(Permutation const& sigma, std::size_t i) {
  return static_cast<std::size_t>(sigma[i]);
}

inline std::size_t length_of_cycle(Permutation const& sigma, std::size_t start) {
  std::size_t length = 1;
  for (std::size_t i = image(sigma, start); i != start; i = image(sigma, i)) ++length;
  return length;
}

/// The number of elements in cycles of this length, divided by the length.
inline std::int64_t cycles_of_length(Permutation const& sigma, std::size_t length) {
  std::size_t elements = 0;
  for (std::size_t i = 0; i < sigma.size(); ++i)
    if (length_of_cycle(sigma, i) == length) ++elements;
  return static_cast<std::int64_t>(elements / length);
}

inline std::int64_t cycles(Permutation const& sigma) {
  std::int64_t sum = 0;
  for (std::size_t length = 1; length <= sigma.size(); ++length)
    sum += cycles_of_length(sigma, length);
  return sum;
}

inline std::int64_t inversions(Permutation const& sigma) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < sigma.size(); ++i)
    for (std::size_t j = i + 1; j < sigma.size(); ++j)
      if (sigma[i] > sigma[j]) ++count;
  return count;
}

inline std::int64_t descents(Permutation const& sigma) {
  std::int64_t count = 0;
  for (std::size_t i = 1; i < sigma.size(); ++i)
    if (sigma[i - 1] > sigma[i]) ++count;
  return count;
}

inline std::int64_t successions(Permutation const& sigma) {
  std::int64_t count = 0;
  for (std::size_t i = 1; i < sigma.size(); ++i)
    if (sigma[i - 1] + 1 == sigma[i]) ++count;
  return count;
}

inline std::int64_t longest_increasing(Permutation const& sigma) {
  std::vector<std::int64_t> ending_at(sigma.size(), 1);
  std::int64_t longest = 0;
  for (std::size_t j = 0; j < sigma.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i)
      if (sigma[i] < sigma[j]) ending_at[j] = std::max(ending_at[j], ending_at[i] + 1);
    longest = std::max(longest, ending_at[j]);
  }
  return longest;
}

inline std::int64_t footrule(Permutation const& sigma) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < sigma.size(); ++i)
    sum += std::abs(sigma[i] - static_cast<std::int64_t>(i));
  return sum;
}

inline std::int64_t squared_differences(Permutation const& sigma) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    std::int64_t const apart = sigma[i] - static_cast<std::int64_t>(i);
    sum += apart * apart;
  }
  return sum;
}

/// The Mallows kernel of two permutations of n with this number of discordant pairs.
inline double mallows_kernel(std::uint64_t n, double lambda, std::uint64_t discordant) {
  return std::exp(-lambda * static_cast<double>(discordant) / static_cast<double>(n * (n - 1) / 2));
}

inline std::int64_t parity(Permutation const& sigma) { return inversions(sigma) % 2; }

inline std::int64_t lehmer_digit(Permutation const& sigma, std::size_t i) {
  return std::count_if(sigma.begin() + static_cast<std::ptrdiff_t>(i), sigma.end(),
                       [&](std::int64_t later) { return later < sigma[i]; });
}

inline Permutation identity(std::size_t n) {
  Permutation sigma(n);
  std::iota(sigma.begin(), sigma.end(), 0);
  return sigma;
}

template <class Visit>
void visit_all(std::size_t n, Visit const& visit) {
  Permutation sigma = identity(n);
  do visit(sigma);
  while (std::next_permutation(sigma.begin(), sigma.end()));
}

template <class Statistic>
std::map<std::int64_t, double> distribution_of(std::size_t n, Statistic const& statistic) {
  std::map<std::int64_t, double> result;
  double permutations = 0;
  visit_all(n, [&](Permutation const& sigma) {
    ++result[statistic(sigma)];
    ++permutations;
  });
  for (auto& [value, probability] : result) probability /= permutations;
  return result;
}

/// Expects that each probability equals the one by enumeration of all n! permutations.
template <class Statistic>
void expect_exact(detail::uniformity::DiscreteDistribution const& actual, std::size_t n,
                  Statistic const& statistic) {
  auto expected = distribution_of(n, statistic);
  std::int64_t const low = std::min(actual.first, expected.begin()->first);
  std::int64_t const high = std::max(actual.last(), expected.rbegin()->first);
  for (std::int64_t x = low; x <= high; ++x)
    ASSERT_NEAR(actual.probability(x), expected[x], 1e-13 * expected[x])
        << "value " << x << " with n = " << n;
}

/// Expects probabilities with the sum 1 and the moments of a closed form.
inline void expect_moments(detail::uniformity::DiscreteDistribution const& actual,
                           detail::uniformity::Moments expected, double tolerance = 1e-11) {
  double const sum = std::accumulate(actual.probabilities.begin(), actual.probabilities.end(), 0.0);
  EXPECT_NEAR(sum, 1, tolerance);
  EXPECT_NEAR(actual.mean(), expected.mean, tolerance * expected.mean);
  EXPECT_NEAR(actual.variance(), expected.variance, tolerance * expected.variance);
}

}  // namespace riffle::test::oracle
