#pragma once

// Tuning constants of permutation tests. If no measurement is cited, a constant was chosen for the reason that is given
// with it, and other values were not measured.

#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail {

// --- one statistic (perf/notes/monte_carlo.md) ---

/// The maximum number of replicates that a thread of a CPU computes at a time if the statistic is a function of a sum.
/// It is the number of 64-bit sums in an AVX-512 vector. On a GPU a lane computes one replicate.
inline constexpr int max_sums_side_by_side = 8;

/// The smallest number of pairs for which a team computes a replicate of a correlation; for fewer pairs, a lane does.
inline constexpr std::uint64_t team_of_pairs_from = 1024;

/// The number of consecutive enumerated arrangements that a thread of a CPU computes at a time. Advancing to the next
/// arrangement is cheaper than computing it from its rank.
inline constexpr int arrangements_of_groups_in_order = 256;
inline constexpr int blocks_of_permutations_in_order = 10;

/// The maximum number of sums in the lists of class LabelTails, chosen so that the lists stay in a cache.
inline constexpr std::uint64_t max_listed_sums = 4096;

}  // namespace riffle::detail

namespace riffle::detail::variables {

// --- many variables, all columns ---

/// variables_at_once: the number of variables that a thread multiplies by a replicate at a time. replicates_at_once:
/// the number of replicates in a chunk, whose elements for one observation are adjacent in memory.
template <class Exec>
inline constexpr int variables_at_once = backend::is_cpu<Exec> ? 4 : 8;
template <class Exec>
inline constexpr int replicates_at_once = backend::is_cpu<Exec> ? 8 : 64;

/// The number of chunks of replicates that a thread of a CPU processes in one pass over all variables. Each pass adds
/// to the counts of all variables once, so more chunks mean fewer additions.
inline constexpr int chunks_of_cpu_thread = 16;

/// Upper bounds for a batch of replicates. max_batch_bytes bounds its memory. products_of_second bounds the number of
/// products (a value times an element of a column). A batch with this number of products takes about a second, so
/// progress is reported about once a second.
template <class Exec>
inline constexpr std::uint64_t max_batch_bytes =
    std::uint64_t{1} << (backend::is_cpu<Exec> ? 24 : 28);
template <class Exec>
inline constexpr std::uint64_t products_of_second =
    std::uint64_t{1} << (backend::is_cpu<Exec> ? 33 : 43);

/// The maximum number of replicates in a batch. Their maxima are sorted together.
inline constexpr std::uint64_t max_batch = std::uint64_t{1} << 20;

/// Enumerated arrangements may be compared as wide integers (wide_integers.hpp) if this takes fewer than this number of
/// products, that is, at most about ten seconds on one core.
inline constexpr double max_wide_products = 0x1p37;

/// Upper bounds for ranking several variables at a time (min-P): the bytes for test statistics, ranks and sorting, 48
/// bytes for each variable and arrangement; and the number of variables.
template <class Exec>
inline constexpr std::uint64_t max_ranked_bytes =
    std::uint64_t{1} << (backend::is_cpu<Exec> ? 28 : 31);
inline constexpr std::uint64_t max_ranked_variables = std::uint64_t{1} << 16;

// --- labels on a CPU, by tables (perf/notes/monte_carlo.md) ---

/// A table contains the sums over all subsets of this number of observations. 6 is nearly optimal for all n and for any
/// number of replicates.
inline constexpr int observations_of_table = 6;

/// The number of tables that are filled at a time. A table for four variables takes 2 KiB, so 8 tables take half of a
/// first-level cache of 32 KiB.
inline constexpr int tables_at_once = 8;

/// Bounds for log2 of the number of replicates that a thread processes at a time. With the maximum number, the sums and
/// maxima take 20 KiB; with the minimum number, tables are twice as fast as products.
inline constexpr int max_unit_bits = 9;
inline constexpr int min_unit_bits = 5;

/// In about one second, the sums from tables replace this number of products.
inline constexpr std::uint64_t table_products_of_second = std::uint64_t{1} << 36;

// --- GPUs (perf/notes/monte_carlo.md compares alternatives on an H200 and an H100) ---

/// The number of threads in a team of a counting kernel, and the number of teams per multiprocessor, which limits the
/// registers of a thread. Kernels for labels multiply bytes on matrix units, kernels for columns multiply doubles on
/// matrix units, and the other kernels add in registers.
inline constexpr int counting_threads = 128;
inline constexpr int label_teams_per_processor = 3;
inline constexpr int column_teams_per_processor = 2;
inline constexpr int counting_teams_per_processor = 4;

/// The number of variables in a window, whose counts a team keeps in scratch memory (8 KiB).
inline constexpr int variables_of_window = 1024;

/// For at most this number of observations, two digits of each value are multiplied first; for more observations, four
/// digits. With two digits, the error of a sum over n observations is about n / 8, whereas the sums of different
/// replicates have a standard deviation of only about sqrt(n). Therefore two digits would leave too many replicates
/// undecided for large n.
inline constexpr std::uint64_t max_observations_of_coarse_pair = 128;

/// The warps of a team synchronise each time they have processed this number of steps (32 observations per step), so
/// that they read the same digits from the first-level cache.
inline constexpr int steps_together = 8;

/// The number of loads that a lane keeps in flight while it adds integers.
inline constexpr std::uint64_t loads_under_way = 8;

/// The maximum number of threads in a team that draws labels.
inline constexpr int max_drawing_threads = 128;

}  // namespace riffle::detail::variables
