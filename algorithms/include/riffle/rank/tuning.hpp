#pragma once

// The sizes that rankings were measured with (perf/notes/rank.md). Figures are fractions of the speed of a copy of the same
// bytes on an NVIDIA H200.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::rank {

/// Up to so many elements, places are counted in 32 bits, on a CPU with a sign.
inline constexpr std::uint64_t max_by_narrow_index = std::uint64_t{1} << 30;

// --- GPUs ---

/// The threads of a team that ranks.
inline constexpr int threads_that_rank = 256;

/// The number of quads of a lane in one step, where `bytes` are read of each element: as many as registers hold. Of keys and
/// values a lane holds as many as of values alone, though they fill more registers: with half as many, in tiles half as
/// large, ranking by keys takes a third longer.
constexpr int quads_of_bytes(std::size_t bytes) { return bytes <= 4 ? 4 : bytes <= 8 ? 2 : 1; }

/// As many teams on a multiprocessor as have registers. Without groups a team less: with one team more, memory is read and
/// written slower. Segments have 0.70 to 0.82 with five, 0.61 to 0.73 with four; ranks by keys 0.66 with three, 0.51 with
/// four; fractional ranks 0.93 with three, 0.92 with four.
constexpr int teams_that_rank(bool needs_both_sides, bool reads_keys, bool in_groups) {
  int const most = reads_keys ? 3 : needs_both_sides ? 4 : 5;
  return in_groups ? most : most - 1;
}

/// The number of elements that a warp looks at first for the end of a run that goes on beyond a tile. With a look a whole
/// tile far ranking has 0.85 in place of 0.91, as all warps of a team wait for that one.
inline constexpr int near_elements = quad_size * backend::width;

/// How many lanes search for the far end of a tile's run, before tiles are ranked: with eight 0.90 in place of 0.91.
inline constexpr int lanes_per_searched_tile = 4;
inline constexpr int teams_that_search = 8;

/// The most offsets that are read for a tile. Where there are more, most of which are of empty segments, each element
/// searches for its own among them, which takes a team as long.
inline constexpr std::uint64_t max_offsets_of_tile = std::uint64_t{1} << 17;

/// Dense ranks: teams of 512 threads, two a multiprocessor, and tiles of 16,384 elements of any size (0.933; three teams
/// 0.77, 256 threads 0.86 to 0.89, 1024 threads 0.78 to 0.90). With fewer tiles for each team, the pipeline takes longer to
/// fill than to run.
inline constexpr int threads_of_dense_team = 512;
inline constexpr int dense_teams = 2;
inline constexpr int quads_of_dense_lane = 8;
inline constexpr std::uint64_t min_tiles_of_dense_team = 3;

// --- CPUs ---

/// The elements that a thread copies to its stack at a time.
template <class T>
inline constexpr std::size_t elements_of_block =
    std::clamp<std::size_t>(std::bit_floor(65536 / sizeof(T)), 64, 1024);

/// Segments: a few for each thread, so that the last one is soon done, none of fewer elements, and of whole lines of these.
inline constexpr std::uint64_t min_segment = std::uint64_t{1} << 14;
inline constexpr std::uint64_t segments_per_thread = 8;
inline constexpr std::uint64_t segment_unit = 1024;

/// How many entries before they are written random places of ranks are prefetched.
inline constexpr std::size_t prefetched_ranks = 32;

}  // namespace riffle::detail::rank
