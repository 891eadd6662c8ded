#pragma once

// Counts by variable of a team, and of the tile that a warp is at.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::variables {

/// The counts of a team in a window of tiles, in its scratch memory.
struct WindowCounts {
  static constexpr int variables = 1024;

  /// Comparands that reach their variable's threshold.
  std::uint32_t raw[variables];
  /// Of maxima that reach the step-down threshold, by how many they are more than of the variable before, modulo 2^32.
  std::uint32_t step_down[variables];

  KOKKOS_FUNCTION void clear(int rank, int threads) {
    for (int i = rank; i < variables; i += threads) raw[i] = step_down[i] = 0;
  }

  /// Adds them to those of all replicates, of the `count` variables of the window.
  KOKKOS_FUNCTION void add_to(std::uint64_t* all_raw, std::uint64_t* all_step_down, int count,
                              int rank, int threads) const {
    for (int i = rank; i < count; i += threads) {
      auto const step = static_cast<std::int64_t>(static_cast<std::int32_t>(step_down[i]));
      if (raw[i] > 0) Kokkos::atomic_add(all_raw + i, std::uint64_t{raw[i]});
      if (step != 0) Kokkos::atomic_add(all_step_down + i, static_cast<std::uint64_t>(step));
    }
  }
};

/// How many of a warp's comparands reach the thresholds of a tile's variables: those of a lane's columns a byte each.
template <class Shape>
class ColumnCounts {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void add(int column, std::uint32_t count) {
    words_[column / 4] += count << (8 * (column % 4));
  }

  /// Adds them up over the lanes of equal variables, to those of the tile. No byte overflows.
  KOKKOS_FORCEINLINE_FUNCTION void add_to(std::uint32_t* to, int lane) const {
    static_assert(Shape::replicates < 256);
    RIFFLE_UNROLL
    for (int w = 0; w < words; ++w) {
      std::uint32_t word = words_[w];
      RIFFLE_UNROLL
      for (int distance = 4; distance < backend::width; distance *= 2) {
        word += backend::from_lane(word, lane ^ distance);
      }
      int const byte = lane / 4;
      if (byte >= 4) continue;
      std::uint32_t const count = word >> (8 * byte) & 0xFF;
      if (count > 0) backend::add_in_scratch(to + Shape::variable(lane, 4 * w + byte), count);
    }
  }

 private:
  static constexpr int words = Shape::columns / 4;
  std::uint32_t words_[words] = {};
};

}  // namespace riffle::detail::variables
