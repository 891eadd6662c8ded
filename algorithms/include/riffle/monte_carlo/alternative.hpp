#pragma once

namespace riffle {

/// Which replicates count as at least as extreme as the observed one; one whose statistic is NaN always does.
enum class Alternative {
  /// T* <= T, T being the statistic of the data and T* that of a replicate.
  less,
  /// T* >= T.
  greater,
  /// |T*| >= |T|; of Mann and Whitney's U about its mean, n_1 n_2 / 2. R's coin, PALM and multtest have this definition.
  two_sided,
  /// Whichever of the two tails, T* <= T and T* >= T, has fewer: p is twice its p-value, at most 1. SciPy's
  /// permutation_test has this definition. The two differ where the null distribution is not symmetric.
  two_sided_doubled,
};

}  // namespace riffle
