#pragma once

#include <algorithm>
#include <cstdint>

namespace riffle::detail {

/// Consecutive chunks of n elements, as even as may be.
struct Chunks {
  std::uint64_t n;
  std::uint64_t count;

  std::uint64_t begin(std::uint64_t chunk) const {
    return chunk * (n / count) + std::min(chunk, n % count);
  }
};

}  // namespace riffle::detail
