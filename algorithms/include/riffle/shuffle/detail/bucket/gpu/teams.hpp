#pragma once

// How many tiles of places a team of a GPU has.

#include <algorithm>
#include <cstdint>

namespace riffle::detail::bucket_shuffle {

/// How many of all tiles a chunk has, on a GPU of so many multiprocessors: several, which keeps counts few, if there are
/// chunks enough to keep all teams busy.
inline std::uint64_t tiles_of_chunk(std::uint64_t tiles, std::uint64_t processors) {
  auto const parts = [](std::uint64_t count, std::uint64_t size) {
    return (count + size - 1) / size;
  };
  // Up to four, where multiprocessors have eight chunks each and the busiest has next to none above its share.
  auto const most = [&](std::uint64_t per_chunk) {
    return parts(parts(tiles, per_chunk), processors) * per_chunk;
  };
  std::uint64_t few = std::clamp<std::uint64_t>(parts(tiles, processors * 8), 1, 4);
  while (most(few) - most(1) > most(1) / 32) --few;
  // More, where that leaves them 32.
  std::uint64_t const many = std::min<std::uint64_t>(tiles / (processors * 32), 16);
  return std::max(few, many);
}

}  // namespace riffle::detail::bucket_shuffle
