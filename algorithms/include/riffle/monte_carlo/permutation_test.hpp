#pragma once

// Permutation Monte Carlo tests (R. A. Fisher, The Design of Experiments, 1935, section 21; P. Good, Permutation,
// Parametric and Bootstrap Tests of Hypotheses, 2005).
//
// No permutation is ever stored: tests of group sums draw each replicate's labels while walking over the data (see
// monte_carlo/detail/label_walk.hpp), that of paired differences their signs (see monte_carlo/detail/sign_walk.hpp), the
// others evaluate riffle::RandomPermutation. Work is O(m n) for m replicates of n values, memory O(n). The counts, and
// so p, are a function of the data, the seed and m alone: the same bits on every back end, for any number of threads and
// any batch size.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/groups.hpp>
#include <riffle/monte_carlo/detail/paired_samples.hpp>
#include <riffle/monte_carlo/detail/pairs.hpp>
#include <riffle/monte_carlo/detail/ranks.hpp>
#include <riffle/monte_carlo/detail/replicates.hpp>
#include <riffle/monte_carlo/detail/two_samples.hpp>
#include <riffle/monte_carlo/detail/user_statistic.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/primitives/mistakes.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// How a permutation test is made.
struct PermutationTestOptions {
  /// m, the number of random arrangements; at least 1.
  std::uint64_t replicates = 9999;
  /// Replicate r is a function of (seed, r) and the group sizes alone.
  std::uint64_t seed = 0;
  /// two_sided compares |T|, of U about its mean, of the caller's own statistic about 0: where that is not its middle, name
  /// another. F and H have one tail: they refuse `less` and `two_sided_doubled`, and `two_sided` means `greater`.
  Alternative alternative = Alternative::two_sided;
  /// Replicates per kernel; 0 lets the test choose. Any number will do, and none changes a result.
  std::uint64_t batch = 0;
  /// Evaluate every distinct arrangement once, instead of m random ones, where there are at most m.
  bool enumerate = true;
  /// Called on the host after each batch with the replicates done and their total.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// What a permutation test found.
struct PermutationTestResult {
  /// The statistic of the data as they are.
  double statistic;
  /// The arrangements evaluated: m, or all there are if `exact`.
  std::uint64_t replicates;
  /// The number of replicates whose statistic is at most, and at least, the observed one; ties within rounding and NaNs
  /// count in both.
  std::uint64_t less_equal;
  std::uint64_t greater_equal;
  /// The number of replicates at least as far from what is expected without an effect: |T*| >= |T|, ties and NaNs likewise.
  /// Of F and H, whose tail is one, greater_equal.
  std::uint64_t as_far;
  /// Whether all arrangements were enumerated, the observed one among them.
  bool exact;
  Alternative alternative;
  /// Where `exact`: how many arrangements are within the rounding of the data of the observed one, so that they may tie with
  /// it or not, and count on both sides. 0 for whole numbers and decimals, of which the order of statistics is decided
  /// exactly, and of the caller's own statistics, whose rounding is not known.
  std::uint64_t uncertain = 0;

  /// The number b of replicates at least as extreme as the data; for two_sided_doubled, that of the smaller side.
  std::uint64_t extreme() const {
    switch (alternative) {
      case Alternative::less: return less_equal;
      case Alternative::greater: return greater_equal;
      case Alternative::two_sided_doubled: return std::min(less_equal, greater_equal);
      default: return as_far;
    }
  }

  /// b / m if exact, (b + 1) / (m + 1) if random (B. Phipson, G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 9, 2010);
  /// twice the smaller of the two one-sided values, at most 1, for two_sided_doubled. So p is at least 1 / (m + 1).
  /// The confidence interval of p is in riffle/monte_carlo/p_value_interval.hpp.
  double p_value() const {
    return std::min(1.0, sides() * detail::p_of_count(extreme(), replicates, exact));
  }

  /// The factor of the p-value of b: 2 for two_sided_doubled, else 1.
  double sides() const { return alternative == Alternative::two_sided_doubled ? 2.0 : 1.0; }
};

namespace detail {

/// Nothing compares with a NaN, so that it has no place among the replicates.
template <class Problem>
void check_observed(char const* function, Problem const& problem) {
  double const observed = problem.observed_comparand();
  check(!detail::is_nan(observed) && !detail::is_nan(problem.value(observed)), function,
        "the statistic of the data as they are is NaN: no replicate can be compared with it");
}

/// The arrangements that a test goes over: 0, ..., total - 1 of a numbering.
struct TestedArrangements {
  Numbering numbering;
  std::uint64_t total;

  /// Throws where the options or the observed statistic are not as they must be.
  template <class Problem>
  TestedArrangements(char const* function, Problem const& problem,
                     PermutationTestOptions const& options)
      : numbering{options.seed, 0}, total(options.replicates) {
    check_options(function, options.replicates, options.alternative, Problem::has_one_tail);
    check_observed(function, problem);
    if (options.enumerate) numbering.arrangements = problem.count_arrangements(options.replicates);
    if (numbering.is_exact()) total = numbering.arrangements;
  }
};

/// The counts, and where ties of enumerated arrangements are not decided, those without the arrangements that may tie.
struct CountedSides {
  SideCounts all;
  SideCounts sure;
};

/// Counts a part of them: the replicates of range_of(granularity), at a multiple of which it begins.
template <class Exec, class Problem, class RangeOf>
CountedSides count_sides(Context<Exec> const& context, Problem const& problem,
                         TestedArrangements const& tested, PermutationTestOptions const& options,
                         RangeOf const& range_of) {
  double const observed = problem.observed_comparand();
  auto const run_of = [&](auto const& of, auto const& sink, Progress const& progress) {
    return of.visit_source(tested.numbering, [&]<class Source>(Source const& source) {
      return run_replicates(context, source, sink, range_of(range_granularity<Source>),
                            options.batch, progress);
    });
  };
  auto const run = [&](auto const& sink, Progress const& progress) {
    return run_of(problem, sink, progress);
  };
  if constexpr (requires { problem.exact_counting(tested.total); }) {
    if (tested.numbering.is_exact()) {
      if (auto const sink = problem.exact_counting(tested.total)) {
        return {run(*sink, options.progress), {}};
      }
    }
  }
  double const tolerance = problem.tolerance(observed);
  auto const counting = [&](double tie) {
    return CountSides{Thresholds(observed, tie, problem.mirror())};
  };
  CountedSides counted{run(counting(tolerance), options.progress), {}};
  if constexpr (requires(Problem other) { other.turn_to_mirror(); }) {
    if (Mirror const& mirror = problem.mirror(); mirror.is_far) {
      Problem other = problem;
      other.turn_to_mirror();
      auto const beyond = run_of(other, CountSides{Thresholds(0, tolerance, Mirror{})}, {});
      counted.all.as_far = mirror.is_observed_low ? counted.all.less_equal + beyond.greater_equal
                                                  : counted.all.greater_equal + beyond.less_equal;
    }
  }
  if (tested.numbering.is_exact() && !problem.ties().are_decided) {
    counted.sure = run(counting(-tolerance), {});
  }
  return counted;
}

/// What the counts of all arrangements say.
template <class Problem>
PermutationTestResult result_of(Problem const& problem, TestedArrangements const& tested,
                                CountedSides const& counted, Alternative alternative) {
  auto const result = [&](SideCounts const& counts) {
    return PermutationTestResult{problem.value(problem.observed_comparand()),
                                 tested.total,
                                 counts.less_equal,
                                 counts.greater_equal,
                                 Problem::has_one_tail ? counts.greater_equal : counts.as_far,
                                 tested.numbering.is_exact(),
                                 Problem::has_one_tail ? Alternative::greater : alternative};
  };
  auto found = result(counted.all);
  if (found.exact) {
    bool const is_two_sided = found.alternative == Alternative::two_sided;
    found.uncertain =
        problem.ties().uncertain(found.extreme() - result(counted.sure).extreme(), is_two_sided);
  }
  return found;
}

template <class Exec, class Problem>
PermutationTestResult count_replicates(char const* function, Context<Exec> const& context,
                                       Problem const& problem,
                                       PermutationTestOptions const& options) {
  TestedArrangements const tested(function, problem, options);
  auto const all = [&](std::uint64_t) { return ReplicateRange{0, tested.total}; };
  auto const counts = count_sides(context, problem, tested, options, all);
  return result_of(problem, tested, counts, options.alternative);
}

template <class Exec, class Problem, class Out>
std::uint64_t store_replicates(char const* function, Context<Exec> const& context,
                               Problem const& problem, Out const& out,
                               PermutationTestOptions const& options) {
  static_assert(std::is_same_v<typename Out::value_type, double> && Out::rank() == 1,
                "riffle: out is a rank-1 View of double");
  TestedArrangements const tested(function, problem, options);
  std::uint64_t const total = std::min<std::uint64_t>(tested.total, out.extent(0));
  problem.visit_source(tested.numbering, [&](auto const& source) {
    return run_replicates(context, source, StoreValues<Out>{out}, ReplicateRange{0, total},
                          options.batch, options.progress);
  });
  return total;
}

}  // namespace detail

/// Tests a statistic of two Views against its null distribution over random arrangements.
///
/// - DifferenceOfMeans, WelchT, MannWhitneyU: x and y are two samples of n_1 and n_2 values; the statistic is of x less y.
///   Arrangements: the n! / (n_1! n_2!) ways to deal the pooled values to two groups of these sizes.
/// - PairedDifference: x and y are n pairs. Arrangements: the 2^n ways to exchange the members of pairs or not, which
///   change the signs of the differences.
/// - FStatistic, KruskalWallisH: x are the values and y the labels 0, ..., k-1 of their groups, an integer type and
///   k at most 64. Arrangements: the ways to deal the values to groups of these sizes. F and H grow
///   whichever way the groups differ, so their alternative is always `greater`; `less` is refused.
/// - PearsonCorrelation, SpearmanCorrelation: x and y are n pairs. Arrangements: the n! ways to pair them.
///
/// The rank statistics compare values as they are, integers of 64 bits too. Two samples of different types are compared
/// as integers where both are and one type holds them, else as doubles.
///
/// x and y are rank-1 Views of arithmetic values, any layout, accessible to `exec`; n < 2^31 in all.
///
/// Throws std::invalid_argument, before any replicate is run, where m = 0; a sample is too small (DifferenceOfMeans,
/// MannWhitneyU: 1, WelchT: 2, PairedDifference: 1 pair, both correlations: 2 pairs, FStatistic: an empty group, or no
/// more values than groups, KruskalWallisH: an empty group); a value is not finite (NaN or infinite, also for rank
/// statistics); the data are constant (but for DifferenceOfMeans, PairedDifference and MannWhitneyU); lengths differ
/// where they must not; a label is out of range; the alternative is none, or `less` or `two_sided_doubled` for F or H.
///
/// Work O(m n), and one sort for rank statistics; PairedDifference takes n / 4 additions a replicate, and two where all
/// are enumerated on a CPU. Memory O(n), 32 n bytes for PairedDifference, allocated through `exec`. Fences `exec`: the
/// counts are needed on the host. Reproducible: the same bits on every back end.
template <detail::InstanceOrContext Exec, class Statistic, detail::ArrayFrom<Exec> X,
          detail::ArrayFrom<Exec> Y>
PermutationTestResult permutation_test(Exec const& exec, Statistic statistic, X const& x,
                                       Y const& y, PermutationTestOptions const& options = {}) {
  detail::Call const context(exec, "riffle::permutation_test");
  char const* const function = "permutation_test";
  return detail::count_replicates(
      function, context, detail::make_problem(function, context, statistic, x, y), options);
}

/// The same test for the caller's own statistic on permutations of n elements, n < 2^31.
///
/// The statistic is a trivially copyable functor with one of
/// - `double operator()(RandomPermutation const& sigma) const`, one lane a replicate,
/// - `double operator()(Member const& member, RandomPermutation const& sigma) const`, one team,
///
/// Member being Kokkos::TeamPolicy<Exec>::member_type; the second returns one value on all threads of
/// the team, as nested Kokkos::parallel_reduce does. The observed statistic is that of the identity.
/// Arrangements: the n! permutations, enumerated up to n = 20. One that goes through many images is fastest by
/// sigma.for_each_image, on a CPU ten times and more.
///
/// Statistics may be infinite: infinities of one sign tie. A NaN, as inf - inf is, throws std::invalid_argument where
/// it is the observed statistic; that of a replicate counts as at least as extreme, whatever the alternative.
template <detail::InstanceOrContext Exec, class Statistic>
PermutationTestResult permutation_test(Exec const& exec, std::uint64_t n,
                                       Statistic const& statistic,
                                       PermutationTestOptions const& options = {}) {
  detail::Call const context(exec, "riffle::permutation_test");
  char const* const function = "permutation_test";
  return detail::count_replicates(
      function, context,
      detail::UserProblem<detail::SpaceOf<Exec>, Statistic>(function, context, n, statistic),
      options);
}

/// The null distribution that permutation_test would count, value by value: out(r) is the statistic
/// of replicate r for r < min(m, out.extent(0)), with m the number of arrangements where all are
/// enumerated and options.replicates else. Returns that bound.
///
/// - out: a rank-1 View of double, accessible to `exec`. Where x or y overlap it, std::invalid_argument is thrown.
///
/// NaNs of replicates are stored as they are. Throws and fences as permutation_test does.
template <detail::InstanceOrContext Exec, class Statistic, detail::ArrayFrom<Exec> X,
          detail::ArrayFrom<Exec> Y, detail::WritableArrayFrom<Exec> Out>
std::uint64_t null_distribution(Exec const& exec, Statistic statistic, X const& x, Y const& y,
                                Out const& out, PermutationTestOptions const& options = {}) {
  detail::Call const context(exec, "riffle::null_distribution");
  char const* const function = "null_distribution";
  detail::check_disjoint(function, "x", x, "out", out);
  detail::check_disjoint(function, "y", y, "out", out);
  return detail::store_replicates(
      function, context, detail::make_problem(function, context, statistic, x, y), out, options);
}

/// null_distribution() for the caller's own statistic.
template <detail::InstanceOrContext Exec, class Statistic, detail::WritableArrayFrom<Exec> Out>
std::uint64_t null_distribution(Exec const& exec, std::uint64_t n, Statistic const& statistic,
                                Out const& out, PermutationTestOptions const& options = {}) {
  detail::Call const context(exec, "riffle::null_distribution");
  char const* const function = "null_distribution";
  return detail::store_replicates(
      function, context,
      detail::UserProblem<detail::SpaceOf<Exec>, Statistic>(function, context, n, statistic), out,
      options);
}

RIFFLE_EXPLAIN_MISTAKES(permutation_test,
                        OrNumber<statistic<NoView>, n<WholeNumber>, statistic<NoView>>, x<Array>,
                        y<Array>, options<Optional<NoView>>)
RIFFLE_EXPLAIN_MISTAKES(
    null_distribution,
    OrNumber<statistic<NoView>, n<WholeNumber>, statistic<NoView>, out<WrittenArray>>, x<Array>,
    y<Array>, out<WrittenArray>, options<Optional<NoView>>)

}  // namespace riffle
