#pragma once

// Sizes of uniformity tests: how samples are examined, and up to which n null distributions are worked out exactly, which is
// bounded by the time that it takes on the host. What defines a test, as its cells and bins, stands with the test.

#include <cstdint>

namespace riffle::detail::uniformity {

// --- samples ---

/// How many teams work on a processor of a GPU at a time, and how many threads they have. (Not measured against others.)
inline constexpr std::uint64_t teams_per_processor = 8;
inline constexpr int threads_of_team = 128;

/// The most points of a permutation that one thread of a GPU examines alone, and how many such threads a processor has.
inline constexpr std::uint64_t max_points_alone = 32;
inline constexpr std::uint64_t lone_threads_per_processor = 512;

/// The words of memory that all workers take at most: 4 GiB.
inline constexpr std::uint64_t max_words = std::uint64_t{1} << 30;

/// The length of runs that are sorted by insertion: one step in place of the first four merges.
inline constexpr std::uint64_t run_length = 16;

/// The number of slices of samples between which progress is told. Slices keep pairs of samples together.
inline constexpr std::uint64_t slices = 50;

// --- null distributions: the largest n of each, for larger n there are moments ---

/// In n^3 / 12 steps.
inline constexpr std::uint64_t largest_inversion_distribution = 1024;
/// In n^2 / 2 steps.
inline constexpr std::uint64_t largest_descent_distribution = 8192;
/// In 2^n n^4 / 6 steps.
inline constexpr std::uint64_t largest_squared_difference_distribution = 12;
/// In n^4 / 8 steps: 50 ms at the n from which on the test of footrules takes the moments.
inline constexpr std::uint64_t largest_footrule_distribution = 128;
inline constexpr std::uint64_t largest_exact_footrule = 80;
static_assert(largest_exact_footrule <= largest_footrule_distribution);
/// It has 1,741,630 partitions.
inline constexpr std::uint64_t largest_increasing_distribution = 64;
/// In time proportional to n.
inline constexpr std::uint64_t largest_cycle_distribution = std::uint64_t{1} << 24;

/// Collisions: at 200 expected ones, or 200 cells that are never hit, the normal law makes p-values of 0.001 too small by a
/// factor of 1.7, and p-values of 1e-6 by a factor of 4. Where fewer are expected, or of so few cells, the exact distribution
/// is worked out.
inline constexpr double min_normal_collisions = 200;
inline constexpr std::uint64_t max_exact_collision_cells = 1024;

}  // namespace riffle::detail::uniformity
