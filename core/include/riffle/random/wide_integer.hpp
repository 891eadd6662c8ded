#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail {

// 128-bit integers are an extension that g++, clang and nvcc share, on the device too;
// __extension__ keeps -Wpedantic quiet about it.
__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

KOKKOS_INLINE_FUNCTION constexpr std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}

KOKKOS_INLINE_FUNCTION constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<uint128>(a) * b) >> 64);
}

/// The inverse of an odd number modulo 2^64 (Newton: each step doubles the correct low bits, from
/// 3).
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t inverse_of_odd(std::uint64_t a) {
  std::uint64_t x = a;
  for (int i = 0; i < 5; ++i) x *= 2 - a * x;
  return x;
}

/// The number of bits needed to write x: 0 for 0.
KOKKOS_INLINE_FUNCTION constexpr int bit_width(std::uint64_t x) {
  int width = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (x >> step) {
      width += step;
      x >>= step;
    }
  }
  return width + static_cast<int>(x);
}

}  // namespace riffle::detail
