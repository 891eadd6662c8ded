#pragma once

// Tuning constants of rankings. perf/notes/rank.md has their measurements. Fractions in the comments are of the speed of a
// copy of the same bytes on an NVIDIA H200.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::rank {

/// The most elements whose places are counted in 32 bits (signed on a CPU).
inline constexpr std::uint64_t max_by_narrow_index = std::uint64_t{1} << 30;

// --- GPUs ---

/// The threads of a team that ranks.
inline constexpr int threads_that_rank = 256;

/// The number of quads that a lane reads in one step, for `bytes` bytes read of each element: the most that fit its
/// registers. If both keys and values are read, half their bytes count: half the quads, in tiles of half the size, make
/// ranking by keys a third slower.
constexpr int quads_per_lane(std::size_t bytes) { return bytes <= 4 ? 4 : bytes <= 8 ? 2 : 1; }

/// The number of teams per multiprocessor: the most that have registers, and without groups one fewer, since one more
/// makes accesses to memory slower. Segments reach 0.70 to 0.82 with five teams and 0.61 to 0.73 with four; ranks by keys
/// 0.66 with three and 0.51 with four; fractional ranks 0.93 with three and 0.92 with four.
constexpr int teams_that_rank(bool needs_both_sides, bool reads_keys, bool in_groups) {
  int const most = reads_keys ? 3 : needs_both_sides ? 4 : 5;
  return in_groups ? most : most - 1;
}

/// The number of elements next to a tile in which a warp first looks for the end of the run that extends beyond the tile.
/// With a whole tile of them, ranking reaches 0.85 instead of 0.91, as all warps of a team wait for this warp.
inline constexpr int near_elements = quad_size * backend::width;

/// The number of lanes that together search for the far end of a tile's run: 0.91 with four, 0.90 with eight.
inline constexpr int lanes_per_searched_tile = 4;
inline constexpr int teams_that_search = 8;

/// The most offsets that a team reads for a tile. If a tile has more, most of which are offsets of empty segments, each
/// thread searches among them for the segment of its element, which takes a team as long.
inline constexpr std::uint64_t max_offsets_of_tile = std::uint64_t{1} << 17;

/// Dense ranks: the threads of a team, teams per multiprocessor, and quads of a lane in a tile of 16,384 elements of any
/// size. This reaches 0.933; three teams reach 0.77, 256 threads 0.86 to 0.89, 1024 threads 0.78 to 0.90. With fewer tiles
/// than min_tiles_of_dense_team per team, the pipeline takes longer to fill than to run.
inline constexpr int threads_of_dense_team = 512;
inline constexpr int dense_teams = 2;
inline constexpr int quads_of_dense_lane = 8;
inline constexpr std::uint64_t min_tiles_of_dense_team = 3;

// --- CPUs ---

/// The number of elements that a thread copies to its stack at a time.
template <class T>
inline constexpr std::size_t elements_of_block =
    std::clamp<std::size_t>(std::bit_floor(65536 / sizeof(T)), 64, 1024);

/// Segments of a thread: each has at least min_segment elements and is a multiple of segment_unit elements. A thread has
/// several, so that no thread waits long for the last one.
inline constexpr std::uint64_t min_segment = std::uint64_t{1} << 14;
inline constexpr std::uint64_t segments_per_thread = 8;
inline constexpr std::uint64_t segment_unit = 1024;

/// Random places of ranks are prefetched this number of entries before they are written.
inline constexpr std::size_t prefetched_ranks = 32;

}  // namespace riffle::detail::rank
