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
  /// For each variable: in `extreme`, the number of replicates with a statistic at least as extreme as the observed
  /// one; in `step_down`, the number of replicates whose maximum over this variable and all less extreme variables is
  /// at least as extreme as the variable's observed statistic.
  std::vector<std::uint64_t> extreme = {};
  std::vector<std::uint64_t> step_down = {};
  /// For each replicate: the greatest test statistic over all variables. The test statistic is T for `greater`, |T| for
  /// `two_sided` and -T for `less`. In place of t it is the correlation r, and in place of F the share R2 of the sum of
  /// squares, unless missing values are left out (MissingValues::leave_value_out). t and F are increasing functions of
  /// r and R2. Empty unless options.keep_maxima.
  std::vector<double> maxima = {};
  /// For each variable: the number of replicates whose maximum over all variables is at least as extreme as the
  /// variable's observed statistic.
  std::vector<std::uint64_t> single_step = {};
};

/// Result of permutation tests of G variables, in the order of the data, on the host.
///
/// With b replicates at least as extreme as the data, p is b / m if `exact`, otherwise (b + 1) / (m + 1). Adjusted
/// p-values are computed in the same way from their counts. For two_sided_doubled, each p-value is twice the smaller of
/// the p-values for the two tails, capped at 1, and `counts` is empty.
///
/// If a variable is not tested, its statistic and p-values are NaN, b = 0, and `status` says why. The variable
/// contributes neither to maxima nor to the number of variables in the adjustment. t and F are infinite if the residual
/// sum of squares is 0 or no more than rounding error, that is, for values above about t = 2e7 sqrt(v) and F = 1e14 v /
/// s with v degrees of freedom and s effects.
struct PermutationTestsResult {
  template <class T>
  using Values = Kokkos::View<T*, Kokkos::HostSpace>;

  Values<VariableStatus> status;
  Values<double> statistic;
  /// Unadjusted p-values.
  Values<double> p;
  /// For each variable: b, the number of replicates at least as extreme as the data.
  Values<std::uint64_t> extreme;
  /// If `exact`, for each variable: the number of arrangements whose statistic differs from the observed one by no more
  /// than the rounding error, so that it is not known whether they are as extreme. They count as extreme. It is 0 if
  /// all arrangements are compared exactly. It is not counted, and always 0, with MissingValues::leave_value_out.
  Values<std::uint64_t> uncertain;
  /// For each variable: the number of observations without missing values.
  Values<std::uint64_t> observations;
  /// P-values adjusted by the maximum over all variables (single-step max-T).
  Values<double> p_single_step;
  /// P-values adjusted by step-down max-T: each variable is compared with the maximum over itself and the variables
  /// whose observed statistics are less extreme than its own. The p-values are then made monotone.
  Values<double> p_step_down;
  /// P-values adjusted in the same two ways, but by the minimum of p-values instead of the maximum of statistics
  /// (min-P). This gives all variables the same weight if the distribution of the statistic differs between them. Empty
  /// unless options.min_p.
  Values<double> p_single_step_min_p;
  Values<double> p_step_down_min_p;
  /// P-values adjusted by the method of Benjamini and Hochberg.
  Values<double> p_false_discovery;
  /// maxima(r) is the maximum of the statistic over all variables in replicate r: of T for `greater`, |T| for
  /// `two_sided` and -T for `less`. For U it is the maximum of U for `greater`, n_1 n_2 - U for `less`, and max(U, n_1
  /// n_2 - U) for `two_sided`. With MissingValues::leave_value_out, T is (U - n_1 n_2 / 2) / sqrt(n_1 n_2 (n + 1) / 12)
  /// in place of U, with the sample sizes of the variable in the replicate. Empty unless options.keep_maxima.
  Values<double> maxima;
  /// options.alternative, or `greater` for a statistic with one tail.
  Alternative alternative = Alternative::two_sided;
  /// The number of evaluated arrangements: m, or the number of distinct arrangements if `exact`; less if options.stop
  /// ended the tests.
  std::uint64_t replicates = 0;
  /// Whether all arrangements were enumerated, including the observed one.
  bool exact = false;
  /// Whether options.stop ended the tests. The p-values are then valid if arrangements were random. They are
  /// meaningless if arrangements were enumerated, because the first arrangements of an enumeration are not a random
  /// sample.
  bool stopped = false;
  PermutationCounts counts = {};
};

}  // namespace riffle
