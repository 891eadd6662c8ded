#pragma once

// Sizes of permutation tests. Where nothing is said of a measurement, a size was chosen for the reason that stands with it,
// and has not been measured against its half and its double.

#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail {

// --- one statistic (perf/notes/monte_carlo.md) ---

/// The most replicates that a lane of a CPU, or a thread of one, advances side by side, where they are sums: as many sums as
/// vectors of AVX-512 hold. On a GPU a lane has one: at 200 + 200 values two and four a lane do 0.98 and at 2000 + 2000 0.86
/// to 0.89 of one (H200).
inline constexpr int max_sums_side_by_side = 8;

/// From so many pairs on a team computes a replicate of a correlation, not a lane.
inline constexpr std::uint64_t team_of_pairs_from = 1024;

/// How many enumerated arrangements a thread of a CPU goes through at a time. They cost 12 (two samples), 3 (groups) and 3
/// (pairs) times less than each by its rank.
inline constexpr int arrangements_of_groups_in_order = 256;
inline constexpr int blocks_of_permutations_in_order = 10;

/// The most sums in the lists of what the last items of a sample add: they stay in a cache.
inline constexpr std::uint64_t max_listed_sums = 4096;

}  // namespace riffle::detail

namespace riffle::detail::variables {

// --- many variables, all columns ---

/// How many variables a thread multiplies a replicate with at a time, and how many replicates lie side by side.
template <class Exec>
inline constexpr int variables_at_once = backend::is_cpu<Exec> ? 4 : 8;
template <class Exec>
inline constexpr int replicates_at_once = backend::is_cpu<Exec> ? 8 : 64;

/// The chunks of replicates with which a thread of a CPU walks over all variables, so that it adds to the counts rarely.
inline constexpr int chunks_of_cpu_thread = 16;

/// A batch of replicates takes so many bytes at most, and some second: that of so many products of a value and a column's
/// entry. Progress is told after each batch.
template <class Exec>
inline constexpr std::uint64_t max_batch_bytes =
    std::uint64_t{1} << (backend::is_cpu<Exec> ? 24 : 28);
template <class Exec>
inline constexpr std::uint64_t products_of_second =
    std::uint64_t{1} << (backend::is_cpu<Exec> ? 33 : 43);

/// The most replicates of a batch: their maxima are sorted at once.
inline constexpr std::uint64_t max_batch = std::uint64_t{1} << 20;

/// Enumerated arrangements are compared in more bits where that takes no more products: some ten seconds of a core.
inline constexpr double max_wide_products = 0x1p37;

/// Test statistics, ranks and sorts of the variables that are ranked at a time take so many bytes, 48 an arrangement, and there are
/// at most so many variables.
template <class Exec>
inline constexpr std::uint64_t max_ranked_bytes =
    std::uint64_t{1} << (backend::is_cpu<Exec> ? 28 : 31);
inline constexpr std::uint64_t max_ranked_variables = std::uint64_t{1} << 16;

// --- labels on a CPU, by tables (cpu/count_labels_cpu.hpp has the measurements) ---

/// A table has the sums of so many observations: 6 bits are nearly the best for all n and all numbers of replicates.
inline constexpr int observations_of_table = 6;

/// Tables that are filled at a time, of 2 KiB each with four variables: half of a small processor's first-level cache.
inline constexpr int tables_at_once = 8;

/// Replicates of a thread's unit: sums and maxima of the most take 20 KiB; with the fewest, tables are twice as fast as
/// products.
inline constexpr int max_unit_bits = 9;
inline constexpr int min_unit_bits = 5;

/// The products that tables spare in some second.
inline constexpr std::uint64_t table_products_of_second = std::uint64_t{1} << 36;

// --- GPUs (perf/notes/monte_carlo.md has what other forms do on an H200 and an H100) ---

/// The threads of a team that counts, and how many teams a processor is to hold, which bounds the registers of a thread:
/// labels by units that multiply bytes, columns by those that multiply doubles, all others by sums in registers.
inline constexpr int counting_threads = 128;
inline constexpr int label_teams_per_processor = 3;
inline constexpr int column_teams_per_processor = 2;
inline constexpr int counting_teams_per_processor = 4;

/// The variables of a window, whose counts a team has in scratch memory: 8 KiB.
inline constexpr int variables_of_window = 1024;

/// Of so many observations two digits are looked at first, of more four: those of one pair are off by some n / 8 in sums of n
/// observations, while sums spread by the root of n, so that too many would be undecided.
inline constexpr std::uint64_t max_observations_of_coarse_pair = 128;

/// The steps of 32 observations after which the warps of a team meet, so that digits come from the first-level cache.
inline constexpr int steps_together = 8;

/// The loads that are under way where a lane adds up whole values: with eight, and growth of maxima within a tile seen at
/// once, 0.38 in place of 0.27 x 10^12 statistics/s (n = 38, 1,000 variables, H100).
inline constexpr std::uint64_t loads_under_way = 8;

/// The most threads of a team that draws labels.
inline constexpr int max_drawing_threads = 128;

}  // namespace riffle::detail::variables
