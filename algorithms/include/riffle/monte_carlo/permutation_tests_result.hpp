#pragma once

// What riffle::permutation_tests finds, and what it takes to go on with it (riffle/monte_carlo/permutation_tests.hpp).

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/variable_status.hpp>

namespace riffle {

/// The counts of permutation tests of G variables as far as they have come: what it takes to go on later.
struct PermutationCounts {
  /// The replicates that are counted: 0, ..., done - 1.
  std::uint64_t done = 0;
  /// By variable: the replicates at least as extreme as the data, and those whose maximum over the variables no more
  /// extreme is.
  std::vector<std::uint64_t> extreme = {};
  std::vector<std::uint64_t> step_down = {};
  /// By replicate: the greatest test statistic. That is |T| where two-sided, -T where less; in place of t and F it is the
  /// correlation and the share of squares, of which they are functions, unless values are left out of variables. Empty
  /// unless options.keep_maxima.
  std::vector<double> maxima = {};
  /// By variable: the replicates whose maximum over all variables is at least as extreme as the data.
  std::vector<std::uint64_t> single_step = {};
};

/// What permutation tests of G variables found, in the order of the data, on the host.
///
/// Of two_sided_doubled all p-values are twice the smaller of those of both tails, at most 1, and there are no counts.
///
/// With b the replicates that are at least as extreme as the data, p is b / m if exact, (b + 1) / (m + 1) if random, and
/// so are adjusted ones. A variable that is not tested has NaNs and b = 0, and has no part in the maxima and no part in the
/// number of variables that p-values are adjusted for; `status` says why it is not tested. t and F are infinite where nothing
/// is left within groups (or about a fit), and where no more is left than rounding: from some 2e7 sqrt(v) and 1e14 v / s on,
/// with v degrees of freedom and s effects.
struct PermutationTestsResult {
  template <class T>
  using Values = Kokkos::View<T*, Kokkos::HostSpace>;

  Values<VariableStatus> status;
  Values<double> statistic;
  /// Of the variable alone.
  Values<double> p;
  /// The number b of each.
  Values<std::uint64_t> extreme;
  /// Where `exact`: how many arrangements of each are within the rounding of the observed one, so that they may be as extreme
  /// or not, and count as such; 0 where the order of all arrangements is decided exactly. Not counted, and 0, where values
  /// are left out of variables.
  Values<std::uint64_t> uncertain;
  /// How many observations each has, n where none of its values is missing.
  Values<std::uint64_t> observations;
  /// Adjusted by the maximum over all variables.
  Values<double> p_single_step;
  /// Adjusted by the maximum over the variables that are no more extreme, and made monotone (step-down max-T).
  Values<double> p_step_down;
  /// The same two by the minimum of p-values in place of the maximum of statistics, which gives variables whose
  /// statistics have other distributions the same weight; empty unless options.min_p.
  Values<double> p_single_step_min_p;
  Values<double> p_step_down_min_p;
  /// Benjamini and Hochberg's, of p.
  Values<double> p_false_discovery;
  /// The most extreme statistic over all variables of each replicate, in the order of the replicates: the greatest T,
  /// |T| where two-sided, -T where less. U is about its mean then: two-sided the greater of U and n_1 n_2 - U, where less
  /// that of n_1 n_2 - U; where values are left out of variables it is (U - n_1 n_2 / 2) / sqrt(n_1 n_2 (n + 1) / 12) of
  /// a variable's own n in the replicate. Empty unless options.keep_maxima.
  Values<double> maxima;
  /// What counts as extreme: that of the options, but greater where the statistic has one tail.
  Alternative alternative = Alternative::two_sided;
  /// The arrangements evaluated: m, or all there are if `exact`; fewer where options.stop ended the tests.
  std::uint64_t replicates = 0;
  /// Whether all arrangements were enumerated, the observed one among them.
  bool exact = false;
  /// Whether options.stop ended the tests. Then p-values are those of random arrangements; of an enumeration that was
  /// ended they say nothing, since it goes through arrangements in an order.
  bool stopped = false;
  PermutationCounts counts = {};
};

}  // namespace riffle
