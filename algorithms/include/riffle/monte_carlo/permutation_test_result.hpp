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
  /// Replicate r is a function of (seed, r) and the group sizes.
  std::uint64_t seed = 0;
  /// two_sided compares |T|: U about its mean, the caller's own statistic about 0. If 0 is not the middle of its
  /// distribution, choose another alternative. F and H have one tail: they refuse `less` and `two_sided_doubled`, and
  /// `two_sided` means `greater`.
  Alternative alternative = Alternative::two_sided;
  /// Replicates per kernel; 0 lets the test choose. It does not change the result.
  std::uint64_t batch = 0;
  /// Evaluate every distinct arrangement once, instead of m random ones, if there are at most m.
  bool enumerate = true;
  /// Called on the host after each batch with the replicates done and their total.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// Result of a permutation test.
struct PermutationTestResult {
  /// The observed statistic.
  double statistic;
  /// The number of evaluated arrangements: m, or all distinct ones if `exact`.
  std::uint64_t replicates;
  /// The numbers of replicates with a statistic of at most, and of at least, the observed one. Ties within rounding,
  /// and NaNs, count in both.
  std::uint64_t less_equal;
  std::uint64_t greater_equal;
  /// The number of replicates at least as far from the expectation under the null hypothesis, |T*| >= |T|; ties and
  /// NaNs count. For F and H, which have one tail, it is greater_equal.
  std::uint64_t as_far;
  /// Whether all arrangements were enumerated, including the observed one.
  bool exact;
  Alternative alternative;
  /// If `exact`: the number of arrangements within the rounding error of the observed statistic. It is not known
  /// whether these tie with it; they count on both sides. 0 for whole numbers and decimals, for which the order of
  /// statistics is decided exactly, and for the caller's own statistics, whose rounding is unknown.
  std::uint64_t uncertain = 0;

  /// Returns the number b of replicates at least as extreme as the data; for two_sided_doubled, the number on the
  /// smaller side.
  std::uint64_t extreme() const {
    switch (alternative) {
      case Alternative::less: return less_equal;
      case Alternative::greater: return greater_equal;
      case Alternative::two_sided_doubled: return std::min(less_equal, greater_equal);
      default: return as_far;
    }
  }

  /// Returns b / m if exact, (b + 1) / (m + 1) if random (B. Phipson, G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 9,
  /// 2010). For two_sided_doubled it is twice the smaller of the two one-sided values, at most 1. A random p is at
  /// least 1 / (m + 1). The confidence interval of p is in riffle/monte_carlo/p_value_interval.hpp.
  double p_value() const {
    return std::min(1.0, sides() * detail::p_of_count(extreme(), replicates, exact));
  }

  /// Returns the factor of the p-value: 2 for two_sided_doubled, otherwise 1.
  double sides() const { return alternative == Alternative::two_sided_doubled ? 2.0 : 1.0; }
};

}  // namespace riffle
