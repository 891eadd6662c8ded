#pragma once

// The sizes of tiles, and the bounds by which each call chooses its method. perf/notes/permute.md has the measurements
// (of an H200 unless it says otherwise). Launch bounds are next to their kernels, because they depend on registers.
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

/// The number of bits of an element's number in a tile, for elements of `element` bytes. A tile has 16 KiB: runs then
/// have at least 128 bytes, each thread has four vectors in flight, and a multiprocessor has room for several teams.
/// At least 9 bits, so that each of the 256 threads has two elements.
constexpr int tile_bits(std::size_t element) {
  int bits = 14;
  for (std::size_t size = 1; size < element; size *= 2) --bits;
  return bits;
}

/// Larger elements are moved one by one, because each fills whole sectors of memory.
inline constexpr std::size_t max_tiled_element_bytes = 32;

/// The size of memory blocks: aligned blocks of a GPU's memory that are read and written fastest as a whole. Runs that
/// cover two halves of blocks are slower than whole blocks, by a tenth on an H200. The data of a Kokkos::View begin 128
/// bytes after a block boundary, because of its header.
inline constexpr std::size_t block_bytes = 256;

/// The minimal number of tiles in a direction for which the grid of tiles may begin before the matrix so that tiles are
/// aligned to memory blocks. For fewer tiles, the additional tile would cost more than alignment gains.
inline constexpr std::uint64_t min_tiles_for_lead = 16;

/// The number of teams on a multiprocessor that swap pairs of tiles. For tiles of more than 2^11 elements, of which a
/// thread moves four vectors, four teams are faster than five.
inline constexpr int teams_swapping_squares = 5;
constexpr int teams_swapping_bits(int tile_bits) { return tile_bits > 11 ? 4 : 5; }

/// Whether a CPU writes an output of `bytes` bytes by streaming stores, which bypass the caches. The runs of a tile
/// are too far apart for hardware prefetchers, and at distances of powers of two they share few sets of the inner
/// caches: with ordinary stores, each line is first read from the last-level cache, and soon evicted to it. Outputs
/// of up to 8 MiB, or of up to 1/16 of the last-level cache if that is more, are written through the caches, so
/// that they are there for the next reader.
inline bool writes_past_caches(std::uint64_t bytes) {
  constexpr std::uint64_t kept = std::uint64_t{1} << 23;
  std::uint64_t const share = backend::last_level_cache() / 16;
  return bytes > (share > kept ? share : kept);
}

/// The number of shares of tiles for each CPU thread. Threads take shares dynamically; with many shares, a late thread
/// or tiles with more work cost little.
inline constexpr std::uint64_t shares_per_thread = 64;

/// The number of tile rows in a panel of a transposition. A CPU thread moves the tiles of a panel column by column.
inline constexpr std::uint64_t tile_rows_of_panel = 16;

/// The maximal log2 of the number of vectors of a row that one block of vector instructions splits.
inline constexpr int max_split_bits = 3;

// --- matrices other than squares, in place, on a CPU ---

/// The approximate size of a panel and so of the buffer, in bytes. Larger matrices than max_panels times this have
/// larger panels.
inline constexpr std::size_t panel_bytes = std::size_t{1} << 20;
inline constexpr std::uint64_t max_panels = 32;

/// If there are fewer lines (rows or columns) than this, and a line of the other direction has fewer bytes than
/// this, each line is a panel, because runs across several lines of a panel would be short.
inline constexpr std::uint64_t min_panel_line_bytes = 4096;
inline constexpr std::uint64_t min_panel_lines = 512;

// --- matrices other than squares, in place, on a GPU ---

/// Matrices of up to this size are transposed to a buffer and copied back: both then stay in the second-level cache.
inline constexpr std::size_t max_buffered_bytes = std::size_t{10} << 20;

/// The maximal size of a block without its padding. With the padding it fits also into the 32 KiB of scratch memory
/// that a team of a CPU has.
inline constexpr std::size_t max_block_bytes = std::size_t{29} << 10;

/// The size of units, which are runs of memory that are moved together. Shorter runs are moved more slowly; longer ones
/// make blocks that do not fit into scratch memory. Units may be longer if a block contains all of the few lines in the
/// other direction.
inline constexpr std::size_t min_unit_bytes = 192;
inline constexpr std::size_t max_unit_bytes = 512;
inline constexpr std::size_t max_unit_bytes_of_few_lines = 2048;

/// One of this many consecutive units is marked and saved; a thread begins at each mark. pieces_at_once is the number
/// of loads that a thread has in flight.
inline constexpr int mark_spacing = 32;
inline constexpr int pieces_at_once = 8;

/// The maximal number of threads that move units; enough to fill any GPU.
inline constexpr std::uint64_t max_unit_threads = std::uint64_t{1} << 19;

/// Tiles in which rows are moved together or apart have at least this many elements, and at least this many for each
/// element that crosses the end of a tile and is saved.
inline constexpr std::uint64_t min_shift_tile = std::uint64_t{1} << 14;
inline constexpr std::uint64_t tile_per_shift = 8;

}  // namespace riffle::detail::tiles

// --- schedules ---

namespace riffle::detail::schedule {

/// The size of tiles and the maximal number of buckets of a level. A tile of 4-byte words has 256 KiB on a CPU,
/// which a core's own cache holds, and fits into scratch memory on a GPU. A team of a GPU has at least one thread
/// for each bucket.
struct Shape {
  int tile_bits;
  int max_bucket_bits;
};
inline constexpr Shape cpu_shape{16, 12};
inline constexpr Shape gpu_shape{13, 9};

}  // namespace riffle::detail::schedule

// --- the choice of a method ---

namespace riffle::detail::planning {

/// Up to this many elements a gather is the fastest method, or equally fast, because all data are in caches.
inline constexpr std::uint64_t max_gathered = std::uint64_t{1} << 16;

/// The methods are timed in rounds, one after another, because the speed of a shared machine varies. In each round a
/// method is timed three times if a cache may hold the arrays, which is assumed below this number of elements (on a CPU
/// multiplied by the number of threads), otherwise once.
inline constexpr int timing_rounds = 2;
inline constexpr std::uint64_t cached_elements_of_thread = std::uint64_t{1} << 21;
inline constexpr std::uint64_t cached_elements_of_gpu = std::uint64_t{1} << 23;

/// A schedule takes at least the time of this many copies. Because times vary by some percent and a schedule needs more
/// memory, it is chosen only if it is faster by this factor.
inline constexpr double min_schedule_copies = 2;
inline constexpr double schedule_margin = 1.03;

/// The nanoseconds that building a schedule takes: a constant, and a time for each element.
struct ScheduleBuildCost {
  double once;
  double element;
};

/// Measured on an H200 for n = 2^22 to 2^28.
inline constexpr ScheduleBuildCost gpu_schedule_build_cost{400'000, 0.075};

/// Measured on one core of a Xeon with 2 MiB of second-level cache for n = 2^16 to 2^26; the threads divide the
/// elements.
inline constexpr ScheduleBuildCost cpu_schedule_build_cost{30'000, 30};

}  // namespace riffle::detail::planning

// --- others ---

namespace riffle::detail {

/// The maximal width of groups whose indices are compared with each other. On a CPU a stamp costs less than the
/// comparisons in wider groups. On a GPU the other indices of a group are in the cache.
template <class Exec>
inline constexpr std::uint64_t max_compared = backend::is_cpu<Exec> ? 8 : 64;
inline constexpr std::uint64_t stamping_threads = 256;

}  // namespace riffle::detail

namespace riffle::detail::edge_colouring {

/// The number of subgraphs for each thread, so that threads do not wait long for the last one. One thread takes one.
inline constexpr std::uint64_t subgraphs_per_thread = 4;

}  // namespace riffle::detail::edge_colouring

namespace riffle::detail::row_permutation {

/// The maximal number of threads of a team that permutes a row, and the number of tasks for each thread that schedules
/// rows.
inline constexpr int max_threads = 1024;
inline constexpr std::uint64_t tasks_per_thread = 8;

}  // namespace riffle::detail::row_permutation
