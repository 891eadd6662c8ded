#pragma once

// Every threshold and tuned size of scans, with the measurement that set it (perf/notes/scan.md has the tables). Figures
// of GPUs are of an H200, as fractions of the speed of a copy unless the text says otherwise.

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::scan {

// --- GPU ---
//
// | scan | values of up to 8 bytes, View to View | other values, sources and sinks | Count, elements of 0 or 1 |
// | --- | --- | --- | --- |
// | few tiles | by look-back | by look-back | FlagScan: a team for each tile |
// | many tiles | by central prefixes | by look-back | PipelinedFlagScan |

/// With more tiles than these for each resident team, one team finds the prefixes of all. (int32: 2^27 0.89 in place of 0.82
/// by look-back, doubles 0.84 and 0.78; at 2^22, 3.9 tiles of int32 a team, 14.4 to 15.1 us and 14.7.)
inline constexpr std::uint64_t max_look_back_tiles_per_team = 1;

/// The rows of a tile that a warp holds: 64 bytes a thread of values of 4 or 8 bytes. (Tiles of twice that size: int32 0.83
/// in place of 0.84, int64 0.75 and 0.80.)
template <class Value>
inline constexpr int value_rows_per_warp = sizeof(Value) <= 4 ? 4 : 2;

/// Teams of a multiprocessor: together 512 threads, of up to 128 registers. (By look-back three teams of 256 threads, which
/// spill: 0.59 to 0.65. By central prefixes three: 0.86, four: 0.65, in place of 0.89; doubles by two teams of 256
/// threads 0.62, in place of 0.84 by one of 512.)
constexpr int teams_per_processor_of(int threads) { return threads <= 256 ? 2 : 1; }

/// How many warps of a team look back, at most: they reach to where prefixes have been sent, and more would read messages
/// that nobody needs. (Two shares for each of seven warps: 0.82 in place of 0.84, int64 0.76 and 0.80.)
inline constexpr int max_look_back_warps = 7;

/// By central prefixes: the tiles that wait in registers, and in scratch memory for each team. (int32: two in all 0.85,
/// three 0.88, four, which spill, 0.87. Doubles: one 0.44, two 0.84, three, which spill, 0.59.)
inline constexpr int waiting_in_registers = 1;
constexpr int waiting_in_scratch(int teams_per_processor) { return teams_per_processor; }

/// How often the first team peeks for another one before it scans a tile by itself. Not measured.
inline constexpr int peeks_for_another_team = 64;

/// Elements of up to this size in bytes are scanned in tiles of 16 KB, if the operation is exact. (In tiles of 4096 elements, of
/// which a step takes as long as for elements of 4 bytes, int16 has 0.41 in place of 0.77, int8 0.24 in place of 0.75.)
inline constexpr std::size_t max_packed_bytes = 2;
inline constexpr int packed_rows_per_warp = 4;

// Scans of Count. A tile has flag_warps x flag_steps x 32 elements: a warp has neighbouring ones, a lane every 32nd of them,
// in batches of flag_batch. (With four tiles' elements in hand, and several elements side by side, compaction on a gather's
// speed went from 0.62 to 0.89 at 2^23 + 1 and from 0.74 to 0.97 at 2^26 + 1: perf_bijections, commit 759db46. Neighbouring
// sizes are not on record.)
inline constexpr int flag_warps = 8;
inline constexpr int flag_steps = 16;
inline constexpr int flag_batch = 4;

/// Elements that a lane evaluates side by side, and teams of a multiprocessor: with more elements, fewer teams fit.
inline constexpr int flags_at_a_time = 2;
inline constexpr int flag_teams_per_processor = 5;
inline constexpr int pipelined_flags_at_a_time = 4;
inline constexpr int pipelined_flag_teams_per_processor = 3;

/// The shares of a look-back that each warp of PipelinedFlagScan has: together they reach as far back as tiles are in flight.
inline constexpr int flag_shares_per_warp = 2;

// --- CPU ---

/// Bytes up to which the calling thread scans alone: it takes no longer than several threads take to start.
inline constexpr std::size_t max_bytes_of_one_thread = std::size_t{1} << 16;

/// The bytes of a thread's unit: a unit, the next one, and its output are in the thread's cache together. Fewer where threads
/// would have less than units_per_thread.
inline constexpr std::size_t unit_bytes = std::size_t{1} << 17;
inline constexpr std::uint64_t units_per_thread = 4;

/// A tile of a source that is expensive to evaluate is kept on a thread's stack, which may be of 2 MiB, up to this size.
inline constexpr std::size_t max_kept_bytes = std::size_t{1} << 20;

/// Whether an output of this size goes past the caches.
inline bool streams_past_caches(std::size_t bytes) {
  return bytes > backend::last_level_cache() / 2;
}

}  // namespace riffle::detail::scan
