#pragma once

// How riffle::permutation_tests is made.

#include <cstdint>
#include <functional>
#include <optional>

#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>

namespace riffle {

/// How permutation tests of many variables are made.
struct PermutationTestsOptions {
  /// m, the number of random arrangements; at least 1.
  std::uint64_t replicates = 9999;
  /// Replicate r is a function of (seed, r) and of what is exchanged alone.
  std::uint64_t seed = 0;
  /// two_sided compares |T|, of U about its mean. two_sided_doubled makes the tests of `less` and of `greater`, which takes
  /// twice the time, and doubles the smaller of each two p-values, adjusted ones too; it has no maxima and no counts to
  /// resume from, and does not go with `resume` and `stop`. F and H have one tail: they refuse `less` and
  /// `two_sided_doubled`, and `two_sided` means `greater`.
  Alternative alternative = Alternative::two_sided;
  /// What may be exchanged; by default any observations, for OneSampleT their signs.
  std::optional<PermutationScheme> scheme = {};
  /// What NaNs mean. Without any, both are the same.
  MissingValues missing = MissingValues::leave_variable_out;
  /// Replicates per kernel; 0 lets the test choose. Any number will do, and none changes a result.
  std::uint64_t batch = 0;
  /// Evaluate every distinct arrangement once, instead of m random ones, where there are at most m.
  bool enumerate = true;
  /// Adjust by the minimum of p-values, too: every replicate is evaluated once more, and ranked in every variable. Not
  /// where options.stop ended the tests.
  bool min_p = false;
  /// Whether the result has the maximum of every replicate: result.maxima and result.counts.maxima. All p-values come out
  /// the same without, in less time, and in memory that does not grow with m.
  bool keep_maxima = true;
  /// Called on the host after each batch with the replicates done and their total.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  /// Called on the host after each batch: true ends the tests with the replicates done so far.
  std::function<bool()> stop = {};
  /// Counts of an earlier call with the same data and options (but for `replicates`, where arrangements are random): its
  /// replicates are not evaluated again, and the outcome is that of one call. With or without maxima where keep_maxima is
  /// false, else with those of all their replicates.
  std::optional<PermutationCounts> resume = {};
};

}  // namespace riffle
