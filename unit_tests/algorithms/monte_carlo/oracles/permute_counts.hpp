#pragma once

// r-cran-permute 0.9-7 (R 4.2.2): numPerms(n, how(...)), and nrow(allPerms(n, how(...))), which excludes the identity.
// numPerms counts arrangements of observations, not of labels. It computes in doubles: 3628800.0000000149 for 10,
// 479001599.99999928 for 12, Inf from 171 on. allPerms of whole plots in blocks repeats the indices of the first block
// in all blocks (1..6, 1..6 for 12 observations), so it is not used as an oracle for them.

#include <array>
#include <cstdint>
#include <string_view>

namespace riffle::test::oracles {

struct PermuteCount {
  std::string_view design;
  int observations;
  std::uint64_t permutations;  // including the identity
};

inline constexpr std::array<PermuteCount, 9> permute_counts{{
    // numPerms(5, how())
    {"free", 5, 120},
    // numPerms(7, how(blocks = factor(c(1, 1, 1, 2, 2, 3, 3))))
    {"blocks of 3, 2, 2", 7, 24},
    // numPerms(6, how(plots = Plots(strata = gl(3, 2), type = "free"), within = Within(type = "none")))
    {"three whole plots of 2", 6, 6},
    // numPerms(6, how(plots = Plots(strata = gl(3, 2), type = "free"), within = Within(type = "free")))
    {"three whole plots of 2, free within", 6, 48},
    // numPerms(8, how(blocks = gl(4, 2))); equal with plots = Plots(strata = gl(4, 2), type = "none"), within =
    // Within("free")
    {"four pairs", 8, 16},
    // numPerms(12, how(blocks = gl(2, 6), plots = Plots(strata = gl(6, 2), type = "free"), within = Within(type = "none")))
    {"two blocks of three whole plots of 2", 12, 36},
    // likewise with within = Within(type = "free")
    {"two blocks of three whole plots of 2, free within", 12, 2304},
    // numPerms(20)
    {"free", 20, 2'432'902'008'176'640'000},
    // numPerms(4, how()): shuffleSet(4, 30) gives the 23 other than the identity
    {"free", 4, 24},
}};

/// allPerms(7, how(blocks = factor(c(1, 1, 1, 2, 2, 3, 3)), observed = TRUE)) minus 1, in lexicographic order.
inline constexpr std::array<std::array<int, 7>, 24> permute_blocks{{
    {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2, 3, 4, 6, 5}, {0, 1, 2, 4, 3, 5, 6}, {0, 1, 2, 4, 3, 6, 5},
    {0, 2, 1, 3, 4, 5, 6}, {0, 2, 1, 3, 4, 6, 5}, {0, 2, 1, 4, 3, 5, 6}, {0, 2, 1, 4, 3, 6, 5},
    {1, 0, 2, 3, 4, 5, 6}, {1, 0, 2, 3, 4, 6, 5}, {1, 0, 2, 4, 3, 5, 6}, {1, 0, 2, 4, 3, 6, 5},
    {1, 2, 0, 3, 4, 5, 6}, {1, 2, 0, 3, 4, 6, 5}, {1, 2, 0, 4, 3, 5, 6}, {1, 2, 0, 4, 3, 6, 5},
    {2, 0, 1, 3, 4, 5, 6}, {2, 0, 1, 3, 4, 6, 5}, {2, 0, 1, 4, 3, 5, 6}, {2, 0, 1, 4, 3, 6, 5},
    {2, 1, 0, 3, 4, 5, 6}, {2, 1, 0, 3, 4, 6, 5}, {2, 1, 0, 4, 3, 5, 6}, {2, 1, 0, 4, 3, 6, 5},
}};

/// allPerms(6, how(plots = Plots(strata = gl(3, 2), type = "free"), within = Within(type = "none"))) minus 1, without
/// the identity.
inline constexpr std::array<std::array<int, 6>, 5> permute_whole_plots{{
    {0, 1, 4, 5, 2, 3},
    {2, 3, 0, 1, 4, 5},
    {2, 3, 4, 5, 0, 1},
    {4, 5, 0, 1, 2, 3},
    {4, 5, 2, 3, 0, 1},
}};

}  // namespace riffle::test::oracles
