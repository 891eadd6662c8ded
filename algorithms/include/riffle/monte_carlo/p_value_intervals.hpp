#pragma once

// The confidence intervals of the p-values of permutation tests of many variables. It has a header of its own, since
// Boost.Math's binomial distribution takes longer to compile than the tests.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>

namespace riffle {

/// Of one variable, an interval for each of its p-values; NaNs where it has none.
struct PValueIntervals {
  Interval p;
  Interval p_single_step;
  Interval p_step_down;
  /// NaNs unless options.min_p.
  Interval p_single_step_min_p;
  Interval p_step_down_min_p;
};

namespace detail::variables {

/// The intervals of counts of m replicates at one level. Variables share counts, so that each is asked for once.
class IntervalsOfCounts {
 public:
  IntervalsOfCounts(PermutationTestsResult const& result, double level)
      : result_(result), level_(level) {
    check(detail::is_finite(level) && level > 0 && level < 1, "p_value_intervals",
          "level = ", level, ": must lie between 0 and 1");
  }

  PValueIntervals of_variable(std::uint64_t g) {
    check(g < result_.p.size(), "p_value_intervals", "g = ", g,
          ": must be less than the number of variables, ", result_.p.size());
    return {of_p(g), of(result_.p_single_step, g), of(result_.p_step_down, g),
            of(result_.p_single_step_min_p, g), of(result_.p_step_down_min_p, g)};
  }

 private:
  Interval of_p(std::uint64_t g) {
    Interval interval = of(result_.p, g);
    // Of enumerated arrangements, those that rounding does not tell from the observed one may count or not.
    if (result_.exact && result_.uncertain.size() > 0 && result_.uncertain(g) > 0) {
      auto const surely = static_cast<double>(result_.extreme(g) - result_.uncertain(g));
      double const sides = result_.alternative == Alternative::two_sided_doubled ? 2 : 1;
      interval.lower =
          std::min(interval.upper, sides * surely / static_cast<double>(result_.replicates));
    }
    return interval;
  }

  Interval of(PermutationTestsResult::Values<double> const& values, std::uint64_t g) {
    double const p = values.size() == 0 ? detail::hidden_nan() : values(g);
    if (detail::is_nan(p) || result_.exact) return {p, p};
    // p is (b + 1) / (m + 1), or twice that and at most 1; the adjusted ones are so, too.
    double const sides = result_.alternative == Alternative::two_sided_doubled ? 2 : 1;
    auto const m = static_cast<double>(result_.replicates);
    auto const count = static_cast<std::uint64_t>(std::nearbyint(p / sides * (m + 1))) - 1;
    auto const [found, is_new] = intervals_.try_emplace(count);
    if (is_new) {
      auto const of_one = clopper_pearson(count, result_.replicates, level_);
      found->second = {std::min(1.0, sides * of_one.lower), std::min(1.0, sides * of_one.upper)};
    }
    return found->second;
  }

  PermutationTestsResult const& result_;
  double level_;
  std::map<std::uint64_t, Interval> intervals_;
};

}  // namespace detail::variables

/// How exactly random replicates know the p-values of each variable, in the order of the data: Clopper-Pearson intervals,
/// from b of m replicates, that cover the p-value of infinitely many with at least `level`; {p, p} where the tests were
/// exact, but for p itself from what it would be without the arrangements of `uncertain`. Each is of one p-value by itself.
///
/// A step-down p-value is the greatest of several proportions of the same replicates, where it was made monotone; its
/// interval is that of the greatest. So are those by the minimum of p-values, given the p-values that are compared.
///
/// Throws std::invalid_argument unless 0 < level < 1. Cost: on the host, some microseconds for each distinct count.
inline std::vector<PValueIntervals> p_value_intervals(PermutationTestsResult const& result,
                                                      double level = 0.95) {
  detail::variables::IntervalsOfCounts intervals(result, level);
  std::vector<PValueIntervals> all;
  all.reserve(result.p.size());
  for (std::uint64_t g = 0; g < result.p.size(); ++g) all.push_back(intervals.of_variable(g));
  return all;
}

/// The same of variable g alone. Throws std::invalid_argument where there is none of this number, too.
inline PValueIntervals p_value_intervals_of_variable(PermutationTestsResult const& result,
                                                     std::uint64_t g, double level = 0.95) {
  return detail::variables::IntervalsOfCounts(result, level).of_variable(g);
}

}  // namespace riffle
