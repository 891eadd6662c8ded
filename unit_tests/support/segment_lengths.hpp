#pragma once

// Lengths of segments that are difficult for a sort of segments.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace riffle::test {

/// Offsets of segments of n elements in all. `mean` is the mean length of most segments; some are empty, and some have 100 times
/// that length. If `mean` is 0, there is one segment, between empty ones.
inline std::vector<std::int32_t> offsets_of_segments(std::size_t n, std::size_t mean,
                                                     std::uint32_t seed = 3) {
  if (mean == 0) return {0, 0, static_cast<std::int32_t>(n), static_cast<std::int32_t>(n)};
  std::mt19937 random(seed);
  std::vector<std::int32_t> offsets{0};
  while (static_cast<std::size_t>(offsets.back()) < n || offsets.size() < 3) {
    std::size_t length = mean == 1 ? 1 : random() % (2 * mean + 1);
    if (random() % 32 == 0) length = 0;
    if (mean > 1 && random() % 64 == 0) length *= 100;
    length = std::min(length, n - static_cast<std::size_t>(offsets.back()));
    offsets.push_back(offsets.back() + static_cast<std::int32_t>(length));
  }
  return offsets;
}

/// The order of a stable sort of each segment.
template <class Before>
std::vector<std::size_t> order_of_segments(std::vector<std::int32_t> const& offsets,
                                           Before const& is_before) {
  std::vector<std::size_t> order(static_cast<std::size_t>(offsets.back()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::stable_sort(order.begin() + offsets[s], order.begin() + offsets[s + 1], is_before);
  }
  return order;
}

}  // namespace riffle::test
