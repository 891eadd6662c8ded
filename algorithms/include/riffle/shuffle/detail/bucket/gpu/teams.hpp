#pragma once

// How many tiles of places a team of a GPU has.

#include <algorithm>
#include <cstdint>

#include <riffle/lanes/lanes.hpp>

namespace riffle::detail::bucket_shuffle {

/// How many chunks of places a GPU works on at a time.
template <class Exec>
std::uint64_t resident_chunks(Exec const& exec) {
  constexpr std::uint64_t teams_per_processor = 4;
  return lanes::processors(exec) * teams_per_processor;
}

/// How many of all tiles a chunk has, on a GPU that works on `resident` chunks at a time: several, which keeps counts few,
/// if there are chunks enough to keep all teams busy.
inline std::uint64_t tiles_of_chunk(std::uint64_t tiles, std::uint64_t resident) {
  constexpr std::uint64_t max_tiles = 16;
  constexpr std::uint64_t rounds = 8;
  return std::clamp<std::uint64_t>(tiles / (resident * rounds), 1, max_tiles);
}

}  // namespace riffle::detail::bucket_shuffle
