#pragma once

// Options and result of riffle::permutation_test.

#include <algorithm>
#include <cstdint>
#include <functional>

#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>

namespace riffle {

/// Options of a permutation test.
struct PermutationTestOptions {
  /// m, the number of random arrangements; at least 1.
  std::uint64_t replicates = 9999;
  /// Replicate r is a function of (seed, r), the number of values and, if groups are compared, the group sizes.
  std::uint64_t seed = 0;
  /// two_sided compares |T|, and for U |U - n_1 n_2 / 2|. If the null distribution of a statistic defined by the caller
  /// is not symmetric about 0, choose another alternative. F and H have one tail: for them, `two_sided` means
  /// `greater`, and `less` and `two_sided_doubled` throw.
  Alternative alternative = Alternative::two_sided;
  /// The number of replicates per kernel, or 0 for the default. The result does not depend on it.
  std::uint64_t batch = 0;
  /// If there are at most m distinct arrangements, evaluate each of them once instead of m random ones.
  bool enumerate = true;
  /// Called on the host after each batch with the number of replicates done and their total number.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// Result of a permutation test.
struct PermutationTestResult {
  /// The observed statistic.
  double statistic;
  /// The number of evaluated arrangements: m, or the number of distinct arrangements if `exact`.
  std::uint64_t replicates;
  /// The numbers of replicates with statistics <= and >= the observed statistic. A replicate whose statistic is NaN, or
  /// equal to the observed one up to rounding errors, is counted in both numbers.
  std::uint64_t less_equal;
  std::uint64_t greater_equal;
  /// The number of replicates with |T*| >= |T| (U: |U* - n_1 n_2 / 2| >= |U - n_1 n_2 / 2|), including ties and NaNs.
  /// For F and H, which have one tail, it equals greater_equal.
  std::uint64_t as_far;
  /// Whether all arrangements were enumerated, including the observed one.
  bool exact;
  Alternative alternative;
  /// If `exact`: the number of arrangements whose statistic differs from the observed one by no more than the rounding
  /// error, so that it is not known whether they tie. They count as ties. The number is 0 for whole numbers and
  /// decimals, whose statistics are compared exactly, and for statistics defined by the caller, whose rounding error is
  /// unknown.
  std::uint64_t uncertain = 0;

  /// Returns b, the number of replicates at least as extreme as the data; for two_sided_doubled, the smaller of
  /// less_equal and greater_equal.
  std::uint64_t extreme() const {
    switch (alternative) {
      case Alternative::less: return less_equal;
      case Alternative::greater: return greater_equal;
      case Alternative::two_sided_doubled: return std::min(less_equal, greater_equal);
      default: return as_far;
    }
  }

  /// Returns the p-value: b / m if `exact`, otherwise (b + 1) / (m + 1), where m = `replicates` (B. Phipson, G. K.
  /// Smyth, Stat. Appl. Genet. Mol. Biol. 9, 2010). For two_sided_doubled it is twice the smaller of the two one-sided
  /// p-values, capped at 1. If arrangements are random, it is at least 1 / (m + 1).
  /// riffle/monte_carlo/p_value_interval.hpp computes its confidence interval.
  double p_value() const {
    return std::min(1.0, sides() * detail::p_of_count(extreme(), replicates, exact));
  }

  /// Returns the factor of the one-sided p-value: 2 for two_sided_doubled, otherwise 1.
  double sides() const { return alternative == Alternative::two_sided_doubled ? 2.0 : 1.0; }
};

}  // namespace riffle
