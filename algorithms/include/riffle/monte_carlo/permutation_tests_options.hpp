#pragma once

// Options of riffle::permutation_tests.

#include <cstdint>
#include <functional>
#include <optional>

#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>

namespace riffle {

/// Options of permutation tests of many variables.
struct PermutationTestsOptions {
  /// m, the number of random arrangements; at least 1.
  std::uint64_t replicates = 9999;
  /// Replicate r is a function of (seed, r) and of the permutation scheme.
  std::uint64_t seed = 0;
  /// two_sided compares |T|, and U about its mean. two_sided_doubled runs the tests of `less` and of `greater`, which
  /// takes twice the time, and doubles the smaller of each two p-values, adjusted ones too. It returns no maxima and no
  /// counts to resume from, and cannot be combined with `resume` or `stop`. F and H have one tail: they refuse `less`
  /// and `two_sided_doubled`, and `two_sided` means `greater`.
  Alternative alternative = Alternative::two_sided;
  /// Which observations may change places and signs. By default any observations change places; for OneSampleT, signs
  /// change.
  std::optional<PermutationScheme> scheme = {};
  /// How NaNs are treated. If there are none, both values give the same results.
  MissingValues missing = MissingValues::leave_variable_out;
  /// Replicates per kernel; 0 lets the test choose. It does not change the result.
  std::uint64_t batch = 0;
  /// Evaluate every distinct arrangement once, instead of m random ones, if there are at most m.
  bool enumerate = true;
  /// Also adjust by the minimum of p-values: every replicate is evaluated again and ranked for every variable. Skipped
  /// if options.stop ended the tests.
  bool min_p = false;
  /// Whether the result has the maximum of every replicate, in result.maxima and result.counts.maxima. P-values are the
  /// same without maxima, which takes less time and memory that does not grow with m.
  bool keep_maxima = true;
  /// Called on the host after each batch with the replicates done and their total.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  /// Called on the host after each batch. If it returns true, the tests end with the replicates done so far.
  std::function<bool()> stop = {};
  /// Counts of an earlier call with the same data and options (`replicates` may differ if arrangements are random). Its
  /// replicates are not evaluated again, and the result is the same as of one call. If keep_maxima is false, the counts
  /// may come with or without maxima; otherwise they must have the maxima of all their replicates.
  std::optional<PermutationCounts> resume = {};
};

}  // namespace riffle
