// Computes adjusted p-values, and confidence intervals of p-values with the binomial distribution of Boost.Math.

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/benjamini_hochberg.hpp>
#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/p_value_interval.hpp>
#include <riffle/monte_carlo/p_value_intervals.hpp>

namespace riffle {

std::vector<double> benjamini_hochberg(std::vector<double> const& p) {
  std::vector<std::size_t> order;
  for (std::size_t g = 0; g < p.size(); ++g) {
    if (detail::is_nan(p[g])) continue;
    detail::check(p[g] >= 0 && p[g] <= 1, "benjamini_hochberg", "p[", g, "] = ", p[g],
                  ": must lie between 0 and 1");
    order.push_back(g);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted = p;
  double least = 1;
  auto const count = static_cast<double>(order.size());
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    double& own = adjusted[order[rank - 1]];
    own = least = std::min(least, own * count / static_cast<double>(rank));
  }
  return adjusted;
}

Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double level) {
  detail::check(detail::is_finite(level) && level > 0 && level < 1, "clopper_pearson",
                "level = ", level, ": must lie between 0 and 1");
  detail::check(trials > 0, "clopper_pearson", "trials = 0: must be at least 1");
  detail::check(successes <= trials, "clopper_pearson", "successes = ", successes,
                ": must not exceed trials = ", trials);
  using Binomial = boost::math::binomial_distribution<double>;
  auto const m = static_cast<double>(trials);
  auto const b = static_cast<double>(successes);
  double const tail = (1 - level) / 2;
  return {successes == 0 ? 0.0 : Binomial::find_lower_bound_on_p(m, b, tail),
          successes == trials ? 1.0 : Binomial::find_upper_bound_on_p(m, b, tail)};
}

Interval p_value_interval(PermutationTestResult const& result, double level) {
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

namespace {

/// Computes the intervals for counts of m replicates at one confidence level. Several variables may have the same
/// count, so each interval is computed once and stored.
class IntervalsOfCounts {
 public:
  IntervalsOfCounts(PermutationTestsResult const& result, double level)
      : result_(result), level_(level) {
    detail::check(detail::is_finite(level) && level > 0 && level < 1, "p_value_intervals",
                  "level = ", level, ": must lie between 0 and 1");
  }

  PValueIntervals of_variable(std::uint64_t g) {
    detail::check(g < result_.p.size(), "p_value_intervals", "g = ", g,
                  ": must be less than the number of variables, ", result_.p.size());
    return {of_p(g), of(result_.p_single_step, g), of(result_.p_step_down, g),
            of(result_.p_single_step_min_p, g), of(result_.p_step_down_min_p, g)};
  }

 private:
  Interval of_p(std::uint64_t g) {
    Interval interval = of(result_.p, g);
    // The lower end excludes the arrangements that may or may not tie with the data, because rounding hides the
    // difference.
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
    // p-values, including adjusted ones, are sides * (b + 1) / (m + 1), capped at 1. So the count b can be computed
    // from p.
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

}  // namespace

std::vector<PValueIntervals> p_value_intervals(PermutationTestsResult const& result, double level) {
  IntervalsOfCounts intervals(result, level);
  std::vector<PValueIntervals> all;
  all.reserve(result.p.size());
  for (std::uint64_t g = 0; g < result.p.size(); ++g) all.push_back(intervals.of_variable(g));
  return all;
}

PValueIntervals p_value_intervals_of_variable(PermutationTestsResult const& result, std::uint64_t g,
                                              double level) {
  return IntervalsOfCounts(result, level).of_variable(g);
}

}  // namespace riffle
