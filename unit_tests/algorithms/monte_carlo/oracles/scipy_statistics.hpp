#pragma once

// SciPy 1.10.1 (Debian 12's python3-scipy, NumPy 1.24.2).
//
// For sleep: stats.permutation_test((x, y), f, vectorized=True, n_resamples=np.inf, alternative=...), p-value times
// 184,756, with
//   f = np.mean(x) - np.mean(y); stats.ttest_ind(x, y, equal_var=False).statistic; stats.ttest_ind(x, y).statistic;
//   stats.mannwhitneyu(x, y, method="asymptotic").statistic
// SciPy counts statistics within a relative 1e-14 of the observed one as equal; integers give the same counts (a
// dynamic program over sums of tenths). Its two-sided p-value is twice the smaller one.
//
// For variables: stats.pearsonr(x, covariate)[0], stats.spearmanr(x, covariate)[0], stats.spearmanr(x,
// tied_covariate)[0],
//   stats.mannwhitneyu(x1, x0, method="asymptotic").statistic, stats.kruskal(x0, x1, x2).statistic (corrected for ties),
//   stats.ttest_ind(x1, x0).statistic, stats.ttest_ind(x1, x0, equal_var=False).statistic, stats.f_oneway(x0, x1, x2).statistic
// For pairings: stats.permutation_test((x[:7],), r, permutation_type="pairings", n_resamples=np.inf, alternative=...),
// p-value times 5,040, with r = pearsonr(x, covariate[:7])[0], spearmanr(x, tied_covariate[:7])[0]; sums of integers
// give the same counts.

#include <array>

namespace riffle::test::oracles {

/// Counts of the 184,756 arrangements of Student's `sleep` whose statistic is at most or at least the observed one, or
/// as extreme (SciPy's two-sided definition, twice the smaller count).
struct TailCounts {
  double statistic;
  int less;
  int greater;
  int two_sided;
};

inline constexpr int sleep_arrangements = 184'756;
inline constexpr TailCounts sleep_difference_of_means{-1.58, 7524, 177'621, 15'048};
inline constexpr TailCounts sleep_welch_t{-1.8608134674868526, 7524, 177'621, 15'048};
inline constexpr TailCounts sleep_pooled_t{-1.8608134674868524, 7524, 177'621, 15'048};
inline constexpr TailCounts sleep_mann_whitney_u{25.5, 6080, 179'252, 12'160};

/// Observations that variables are correlated with, without and with ties.
inline constexpr std::array<double, 10> covariate{0.5, 1.5,  -1.0, 2.0,  0.0,
                                                  1.0, -0.5, 3.0,  0.25, -2.0};
inline constexpr std::array<double, 10> tied_covariate{1.0, 2.0, 2.0, 3.0, 1.0,
                                                       4.0, 3.0, 5.0, 2.0, 4.0};

/// Statistics of the variables `noise_tenths / 10`: two samples by `labels_5_5`, label 1 first; three by
/// `labels_3_3_4`.
inline constexpr std::array<double, 12> noise_pearson{
    0.6303070082360781,    -0.5397985186202978,   -0.12546717652959155, -0.6397177314978424,
    -0.021211918974947924, 0.052611089469585315,  0.3389103979000938,   0.2935612152457465,
    0.16968847280908617,   -0.021945611963019307, -0.2650617544126781,  -0.3151164112737662};
inline constexpr std::array<double, 12> noise_spearman{0.5426930156540026,
                                                       -0.38533731779422625,
                                                       -0.18237166310401937,
                                                       -0.6,
                                                       0.0,
                                                       0.07878787878787878,
                                                       0.3100318272768329,
                                                       0.18237166310401937,
                                                       0.2553203283456271,
                                                       -0.09726488698881035,
                                                       -0.2553203283456271,
                                                       -0.4666666666666666};
inline constexpr std::array<double, 12> noise_spearman_tied{
    -0.2118637091741911, -0.3000234402469397,  -0.49698069547042634, -0.34063727816294803,
    0.6274381280314133,  -0.4335383540255702,  0.12424517386760658,  -0.17394324341464923,
    0.37273552160281975, -0.38826616833627053, -0.3230374520557771,  -0.18580215172524436};
inline constexpr std::array<double, 12> noise_mann_whitney_u{11.0, 15.0, 9.0,  11.0, 21.0, 6.0,
                                                             8.0,  10.5, 17.5, 13.5, 13.5, 15.0};
inline constexpr std::array<double, 12> noise_kruskal_wallis_h{
    1.2239263803680998, 0.4791666666666651,  2.0121951219512195,  3.6090909090909093,
    1.3902439024390183, 0.48181818181817704, 0.6402439024390283,  6.546493902439026,
    0.3269817073170689, 1.3902439024390183,  0.38185975609755685, 2.3000000000000043};
inline constexpr std::array<double, 12> noise_pooled_t{
    -0.6324555320336759, 0.27995438152125124,  -0.6805791588216942, -0.6626522932500656,
    2.1573036282084925,  -1.4763464883937314,  -0.8158924398306318, -0.41601331263901004,
    1.3358842821245722,  -0.12194215216993849, 0.5277593965602512,  0.7106801326717098};
inline constexpr std::array<double, 12> noise_welch_t{
    -0.6324555320336759, 0.27995438152125124,  -0.6805791588216942, -0.6626522932500656,
    2.1573036282084925,  -1.4763464883937314,  -0.8158924398306318, -0.41601331263901004,
    1.3358842821245722,  -0.12194215216993849, 0.5277593965602512,  0.7106801326717098};
inline constexpr std::array<double, 12> noise_f{
    0.34311826894575637, 0.20165734191913862, 0.8836389280677011,  2.1136919315403424,
    0.6411379389138547,  0.23205479452054795, 0.4441487656300096,  7.267812399614521,
    0.23751055564938353, 0.49215254050479473, 0.20181219110378912, 1.7365630712979891};

/// Statistics of the variables `correlated`: two samples by `labels_4_6`, label 1 first; three by `labels_3_3_4`.
inline constexpr std::array<double, 12> correlated_pearson{
    -0.16696873720369726, -0.04559670201108446, -0.11477535438199662,  0.021525395800344932,
    0.1934630271022128,   0.06686792373967425,  -0.008811056474701845, 0.4599291850057235,
    0.3778099965313269,   0.30732500379341327,  0.1123703813946341,    0.5741361025489922};
inline constexpr std::array<double, 12> correlated_spearman{-0.26747843921922837,
                                                            -0.07294866524160776,
                                                            -0.1538643637241659,
                                                            -0.06079055436800646,
                                                            0.0790277206784084,
                                                            0.03067715595699244,
                                                            0.0,
                                                            0.5272727272727272,
                                                            0.3754290474869648,
                                                            0.3541465842371059,
                                                            0.18192637473571155,
                                                            0.48171627232209224};
inline constexpr std::array<double, 12> correlated_spearman_tied{
    0.2547026064285935,   0.264020994468664,   0.14780166534407188, 0.03727355216028198,
    -0.17394324341464923, 0.13166726462782413, -0.5497848943641591, -0.4583119742556027,
    -0.3899448192056364,  -0.3936527772928653, -0.6154351956350098, -0.2991017070694462};
inline constexpr std::array<double, 12> correlated_mann_whitney_u{
    24.0, 24.0, 24.0, 22.0, 18.5, 16.0, 0.0, 4.0, 6.0, 6.0, 3.0, 10.0};
inline constexpr std::array<double, 12> correlated_kruskal_wallis_h{
    5.185975609756099,  4.454268292682922,  3.918749999999997,  3.384146341463418,
    1.216463414634148,  0.8920807453416119, 5.533536585365854,  2.0909090909090935,
    1.9851562500000044, 2.197452229299366,  3.1339285714285685, 1.2239263803680998};
inline constexpr std::array<double, 12> correlated_pooled_t{
    6.188722266035129,   4.601789933084223,  4.701409413996134,   2.972171397631942,
    1.5750029211355463,  1.0005197955821863, -4.555446828619914,  -2.0213885229449686,
    -1.3439399155633023, -1.683104900255227, -2.2761998625693596, -0.34112114616897665};
inline constexpr std::array<double, 12> correlated_welch_t{
    6.404640308067905,  5.114957546028551,   4.488629745065612,  2.6600399008977726,
    1.5837439118453058, 1.1084796007086473,  -4.389813507821484, -1.8800000000000001,
    -1.272468456298899, -1.5417681992854402, -2.8121999887512,   -0.36454130828824455};
inline constexpr std::array<double, 12> correlated_f{
    6.156313301823091,  2.903278688524591,   1.7142316426949282, 1.890721649484536,
    0.5447552447552446, 0.33817567567567564, 6.6646774193548355, 1.2250000000000003,
    0.9330097087378642, 1.6633027522935777,  1.2242467718794834, 0.3673267326732673};

/// All 5,040 pairings of the first 7 observations of the first three variables of `noise_tenths` with the first 7 of
/// `covariate` (Pearson) and of `tied_covariate` (Spearman).
inline constexpr int pairings = 5040;
inline constexpr std::array<TailCounts, 3> pearson_pairings{
    {{0.498077769018609, 4412, 667, 1334},
     {-0.503083981268518, 648, 4424, 1296},
     {0.008437091338285324, 2584, 2504, 5008}}};
inline constexpr std::array<TailCounts, 3> spearman_pairings{
    {{-0.25697808437502334, 1464, 3688, 2928},
     {0.2870862672984465, 3712, 1360, 2720},
     {-0.3519121986239022, 1128, 4016, 2256}}};

}  // namespace riffle::test::oracles
