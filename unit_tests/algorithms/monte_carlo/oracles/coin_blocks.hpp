#pragma once

// r-cran-coin 1.4-2 (R 4.2.2): two samples of Student's `sleep` within strata, exact.
//   independence_test(y ~ g | strata, distribution = exact(), alternative = alternative)
//   y <- c(7, -16, -2, -12, -1, 34, 37, 8, 0, 20, 19, 8, 11, 1, -1, 44, 55, 16, 46, 34)  # tenths, drug 1 then drug 2
//   g <- gl(2, 10)
// Its statistic is (T - E(T)) / sqrt(Var(T)), where T is the sum of drug 1 over all strata. Its two-sided p-value is
// the probability of |T - E(T)| >= |t - E(T)|, not twice the smaller one. The exact distribution exists for two samples
// only (otherwise "not a two-sample problem"). coin's p-values agree with these counts / arrangements to 1e-15. The
// counts are from a dynamic program in integers (Python: sums over strata of itertools.combinations). coin was run with
// hours (tenths / 10) for two and for ten strata; its expectation and variance are scaled here.

#include <array>

namespace riffle::test::oracles {

struct StratifiedCounts {
  int sum;          // T, in tenths
  double expected;  // expectation(), in tenths
  double variance;  // variance(), in tenths squared
  double standardized;
  int arrangements;
  int less;
  int greater;
  int two_sided;
};

inline constexpr std::array<int, 20> sleep_tenths{7,  -16, -2, -12, -1, 34, 37, 8,  0,  20,
                                                  19, 8,   11, 1,   -1, 44, 55, 16, 46, 34};
inline constexpr std::array<int, 20> sleep_drug{0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
inline constexpr std::array<int, 20> two_strata{0, 0, 0, 0, 0, 1, 1, 1, 1, 1,
                                                0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
inline constexpr std::array<int, 20> three_strata{0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                  0, 0, 0, 1, 1, 1, 1, 2, 2, 2};
/// Each subject is a stratum: pairs.
inline constexpr std::array<int, 20> ten_strata{0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                                0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

inline constexpr StratifiedCounts sleep_free{75,      154,  2036,    -1.7508067183528482,
                                             184'756, 7524, 177'621, 15'048};
inline constexpr StratifiedCounts sleep_two_strata{
    75, 154, 1060.2222222222222, -2.4262114049680727, 63'504, 377, 63'173, 754};
inline constexpr StratifiedCounts sleep_three_strata{
    75, 154, 1949.3857142857141, -1.7892795640638808, 28'000, 1053, 27'010, 2106};
inline constexpr StratifiedCounts sleep_ten_strata{75,   154, 964.5, -2.5437590712458134,
                                                   1024, 2,   1024,  4};
/// Without the first observation, y[-1] ~ g[-1] | three_strata[-1]: strata of 5 (2 of drug 1), 8 and 6. The two-sided
/// p-value is not twice the one-sided one.
inline constexpr StratifiedCounts sleep_unbalanced_strata{
    68, 148.5, 1947.1357142857141, -1.8243063467279383, 14'000, 487, 13'539, 971};

/// wilcox_test(y ~ g | three_strata, distribution = exact()): sum of midranks of the pool, linear statistic 80.5, variance 169.275, two-sided p.
inline constexpr double sleep_three_strata_wilcoxon_p = 0.061642857142857152;

}  // namespace riffle::test::oracles
