#pragma once

// The confidence interval of a permutation test's p-value. It has a header of its own, since Boost.Math's binomial
// distribution takes longer to compile than the test.

#include <Kokkos_Core.hpp>

#include <algorithm>

#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>

namespace riffle {

/// The Clopper-Pearson interval that covers the p-value of infinitely many replicates with at least `level`, computed
/// from b of m replicates. If the test was exact: p where the `uncertain` arrangements are less extreme than the data, and
/// p where they tie with them, which is result.p_value(). Throws std::invalid_argument unless 0 < level < 1.
inline Interval p_value_interval(PermutationTestResult const& result, double level = 0.95) {
  auto const one_side = clopper_pearson(result.extreme(), result.replicates, level);
  if (result.exact) {
    auto least = result;
    least.less_equal -= std::min(result.uncertain, result.less_equal);
    least.greater_equal -= std::min(result.uncertain, result.greater_equal);
    least.as_far -= std::min(result.uncertain, result.as_far);
    return {least.p_value(), result.p_value()};
  }
  return {std::min(1.0, result.sides() * one_side.lower),
          std::min(1.0, result.sides() * one_side.upper)};
}

}  // namespace riffle
