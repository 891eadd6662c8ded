#pragma once

// Runs several tests in one pass over the samples.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/uniformity/detail/observe.hpp>
#include <riffle/uniformity/detail/observer.hpp>
#include <riffle/uniformity/detail/test_result.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

/// A function that is called with the number of samples that have been observed.
using Progress = std::function<void(std::uint64_t)>;

inline std::uint64_t slice_size(std::uint64_t samples) {
  std::uint64_t const size = (samples + slices - 1) / slices;
  return size + size % 2;
}

template <class Exec, class Sampler, class Observers>
void observe_in_slices(Context<Exec> const& context, char const* function, Draws const& draws,
                       Sampler const& sampler, Observers const& observers,
                       Progress const& progress) {
  std::uint64_t const size = progress ? slice_size(draws.samples) : draws.samples;
  for (std::uint64_t done = 0; done < draws.samples; done += size) {
    Draws slice = draws;
    slice.first = draws.first + done;
    slice.samples = std::min(size, draws.samples - done);
    observe_draws(context, function, slice, sampler, observers);
    if (progress) progress(done + slice.samples);
  }
}

template <class Exec, class Plan>
auto observer_of(Exec const& exec, Plan const& plan) {
  using Observer = decltype(plan.observer(exec));
  return plan.refusal.empty() ? OptionalObserver<Observer>(plan.observer(exec))
                              : OptionalObserver<Observer>();
}

template <class Exec, class Plan, class Observer>
void evaluate_if_made(Exec const& exec, Plan const& plan, Observer const& observer,
                      std::vector<TestResult>& results) {
  if (observer.is_there()) {
    results.push_back(plan.evaluate(counts_of<Exec>(exec, observer.get().counters)));
  }
}

/// Returns the results of the plans whose tests can be made. Throws if a sample is not a
/// permutation.
template <class Exec, class Sampler, class... Plans>
std::vector<TestResult> run_plans(Context<Exec> const& context, char const* function,
                                  Sampler const& sampler, Draws const& draws,
                                  Progress const& progress, Plans const&... plans) {
  auto const run = [&](auto const&... observers) {
    observe_in_slices(context, function, draws, sampler, observer_list(observers...), progress);
    std::vector<TestResult> results;
    (evaluate_if_made(context.exec(), plans, observers, results), ...);
    return results;
  };
  return run(observer_of(context.exec(), plans)...);
}

}  // namespace riffle::detail::uniformity
