#pragma once

// A permutation test of one data set, for any statistic. Tests of the library's statistics are compiled into the
// library riffle::monte_carlo (algorithms/src/permutation_test_of_space.cpp.in); tests of a caller's functor are
// compiled with the caller.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/numeric_views.hpp>
#include <riffle/monte_carlo/detail/replicates.hpp>
#include <riffle/monte_carlo/permutation_test_result.hpp>
#include <riffle/monte_carlo/statistics.hpp>

namespace riffle::detail {

/// The arrangements of a test: replicates 0, ..., total - 1 of a numbering.
struct TestedArrangements {
  Numbering numbering;
  std::uint64_t total;

  /// Throws if the options or the observed statistic are invalid.
  template <class Problem>
  TestedArrangements(char const* function, Problem const& problem,
                     PermutationTestOptions const& options)
      : numbering{options.seed, 0}, total(options.replicates) {
    check_options(function, options.replicates, options.alternative, Problem::has_one_tail);
    // NaN is rejected, because no replicate can be compared with it.
    double const observed = problem.observed_test_statistic();
    check(!detail::is_nan(observed) && !detail::is_nan(problem.value(observed)), function,
          "the statistic of the data as they are is NaN: no replicate can be compared with it");
    if (options.enumerate) numbering.arrangements = problem.count_arrangements(options.replicates);
    if (numbering.is_exact()) total = numbering.arrangements;
  }
};

/// The counts of a test. If rounding leaves ties of enumerated arrangements undecided, `sure` are the counts without
/// the arrangements that may or may not tie.
struct CountedSides {
  SideCounts all;
  SideCounts sure;
};

/// Returns the range of replicates to count. It must begin at a multiple of `granularity`.
using RangeOf = std::function<ReplicateRange(std::uint64_t granularity)>;

/// A test of prepared data. The context must outlive it.
template <class Exec>
class ReplicateTest {
 public:
  using Statistics = Kokkos::View<double*, typename Exec::memory_space>;

  virtual ~ReplicateTest() = default;

  /// Returns the number of arrangements of the whole test.
  virtual std::uint64_t total() const = 0;

  /// Returns the observed test statistic.
  virtual double observed_test_statistic() const = 0;

  /// Counts the replicates in range_of(granularity), where the granularity depends on the test. Fences.
  virtual CountedSides count(RangeOf const& range_of) const = 0;

  /// Returns the result of the test, given the counts of all replicates.
  virtual PermutationTestResult result(CountedSides const& counted) const = 0;

  /// Writes the statistics of replicates 0, ..., out.extent(0) - 1. Requires: out.extent(0) <= total(). Fences.
  virtual void store(Statistics const& out) const = 0;
};

/// A test of a problem, that is, of a statistic and data. A problem has the members
///   has_one_tail, observed_test_statistic(), tolerance(test_statistic), mirror(), value(test_statistic),
///   count_arrangements(limit), and visit_source(numbering, visitor), which calls visitor(source) with the problem's
///   replicate source (replicates.hpp).
template <class Exec, class Problem>
class ProblemTest : public ReplicateTest<Exec> {
 public:
  /// Throws if the options or the observed statistic are invalid.
  ProblemTest(char const* function, Context<Exec> const& context, Problem problem,
              PermutationTestOptions const& options)
      : context_(context),
        problem_(std::move(problem)),
        options_(options),
        tested_(function, problem_, options_) {}

  std::uint64_t total() const override { return tested_.total; }

  double observed_test_statistic() const override { return problem_.observed_test_statistic(); }

  CountedSides count(RangeOf const& range_of) const override {
    double const observed = observed_test_statistic();
    return {count_within(problem_, observed, problem_.tolerance(observed), problem_.mirror(),
                         range_of, options_.progress),
            {}};
  }

  PermutationTestResult result(CountedSides const& counted) const override {
    return result_of(counted.all);
  }

  void store(typename ReplicateTest<Exec>::Statistics const& out) const override {
    CountSides<typename Exec::memory_space> const storing{Thresholds(0, 0, Mirror{}), out};
    run_of(
        problem_, storing,
        [&](std::uint64_t) {
          return ReplicateRange{0, out.extent(0)};
        },
        options_.progress);
  }

 protected:
  /// Counts replicates. A test statistic ties with `observed` if the two differ by at most `tie`.
  SideCounts count_within(Problem const& of, double observed, double tie, Mirror const& mirror,
                          RangeOf const& range_of, Progress const& progress) const {
    using Counting = CountSides<typename Exec::memory_space>;
    return run_of(of, Counting{Thresholds(observed, tie, mirror)}, range_of, progress);
  }

  template <class Sink>
  SideCounts run_of(Problem const& of, Sink const& sink, RangeOf const& range_of,
                    Progress const& progress) const {
    return of.visit_source(tested_.numbering, [&]<class Source>(Source const& source) {
      return run_replicates(context_, source, sink, range_of(range_granularity<Source>),
                            options_.batch, progress);
    });
  }

  PermutationTestResult result_of(SideCounts const& counts) const {
    return PermutationTestResult{
        problem_.value(problem_.observed_test_statistic()),
        tested_.total,
        counts.less_equal,
        counts.greater_equal,
        Problem::has_one_tail ? counts.greater_equal : counts.as_far,
        tested_.numbering.is_exact(),
        Problem::has_one_tail ? Alternative::greater : options_.alternative};
  }

  Context<Exec> const& context_;
  Problem problem_;
  PermutationTestOptions options_;
  TestedArrangements tested_;
};

// --- statistics of the library ---

template <class Statistic, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<Statistic, Others> || ...);

template <class Statistic>
inline constexpr bool is_of_groups = is_one_of<Statistic, FStatistic, KruskalWallisH>;

/// Whether the library has a test of this statistic.
template <class Statistic>
inline constexpr bool is_library_statistic =
    is_of_groups<Statistic> || is_one_of<Statistic, DifferenceOfMeans, WelchT, MannWhitneyU,
                                         PairedDifference, PearsonCorrelation, SpearmanCorrelation>;

/// Prepares a test. For statistics of groups, y contains the labels. Throws if the arguments are invalid. Fences.
template <class Exec, class Statistic>
std::unique_ptr<ReplicateTest<Exec>> prepare_test(char const* function,
                                                  Context<Exec> const& context, Statistic statistic,
                                                  Numbers<typename Exec::memory_space> const& x,
                                                  Numbers<typename Exec::memory_space> const& y,
                                                  PermutationTestOptions const& options);

/// Prepares a test of two Views.
template <class Exec, class Statistic, class X, class Y>
std::unique_ptr<ReplicateTest<Exec>> make_test(char const* function, Context<Exec> const& context,
                                               Statistic statistic, X const& x, Y const& y,
                                               PermutationTestOptions const& options) {
  static_assert(is_library_statistic<Statistic>,
                "riffle: permutation_test has no such statistic; those that it has are in "
                "riffle/monte_carlo/statistics.hpp");
  if constexpr (is_of_groups<Statistic>) {
    static_assert(std::is_integral_v<typename Y::non_const_value_type>,
                  "riffle: labels are of an integer type");
  }
  return prepare_test(function, context, statistic, numbers_of(context, x), numbers_of(context, y),
                      options);
}

/// Prepares a test of a statistic defined by the caller.
template <class Exec, class Problem>
std::unique_ptr<ReplicateTest<Exec>> make_test(char const* function, Context<Exec> const& context,
                                               Problem const& problem,
                                               PermutationTestOptions const& options) {
  return std::make_unique<ProblemTest<Exec, Problem>>(function, context, problem, options);
}

// --- calls ---

template <class Exec>
PermutationTestResult count_all(ReplicateTest<Exec> const& test) {
  return test.result(test.count([&](std::uint64_t) { return ReplicateRange{0, test.total()}; }));
}

/// Writes the statistics of the first min(total, out.extent(0)) replicates, and returns this number.
template <class Exec, class Out>
std::uint64_t store_all(Context<Exec> const& context, ReplicateTest<Exec> const& test,
                        Out const& out) {
  static_assert(std::is_same_v<typename Out::value_type, double> && Out::rank() == 1,
                "riffle: out is a rank-1 View of double");
  using Memory = typename Exec::memory_space;
  using Statistics = typename ReplicateTest<Exec>::Statistics;
  std::uint64_t const count = std::min<std::uint64_t>(test.total(), out.extent(0));
  if constexpr (is_array_of<Out, double, Memory>) {
    test.store(Statistics(out.data(), count));
  } else {
    Statistics const statistics(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                                   context.label() + "::statistics"),
                                count);
    test.store(statistics);
    context.named("copy").for_each(count, CopyValues<Statistics, Out>{statistics, out});
    context.exec().fence(context.label() + "::statistics");
  }
  return count;
}

}  // namespace riffle::detail
