#pragma once

// The statistics that riffle::permutation_test and permutation_tests know by name.
//
// Each is evaluated from exact integer sums over the groups, in arithmetic that leaves a compiler nothing to contract
// or reorder (explicit fused multiply-adds), so its value has the same bits on every back end. Replicates are compared
// by the test statistic, a quantity that grows with the statistic and costs less: the sum of the first group for a
// difference of means, for instance. value() turns the test statistic into the statistic.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle {

/// mean(x) - mean(y).
struct DifferenceOfMeans {};

/// (mean(x) - mean(y)) / sqrt(var(x) / n_x + var(y) / n_y), with the unbiased variances (B. L.
/// Welch, Biometrika 34, 1947). Where means are equal and variances are not, p-values are right asymptotically alone.
struct WelchT {};

/// (mean(x) - mean(y)) / (s sqrt(1 / n_x + 1 / n_y)), s^2 being the pooled variance of both samples (Student, Biometrika 6,
/// 1908). Of riffle::permutation_tests.
struct StudentT {};

/// mean(x) / sqrt(var(x) / n), against changes of sign. Of riffle::permutation_tests; of the differences of pairs, it is
/// the paired t.
struct OneSampleT {};

/// The mean of x_i - y_i over pairs (x_i, y_i), which is mean(x) - mean(y), against that of x_i - y_i or y_i - x_i with
/// equal chances: Fisher's test of pairs (R. A. Fisher, The Design of Experiments, 1935, section 21).
struct PairedDifference {};

/// The F of a one-way analysis of variance: the mean square between k groups over that within them
/// (R. A. Fisher, 1925).
struct FStatistic {};

/// The product-moment correlation of pairs (x_i, y_i) (K. Pearson, 1895).
struct PearsonCorrelation {};

// --- rank statistics ---
//
// Ranks run from 1 to n, and ties share the mean of their ranks (ties::Fractional). Twice a rank is a whole number, so
// all sums are exact, and so are ties among arrangements.

/// U = R_x - n_x (n_x + 1) / 2, R_x being the sum of x's ranks among all values: the number of pairs (x_i, y_j) with
/// x_i > y_j, and half of those that tie. From 0 to n_x n_y (F. Wilcoxon, Biometrics Bulletin 1, 1945; H. B. Mann,
/// D. R. Whitney, Annals of Mathematical Statistics 18, 1947).
struct MannWhitneyU {};

/// H = (12 / (n (n + 1)) sum over groups of R_g^2 / n_g - 3 (n + 1)) / (1 - sum of (t^3 - t) / (n^3 - n)), R_g being
/// the sum of a group's ranks among all values, and t the number of values in each tie (W. H. Kruskal, W. A. Wallis,
/// Journal of the American Statistical Association 47, 1952).
struct KruskalWallisH {};

/// PearsonCorrelation of the ranks of x and those of y; without ties 1 - 6 (sum of d^2) / (n^3 - n), d being the
/// difference of a pair's ranks (C. Spearman, American Journal of Psychology 15, 1904).
struct SpearmanCorrelation {};

}  // namespace riffle
