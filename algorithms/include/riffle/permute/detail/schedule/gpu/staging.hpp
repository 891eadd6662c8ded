#pragma once

// Where the elements of a tile wait in scratch memory between their read and their write.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::schedule {

/// The cell of a position. Each 32 positions stay together, in an order of their own: consecutive positions meet no
/// bank twice, and positions at a stride, which a permutation with a pattern has, are spread over banks like random
/// ones.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t cell(std::uint32_t position) {
  // D. E. Knuth, "The Art of Computer Programming" 3, section 6.4: Fibonacci hashing.
  constexpr std::uint32_t golden = 0x9E3779B1u;
  constexpr int bank_bits = 5;
  static_assert(backend::width == 1 << bank_bits);
  return position ^ ((position >> bank_bits) * golden >> (32 - bank_bits));
}

/// The log2 of the positions whose elements fit in `bytes`, a power of two, at most a tile's 2^tile_bits.
KOKKOS_FUNCTION constexpr int window_bits(std::size_t bytes, std::size_t element_size,
                                          int tile_bits) {
  int bits = tile_bits;
  while (bits > 0 && (element_size << bits) > bytes) --bits;
  return bits;
}

}  // namespace riffle::detail::schedule
