#pragma once

// Tuning constants of rankings. perf/notes/rank.md has their measurements. Numbers such as 0.91 in the comments are
// speeds on an NVIDIA H200, relative to a copy of the same bytes.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::rank {

/// Up to this number of elements, indices have 32 bits (signed on a CPU).
inline constexpr std::uint64_t max_by_narrow_index = std::uint64_t{1} << 30;

// --- GPUs ---

/// The threads of a team that ranks.
inline constexpr int threads_that_rank = 256;

/// The number of quads that a lane reads in one step, where `bytes` is the number of bytes read per element. It is the
/// maximum for which the elements fit in the lane's registers. If both keys and values are read, the caller passes half
/// of their total size. With the total size, lanes would read half the quads and tiles would be half as large, which
/// would make ranking by keys a third slower.
constexpr int quads_per_lane(std::size_t bytes) { return bytes <= 4 ? 4 : bytes <= 8 ? 2 : 1; }

/// The number of teams per multiprocessor. Within groups it is the maximum for which there are registers. Without
/// groups it is one less, because one more team makes memory accesses slower. Speeds:
///
///     segments            0.70 to 0.82 with five teams, 0.61 to 0.73 with four
///     ranks by keys       0.66 with three teams, 0.51 with four
///     fractional ranks    0.93 with three teams, 0.92 with four
constexpr int teams_that_rank(bool needs_both_sides, bool reads_keys, bool in_groups) {
  int const most = reads_keys ? 3 : needs_both_sides ? 4 : 5;
  return in_groups ? most : most - 1;
}

/// If a run extends beyond its tile, a warp first looks for the end of the run among this number of elements next to
/// the tile. With a whole tile of elements instead, ranking would reach 0.85 rather than 0.91, because all warps of the
/// team wait for this warp.
inline constexpr int near_elements = quad_size * backend::width;

/// The number of lanes that search together for the end of a run that is far from the tile. Ranking reaches 0.91 with
/// four lanes, 0.90 with eight.
inline constexpr int lanes_per_searched_tile = 4;
inline constexpr int teams_that_search = 8;

/// The maximum number of offsets that a team reads one by one to mark the segments that begin in a tile. If a tile has
/// more offsets, most of its segments are empty. In that case each thread searches among the offsets for the segments
/// of its elements instead. At this number of offsets, both ways take equally long.
inline constexpr std::uint64_t max_offsets_of_tile = std::uint64_t{1} << 17;

/// Constants of DensePipeline: the number of threads per team, of teams per multiprocessor, and of quads that a lane
/// processes per tile. A tile has 16,384 elements, whatever their size. Dense ranking reaches 0.933 with these values.
/// It reaches 0.77 with three teams per multiprocessor, 0.86 to 0.89 with 256 threads per team, and 0.78 to 0.90 with
/// 1024 threads per team. If there are fewer than min_tiles_of_dense_team tiles per team, another kernel is used,
/// because the pipeline would be filling for most of the time.
inline constexpr int threads_of_dense_team = 512;
inline constexpr int dense_teams = 2;
inline constexpr int quads_of_dense_lane = 8;
inline constexpr std::uint64_t min_tiles_of_dense_team = 3;

// --- CPUs ---

/// The number of elements in a RunBlock. A thread copies this number to its stack at a time if the source is not
/// contiguous.
template <class T>
inline constexpr std::size_t elements_of_block =
    std::clamp<std::size_t>(std::bit_floor(65536 / sizeof(T)), 64, 1024);

/// A segment has at least min_segment elements, and a multiple of segment_unit elements. There are several segments per
/// thread, so that no thread waits long for the last one.
inline constexpr std::uint64_t min_segment = std::uint64_t{1} << 14;
inline constexpr std::uint64_t segments_per_thread = 8;
inline constexpr std::uint64_t segment_unit = 1024;

/// If ranks are written to random addresses, the address for entry k + prefetched_ranks is prefetched when entry k is
/// written.
inline constexpr std::size_t prefetched_ranks = 32;

}  // namespace riffle::detail::rank
