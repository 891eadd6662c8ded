#pragma once

// The sizes of tiles, and the bounds by which each call chooses its method. The measurements are in
// perf/notes/permute.md (on an H200 unless it says otherwise). Launch bounds are next to their kernels, because they
// depend on registers.
//
// | call | CPU | GPU |
// | --- | --- | --- |
// | transpose, permute_bits, elements of up to max_tiled_element_bytes | a thread moves a tile | a team moves a tile |
// | the same, larger elements | one by one | one by one |
// | transpose_in_place, squares | pairs of tiles | pairs of tiles |
// | transpose_in_place, other matrices | panels | a buffer up to max_buffered_bytes, then units |
// | ScheduledPermutation | tiles of cpu_shape | tiles of gpu_shape |
// | PlannedPermutation | gather up to max_gathered, then the fastest method | the same |
// | count_address_groups | comparisons up to max_compared, then stamps | the same |

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>

// --- tiles of transpositions and of permutations of bits ---

namespace riffle::detail::tiles {

/// The number of threads of a team that moves a tile.
inline constexpr int thread_bits = 8;
inline constexpr int threads_of_team = 1 << thread_bits;

/// The number of bits of an element's index in a tile, for elements of `element` bytes. A tile has 16 KiB, so that runs
/// have at least 128 bytes, each thread has four vectors in flight, and a multiprocessor can hold several teams. At
/// least 9 bits, so that each of the 256 threads has two elements.
constexpr int tile_bits(std::size_t element) {
  int bits = 14;
  for (std::size_t size = 1; size < element; size *= 2) --bits;
  return bits;
}

/// The largest elements that are moved in tiles. Larger elements are moved one by one, because each fills whole sectors
/// of memory.
inline constexpr std::size_t max_tiled_element_bytes = 32;

/// The size of memory blocks, which are aligned blocks of a GPU's memory that are read and written fastest as a whole.
/// A run that covers the halves of two blocks is slower than a whole block, by a tenth on an H200. The data of a
/// Kokkos::View begin 128 bytes after a block boundary, because of the header of the allocation.
inline constexpr std::size_t block_bytes = 256;

/// The grid of tiles may begin before the matrix, so that tiles are aligned to memory blocks, if there are at least
/// this many tiles in that direction. For fewer tiles, the additional tile would cost more than the alignment gains.
inline constexpr std::uint64_t min_tiles_for_lead = 16;

/// The number of teams on a multiprocessor that swap pairs of tiles. If a tile has more than 2^11 elements, a thread
/// moves four vectors, and four teams are faster than five.
inline constexpr int teams_swapping_squares = 5;
constexpr int teams_swapping_bits(int tile_bits) { return tile_bits > 11 ? 4 : 5; }

/// Whether a CPU writes an output of `bytes` bytes with streaming stores, which bypass the caches. The runs of a tile
/// are too far apart for hardware prefetchers. If their distance is a power of two, they also share few sets of the
/// inner caches. With ordinary stores, each line would first be read from the last-level cache, and soon be evicted to
/// it. Outputs of up to 8 MiB, or of up to 1/16 of the last-level cache if that is more, are written through the
/// caches, so that the next reader finds them there.
inline bool writes_past_caches(std::uint64_t bytes) {
  constexpr std::uint64_t kept = std::uint64_t{1} << 23;
  std::uint64_t const share = backend::last_level_cache() / 16;
  return bytes > (share > kept ? share : kept);
}

/// The number of shares into which tiles are divided for each CPU thread. Threads take shares dynamically. With many
/// shares, a late thread or tiles with more work cost little.
inline constexpr std::uint64_t shares_per_thread = 64;

/// The number of tile rows in a panel of a transposition. A CPU thread moves the tiles of a panel column by column.
inline constexpr std::uint64_t tile_rows_of_panel = 16;

/// The largest log2 of the number of vectors of a row that one block of vector instructions splits.
inline constexpr int max_split_bits = 3;

// --- matrices other than squares, in place, on a CPU ---

/// The approximate size in bytes of a panel, and therefore of the buffer. Matrices of more than
/// max_panels * panel_bytes have larger panels.
inline constexpr std::size_t panel_bytes = std::size_t{1} << 20;
inline constexpr std::uint64_t max_panels = 32;

/// If there are fewer than min_panel_lines lines (rows or columns) in one direction, and a line of the other direction
/// has fewer than min_panel_line_bytes bytes, each line is a panel, because runs across several lines of a panel would
/// be short.
inline constexpr std::uint64_t min_panel_line_bytes = 4096;
inline constexpr std::uint64_t min_panel_lines = 512;

// --- matrices other than squares, in place, on a GPU ---

/// The largest matrices that are transposed to a buffer and copied back. Matrix and buffer then stay in the
/// second-level cache.
inline constexpr std::size_t max_buffered_bytes = std::size_t{10} << 20;

/// The largest size of a block without its padding. With the padding, a block also fits into the 32 KiB of scratch
/// memory of a team on a CPU.
inline constexpr std::size_t max_block_bytes = std::size_t{29} << 10;

/// The sizes of units, which are runs of memory that are moved as a whole. Shorter units are moved more slowly; longer
/// ones make blocks that do not fit into scratch memory. If there are so few lines in the other direction that a block
/// contains all of them, units may be longer.
inline constexpr std::size_t min_unit_bytes = 192;
inline constexpr std::size_t max_unit_bytes = 512;
inline constexpr std::size_t max_unit_bytes_of_few_lines = 2048;

/// One in `mark_spacing` consecutive units is marked and saved, and one thread begins at each marked unit.
/// pieces_at_once is the number of loads that a thread has in flight.
inline constexpr int mark_spacing = 32;
inline constexpr int pieces_at_once = 8;

/// The largest number of threads that move units. It is enough to fill any GPU.
inline constexpr std::uint64_t max_unit_threads = std::uint64_t{1} << 19;

/// The smallest number of elements in a tile in which rows are shifted together or apart: min_shift_tile, and
/// tile_per_shift for each element that crosses the end of a tile and is saved.
inline constexpr std::uint64_t min_shift_tile = std::uint64_t{1} << 14;
inline constexpr std::uint64_t tile_per_shift = 8;

}  // namespace riffle::detail::tiles

// --- schedules ---

namespace riffle::detail::schedule {

/// The size of tiles and the largest number of buckets of a level. On a CPU a tile of 4-byte words has 256 KiB, which
/// fits a core's second-level cache; on a GPU it fits into scratch memory. A team of a GPU has at least one thread for
/// each bucket.
struct Shape {
  int tile_bits;
  int max_bucket_bits;
};
inline constexpr Shape cpu_shape{16, 12};
inline constexpr Shape gpu_shape{13, 9};

}  // namespace riffle::detail::schedule

// --- the choice of a method ---

namespace riffle::detail::planning {

/// For up to this many elements a gather is the fastest method, or as fast as the others, because all data are in
/// caches.
inline constexpr std::uint64_t max_gathered = std::uint64_t{1} << 16;

/// Constants for timing the methods. The methods are timed one after another in each round, because the speed of a
/// shared machine varies. Each is timed three times in a round if the arrays may fit a cache, otherwise once. They are
/// assumed to fit if n is less than cached_elements_of_gpu, or cached_elements_of_thread times the number of threads on
/// a CPU.
inline constexpr int timing_rounds = 2;
inline constexpr std::uint64_t cached_elements_of_thread = std::uint64_t{1} << 21;
inline constexpr std::uint64_t cached_elements_of_gpu = std::uint64_t{1} << 23;

/// A schedule takes at least the time of min_schedule_copies copies. Because times vary by some percent and a schedule
/// needs more memory, it is chosen only if it is faster by the factor schedule_margin.
inline constexpr double min_schedule_copies = 2;
inline constexpr double schedule_margin = 1.03;

/// The time in nanoseconds that building a schedule takes: a constant, and a time for each element.
struct ScheduleBuildCost {
  double once;
  double element;
};

/// Measured on an H200 for n = 2^22 to 2^28.
inline constexpr ScheduleBuildCost gpu_schedule_build_cost{400'000, 0.075};

/// Measured on one core of a Xeon with 2 MiB of second-level cache for n = 2^16 to 2^26. The threads divide the
/// elements among themselves.
inline constexpr ScheduleBuildCost cpu_schedule_build_cost{30'000, 30};

}  // namespace riffle::detail::planning

// --- others ---

namespace riffle::detail {

/// The largest width of groups whose indices are compared with each other; wider groups use stamps. On a CPU a stamp
/// costs less than the comparisons in wider groups. On a GPU comparisons stay faster for longer, because the other
/// indices of a group are in the cache.
template <class Exec>
inline constexpr std::uint64_t max_compared = backend::is_cpu<Exec> ? 8 : 64;
inline constexpr std::uint64_t stamping_threads = 256;

}  // namespace riffle::detail

namespace riffle::detail::edge_colouring {

/// The number of subgraphs for each thread, so that threads do not wait long for the last one. A subgraph is coloured
/// by one thread.
inline constexpr std::uint64_t subgraphs_per_thread = 4;

}  // namespace riffle::detail::edge_colouring

namespace riffle::detail::row_permutation {

/// The largest number of threads in a team that permutes a row, and the number of tasks for each thread that schedules
/// rows.
inline constexpr int max_threads = 1024;
inline constexpr std::uint64_t tasks_per_thread = 8;

}  // namespace riffle::detail::row_permutation
