#pragma once

// Which way of moving elements is for which sizes, and the sizes of tiles. Figures are of an H200
// (docs/performance.md, perf/notes/permute.md) unless the text says otherwise. Launch bounds stand with their kernels, since
// they follow from registers.
//
// | call | CPU | GPU |
// | --- | --- | --- |
// | transpose, permute_bits, elements of up to largest_tiled_element bytes | a tile a thread | a tile a team |
// | larger elements | one by one | one by one |
// | transpose_in_place, squares | pairs of tiles | pairs of tiles |
// | other matrices | panels | a buffer up to max_buffered_bytes, then units |
// | ScheduledPermutation | tiles of 2^cpu_tile_bits | tiles of 2^gpu_tile_bits |
// | PlannedPermutation | gather up to most_gathered, then the fastest of all ways | the same |
// | count_address_groups | comparisons up to max_compared, then stamps | the same |

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>

// --- tiles of transpositions and of permutations of bits ---

namespace riffle::detail::tiles {

/// The number of threads of a team that moves a tile.
inline constexpr int thread_bits = 8;
inline constexpr int threads_of_team = 1 << thread_bits;

/// The number of bits of s and r in a tile of elements of `element` bytes: 16 KiB, so that runs are of 128 bytes or
/// more, each thread has four vectors under way, and many teams fit on a processor. At least 9 bits, so that every
/// thread has two elements. (Affine maps with 32 KiB: 0.865 of a copy for floats and 0.873 for doubles, with 16 KiB 0.862
/// and 0.884.)
constexpr int tile_bits(std::size_t element) {
  int bits = 14;
  for (std::size_t size = 1; size < element; size *= 2) --bits;
  return bits;
}

/// Larger elements are moved one by one: each fills lines of memory by itself.
inline constexpr std::size_t max_tiled_element_bytes = 32;

/// The blocks in which a GPU's memory is read and written fastest as a whole. An H200 moves runs of 256 bytes at 0.93 of
/// the speed of a copy where they are blocks, and at 0.83 where each covers halves of two blocks, as in a Kokkos::View,
/// which begins 128 bytes behind a boundary, after its header.
inline constexpr std::size_t block_bytes = 256;

/// The least number of tiles in a direction in which a grid may begin before the matrix, for the sake of blocks: one tile
/// more then costs less.
inline constexpr std::uint64_t min_tiles_for_lead = 16;

/// The teams of a processor that exchange tiles. Squares, of a copy's speed, with 4, 5 and 6 teams: doubles 0.78, 0.88 and
/// 0.88, floats 0.91, 0.92 and 0.85. Bit-reversal with 4 and 5 teams: 2^26 doubles 0.89 and 0.92, 2^28 floats, whose tiles
/// have four items for each thread, 0.90 and 0.86.
inline constexpr int teams_exchanging_squares = 5;
constexpr int teams_exchanging_bits(int tile_bits) { return tile_bits > 11 ? 4 : 5; }

/// Whether a CPU writes `bytes` bytes past the caches. Runs of a tile lie far apart, so that no processor foresees them, and
/// at distances of powers of two share few sets of the caches near it: a line waits for the outermost cache, to be read
/// before it is written, and soon goes back there. On a Xeon with 260 MB of that cache, two threads transpose 2^24 floats at
/// 2.3 G/s past the caches, and at 0.9 through them, though all would fit; from a sixteenth of that cache on it is never
/// slower. Less than a small such cache holds stays for those who read it next.
inline bool writes_past_caches(std::uint64_t bytes) {
  constexpr std::uint64_t kept = std::uint64_t{1} << 23;
  std::uint64_t const share = backend::last_level_cache() / 16;
  return bytes > (share > kept ? share : kept);
}

/// The shares of tiles for each thread of a CPU: so many that it costs little where one is late, or where tiles of low
/// numbers take more work.
inline constexpr std::uint64_t shares_per_thread = 64;

/// The tile rows of a panel of a transposition, whose tiles a thread of a CPU moves in turn.
inline constexpr std::uint64_t tile_rows_of_panel = 16;

/// The most vectors, as a logarithm, whose elements are split by one block of vector instructions.
inline constexpr int max_split_bits = 3;

// --- matrices that are no squares, in place, on a CPU ---

/// The bytes of the buffer, but for matrices of more than 32 times as many. With 1, 2, 4 and 8 MiB, a thread of an EPYC
/// with 1 MiB of its own cache takes 1.2, 1.0, 5.4 and 5.4 times as long for 3000 x 500 doubles as from array to array.
inline constexpr std::size_t panel_bytes = std::size_t{1} << 20;
inline constexpr std::uint64_t max_panels = 32;

/// Lines of fewer bytes, and fewer lines, are panels by themselves.
inline constexpr std::uint64_t min_panel_line_bytes = 4096;
inline constexpr std::uint64_t min_panel_lines = 512;

// --- the same on a GPU ---

/// A matrix of at most so many bytes is transposed to a buffer and copied back: both stay in the second-level cache.
inline constexpr std::size_t max_buffered_bytes = std::size_t{10} << 20;

/// The most bytes of a block, without its padding: with it, also a CPU's teams have scratch memory for one, of 32 KiB.
inline constexpr std::size_t max_block_bytes = std::size_t{29} << 10;

/// Units are runs of so many bytes: shorter ones are moved more slowly, and longer ones make blocks that scratch memory
/// does not hold. (2048 x 32768 doubles, us a pass, a copy 263: units of 128, 256 and 512 bytes 495, 358, 339.) They may be
/// longer where blocks have all of the few lines in the other direction.
inline constexpr std::size_t min_unit_bytes = 192;
inline constexpr std::size_t max_unit_bytes = 512;
inline constexpr std::size_t max_unit_bytes_of_few_lines = 2048;

/// Of so many neighbouring units one is kept, and a thread begins there. (Pieces under way at a time in a thread, same
/// matrix, both passes: 4, 8 and 16 686, 680, 677.)
inline constexpr int mark_spacing = 32;
inline constexpr int pieces_at_once = 8;

/// Enough threads for any GPU.
inline constexpr std::uint64_t max_unit_threads = std::uint64_t{1} << 19;

/// Rows are moved together or apart by tiles of so many elements at least, and so many for each that reaches into the next
/// tile and is kept.
inline constexpr std::uint64_t min_shift_tile = std::uint64_t{1} << 14;
inline constexpr std::uint64_t tile_per_shift = 8;

}  // namespace riffle::detail::tiles

// --- schedules ---

namespace riffle::detail::schedule {

/// The size of tiles, and how many buckets a level has at most. A CPU's are 256 KiB of words, so that they fit a core's own
/// cache; a GPU's fit scratch memory, and a team has as many threads as there are buckets.
struct Shape {
  int tile_bits;
  int max_bucket_bits;
};
inline constexpr Shape cpu_shape{16, 12};
inline constexpr Shape gpu_shape{13, 9};

}  // namespace riffle::detail::schedule

// --- the choice of a way ---

namespace riffle::detail::planning {

/// Up to so many elements a gather is the fastest, or as fast: all lie in caches.
inline constexpr std::uint64_t max_gathered = std::uint64_t{1} << 16;

/// Calls are timed in two rounds, in turn, as the speed of a shared machine changes from one call to the next; in each
/// round three times where a cache may hold the arrays, of so many elements (on a CPU, for each thread).
inline constexpr int timing_rounds = 2;
inline constexpr std::uint64_t cached_elements_of_thread = std::uint64_t{1} << 21;
inline constexpr std::uint64_t cached_elements_of_gpu = std::uint64_t{1} << 23;

/// A schedule takes at least as long as two copies, and is to be faster by this factor: times of one method vary by some
/// percent, and a schedule needs more memory.
inline constexpr double min_schedule_copies = 2;
inline constexpr double schedule_margin = 1.03;

/// The nanoseconds that building a schedule takes: once, and for each element.
struct PlanCost {
  double once;
  double element;
};

/// n = 2^22 to 2^28 take 0.65 to 20 ms.
inline constexpr PlanCost gpu_plan_cost{400'000, 0.075};

/// By one core of a Xeon of 2 GHz with 2 MiB of its own cache, n = 2^16 to 2^26; several cores divide the elements.
inline constexpr PlanCost cpu_plan_cost{30'000, 30};

}  // namespace riffle::detail::planning

// --- others ---

namespace riffle::detail {

/// The widest groups whose indices are compared with each other. On a CPU a stamp costs less than the comparisons of a wider
/// group; a GPU's lanes have their neighbours in cache.
template <class Exec>
inline constexpr std::uint64_t max_compared = backend::is_cpu<Exec> ? 8 : 64;
inline constexpr std::uint64_t stamping_threads = 256;

}  // namespace riffle::detail

namespace riffle::detail::edge_colouring {

/// The parts of a graph for each of several threads, so that the others do not wait for one that is late.
inline constexpr std::uint64_t subgraphs_per_thread = 4;

}  // namespace riffle::detail::edge_colouring

namespace riffle::detail::row_permutation {

/// The most threads of a team that permutes a row, and the tasks for each of the threads that schedule rows.
inline constexpr int max_threads = 1024;
inline constexpr std::uint64_t tasks_per_thread = 8;

}  // namespace riffle::detail::row_permutation
