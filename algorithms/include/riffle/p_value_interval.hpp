#pragma once

// How exactly a permutation test of random replicates knows its p-value. A header of its own: Boost.Math's binomial
// distribution takes longer to compile than the test.

#include <Kokkos_Core.hpp>

#include <algorithm>

#include <riffle/binomial_interval.hpp>
#include <riffle/permutation_test.hpp>

namespace riffle {

/// The Clopper-Pearson interval of the p-value that infinitely many replicates would give, from b of m, which covers it
/// with at least `level`; {p, p} if the test was exact. Throws std::invalid_argument unless 0 < level < 1.
inline Interval p_value_interval(PermutationTestResult const& result, double level = 0.95) {
  auto const one_side = clopper_pearson(result.extreme(), result.replicates, level);
  if (result.exact) return {result.p_value(), result.p_value()};
  return {std::min(1.0, result.sides() * one_side.lower),
          std::min(1.0, result.sides() * one_side.upper)};
}

}  // namespace riffle
