#pragma once

// Tile sizes, and the bounds by which each call chooses its method. The measurements are in perf/notes/permute.md (on
// an H200 unless it says otherwise). Launch bounds are next to their kernels, because they depend on registers.
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

// --- tiles for transpositions and for permutations of bits ---

namespace riffle::detail::tiles {

/// The number of threads in a team that moves a tile, and its log2.
inline constexpr int thread_bits = 8;
inline constexpr int threads_of_team = 1 << thread_bits;

/// The number of bits in an element's index within a tile, for elements of `element` bytes. A tile has 16 KiB, so that
/// runs have at least 128 bytes, each thread has four vectors in flight, and a multiprocessor can hold several teams.
/// The number of bits is at least 9, so that each of the 256 threads has two elements.
constexpr int tile_bits(std::size_t element) {
  int bits = 14;
  for (std::size_t size = 1; size < element; size *= 2) --bits;
  return bits;
}

/// The maximum size of elements that are moved in tiles. Larger elements are moved one by one, because each fills whole
/// sectors of memory.
inline constexpr std::size_t max_tiled_element_bytes = 32;

/// The size of a memory block: an aligned block of GPU memory that is read and written fastest as a whole. On an H200,
/// a run that covers the halves of two blocks is a tenth slower than a run that covers one whole block. The data of a
/// Kokkos::View begin 128 bytes after a block boundary, because of the allocation's header.
inline constexpr std::size_t block_bytes = 256;

/// If there are at least this many tiles in a direction, the grid of tiles may begin before the matrix, so that tiles
/// are aligned to memory blocks. For fewer tiles, the additional tile would cost more time than the alignment saves.
inline constexpr std::uint64_t min_tiles_for_lead = 16;

/// The number of teams per multiprocessor that swap pairs of tiles. If a tile has more than 2^11 elements, a thread
/// moves four vectors, and four teams are then faster than five.
inline constexpr int teams_swapping_squares = 5;
constexpr int teams_swapping_bits(int tile_bits) { return tile_bits > 11 ? 4 : 5; }

/// Whether a CPU writes an output of `bytes` bytes with streaming stores, which bypass the caches. Ordinary stores are
/// slow here for two reasons. The runs of a tile are too far apart for hardware prefetchers. If the distance between
/// runs is a power of two, they also map to few sets of the inner caches. Therefore each line would first be read from
/// the last-level cache, and soon be evicted to it again. Outputs of up to 8 MiB, or of up to 1/16 of the last-level
/// cache if that is more, are nevertheless written through the caches, so that the next reader finds them there.
inline bool writes_past_caches(std::uint64_t bytes) {
  constexpr std::uint64_t kept = std::uint64_t{1} << 23;
  std::uint64_t const share = backend::last_level_cache() / 16;
  return bytes > (share > kept ? share : kept);
}

/// On a CPU, the tiles are divided into this number of shares per thread. Threads take shares dynamically, so that a
/// thread that starts late, or a tile with more work than others, delays the end only a little.
inline constexpr std::uint64_t shares_per_thread = 64;

/// The number of tile rows per panel in a transposition. A CPU thread moves the tiles of a panel column by column.
inline constexpr std::uint64_t tile_rows_of_panel = 16;

/// The log2 of the maximum number of vectors in a block of form `split` (detail/tiles/cpu/bit_rows.hpp).
inline constexpr int max_split_bits = 3;

// --- matrices other than squares, in place, on a CPU ---

/// The approximate size of a panel in bytes, which is also the size of the buffer. If a matrix has more than
/// max_panels * panel_bytes bytes, its panels are larger.
inline constexpr std::size_t panel_bytes = std::size_t{1} << 20;
inline constexpr std::uint64_t max_panels = 32;

/// Each row is a panel of its own if there are fewer than min_panel_lines rows and a column has fewer than
/// min_panel_line_bytes bytes. The reason is that a panel of several such rows would be moved in short runs. The same
/// holds with rows and columns exchanged.
inline constexpr std::uint64_t min_panel_line_bytes = 4096;
inline constexpr std::uint64_t min_panel_lines = 512;

// --- matrices other than squares, in place, on a GPU ---

/// The maximum size of matrices that are transposed to a buffer and copied back. Matrix and buffer then stay in the L2
/// cache.
inline constexpr std::size_t max_buffered_bytes = std::size_t{10} << 20;

/// The maximum size of a block without its padding. With the padding, a block also fits into a team's scratch memory on
/// a CPU (32 KiB).
inline constexpr std::size_t max_block_bytes = std::size_t{29} << 10;

/// The bounds for the size of a unit, which is a run of memory that is moved as a whole. Units below min_unit_bytes are
/// moved more slowly. Units above max_unit_bytes would make blocks that do not fit into scratch memory. If the matrix
/// has so few lines that a block contains all of them, units of up to max_unit_bytes_of_few_lines fit.
inline constexpr std::size_t min_unit_bytes = 192;
inline constexpr std::size_t max_unit_bytes = 512;
inline constexpr std::size_t max_unit_bytes_of_few_lines = 2048;

/// One unit in each block of mark_spacing units is marked. Marked units are saved, and one thread begins at each of
/// them. pieces_at_once is the number of loads that a thread has in flight.
inline constexpr int mark_spacing = 32;
inline constexpr int pieces_at_once = 8;

/// The maximum number of threads that move units. It is enough to fill any GPU.
inline constexpr std::uint64_t max_unit_threads = std::uint64_t{1} << 19;

/// Bounds for the tiles of shift_rows(). A tile has at least min_shift_tile elements, and at least tile_per_shift * s
/// elements, where s is the number of elements that are saved per tile.
inline constexpr std::uint64_t min_shift_tile = std::uint64_t{1} << 14;
inline constexpr std::uint64_t tile_per_shift = 8;

}  // namespace riffle::detail::tiles

// --- schedules ---

namespace riffle::detail::schedule {

/// The tile size, and the maximum number of buckets per level. On a CPU a tile of 4-byte words has 256 KiB, which fits
/// a core's L2 cache; on a GPU a tile fits into scratch memory. A GPU team has at least one thread per bucket.
struct Shape {
  int tile_bits;
  int max_bucket_bits;
};
inline constexpr Shape cpu_shape{16, 12};
inline constexpr Shape gpu_shape{13, 9};

}  // namespace riffle::detail::schedule

// --- the choice of a method ---

namespace riffle::detail::planning {

/// For up to this number of elements, a gather is the fastest method or as fast as the other methods, because all data
/// are in caches.
inline constexpr std::uint64_t max_gathered = std::uint64_t{1} << 16;

/// Constants for timing the methods. Each of timing_rounds rounds times every method, because the speed of a shared
/// machine varies. In a round, a method is timed three times if the arrays may fit a cache, otherwise once. The arrays
/// are assumed to fit if n is less than cached_elements_of_gpu, or, on a CPU, cached_elements_of_thread times the
/// number of threads.
inline constexpr int timing_rounds = 2;
inline constexpr std::uint64_t cached_elements_of_thread = std::uint64_t{1} << 21;
inline constexpr std::uint64_t cached_elements_of_gpu = std::uint64_t{1} << 23;

/// A schedule takes at least as long as min_schedule_copies copies. It is chosen only if it is faster than the other
/// methods by the factor schedule_margin, because times vary by some percent and a schedule needs more memory.
inline constexpr double min_schedule_copies = 2;
inline constexpr double schedule_margin = 1.03;

/// The time in nanoseconds to build a schedule: a constant, plus a time per element.
struct ScheduleBuildCost {
  double once;
  double element;
};

/// Measured on an H200 for n = 2^22 to 2^28.
inline constexpr ScheduleBuildCost gpu_schedule_build_cost{400'000, 0.075};

/// Measured on one core of a Xeon with an L2 cache of 2 MiB, for n = 2^16 to 2^26. With several threads, the time per
/// element is divided by their number.
inline constexpr ScheduleBuildCost cpu_schedule_build_cost{30'000, 30};

}  // namespace riffle::detail::planning

// --- others ---

namespace riffle::detail {

/// The maximum width of groups whose indices are compared with each other; for wider groups, stamps are used. On a CPU
/// a stamp costs less than the comparisons in a wider group. On a GPU comparisons remain faster up to a larger width
/// than on a CPU, because the other indices in a group are in the cache.
template <class Exec>
inline constexpr std::uint64_t max_compared = backend::is_cpu<Exec> ? 8 : 64;
inline constexpr std::uint64_t stamping_threads = 256;

}  // namespace riffle::detail

namespace riffle::detail::edge_colouring {

/// The number of subgraphs per thread. One thread colours a subgraph. There are several per thread, so that no thread
/// waits long for the last subgraph.
inline constexpr std::uint64_t subgraphs_per_thread = 4;

}  // namespace riffle::detail::edge_colouring

namespace riffle::detail::row_permutation {

/// The maximum number of threads in a team that permutes a row, and the number of tasks per host thread when rows are
/// scheduled.
inline constexpr int max_threads = 1024;
inline constexpr std::uint64_t tasks_per_thread = 8;

}  // namespace riffle::detail::row_permutation
