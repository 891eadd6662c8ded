#pragma once

// Distributions of the cycles of a uniform permutation.
//   P. R. de Montmort, "Essay d'analyse sur les jeux de hazard", second edition (1713): the number of fixed points
//   (the problem of coincidences).
//   V. L. Goncharov, "On the field of combinatory analysis", Izv. Akad. Nauk SSSR 8 (1944): the
//   number of cycles of one length, and of all cycles.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/detail/nulls/inclusion_exclusion.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

/// The distribution of the number of cycles of a given length. Exact for all n:
///   P(X = k) = 1 / (k! length^k) * sum of (-1 / length)^i / i! for i = 0, ..., n / length - k.
/// The limit is Poisson(1 / length). Throws std::invalid_argument if length is 0.
inline DiscreteDistribution cycles_of_length_distribution(std::uint64_t n, std::uint64_t length) {
  check(length > 0, "cycles_of_length_distribution", "length = 0: must be at least 1");
  double const rate = 1 / static_cast<double>(length);
  std::uint64_t const most = n / length;
  DiscreteDistribution result;
  double weight = 1;
  for (std::uint64_t k = 0; k <= std::min(most, last_rare_value); ++k) {
    if (k > 0) weight *= rate / static_cast<double>(k);
    result.probabilities.push_back(weight * avoiding_all(rate, most - k));
  }
  return result;
}

/// The distribution of the number of fixed points. For n >= 25 it equals Poisson(1) to the precision of a double. The
/// sum for k is truncated before the term 1 / (n - k + 1)!, so the total variation distance is about 2^n / (n + 1)!,
/// the sum of 1 / (2 k! (n + 1 - k)!) over k.
inline DiscreteDistribution fixed_point_distribution(std::uint64_t n) {
  return cycles_of_length_distribution(n, 1);
}

/// The distribution of the number of cycles: signless Stirling numbers of the first kind divided by
/// n!. The number of cycles is a sum of n independent Bernoulli(1 / i) variables, i = 1, ..., n;
/// variable i says whether element i starts a cycle. Throws std::invalid_argument if n > 2^24.
inline DiscreteDistribution cycle_distribution(std::uint64_t n) {
  check(n <= largest_cycle_distribution, "cycle_distribution", "n = ", n, ": must be at most ",
        largest_cycle_distribution);
  std::vector<double> p(static_cast<std::size_t>(std::min(n, last_rare_value)) + 1);
  p[0] = 1;
  for (std::uint64_t i = 1; i <= n; ++i) {
    double const begins = 1 / static_cast<double>(i);
    for (auto k = static_cast<std::size_t>(std::min(i, last_rare_value)); k > 0; --k)
      p[k] += begins * (p[k - 1] - p[k]);
    p[0] -= begins * p[0];
  }
  return {0, p};
}

}  // namespace riffle::detail::uniformity
