#include "run.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <riffle/monte_carlo/p_value_interval.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/version.hpp>
#include <span>
#include <utility>

#include "input_error.hpp"
#include "kokkos_scope.hpp"

namespace example {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Values = Kokkos::View<T*, Exec>;

// More values do not make a histogram visibly smoother.
constexpr std::uint64_t max_drawn = 1'000'000;

template <class T>
Values<T> on_device(Exec const& exec, std::string const& label, std::span<T const> values) {
  Values<T> view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), values.size());
  Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const host(
      values.data(), values.size());
  Kokkos::deep_copy(exec, view, host);
  exec.fence("permutation_test: values are on the device");
  return view;
}

// The arguments of a test of many groups: all values, and the group of each.
struct Pooled {
  std::vector<double> values;
  std::vector<int> labels;

  explicit Pooled(Samples const& samples) {
    for (std::size_t group = 0; group < samples.size(); ++group) {
      auto const& more = samples[group].values;
      values.insert(values.end(), more.begin(), more.end());
      labels.insert(labels.end(), more.size(), static_cast<int>(group));
    }
  }
};

riffle::Alternative to_riffle(Alternative alternative) {
  switch (alternative) {
    case Alternative::less: return riffle::Alternative::less;
    case Alternative::greater: return riffle::Alternative::greater;
    case Alternative::two_sided_doubled: return riffle::Alternative::two_sided_doubled;
    default: return riffle::Alternative::two_sided;
  }
}

riffle::PermutationTestOptions to_riffle(Options const& options, Progress progress) {
  return {options.replicates, options.seed,      to_riffle(options.alternative),
          options.batch,      options.enumerate, std::move(progress)};
}

template <class Statistic, class X, class Y>
void test(Exec const& exec, Statistic statistic, X const& x, Y const& y, Options const& options,
          Progress progress, Outcome& outcome) {
  Kokkos::Timer const timer;
  auto const result =
      riffle::permutation_test(exec, statistic, x, y, to_riffle(options, std::move(progress)));
  outcome.seconds = timer.seconds();
  auto const [lower, upper] = riffle::p_value_interval(result, options.level);
  outcome.statistic = result.statistic;
  outcome.p_value = result.p_value();
  outcome.lower = lower;
  outcome.upper = upper;
  outcome.exact = result.exact;
  outcome.uncertain = result.uncertain;
  outcome.replicates = result.replicates;
}

// The histogram has its own run with at most max_drawn replicates. The first replicates of a larger run would not do: if all
// arrangements are enumerated, the first ones are similar to each other.
template <class Statistic, class X, class Y>
std::vector<double> drawn_statistics(Exec const& exec, Statistic statistic, X const& x, Y const& y,
                                     Options const& options) {
  auto few = to_riffle(options, {});
  few.replicates = std::min(few.replicates, max_drawn);
  Values<double> const drawn(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "null"),
                             few.replicates);
  auto const count = riffle::null_distribution(exec, statistic, x, y, drawn, few);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, drawn);
  return {host.data(), host.data() + count};
}

template <class Statistic, class X, class Y>
void test_and_draw(Exec const& exec, Statistic statistic, X const& x, Y const& y,
                   Options const& options, Progress progress, Outcome& outcome) {
  test(exec, statistic, x, y, options, std::move(progress), outcome);
  if (!std::isfinite(outcome.statistic)) {
    throw InputError("the statistic of these data is not a finite number");
  }
  if (!options.histogram.empty()) {
    outcome.null_distribution = drawn_statistics(exec, statistic, x, y, options);
  }
}

void dispatch(Samples const& samples, Options const& options, Progress progress, Outcome& outcome) {
  Exec const exec;
  outcome.back_end = {Exec::name(), exec.concurrency(), kokkos_version(), RIFFLE_VERSION_STRING};
  if (takes_many_groups(options.statistic)) {
    Pooled const pooled(samples);
    auto const values = on_device<double>(exec, "values", pooled.values);
    auto const labels = on_device<int>(exec, "labels", pooled.labels);
    auto const of_groups = [&](auto statistic) {
      test_and_draw(exec, statistic, values, labels, options, std::move(progress), outcome);
    };
    return options.statistic == Statistic::f ? of_groups(riffle::FStatistic{})
                                             : of_groups(riffle::KruskalWallisH{});
  }
  auto const x = on_device<double>(exec, "x", samples[0].values);
  auto const y = on_device<double>(exec, "y", samples[1].values);
  auto const with = [&](auto statistic) {
    test_and_draw(exec, statistic, x, y, options, std::move(progress), outcome);
  };
  switch (options.statistic) {
    case Statistic::paired_difference: return with(riffle::PairedDifference{});
    case Statistic::welch_t: return with(riffle::WelchT{});
    case Statistic::correlation: return with(riffle::PearsonCorrelation{});
    case Statistic::mann_whitney_u: return with(riffle::MannWhitneyU{});
    case Statistic::spearman: return with(riffle::SpearmanCorrelation{});
    default: return with(riffle::DifferenceOfMeans{});
  }
}

// All values, in each arrangement.
double numbers_read(Samples const& samples, Options const& options) {
  auto const log_factorial = [](double n) { return std::lgamma(n + 1); };
  double n = 0;
  double log_of_groups = 0;
  for (auto const& sample : samples) {
    auto const size = static_cast<double>(sample.values.size());
    n += size;
    log_of_groups += log_factorial(size);
  }
  double log_arrangements = log_factorial(n) - log_of_groups;
  if (is_correlation(options.statistic)) log_arrangements = log_factorial(n / 2);
  if (options.statistic == Statistic::paired_difference) log_arrangements = n / 2 * std::log(2.0);
  auto const replicates = static_cast<double>(options.replicates);
  return n * (options.enumerate ? std::min(replicates, std::exp(log_arrangements)) : replicates);
}

}  // namespace

Outcome run(Samples const& samples, Options const& options,
            std::vector<std::string> kokkos_arguments, Progress progress) {
  KokkosScope const scope("permutation_test", std::move(kokkos_arguments),
                          numbers_read(samples, options));
  Outcome outcome;
  dispatch(samples, options, std::move(progress), outcome);
  return outcome;
}

void print_kokkos_help() { KokkosScope const scope("permutation_test", {"--kokkos-help"}); }

}  // namespace example
