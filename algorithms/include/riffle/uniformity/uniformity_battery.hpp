#pragma once

// Runs all tests of riffle/uniformity.hpp on one generator of permutations.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/uniformity/detail/avalanche.hpp>
#include <riffle/uniformity/detail/nulls/holm.hpp>
#include <riffle/uniformity/detail/run_plans.hpp>
#include <riffle/uniformity/uniformity_test.hpp>

namespace riffle::uniformity {

using detail::uniformity::Progress;

/// The results of the battery.
struct BatteryResult {
  struct Row {
    TestResult result;
    double adjusted_p_value;  // adjusted by Holm's method (nulls/holm.hpp)
  };

  std::vector<Row> rows;

  /// Whether no test rejects at level alpha. For uniform permutations, the probability that any
  /// test rejects is at most alpha. Throws std::invalid_argument unless 0 < alpha < 1.
  bool passes(double alpha = 0.001) const {
    detail::check(detail::is_finite(alpha) && alpha > 0 && alpha < 1,
                  "uniformity::BatteryResult::passes", "alpha = ", alpha,
                  ": must lie between 0 and 1");
    return std::all_of(rows.begin(), rows.end(),
                       [&](Row const& row) { return row.adjusted_p_value > alpha; });
  }

  /// Returns the row with the strongest evidence against uniformity. Throws std::invalid_argument
  /// if there are no rows.
  Row const& worst() const {
    detail::check(!rows.empty(), "uniformity::BatteryResult::worst",
                  "rows are empty: no test could be made of so few samples");
    return *std::min_element(rows.begin(), rows.end(), [](Row const& a, Row const& b) {
      return a.result.p_value < b.result.p_value;
    });
  }
};

}  // namespace riffle::uniformity

namespace riffle::detail::uniformity {

/// Returns the plans of the tests that a battery makes with consecutive samples.
inline auto battery_plans(std::uint64_t n, std::uint64_t samples) {
  using namespace riffle::uniformity;
  auto const plans = [=](auto const&... tests) { return std::tuple(tests.plan(n, samples)...); };
  return plans(Arrangements{}, MallowsOneSample{}, MallowsPaired{}, Sign{}, Cycles{},
               CyclesOfLength<1>{}, CyclesOfLength<2>{}, CyclesOfLength<3>{}, Inversions{},
               Descents{}, LongestIncreasing{}, Footrule{}, SquaredDifferences{}, Successions{},
               SerialCorrelation{}, Positions{}, BlockOrders<3>{}, BlockOrders<5>{},
               riffle::uniformity::LehmerDigits{}, Matches{}, QuotientSign{}, Collisions{}, Bits{},
               BitChanges{}, Bytes{});
}

/// Returns the plans for tests of sample pairs whose replicate numbers differ in one bit.
inline auto avalanche_plans(std::uint64_t n, std::uint64_t samples) {
  using namespace riffle::uniformity;
  return std::tuple(Matches{}.plan(n, samples), QuotientSign{}.plan(n, samples),
                    MallowsPaired{}.plan(n, samples));
}

template <class Exec, class Sampler, class Plans>
std::vector<TestResult> results_of(Context<Exec> const& context, Sampler const& sampler,
                                   Draws const& draws, Progress const& progress,
                                   Plans const& plans) {
  return std::apply(
      [&](auto const&... plan) {
        return run_plans(context, "uniformity::battery", sampler, draws, progress, plan...);
      },
      plans);
}

inline riffle::uniformity::BatteryResult with_adjusted_p_values(
    std::vector<TestResult> const& results) {
  std::vector<double> p;
  for (auto const& result : results) p.push_back(result.p_value);
  auto const adjusted = holm_adjusted(p);
  riffle::uniformity::BatteryResult battery;
  for (std::size_t i = 0; i < results.size(); ++i) {
    battery.rows.push_back({results[i], adjusted[i]});
  }
  return battery;
}

}  // namespace riffle::detail::uniformity

namespace riffle::uniformity {

/// Runs every test that can be made with this n and this number of samples. A first pass tests the
/// samples, a second pass tests pairs of samples whose replicate numbers differ in one bit. Tests
/// that cannot be made are left out.
///
/// - progress: if given, it is called with the number of samples that have been observed, up to 2 *
///   samples.
///
/// Throws std::invalid_argument if n < 2 or samples < 2, or if a sample is not a permutation; the
/// message contains the replicate and the index. Everything else is as for uniformity::test.
template <detail::InstanceOrContext Exec, class Sampler>
BatteryResult battery(Exec const& exec, Sampler const& sampler, std::uint64_t n,
                      std::uint64_t samples, Progress const& progress = {}) {
  detail::Call const context(exec, "riffle::uniformity::battery");
  using namespace detail::uniformity;
  detail::check(n >= 2, "uniformity::battery", "n = ", n, ": must be at least 2");
  detail::check(samples >= 2, "uniformity::battery", "samples = ", samples, ": must be at least 2");
  check_samples("uniformity::battery", samples);
  Draws const draws{n, samples};
  auto results = results_of(context, sampler, draws, progress, battery_plans(n, samples));
  Progress const second = [&](std::uint64_t done) { progress(samples + done); };
  auto const avalanche = results_of(context, Avalanche<Sampler>{sampler}, draws,
                                    progress ? second : Progress{}, avalanche_plans(n, samples));
  for (TestResult result : avalanche) {
    result.test = "one bit flipped: " + result.test;
    results.push_back(result);
  }
  return with_adjusted_p_values(results);
}

template <class Exec, class Sampler, class... Arguments>
requires detail::LoseAFraction<Arguments...> BatteryResult battery(Exec const&, Sampler const&,
                                                                   Arguments const&...)
= delete;

}  // namespace riffle::uniformity
