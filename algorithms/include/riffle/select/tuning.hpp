#pragma once

// Tuned sizes of selections. The measurements on an H200 are in perf/notes/scan.md.

#include <algorithm>
#include <bit>
#include <cmath>
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

// --- the k smallest of n elements (riffle/select/detail/smallest.hpp) ---
//
// These sizes change the time and the memory of the search, not its result.

/// How many elements are drawn, and which of them bounds the k smallest of all.
struct Sample {
  std::uint64_t size = 0;  // a power of two; 0 if all elements are to be sorted
  std::uint64_t rank = 0;  // of the threshold in the sorted sample
  std::uint64_t capacity =
      0;  // the number of elements below the threshold for which there is memory

  /// About m = k s / n elements of a sample of size s are among the k smallest of all, with a standard deviation of at most sqrt(m).
  /// The threshold is five standard deviations and ten elements above m. About n / s elements are between two neighbours in the sorted
  /// sample.
  Sample(std::uint64_t n, std::uint64_t k) {
    std::uint64_t const drawn = std::min(std::bit_floor(n / 64 + 1), std::uint64_t{1} << 16);
    double const elements_between = static_cast<double>(n) / static_cast<double>(drawn);
    double const m = static_cast<double>(k) / elements_between;
    double const bound = m + 5 * std::sqrt(m) + 10;
    double const most = elements_between * (bound + 6 * std::sqrt(bound) + 20);
    // The threshold is useful if it excludes half of the elements. It never does for n < 2^12.
    if (2 * most > static_cast<double>(n)) return;
    size = drawn;
    rank = static_cast<std::uint64_t>(bound);
    capacity = static_cast<std::uint64_t>(most);
  }
};

}  // namespace riffle::detail::select
