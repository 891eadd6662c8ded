#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>

namespace riffle::detail::uniformity {

/// Groups of neighbouring values, in ascending order. last_values[c] is the largest value of group
/// c.
struct Cells {
  std::vector<std::int64_t> last_values;
  std::vector<double> probabilities;

  /// Returns the index of the group that contains x. The outer groups are unbounded, because a
  /// distribution may omit values whose probability is too small for a double.
  std::size_t index(std::int64_t x) const {
    auto const inner_end = last_values.end() - 1;
    return static_cast<std::size_t>(std::lower_bound(last_values.begin(), inner_end, x) -
                                    last_values.begin());
  }
};

/// Divides the values into groups, from the lowest value upwards. Each group is the smallest for
/// which the expected count, for `samples` observations, is at least `min_expected`. If even all
/// values together have a smaller expected count, there is a single group. Pearson's statistic is
/// close to its limit if expected counts are at least 5 (W. G. Cochran, "Some methods for
/// strengthening the common chi-square tests", Biometrics 10 (1954)). Throws std::invalid_argument
/// unless there are values and min_expected is positive and finite.
inline Cells make_cells(DiscreteDistribution const& distribution, std::uint64_t samples,
                        double min_expected = 5) {
  check(!distribution.probabilities.empty(), "make_cells", "distribution: must have values");
  check(min_expected > 0 && is_finite(min_expected), "make_cells", "min_expected = ", min_expected,
        ": must be positive and finite");
  Cells cells;
  double gathered = 0;
  for (std::int64_t x = distribution.first; x <= distribution.last(); ++x) {
    gathered += distribution.probability(x);
    if (gathered * static_cast<double>(samples) < min_expected) continue;
    cells.last_values.push_back(x);
    cells.probabilities.push_back(gathered);
    gathered = 0;
  }
  if (cells.last_values.empty()) return {{distribution.last()}, {gathered}};
  // The remaining values are too rare to form a group. They are added to the last group.
  cells.last_values.back() = distribution.last();
  cells.probabilities.back() += gathered;
  return cells;
}

}  // namespace riffle::detail::uniformity
