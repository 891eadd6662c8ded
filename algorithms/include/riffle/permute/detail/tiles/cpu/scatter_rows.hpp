#pragma once

// How a thread of a CPU brings rows of a tile to its buffer. Host only.

#include <cstddef>
#include <cstdint>

#include <riffle/lanes/lanes.hpp>
#include <riffle/lanes/transpose.hpp>

namespace riffle::detail::tiles {

/// The number of rows that are scattered together, so that each of their columns is contiguous in the buffer.
template <class T>
inline constexpr int rows_together = lanes::block_width<sizeof(T)>;

template <class T>
inline constexpr int rows_together_bits = rows_together<T> == 16  ? 4
                                          : rows_together<T> == 8 ? 3
                                          : rows_together<T> == 4 ? 2
                                          : rows_together<T> == 2 ? 1
                                                                  : 0;

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

/// stage[place(k) + j] = from[j][k], for a length that is a multiple of rows_together.
template <class T, class Place>
void scatter_rows(T const* const* from, std::uint64_t length, Place const& place, T* stage) {
  constexpr int width = rows_together<T>;
  for (std::uint64_t k = 0; k < length; k += width) {
    lanes::transpose_block<sizeof(T)>(
        [&](int j) { return from[j] + k; },
        [&](int i) { return stage + place(k + static_cast<std::uint64_t>(i)); });
  }
}

/// Prefetches elements that will be read soon.
template <class T>
void prefetch_elements(T const* from, std::uint64_t length) {
  auto const* const bytes = reinterpret_cast<std::byte const*>(from);
  for (std::uint64_t k = 0; k < length * sizeof(T); k += lanes::cache_line) {
    lanes::prefetch_line(bytes + k);
  }
}

}  // namespace riffle::detail::tiles
