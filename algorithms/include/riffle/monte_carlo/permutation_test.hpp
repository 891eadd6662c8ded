#pragma once

// Permutation Monte Carlo tests (R. A. Fisher, The Design of Experiments, 1935, section 21; P. Good, Permutation,
// Parametric and Bootstrap Tests of Hypotheses, 2005).
//
// No permutation is ever stored. Tests that compare groups draw the label of each value while they read the data
// (algorithms/src/riffle/monte_carlo/detail/label_walk.hpp). Tests of paired differences draw signs (sign_walk.hpp in
// the same folder). The other tests evaluate riffle::RandomPermutation. m replicates of n values take O(m n) time and
// O(n) memory. The counts, and therefore p, are a function of the data, the seed and m only. They have the same bits on
// every back end, for any number of threads and any batch size.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/replicate_test.hpp>
#include <riffle/monte_carlo/detail/user_statistic.hpp>
#include <riffle/monte_carlo/permutation_test_result.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// Tests a statistic of two Views against its null distribution over random arrangements.
///
/// - DifferenceOfMeans, WelchT, MannWhitneyU: x and y are two samples of n_1 and n_2 values; the statistic is positive
///   (U: large) if x is greater than y. Arrangements: the n! / (n_1! n_2!) ways to divide the pooled n = n_1 + n_2
///   values into two groups of these sizes.
/// - PairedDifference: (x_i, y_i) are n pairs. Arrangements: the 2^n ways to swap members within pairs, that is, to
///   change the signs of the differences.
/// - FStatistic, KruskalWallisH: x contains the values, y the labels 0, ..., k - 1 of their groups, of an integer type,
///   with k <= 64. Arrangements: the ways to divide the values into groups of these sizes. F and H are large in
///   whichever direction groups differ, so their alternative is always `greater`; `less` throws.
/// - PearsonCorrelation, SpearmanCorrelation: (x_i, y_i) are n pairs. Arrangements: the n! ways to pair the values of x
///   with the values of y.
///
/// Rank statistics compare values exactly, including 64-bit integers. Two samples of different integer types are
/// compared as integers if one integer type can hold both; other samples of different types are compared as doubles.
///
/// Requires: x and y are rank-1 Views of arithmetic values, of any layout, accessible to `exec`; the total number of
/// values or pairs is less than 2^31.
///
/// Throws: std::invalid_argument, before any replicate is run, if
/// - m = 0;
/// - a sample is empty (DifferenceOfMeans, MannWhitneyU) or has fewer than 2 values (WelchT);
/// - there are 0 pairs (PairedDifference), or fewer than 2 pairs (correlations);
/// - a group is empty (FStatistic, KruskalWallisH), or the number of values does not exceed the number of groups
///   (FStatistic);
/// - a value is NaN or infinite, also for rank statistics;
/// - the data are constant (except for DifferenceOfMeans, PairedDifference and MannWhitneyU);
/// - the lengths of x and y differ, although they must be equal;
/// - a label is out of range;
/// - the alternative is invalid, or it is `less` or `two_sided_doubled` for F or H.
///
/// Complexity: O(m n), plus one sort for rank statistics. For each replicate, PairedDifference takes n / 4 additions,
/// or two additions if all arrangements are enumerated on a CPU. Memory: O(n), allocated through `exec`; 32 n bytes for
/// PairedDifference. Blocking: fences `exec`, because the host needs the counts. Reproducible: the same bits on every
/// back end.
template <detail::InstanceOrContext Exec, class Statistic, detail::ArrayFrom<Exec> X,
          detail::ArrayFrom<Exec> Y>
PermutationTestResult permutation_test(Exec const& exec, Statistic statistic, X const& x,
                                       Y const& y, PermutationTestOptions const& options = {}) {
  detail::Call const context(exec, "riffle::permutation_test");
  return detail::count_all(
      *detail::make_test("permutation_test", context, statistic, x, y, options));
}

/// Tests a statistic defined by the caller, on permutations of n elements. Requires: n < 2^31.
///
/// The statistic is a trivially copyable functor with one of
/// - `double operator()(RandomPermutation const& sigma) const`, which one lane calls for each replicate,
/// - `double operator()(Member const& member, RandomPermutation const& sigma) const`, which one team calls, where
///   Member is Kokkos::TeamPolicy<Exec>::member_type. It must return the same value on all threads of the team, as the
///   result of a nested Kokkos::parallel_reduce is.
///
/// The observed statistic is the statistic of the identity. Arrangements: the n! permutations, enumerated up to n = 20.
/// A statistic that needs many values sigma(i) is fastest if it uses sigma.for_each_image: on a CPU ten times as fast
/// or more.
///
/// Statistics may be infinite; infinities of the same sign tie. A replicate with statistic NaN counts as at least as
/// extreme, for every alternative. Throws: std::invalid_argument if the observed statistic is NaN, for instance inf -
/// inf.
template <detail::InstanceOrContext Exec, class Statistic>
PermutationTestResult permutation_test(Exec const& exec, std::uint64_t n,
                                       Statistic const& statistic,
                                       PermutationTestOptions const& options = {}) {
  detail::Call const context(exec, "riffle::permutation_test");
  char const* const function = "permutation_test";
  detail::UserProblem<detail::SpaceOf<Exec>, Statistic> const problem(function, context, n,
                                                                      statistic);
  return detail::count_all(*detail::make_test(function, context, problem, options));
}

/// Writes the null distribution that permutation_test would count: out(r) is the statistic of replicate r for r <
/// min(m, out.extent(0)), where m is the number of arrangements if all are enumerated, otherwise options.replicates. A
/// replicate with statistic NaN stores NaN.
///
/// - out: a rank-1 View of double, accessible to `exec`.
///
/// Returns: min(m, out.extent(0)). Throws, Blocking: as permutation_test. Also throws std::invalid_argument if x or y
/// overlaps out.
template <detail::InstanceOrContext Exec, class Statistic, detail::ArrayFrom<Exec> X,
          detail::ArrayFrom<Exec> Y, detail::WritableArrayFrom<Exec> Out>
std::uint64_t null_distribution(Exec const& exec, Statistic statistic, X const& x, Y const& y,
                                Out const& out, PermutationTestOptions const& options = {}) {
  detail::Call const context(exec, "riffle::null_distribution");
  char const* const function = "null_distribution";
  detail::check_disjoint(function, "x", x, "out", out);
  detail::check_disjoint(function, "y", y, "out", out);
  auto const test = detail::make_test(function, context, statistic, x, y, options);
  return detail::store_all(context, *test, out);
}

/// Writes the null distribution of a statistic defined by the caller.
template <detail::InstanceOrContext Exec, class Statistic, detail::WritableArrayFrom<Exec> Out>
std::uint64_t null_distribution(Exec const& exec, std::uint64_t n, Statistic const& statistic,
                                Out const& out, PermutationTestOptions const& options = {}) {
  detail::Call const context(exec, "riffle::null_distribution");
  char const* const function = "null_distribution";
  detail::UserProblem<detail::SpaceOf<Exec>, Statistic> const problem(function, context, n,
                                                                      statistic);
  return detail::store_all(context, *detail::make_test(function, context, problem, options), out);
}

RIFFLE_CALL_DIAGNOSTICS(permutation_test,
                        OrNumber<statistic<NoView>, n<WholeNumber>, statistic<NoView>>, x<Array>,
                        y<Array>, options<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(
    null_distribution,
    OrNumber<statistic<NoView>, n<WholeNumber>, statistic<NoView>, out<WrittenArray>>, x<Array>,
    y<Array>, out<WrittenArray>, options<Optional<NoView>>)

}  // namespace riffle
