#pragma once

// Permutes the elements of small blocks by rotating the bits of their indices, in the vector
// registers of a CPU. A matrix transposition is a special case. Host only.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace riffle::backend {

/// The number of elements of `size` bytes in a 16-byte register; 1 if registers do not support
/// elements of this size.
template <std::size_t size>
inline constexpr int block_width = size == 1 || size == 2 || size == 4 || size == 8 ? 16 / size : 1;

#if defined(__SSE2__)
namespace detail {

/// Returns a0 b0 a1 b1 ..., from the lower halves of a and b.
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

/// Implements rotate_block in registers.
template <std::size_t size, int vectors, int rotation, class From, class To>
void rotate_vectors(From const& from, To const& to) {
  static_assert(vectors > 1 || rotation == 0);
  __m128i x[vectors];
  for (int j = 0; j < vectors; ++j) {
    x[j] = _mm_loadu_si128(static_cast<__m128i const*>(static_cast<void const*>(from(j))));
  }
  // Interleaving the two halves of a sequence rotates its index bits by one.
  for (int turned = 0; turned < rotation; ++turned) {
    __m128i y[vectors];
    for (int j = 0; j < vectors / 2; ++j) {
      y[2 * j] = interleave_lower<size>(x[j], x[j + vectors / 2]);
      y[2 * j + 1] = interleave_upper<size>(x[j], x[j + vectors / 2]);
    }
    for (int j = 0; j < vectors; ++j) x[j] = y[j];
  }
  for (int j = 0; j < vectors; ++j) {
    _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(to(j))), x[j]);
  }
}

}  // namespace detail
#endif

namespace detail {

/// Implements rotate_block element by element.
template <std::size_t size, int bits, int rotation, class From, class To>
void rotate_elements(From const& from, To const& to) {
  constexpr int lanes = block_width<size>;
  constexpr int count = 1 << bits;
  char turned[static_cast<std::size_t>(count) * size];
  for (int i = 0; i < count; ++i) {
    int const j = (i << rotation | i >> (bits - rotation)) & (count - 1);
    auto const* const in = static_cast<char const*>(static_cast<void const*>(from(i / lanes)));
    std::memcpy(turned + static_cast<std::size_t>(j) * size,
                in + static_cast<std::size_t>(i % lanes) * size, size);
  }
  for (int j = 0; j < count / lanes; ++j) {
    std::memcpy(static_cast<void*>(to(j)), turned + static_cast<std::size_t>(j) * lanes * size,
                lanes * size);
  }
}

}  // namespace detail

/// The base-2 logarithm of the block width for elements of `size` bytes.
template <std::size_t size>
inline constexpr int block_bits = std::countr_zero(static_cast<unsigned>(block_width<size>));

/// Rotates index bits. Each of the blocks at from(0), from(1), ... contains block_width<size>
/// elements of `size` bytes. Together these blocks are a sequence of 2^bits elements. Element i of
/// this sequence becomes element j of the sequence at to(0), to(1), ..., where j is i with its
/// `bits` bits rotated to the left by `rotation`. With bits = 2 block_bits<size> and rotation =
/// block_bits<size>, the call transposes a square block.
///
///     bits = 4, rotation = 2 (4 x 4):   index (r1 r0 c1 c0) -> (c1 c0 r1 r0)
///
/// The pointers need no alignment. All elements are read before any is written.
template <std::size_t size, int bits, int rotation, class From, class To>
void rotate_block(From const& from, To const& to) {
  [[maybe_unused]] constexpr int lanes = block_width<size>;
  static_assert(bits >= block_bits<size> && rotation >= 0 && rotation <= bits);
#if defined(__SSE2__)
  if constexpr (lanes > 1) {
    detail::rotate_vectors<size, (1 << bits) / lanes, rotation>(from, to);
  } else {
    detail::rotate_elements<size, bits, rotation>(from, to);
  }
#else
  detail::rotate_elements<size, bits, rotation>(from, to);
#endif
}

}  // namespace riffle::backend
