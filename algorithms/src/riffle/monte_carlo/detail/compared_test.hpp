#pragma once

// Tests of the library's statistics. In addition to tests of a caller's functor (replicate_test.hpp), they enumerate
// consecutive arrangements on a CPU, and compare arrangements exactly where doubles cannot.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/replicate_test.hpp>
#include <riffle/monte_carlo/detail/replicates.hpp>
#include <riffle/monte_carlo/permutation_test_result.hpp>
#include <riffle/primitives/loops.hpp>

namespace riffle::detail {

/// Reduction functor in which one CPU thread computes the test statistics of `width` consecutive arrangements and
/// passes them to the sink.
template <class Order, class Source, class Sink>
struct ArrangementsInOrder {
  static constexpr std::uint64_t width = Source::arrangements_in_order;
  using value_type = SideCounts;
  Order const* order;
  Source source;
  Sink sink;
  std::uint64_t begin;
  std::uint64_t end;

  void operator()(std::uint64_t group, SideCounts& counts) const {
    std::uint64_t const first = begin + group * width;
    std::uint64_t const count = std::min(width, end - first);
    double test_statistics[width];
    order->enumerate(first, count, test_statistics);
    for (std::uint64_t w = 0; w < count; ++w) sink(source, first + w, test_statistics[w], counts);
  }
};

template <class Exec, class Order, class Source, class Sink>
SideCounts run_in_order(Context<Exec> const& context, Order const& order, Source const& source,
                        Sink const& sink, std::uint64_t begin, std::uint64_t end) {
  using Arrangements = ArrangementsInOrder<Order, Source, Sink>;
  SideCounts counts;
  Kokkos::parallel_reduce(
      context.label() + "::replicates",
      range(context.exec(), 0, (end - begin + Arrangements::width - 1) / Arrangements::width),
      Arrangements{&order, source, sink, begin, end}, counts);
  return counts;
}

/// Runs the replicates in a range. The result does not depend on the batch size.
template <class Exec, class Source, class Sink>
requires(backend::is_cpu<Exec> && !Source::is_per_team && EnumeratesInOrder<Source>) SideCounts
    run_replicates(Context<Exec> const& context, Source const& source, Sink const& sink,
                   ReplicateRange const& range, std::uint64_t batch, Progress const& progress) {
  if (!source.numbering.is_exact()) {
    return run_batches(range, batch, progress, [&](std::uint64_t begin, std::uint64_t end) {
      return run_batch(context, source, sink, begin, end);
    });
  }
  auto const order = source.in_order();
  return run_batches(range, batch, progress, [&](std::uint64_t begin, std::uint64_t end) {
    return run_in_order(context, order, source, sink, begin, end);
  });
}

/// A test of a problem that has ties() (compared_problem.hpp). The problem may also have exact_counting(arrangements)
/// and turn_to_mirror().
template <class Exec, class Problem>
class ComparedTest final : public ProblemTest<Exec, Problem> {
  using Base = ProblemTest<Exec, Problem>;

 public:
  using Base::Base;

  CountedSides count(RangeOf const& range_of) const override {
    bool const is_exact = this->tested_.numbering.is_exact();
    auto const& problem = this->problem_;
    auto const& progress = this->options_.progress;
    if constexpr (requires { problem.exact_counting(this->tested_.total); }) {
      if (is_exact) {
        if (auto const sink = problem.exact_counting(this->tested_.total)) {
          return {this->run_of(problem, *sink, range_of, progress), {}};
        }
      }
    }
    CountedSides counted = Base::count(range_of);
    double const observed = problem.observed_test_statistic();
    double const tolerance = problem.tolerance(observed);
    Mirror const& mirror = problem.mirror();
    if constexpr (requires(Problem other) { other.turn_to_mirror(); }) {
      if (mirror.is_far) {
        Problem other = problem;
        other.turn_to_mirror();
        auto const beyond = this->count_within(other, 0, tolerance, Mirror{}, range_of, {});
        counted.all.as_far = mirror.is_observed_low ? counted.all.less_equal + beyond.greater_equal
                                                    : counted.all.greater_equal + beyond.less_equal;
      }
    }
    if (is_exact && !problem.ties().are_decided) {
      counted.sure = this->count_within(problem, observed, -tolerance, mirror, range_of, {});
    }
    return counted;
  }

  PermutationTestResult result(CountedSides const& counted) const override {
    auto found = this->result_of(counted.all);
    if (found.exact) {
      bool const is_two_sided = found.alternative == Alternative::two_sided;
      std::uint64_t const near = found.extreme() - this->result_of(counted.sure).extreme();
      found.uncertain = this->problem_.ties().uncertain(near, is_two_sided);
    }
    return found;
  }
};

}  // namespace riffle::detail
