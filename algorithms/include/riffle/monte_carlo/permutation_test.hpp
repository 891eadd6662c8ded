#pragma once

// Permutation Monte Carlo tests (R. A. Fisher, The Design of Experiments, 1935, section 21; P. Good, Permutation,
// Parametric and Bootstrap Tests of Hypotheses, 2005).
//
// No permutation is ever stored: tests of group sums draw each replicate's labels while walking over the data (see
// label_walk.hpp in algorithms/src), that of paired differences their signs (see sign_walk.hpp there), the others evaluate riffle::RandomPermutation. Work is O(m n) for m replicates of n values, memory O(n). The counts, and
// so p, are a function of the data, the seed and m alone: the same bits on every back end, for any number of threads and
// any batch size.

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
  return detail::count_all(
      *detail::make_test("permutation_test", context, statistic, x, y, options));
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
  detail::UserProblem<detail::SpaceOf<Exec>, Statistic> const problem(function, context, n,
                                                                      statistic);
  return detail::count_all(*detail::make_test(function, context, problem, options));
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
  auto const test = detail::make_test(function, context, statistic, x, y, options);
  return detail::store_all(context, *test, out);
}

/// null_distribution() for the caller's own statistic.
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
