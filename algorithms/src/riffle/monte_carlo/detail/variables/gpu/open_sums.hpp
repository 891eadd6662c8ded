#pragma once

// Sums of which coarse digits do not say enough: they wait until there is one for each lane of the warp, which adds them
// up from whole values.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/digit_tiles.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/window_counts.hpp>

namespace riffle::detail::variables {

/// A replicate of the warp, a variable of the window, and what is to be found.
class OpenSum {
 public:
  KOKKOS_DEFAULTED_FUNCTION OpenSum() = default;
  KOKKOS_FUNCTION OpenSum(int replicate, int variable, bool counts, bool may_exceed)
      : bits_(static_cast<std::uint32_t>(replicate) << 12 |
              static_cast<std::uint32_t>(variable) << 2 | (counts ? 1u : 0u) |
              (may_exceed ? 2u : 0u)) {
    static_assert(WindowCounts::variables <= 1 << 10);
  }

  KOKKOS_FUNCTION int replicate() const { return static_cast<int>(bits_ >> 12); }
  KOKKOS_FUNCTION int variable() const { return static_cast<int>(bits_ >> 2 & 0x3FF); }
  /// Whether it is to be compared with its variable's threshold, and with its replicate's maximum.
  KOKKOS_FUNCTION bool counts() const { return (bits_ & 1) != 0; }
  KOKKOS_FUNCTION bool may_exceed() const { return (bits_ & 2) != 0; }

 private:
  std::uint32_t bits_;
};

/// Those of a warp that wait, in scratch memory: fewer than a lane each, and all that a tile can leave open.
template <class Shape>
struct OpenSums {
  static constexpr int capacity = backend::width + Shape::replicates * Shape::variables;
  OpenSum waiting[capacity];
};

/// The sum of n whole values of the labels 1, by one lane. Word s of the labels is `stride` s further on; its bits behind
/// the last observation are 0.
KOKKOS_INLINE_FUNCTION double sum_of_labels(double const* values, std::uint64_t n,
                                            std::uint32_t const* labels, std::uint64_t stride) {
  constexpr std::uint64_t at_once = 8;  // so many loads are under way
  constexpr std::uint64_t step = observations_per_step;
  std::uint64_t const last = n - 1;
  double sum = 0;
  for (std::uint64_t first = 0; first < n; first += at_once) {
    std::uint32_t const bits = labels[first / step * stride] >> first % step;
    double own[at_once];
    RIFFLE_UNROLL
    for (std::uint64_t i = 0; i < at_once; ++i) {
      own[i] = values[first + i < n ? first + i : last];
    }
    RIFFLE_UNROLL
    for (std::uint64_t i = 0; i < at_once; ++i) sum += (bits >> i & 1) != 0 ? own[i] : 0;
  }
  return sum;
}

}  // namespace riffle::detail::variables
