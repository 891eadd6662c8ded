#pragma once

// Tuning constants of permutation tests. Where no measurement is cited, a constant was chosen for the reason given with
// it, and its half and double were not measured.

#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail {

// --- one statistic (perf/notes/monte_carlo.md) ---

/// The most replicates that a lane of a CPU, or a thread of one, computes at a time if a replicate is a sum: the number
/// of sums in a vector of AVX-512. On a GPU a lane computes one.
inline constexpr int max_sums_side_by_side = 8;

/// From this number of pairs on, a team computes a replicate of a correlation; for fewer pairs, a lane does.
inline constexpr std::uint64_t team_of_pairs_from = 1024;

/// The number of consecutive enumerated arrangements that a thread of a CPU computes at a time. Each costs less than an
/// arrangement computed from its rank.
inline constexpr int arrangements_of_groups_in_order = 256;
inline constexpr int blocks_of_permutations_in_order = 10;

/// The most sums in the lists of assignments of a sample's last items, so that they stay in a cache.
inline constexpr std::uint64_t max_listed_sums = 4096;

}  // namespace riffle::detail

namespace riffle::detail::variables {

// --- many variables, all columns ---

/// The number of variables that a thread multiplies a replicate with at a time, and the number of replicates whose
/// elements are adjacent (a chunk).
template <class Exec>
inline constexpr int variables_at_once = backend::is_cpu<Exec> ? 4 : 8;
template <class Exec>
inline constexpr int replicates_at_once = backend::is_cpu<Exec> ? 8 : 64;

/// The chunks of replicates with which a thread of a CPU passes over all variables. More chunks mean fewer additions to
/// the counts.
inline constexpr int chunks_of_cpu_thread = 16;

/// Bounds on a batch of replicates: its memory in bytes, and its products of a value with an element of a column, which
/// take about a second. Progress is reported after each batch.
template <class Exec>
inline constexpr std::uint64_t max_batch_bytes =
    std::uint64_t{1} << (backend::is_cpu<Exec> ? 24 : 28);
template <class Exec>
inline constexpr std::uint64_t products_of_second =
    std::uint64_t{1} << (backend::is_cpu<Exec> ? 33 : 43);

/// The most replicates of a batch, whose maxima are sorted together.
inline constexpr std::uint64_t max_batch = std::uint64_t{1} << 20;

/// Enumerated arrangements are compared with more bits if that takes at most this number of products, about ten seconds
/// of a core.
inline constexpr double max_wide_products = 0x1p37;

/// The memory in bytes for the test statistics, ranks and sorts of the variables that are ranked at a time, 48 bytes
/// for each arrangement, and the most such variables.
template <class Exec>
inline constexpr std::uint64_t max_ranked_bytes =
    std::uint64_t{1} << (backend::is_cpu<Exec> ? 28 : 31);
inline constexpr std::uint64_t max_ranked_variables = std::uint64_t{1} << 16;

// --- labels on a CPU, by tables (perf/notes/monte_carlo.md) ---

/// A table has the sums over all subsets of this number of observations: 6 bits are nearly optimal for all n and all
/// numbers of replicates.
inline constexpr int observations_of_table = 6;

/// Tables that are filled at a time. With four variables each has 2 KiB: together half of a small processor's
/// first-level cache.
inline constexpr int tables_at_once = 8;

/// Bounds on log2 of the replicates of a thread's unit. The sums and maxima of the largest unit take 20 KiB; with the
/// smallest, tables are twice as fast as products.
inline constexpr int max_unit_bits = 9;
inline constexpr int min_unit_bits = 5;

/// The number of products that tables replace in about a second.
inline constexpr std::uint64_t table_products_of_second = std::uint64_t{1} << 36;

// --- GPUs (perf/notes/monte_carlo.md compares alternatives on an H200 and an H100) ---

/// The threads of a team that counts, and the teams per multiprocessor, which bound the registers of a thread: kernels
/// for labels multiply bytes by matrix units, kernels for columns multiply doubles by them, and others add up in
/// registers.
inline constexpr int counting_threads = 128;
inline constexpr int label_teams_per_processor = 3;
inline constexpr int column_teams_per_processor = 2;
inline constexpr int counting_teams_per_processor = 4;

/// The variables of a window. A team has their counts in scratch memory: 8 KiB.
inline constexpr int variables_of_window = 1024;

/// Up to this number of observations two digits are multiplied first, and four for more. The error of two digits is
/// about n / 8 in sums of n observations, while sums spread by sqrt(n), so that for large n too many replicates would
/// be undecided.
inline constexpr std::uint64_t max_observations_of_coarse_pair = 128;

/// The number of steps of 32 observations after which the warps of a team synchronise, so that they read digits from
/// the first-level cache.
inline constexpr int steps_together = 8;

/// The number of loads in flight while a lane adds up whole values.
inline constexpr std::uint64_t loads_under_way = 8;

/// The most threads of a team that draws labels.
inline constexpr int max_drawing_threads = 128;

}  // namespace riffle::detail::variables
