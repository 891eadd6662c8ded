#pragma once

namespace riffle {

/// Says which replicates count as at least as extreme as the observed statistic. A replicate whose statistic is NaN
/// always counts.
enum class Alternative {
  /// T* <= T, where T is the statistic of the data and T* the statistic of a replicate.
  less,
  /// T* >= T.
  greater,
  /// |T*| >= |T|; for Mann and Whitney's U, T is U - n_1 n_2 / 2. R's coin, PALM and multtest use this definition.
  two_sided,
  /// p is twice the smaller of the p-values for T* <= T and T* >= T, capped at 1. SciPy's permutation_test uses this
  /// definition. It differs from two_sided if the null distribution is not symmetric.
  two_sided_doubled,
};

}  // namespace riffle
