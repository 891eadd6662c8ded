#pragma once

// Small transpositions in the vector registers of a CPU. A part of riffle/lanes/lanes.hpp. Host only.

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace riffle::lanes {

/// The number of elements of `size` bytes in a register of 16 bytes; 1 for sizes that registers do not hold side by
/// side.
template <std::size_t size>
inline constexpr int block_width = size == 1 || size == 2 || size == 4 || size == 8 ? 16 / size : 1;

#if defined(__SSE2__)
namespace detail {

/// a0 b0 a1 b1 ..., from the lower halves of a and b.
template <std::size_t size>
__m128i interleave_lower(__m128i a, __m128i b) {
  if constexpr (size == 1) return _mm_unpacklo_epi8(a, b);
  if constexpr (size == 2) return _mm_unpacklo_epi16(a, b);
  if constexpr (size == 4) return _mm_unpacklo_epi32(a, b);
  if constexpr (size == 8) return _mm_unpacklo_epi64(a, b);
}

template <std::size_t size>
__m128i interleave_upper(__m128i a, __m128i b) {
  if constexpr (size == 1) return _mm_unpackhi_epi8(a, b);
  if constexpr (size == 2) return _mm_unpackhi_epi16(a, b);
  if constexpr (size == 4) return _mm_unpackhi_epi32(a, b);
  if constexpr (size == 8) return _mm_unpackhi_epi64(a, b);
}

}  // namespace detail
#endif

/// Element i of what from(j) points to becomes element j of what to(i) points to, for i and j below the block width of
/// elements of `size` bytes: pointers of any alignment.
template <std::size_t size, class From, class To>
void transpose_block(From const& from, To const& to) {
  constexpr int side = block_width<size>;
#if defined(__SSE2__)
  if constexpr (side > 1) {
    __m128i x[side];
    for (int j = 0; j < side; ++j) {
      x[j] = _mm_loadu_si128(static_cast<__m128i const*>(static_cast<void const*>(from(j))));
    }
    // Interleaving the halves of a sequence rotates the bits of its indices by one.
    for (int bits = 1; bits < side; bits *= 2) {
      __m128i y[side];
      for (int j = 0; j < side / 2; ++j) {
        y[2 * j] = detail::interleave_lower<size>(x[j], x[j + side / 2]);
        y[2 * j + 1] = detail::interleave_upper<size>(x[j], x[j + side / 2]);
      }
      for (int j = 0; j < side; ++j) x[j] = y[j];
    }
    for (int i = 0; i < side; ++i) {
      _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(to(i))), x[i]);
    }
    return;
  }
#endif
  for (int i = 0; i < side; ++i) {
    auto* const out = static_cast<char*>(static_cast<void*>(to(i)));
    for (int j = 0; j < side; ++j) {
      auto const* const in = static_cast<char const*>(static_cast<void const*>(from(j)));
      std::memcpy(out + static_cast<std::size_t>(j) * size, in + static_cast<std::size_t>(i) * size,
                  size);
    }
  }
}

}  // namespace riffle::lanes
