#pragma once

// The statistics of riffle::permutation_test and permutation_tests.
//
// Each statistic is computed from exact integer sums over the groups. Fused multiply-adds are explicit, so that
// compilers neither contract nor reorder operations, and the value has the same bits on every back end. Replicates are
// compared by a *test statistic*, an increasing function of the named statistic that is cheaper to compute. For a
// difference of means, for instance, it is the sum of the first group. value() converts the test statistic to the named
// statistic.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle {

/// mean(x) - mean(y).
struct DifferenceOfMeans {};

/// (mean(x) - mean(y)) / sqrt(var(x) / n_x + var(y) / n_y), with the unbiased variances (B. L. Welch, Biometrika 34,
/// 1947). For the null hypothesis of equal means with different variances, p-values are correct only asymptotically.
struct WelchT {};

/// (mean(x) - mean(y)) / (s sqrt(1 / n_x + 1 / n_y)), where s^2 is the pooled variance of both samples (Student,
/// Biometrika 6, 1908). Only for riffle::permutation_tests.
struct StudentT {};

/// mean(x) / sqrt(var(x) / n). The arrangements are sign changes. If x contains differences of pairs, it is the paired
/// t. Only for riffle::permutation_tests.
struct OneSampleT {};

/// The mean of x_i - y_i over pairs (x_i, y_i), which is mean(x) - mean(y). In a replicate each difference is x_i - y_i
/// or y_i - x_i with equal probability: Fisher's test of pairs (R. A. Fisher, The Design of Experiments, 1935, section
/// 21).
struct PairedDifference {};

/// The F of a one-way analysis of variance: the mean square between k groups divided by the mean square within groups
/// (R. A. Fisher, 1925).
struct FStatistic {};

/// The product-moment correlation of pairs (x_i, y_i) (K. Pearson, 1895).
struct PearsonCorrelation {};

// --- rank statistics ---
//
// Ranks are 1, ..., n, and tied values share the mean of their ranks (ties::Fractional). Twice a rank is a whole
// number, so all sums are exact, and arrangements tie exactly.

/// U = R_x - n_x (n_x + 1) / 2, where R_x is the sum of x's ranks among all values: the number of pairs (x_i, y_j) with
/// x_i > y_j, plus half the number of tied pairs. It is between 0 and n_x n_y (F. Wilcoxon, Biometrics Bulletin 1,
/// 1945; H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18, 1947).
struct MannWhitneyU {};

/// H = (12 / (n (n + 1)) sum over groups of R_g^2 / n_g - 3 (n + 1)) / (1 - sum of (t^3 - t) / (n^3 - n)). R_g is the
/// sum of the ranks of group g, where all values are ranked together. The last sum is over all sets of tied values, and
/// t is the size of such a set (W. H. Kruskal, W. A. Wallis, Journal of the American Statistical Association 47, 1952).
struct KruskalWallisH {};

/// The PearsonCorrelation of the ranks of x and the ranks of y. Without ties it is 1 - 6 (sum of d^2) / (n^3 - n),
/// where d is the difference between the two ranks of a pair (C. Spearman, American Journal of Psychology 15, 1904).
struct SpearmanCorrelation {};

}  // namespace riffle
