#pragma once

// The confidence interval of a permutation test's p-value. It has a header of its own, since Boost.Math's binomial
// distribution takes longer to compile than the test.

#include <Kokkos_Core.hpp>

#include <algorithm>

#include <riffle/monte_carlo.hpp>
#include <riffle/monte_carlo/binomial_interval.hpp>

namespace riffle {

/// The Clopper-Pearson interval that covers the p-value of infinitely many replicates with at least `level`, computed
/// from b of m replicates; {p, p} if the test was exact. Throws std::invalid_argument unless 0 < level < 1.
inline Interval p_value_interval(PermutationTestResult const& result, double level = 0.95) {
  auto const one_side = clopper_pearson(result.extreme(), result.replicates, level);
  if (result.exact) return {result.p_value(), result.p_value()};
  return {std::min(1.0, result.sides() * one_side.lower),
          std::min(1.0, result.sides() * one_side.upper)};
}

}  // namespace riffle
