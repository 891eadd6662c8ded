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
  /// two_sided compares |T|, and for U |U - n_1 n_2 / 2|. two_sided_doubled runs the tests with `less` and with
  /// `greater`, in twice the time. Each p-value, adjusted or not, is then twice the smaller of the two p-values, capped
  /// at 1. two_sided_doubled returns no maxima and no counts to resume from, and cannot be combined with `resume` or
  /// `stop`. F and H have one tail: for them, `two_sided` means `greater`, and `less` and `two_sided_doubled` throw.
  Alternative alternative = Alternative::two_sided;
  /// Which observations may change places and signs. By default all observations may change places; for OneSampleT, all
  /// signs may change.
  std::optional<PermutationScheme> scheme = {};
  /// How missing values (NaN) are treated. Without missing values, both settings give the same results.
  MissingValues missing = MissingValues::leave_variable_out;
  /// The number of replicates per kernel, or 0 for the default. The result does not depend on it.
  std::uint64_t batch = 0;
  /// If there are at most m distinct arrangements, evaluate each of them once instead of m random ones.
  bool enumerate = true;
  /// Whether to compute also p-values adjusted by min-P (the minimum of p-values over variables). For this, every
  /// replicate is evaluated a second time, and replicates are ranked for every variable. Skipped if options.stop ended
  /// the tests.
  bool min_p = false;
  /// Whether result.maxima and result.counts.maxima contain the maximum of every replicate. If false, the tests are
  /// faster and use memory that does not grow with m. P-values are the same either way.
  bool keep_maxima = true;
  /// Called on the host after each batch with the number of replicates done and their total number.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  /// Called on the host after each batch. If it returns true, the tests end, and the result covers the replicates done
  /// so far.
  std::function<bool()> stop = {};
  /// The counts of an earlier call with the same data and options, except that `replicates` may differ if arrangements
  /// are random. The replicates of the earlier call are not evaluated again, and the result is the same as if one call
  /// had evaluated all replicates. If keep_maxima is true, resume->maxima must contain the maxima of all earlier
  /// replicates; otherwise it may be empty.
  std::optional<PermutationCounts> resume = {};
};

}  // namespace riffle
