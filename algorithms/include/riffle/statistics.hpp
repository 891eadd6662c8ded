#pragma once

// The statistics that riffle::permutation_test knows by name.
//
// Each is evaluated from exact integer sums over the groups, in arithmetic that leaves a compiler
// nothing to contract or reorder (explicit fused multiply-adds), so its value has the same bits on
// every back end. What a replicate is compared by, the comparand, is a quantity that grows with the
// statistic and costs less: the sum of the first group for a difference of means, for instance.
// value() turns it into the statistic.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle {

/// mean(x) - mean(y).
struct DifferenceOfMeans {};

/// (mean(x) - mean(y)) / sqrt(var(x) / n_x + var(y) / n_y), with the unbiased variances (B. L.
/// Welch, Biometrika 34, 1947).
struct WelchT {};

/// The F of a one-way analysis of variance: the mean square between k groups over that within them
/// (R. A. Fisher, 1925).
struct FStatistic {};

/// The product-moment correlation of pairs (x_i, y_i) (K. Pearson, 1895).
struct PearsonCorrelation {};

}  // namespace riffle
