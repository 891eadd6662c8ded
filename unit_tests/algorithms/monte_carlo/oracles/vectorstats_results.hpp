#pragma once

// vectorstats of MRtrix3 3.0.3 (Debian 12's mrtrix3 3.0.3-3+b1).
//   vectorstats list.txt design.txt contrast.txt out/ -permutations permutations.txt -nthreads 1
// list.txt has the name of a file for each observation, which has a value for each variable in a line: here the first
// four variables of noise_tenths / 10. design.txt has a line for each observation, "1 label covariate"; contrast.txt is
// "0 1 0". permutations.txt has a COLUMN for each permutation and a LINE for each observation, with indices from 0 or
// from 1; a file with one permutation in each line is refused, and without the identity vectorstats 3.0.3 ends with a
// corrupted heap.
//
// Column p takes observation i from p[i]: data* = (P R y), (P R y)[i] = (R y)[p[i]], where R y are the residuals by the
// nuisance columns (Freedman and Lane); the inverse permutation does not give these results. The null distribution has
// the maxima over variables of the signed, one-sided Z with the tail probability of t. The identity counts as one of
// the replicates.
//   tvalue.csv: t                          Zstat.csv: Z by the t distribution with n - rank degrees of freedom
//   uncorrected_pvalue.csv: 1 - b / m, b the number of replicates with Z >= the observed Z of the variable
//   fwe_1mpvalue.csv:       1 - c / m, c the number of replicates whose maximum is > the observed Z, so that p can be 0
//   null_dist.csv: a replicate's maximum, in the order of the file; null_contributions.csv: how often a variable was the maximum

#include <array>

namespace riffle::test::oracles {

/// The covariate is `covariate` of scipy_statistics.hpp; the labels are `labels_5_5`.
inline constexpr std::array<std::array<int, 10>, 8> vectorstats_permutations{{
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
    {2, 3, 1, 0, 8, 7, 6, 5, 4, 9},
    {4, 9, 6, 5, 7, 3, 8, 1, 2, 0},
    {4, 6, 7, 2, 8, 1, 5, 0, 3, 9},
    {5, 7, 0, 8, 3, 6, 4, 9, 1, 2},
    {5, 7, 9, 4, 2, 6, 1, 8, 3, 0},
    {1, 4, 5, 8, 7, 0, 9, 6, 3, 2},
    {3, 8, 6, 0, 7, 9, 2, 5, 1, 4},
}};

inline constexpr std::array<double, 4> vectorstats_t{-0.566440334782184, 0.15884713528655,
                                                     -0.677609958417686, -1.06251814759371};
inline constexpr std::array<double, 4> vectorstats_z{-0.540595765900637, 0.153156195711096,
                                                     -0.643685347464222, -0.987748076491131};
/// A row for each of the columns 1, label, covariate; a value for each variable.
inline constexpr std::array<std::array<double, 4>, 3> vectorstats_coefficients{{
    {-0.0142268041237114, -0.0701546391752577, 0.328711340206186, 0.860257731958763},
    {-0.314072164948454, 0.0925644329896907, -0.380296391752577, -0.403440721649484},
    {0.423711340206186, -0.349742268041237, -0.0811855670103093, -0.333762886597938},
}};
inline constexpr std::array<double, 8> vectorstats_max_z{0.1531561957, -0.1846954243, 2.164835302,
                                                         1.796241693,  0.1983786105,  1.863799558,
                                                         1.315441178,  -0.08931928475};
inline constexpr std::array<int, 4> vectorstats_maxima_of_variable{0, 4, 1, 3};
/// Counts of 8 replicates including the identity: Z at least the observed one (1 - uncorrected_pvalue = 0.5, 0.5, 0.75,
/// 0.75).
inline constexpr std::array<int, 4> vectorstats_uncorrected_counts{4, 4, 6, 6};
/// Counts of 8 replicates: the maximum exceeds the observed Z (1 - fwe_1mpvalue = 1, 0.625, 1, 1). With ties they are
/// 8, 6, 8, 8.
inline constexpr std::array<int, 4> vectorstats_maxima_above{8, 5, 8, 8};
inline constexpr std::array<int, 4> vectorstats_maxima_at_least{8, 6, 8, 8};
/// t of every replicate by Freedman and Lane, from NumPy 1.24.2; the maxima agree with null_dist.csv to 5e-10.
inline constexpr std::array<std::array<double, 4>, 8> freedman_lane_t{{
    {-0.5664403347821838, 0.1588471352865501, -0.6776099584176853, -1.0625181475937078},
    {-1.1054831711262945, -0.7792595640028329, -0.19163564653164936, -2.573145086462462},
    {1.2000266879600718, 0.7752894407524065, 0.14877613757989402, 2.7054066765492695},
    {-1.503633835676862, -0.2279918133457262, -0.21144611559069165, 2.113099140614658},
    {-0.7120259510720773, 0.20587389201441023, -1.0132107271299942, -1.0888292801811639},
    {1.9717377312108937, 2.214844358055056, 0.7238653384108218, 1.7839693088039412},
    {0.16154403194551417, -1.0007999448177591, 0.49622881854426837, 1.457383920984683},
    {-1.6023619550891628, -0.09258388911025793, -1.2609199792894654, -0.8391595931892188},
}};

}  // namespace riffle::test::oracles
