#pragma once

// Result of riffle::permutation_tests, and the counts from which a later call resumes.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/variable_status.hpp>

namespace riffle {

/// Counts of permutation tests of G variables. A later call can resume from them.
struct PermutationCounts {
  /// The counted replicates are 0, ..., done - 1.
  std::uint64_t done = 0;
  /// For each variable: the number of replicates that are at least as extreme as the data, and the number whose maximum
  /// over this variable and the less extreme ones is.
  std::vector<std::uint64_t> extreme = {};
  std::vector<std::uint64_t> step_down = {};
  /// For each replicate: the greatest test statistic of all variables. The test statistic is |T| if two-sided and -T
  /// for `less`. For t and F, it is the correlation and the share of squares, of which they are functions, unless
  /// values are left out of variables. Empty unless options.keep_maxima.
  std::vector<double> maxima = {};
  /// For each variable: the number of replicates whose maximum over all variables is at least as extreme as the data.
  std::vector<std::uint64_t> single_step = {};
};

/// Result of permutation tests of G variables, in the order of the data, on the host.
///
/// With b replicates at least as extreme as the data, p is b / m if exact, (b + 1) / (m + 1) if random; adjusted
/// p-values likewise. For two_sided_doubled, p-values are twice the smaller p-value of both tails, at most 1, and
/// `counts` is empty.
///
/// A variable that is not tested has NaNs and b = 0. It does not contribute to maxima, nor to the number of variables
/// that p-values are adjusted for; `status` gives the reason. t and F are infinite if no variation is left within
/// groups (or about a fit), or no more than rounding: from about t = 2e7 sqrt(v) and F = 1e14 v / s on, with v degrees
/// of freedom and s effects.
struct PermutationTestsResult {
  template <class T>
  using Values = Kokkos::View<T*, Kokkos::HostSpace>;

  Values<VariableStatus> status;
  Values<double> statistic;
  /// P-values of each variable by itself.
  Values<double> p;
  /// For each variable the number b.
  Values<std::uint64_t> extreme;
  /// If `exact`: for each variable, the number of arrangements within the rounding error of the observed statistic. It
  /// is not known whether they are as extreme; they count as extreme. 0 if the order of all arrangements is decided
  /// exactly. Not counted, and 0, if values are left out of variables.
  Values<std::uint64_t> uncertain;
  /// For each variable the number of observations: n if no value is missing.
  Values<std::uint64_t> observations;
  /// Adjusted by the maximum over all variables.
  Values<double> p_single_step;
  /// Adjusted by the maximum over the variables that are no more extreme, and made monotone (step-down max-T).
  Values<double> p_step_down;
  /// Adjusted likewise by the minimum of p-values in place of the maximum of statistics. This gives variables with
  /// different distributions of the statistic the same weight. Empty unless options.min_p.
  Values<double> p_single_step_min_p;
  Values<double> p_step_down_min_p;
  /// p adjusted by the method of Benjamini and Hochberg.
  Values<double> p_false_discovery;
  /// For each replicate, in their order, the most extreme statistic over all variables: the greatest T, |T| if
  /// two-sided, -T for `less`. U is taken about its mean: if two-sided, the value is the greater of U and n_1 n_2 - U,
  /// for `less` n_1 n_2 - U. If values are left out of variables, it is (U - n_1 n_2 / 2) / sqrt(n_1 n_2 (n + 1) / 12)
  /// with the variable's sample sizes in the replicate. Empty unless options.keep_maxima.
  Values<double> maxima;
  /// The alternative of the options, or `greater` for a statistic with one tail.
  Alternative alternative = Alternative::two_sided;
  /// The number of evaluated arrangements: m, or all distinct ones if `exact`; fewer if options.stop ended the tests.
  std::uint64_t replicates = 0;
  /// Whether all arrangements were enumerated, including the observed one.
  bool exact = false;
  /// Whether options.stop ended the tests. If arrangements were random, the p-values are valid. If they were
  /// enumerated, p-values mean nothing, since arrangements are enumerated in an order.
  bool stopped = false;
  PermutationCounts counts = {};
};

}  // namespace riffle
