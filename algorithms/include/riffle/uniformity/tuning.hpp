#pragma once

// Tuning constants of uniformity tests: how samples are examined, and up to which n null
// distributions are computed exactly (for larger n, this would take too long on the host).
// Constants that define a test, such as its cells and bins, are in the header of the test.

#include <cstdint>

namespace riffle::detail::uniformity {

// --- samples ---

/// The number of teams that run on a GPU multiprocessor at a time, and the number of threads per
/// team. No other values were measured.
inline constexpr std::uint64_t teams_per_processor = 8;
inline constexpr int threads_of_team = 128;

/// A single GPU thread examines a permutation if it has at most this number of points. The second
/// constant is the number of such threads per multiprocessor.
inline constexpr std::uint64_t max_points_alone = 32;
inline constexpr std::uint64_t lone_threads_per_processor = 512;

/// The maximum number of words of memory for all workers together: 4 GiB.
inline constexpr std::uint64_t max_words = std::uint64_t{1} << 30;

/// The length of the runs that are sorted by insertion sort before they are merged. This replaces
/// the first four rounds of merges.
inline constexpr std::uint64_t run_length = 16;

/// The number of slices into which the samples are divided. `progress` is called after each slice.
/// A slice does not split a pair of samples.
inline constexpr std::uint64_t slices = 50;

// --- the largest n for which null distributions are exact; for larger n, moments are used ---

/// Takes n^3 / 12 steps.
inline constexpr std::uint64_t largest_inversion_distribution = 1024;
/// Takes n^2 / 2 steps.
inline constexpr std::uint64_t largest_descent_distribution = 8192;
/// Takes 2^n n^4 / 6 steps.
inline constexpr std::uint64_t largest_squared_difference_distribution = 12;
/// Takes n^4 / 8 steps. For n > largest_exact_footrule, the test of footrules uses moments.
inline constexpr std::uint64_t largest_footrule_distribution = 128;
inline constexpr std::uint64_t largest_exact_footrule = 80;
static_assert(largest_exact_footrule <= largest_footrule_distribution);
/// All 1,741,630 partitions of 64 are enumerated.
inline constexpr std::uint64_t largest_increasing_distribution = 64;
/// Takes time proportional to n.
inline constexpr std::uint64_t largest_cycle_distribution = std::uint64_t{1} << 24;

/// If 200 collisions (or 200 cells that are never hit) are expected, the normal approximation makes
/// a p-value of 0.001 too small by a factor of 1.7, and a p-value of 1e-6 by a factor of 4. If
/// fewer are expected, or if there are at most max_exact_collision_cells cells, the exact
/// distribution is computed.
inline constexpr double min_normal_collisions = 200;
inline constexpr std::uint64_t max_exact_collision_cells = 1024;

}  // namespace riffle::detail::uniformity
