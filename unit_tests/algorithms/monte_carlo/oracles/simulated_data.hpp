#pragma once

// Small simulated data of 12 variables, one in each row, in whole tenths or whole numbers, so that ties occur.
//
// R 4.2.2, set.seed(23):
//   a <- round(10 * matrix(rnorm(120), 12))
//   z <- matrix(rnorm(120), 12); common <- rnorm(10); label <- rep(0:1, c(4, 6))
//   effect <- c(4, 3.2, 2.6, 2.1, 1.6, 1.2, -2.4, -1.5, 0, 0, 0, 0)
//   b <- round(3 * (0.6 * z + 0.8 * matrix(common, 12, 10, byrow = TRUE) + outer(effect, label)))
//   d <- round(10 * (matrix(rnorm(12 * 16), 12) + outer(c(1.2, 1, -0.8, 0.6, rep(0, 8)), rep(0:1, 8))))
// `correlated` has effects, and a part that all variables have in common, so that step-down differs from single-step.

#include <array>
#include <cstddef>
#include <limits>

namespace riffle::test::oracles {

inline constexpr std::size_t simulated_variables = 12;

/// Ten times the values of `a`: noise.
inline constexpr std::array<std::array<int, 10>, 12> noise_tenths{{
    {2, -3, -5, 13, 5, -4, -1, 5, 13, -22},
    {-4, 5, 0, -13, -2, 0, 10, -21, 10, -4},
    {9, -12, -5, 9, 13, -4, 0, -6, 7, -1},
    {18, 3, 12, 2, -2, 0, 4, -6, 6, 13},
    {10, -5, -7, 10, -20, 18, 13, 5, 4, 17},
    {11, -4, 2, 13, 7, -11, -24, -1, 9, 6},
    {-3, -6, -6, 9, 12, -10, -14, 15, -19, 4},
    {10, 13, 1, -10, -9, -13, -5, 12, 1, -3},
    {0, 8, -11, -12, -6, 7, 0, 6, -8, 5},
    {16, -6, -12, -16, 3, -12, 6, 0, -4, -9},
    {2, 8, -2, 1, 10, 7, 20, -4, 6, 2},
    {-10, -12, 2, 0, 10, -4, 5, -3, 12, -2},
}};

/// The values of `b`: effects in eight variables, which are correlated.
inline constexpr std::array<std::array<int, 10>, 12> correlated{{
    {-1, 2, -4, -1, 12, 6, 14, 9, 8, 10},
    {2, -1, -2, -1, 11, 5, 8, 9, 3, 6},
    {1, 1, -3, -4, 10, 4, 5, 6, 5, 5},
    {1, 4, -3, -2, 6, 2, 7, 5, 5, 3},
    {1, 3, -4, -1, 7, -1, 5, 4, 2, 0},
    {-1, 3, 0, 1, 6, 0, 5, 3, -1, 1},
    {5, -3, 0, -2, -5, -12, -7, -10, -13, -10},
    {1, 2, -6, 0, -1, -7, -8, -3, -4, -5},
    {3, 2, -4, 2, 2, -3, 0, -1, -5, -3},
    {2, 3, -3, -1, 0, -3, -5, -1, -3, -1},
    {1, 1, 0, 1, 1, -7, 0, -2, -5, -4},
    {2, 2, -3, -1, 1, -5, 0, 4, 0, -4},
}};

/// Ten times the values of `d`: eight adjacent pairs; the first 12 columns are also used as four blocks of three
/// treatments.
inline constexpr std::array<std::array<int, 16>, 12> paired_tenths{{
    {8, 4, -14, 17, 4, 9, -15, 6, 12, 16, -3, 14, -8, 10, 3, 19},
    {-3, 15, 3, 10, 24, 15, -4, 21, 2, 5, 9, 7, 18, 1, 5, 9},
    {12, -4, -7, -9, -6, 2, 4, -8, -12, -12, 8, 9, 27, 12, 1, -5},
    {-8, -4, 17, 4, 13, -24, 9, 10, -8, -2, -17, 14, 14, 4, -10, 21},
    {1, 2, -9, 7, -1, 6, -1, 2, -17, 4, 16, 12, -7, 12, 14, 11},
    {-1, -19, -7, -17, -16, -1, -12, 0, -3, 0, 7, 4, 25, 20, 13, -11},
    {14, 10, 7, 17, -13, 9, -3, 13, 0, 4, -13, -2, -1, 9, 9, 20},
    {-3, 22, -9, 1, 0, 3, 13, 14, 0, 4, -10, -6, 11, -13, -20, -16},
    {-14, -7, 4, -11, 8, 0, 23, 0, 9, -12, 11, 3, -13, 7, -16, -9},
    {-8, 4, 8, -10, -5, -27, -3, 14, 4, -3, -6, -12, -5, -10, -23, -5},
    {11, -11, -1, 5, 9, 7, -22, 1, 15, -3, -5, 6, -10, -21, 26, 7},
    {13, -4, 1, -9, 15, -1, -4, 3, 10, 4, 4, 8, 1, 6, -5, -5},
}};

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// `noise_tenths` with seven values missing.
inline constexpr std::array<std::array<double, 10>, 12> missing_tenths{{
    {2, -3, -5, 13, 5, -4, -1, 5, 13, -22},
    {-4, 5, nan, -13, -2, 0, 10, -21, 10, -4},
    {9, -12, -5, 9, 13, -4, 0, -6, 7, -1},
    {18, 3, 12, 2, -2, 0, 4, -6, 6, 13},
    {nan, -5, -7, 10, -20, 18, 13, 5, 4, nan},
    {11, -4, 2, 13, 7, -11, -24, -1, 9, 6},
    {-3, -6, -6, 9, 12, nan, -14, 15, -19, 4},
    {10, 13, 1, -10, -9, -13, -5, 12, 1, -3},
    {0, nan, -11, -12, -6, 7, nan, 6, -8, 5},
    {16, -6, -12, -16, 3, -12, 6, 0, -4, -9},
    {2, 8, -2, 1, 10, 7, 20, -4, 6, 2},
    {-10, -12, 2, 0, nan, -4, 5, -3, 12, -2},
}};

/// Groups of sizes 5 and 5, for `noise_tenths` and `missing_tenths`.
inline constexpr std::array<int, 10> labels_5_5{0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
/// Groups of sizes 4 and 6, for `correlated`.
inline constexpr std::array<int, 10> labels_4_6{0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
/// Groups of sizes 3, 3 and 4.
inline constexpr std::array<int, 10> labels_3_3_4{0, 0, 0, 1, 1, 1, 2, 2, 2, 2};
/// The second of a pair has label 1.
inline constexpr std::array<int, 16> labels_of_pairs{0, 1, 0, 1, 0, 1, 0, 1,
                                                     0, 1, 0, 1, 0, 1, 0, 1};
/// Each block of three consecutive observations has each treatment once.
inline constexpr std::array<int, 12> labels_of_blocks{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};

}  // namespace riffle::test::oracles
