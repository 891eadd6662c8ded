#pragma once

// How a thread of a CPU brings rows of a tile to its buffer. Host only.

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/rotate_block.hpp>

namespace riffle::detail::tiles {

/// The elements that a vector has, and their number's logarithm.
template <class T>
inline constexpr int lanes_of = backend::block_width<sizeof(T)>;
template <class T>
inline constexpr int lane_bits = backend::block_bits<sizeof(T)>;

/// stage[place(k)] = from[k * stride].
template <class T, class Place>
void scatter_row(T const* from, std::uint64_t stride, std::uint64_t length, Place const& place,
                 T* stage) {
  if (stride == 1) {
    for (std::uint64_t k = 0; k < length; ++k) stage[place(k)] = from[k];
  } else {
    for (std::uint64_t k = 0; k < length; ++k) stage[place(k)] = from[k * stride];
  }
}

/// stage[place(k) + j] = from[j][k] for 2^bits rows j, no more than a vector has elements, where place(k) + 2^bits =
/// place(k + 1) for all elements k and k + 1 that would share a vector of the buffer; and for a length of whole vectors.
template <int bits, class T, class Place>
void interleave_rows(T const* const* from, std::uint64_t length, Place const& place, T* stage) {
  constexpr int in_vector =
      lane_bits<T> - bits;  // the bits of k that do not change from one vector to the next
  for (std::uint64_t k = 0; k < length; k += lanes_of<T>) {
    backend::rotate_block<sizeof(T), lane_bits<T> + bits, bits>(
        [&](int j) { return from[j] + k; },
        [&](int i) { return stage + place(k + (static_cast<std::uint64_t>(i) << in_vector)); });
  }
}

/// stage[place(k)] = from[k], where place(k + 2^bits) = place(k) + 1 for all elements that would share a vector of the
/// buffer; for a length that is a multiple of 2^bits vectors.
template <int bits, class T, class Place>
void split_row(T const* from, std::uint64_t length, Place const& place, T* stage) {
  for (std::uint64_t k = 0; k < length; k += lanes_of<T> << bits) {
    backend::rotate_block<sizeof(T), lane_bits<T> + bits, lane_bits<T>>(
        [&](int j) { return from + (k + static_cast<std::uint64_t>(j * lanes_of<T>)); },
        [&](int i) { return stage + place(k + static_cast<std::uint64_t>(i)); });
  }
}

/// Prefetches elements that will be read soon.
template <class T>
void prefetch_elements(T const* from, std::uint64_t length) {
  auto const* const bytes = reinterpret_cast<std::byte const*>(from);
  for (std::uint64_t k = 0; k < length * sizeof(T); k += backend::cache_line) {
    backend::prefetch_line(bytes + k);
  }
}

}  // namespace riffle::detail::tiles
