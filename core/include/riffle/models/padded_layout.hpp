#pragma once

// An array in memory of banks, padded so that threads that each go through a section of it meet no bank twice.
//   Y. Dotsenko, N. K. Govindaraju, P.-P. Sloan, C. Boyd, J. Manferdelli, "Fast Scan Algorithms on Graphics Processors",
//   ICS 2008, section 3.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/lanes/lanes.hpp>

namespace riffle {

/// An array of `threads` sections, of `section` elements each: thread t's element k is in cell t * pitch + k. The pitch is
/// the least number, at least `section`, that has no divisor in common with the banks, so that without bank conflicts
///   - threads t, t + 1, ... access their k-th elements (contiguous access);
///   - threads access successive elements of the padded array (strided access).
///
/// Banks must be a power of two, and threads * (section + 1) less than 2^32.
class PaddedLayout {
 public:
  KOKKOS_FUNCTION constexpr PaddedLayout(std::uint32_t threads, std::uint32_t section)
      : threads_(threads), pitch_(section | 1) {}

  /// From the start of a section to that of the next.
  KOKKOS_FUNCTION constexpr std::uint32_t pitch() const { return pitch_; }
  /// What the array takes, in elements.
  KOKKOS_FUNCTION constexpr std::uint32_t cells() const { return threads_ * pitch_; }
  KOKKOS_FUNCTION constexpr std::uint32_t cell(std::uint32_t thread, std::uint32_t element) const {
    return thread * pitch_ + element;
  }

 private:
  std::uint32_t threads_;
  std::uint32_t pitch_;
};

}  // namespace riffle
