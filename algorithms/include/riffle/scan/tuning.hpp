#pragma once

// Thresholds and tuned sizes of scans, measured on an H200. The measurements are in perf/notes/scan.md.

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::scan {

// --- GPU ---
//
// The scan depends on the types and on the number of tiles:
//
//   types                                          few tiles       many tiles
//   -------------------------------------------    ------------    -------------------
//   values and elements of up to 8 bytes (*)       by look-back    by central prefixes
//   all others                                     by look-back    by look-back
//   Count of elements 0 or 1                       FlagScan        PipelinedFlagScan
//
// (*) The input and the output have quads: each is a function, or a View that is contiguous and aligned to four
//     elements or 16 bytes, whichever is less. The output is not a function that takes the element, too.
//
// FlagScan has one team for each tile. PipelinedFlagScan also requires that its scratch memory fits.

/// If there are more tiles per resident team than this, one team computes the prefixes of all tiles.
inline constexpr std::uint64_t max_look_back_tiles_per_team = 1;

/// The number of tile rows that one warp processes. If values have 4 or 8 bytes, each thread then holds 64 bytes of
/// values.
template <class Value>
inline constexpr int value_rows_per_warp = sizeof(Value) <= 4 ? 4 : 2;

/// The teams that run on one multiprocessor at a time have 512 threads in total, with up to 128 registers each. With
/// more threads, registers would be spilled.
constexpr int teams_per_processor_of(int threads) { return threads <= 256 ? 2 : 1; }

/// The maximum number of warps of a team that look back. Together this number of warps reaches back to a tile whose
/// prefix has been sent. Further warps would read messages that are not needed.
inline constexpr int max_look_back_warps = 7;

/// For the scan by central prefixes: the number of a team's tiles that wait for their prefixes in registers, and the
/// number that wait in scratch memory. If more tiles waited, threads would spill registers.
inline constexpr int waiting_in_registers = 1;
constexpr int waiting_in_scratch(int teams_per_processor) { return teams_per_processor; }

/// Exact operations on elements of up to this number of bytes use tiles of 16 KiB. Tiles of 4096 elements, as for
/// larger elements, would be slow, because a step takes as long for 1-byte elements as for 4-byte elements.
inline constexpr std::size_t max_packed_bytes = 2;
inline constexpr int packed_rows_per_warp = 4;

// Scans by Count. A tile has flag_warps x flag_steps x 32 elements. A warp processes consecutive elements. Each lane
// processes every 32nd of them, in batches of flag_batch elements.
inline constexpr int flag_warps = 8;
inline constexpr int flag_steps = 16;
inline constexpr int flag_batch = 4;

/// The number of elements that a lane evaluates at a time, and the number of teams per multiprocessor. A lane that
/// evaluates more elements at a time needs more registers, so fewer teams fit.
inline constexpr int flags_at_a_time = 2;
inline constexpr int flag_teams_per_processor = 5;
inline constexpr int pipelined_flags_at_a_time = 4;
inline constexpr int pipelined_flag_teams_per_processor = 3;

/// The number of look-back shares per warp in PipelinedFlagScan. All shares of a team together reach back over all
/// tiles in flight.
inline constexpr int flag_shares_per_warp = 2;

// --- CPU ---

/// Up to this number of bytes, the calling thread scans alone, because starting other threads would take as long as the
/// scan.
inline constexpr std::size_t max_bytes_of_one_thread = std::size_t{1} << 16;

/// The number of bytes per unit. The thread's cache has space for a unit, the output of the unit, and the next unit.
/// Units are smaller if each thread would otherwise receive fewer than units_per_thread units.
inline constexpr std::size_t unit_bytes = std::size_t{1} << 17;
inline constexpr std::uint64_t units_per_thread = 4;

/// The maximum number of bytes per tile if the source is expensive. Each thread then stores a tile on its stack, which
/// may have only 2 MiB.
inline constexpr std::size_t max_kept_bytes = std::size_t{1} << 20;

/// Whether an output of `bytes` bytes is written by stores that bypass the caches.
inline bool streams_past_caches(std::size_t bytes) {
  return bytes > backend::last_level_cache() / 2;
}

}  // namespace riffle::detail::scan
