#pragma once

// The cycles of a uniform permutation.
//   P. R. de Montmort, "Essay d'analyse sur les jeux de hazard", second edition (1713): the problem
//   of coincidences, of which the fixed points are the rencontres.
//   V. L. Goncharov, "On the field of combinatory analysis", Izv. Akad. Nauk SSSR 8 (1944): the
//   cycles of one length, and their number in all.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/detail/nulls/inclusion_exclusion.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

/// The number of cycles of a given length. Exact for all n:
///   P(X = k) = 1 / (k! length^k) * sum of (-1 / length)^i / i! for i = 0, ..., n / length - k.
/// The limit is Poisson(1 / length). Throws std::invalid_argument where length is 0.
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

/// The number of fixed points. From n = 25 on the distribution equals Poisson(1) to the precision
/// of a double: the sum for k ends at 1 / (n - k + 1)!, so that the total variation distance is
/// about the sum of 1 / (2 k! (n + 1 - k)!) over k, which is 2^n / (n + 1)!.
inline DiscreteDistribution fixed_point_distribution(std::uint64_t n) {
  return cycles_of_length_distribution(n, 1);
}

/// The number of cycles: signless Stirling numbers of the first kind over n!. It is a sum of
/// independent Bernoulli(1 / i), i = 1, ..., n, of which number i says whether element i begins a
/// cycle. Throws std::invalid_argument if n > 2^24.
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
