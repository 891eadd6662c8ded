#pragma once

// How riffle::permutation_test is made, and what it found.

#include <algorithm>
#include <cstdint>
#include <functional>

#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/common.hpp>

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

}  // namespace riffle
