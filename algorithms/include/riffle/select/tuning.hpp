#pragma once

// Tuned sizes of selections. The measurements on an H200 are in perf/notes/scan.md.

#include <cstddef>
#include <cstdint>

namespace riffle::detail::select {

// --- GPU ---
//
// A tile has warps x steps x 32 elements. Each lane processes every 32nd element of its warp. There are at most select_steps steps, and
// fewer if a lane would store more than max_stored_bytes for the elements of a tile; then three tiles fit in scratch memory.
//
// With more teams per multiprocessor, more loads would be in flight, so that messages would be received later.
inline constexpr int select_warps = 8;
inline constexpr int select_steps = 15;
inline constexpr std::size_t max_stored_bytes = 60;
inline constexpr int select_teams_per_processor = 3;

// --- CPU ---

/// The elements of a tile. Their numbers within the tile fit in 16 bits, and the numbers of the kept elements in 32 KiB.
inline constexpr std::uint64_t cpu_tile = 1u << 14;

}  // namespace riffle::detail::select
