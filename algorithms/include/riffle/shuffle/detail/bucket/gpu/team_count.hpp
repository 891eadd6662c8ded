#pragma once

// How a team counts the digits of its places.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>
#include <riffle/shuffle/detail/bucket/gpu/level.hpp>

namespace riffle::detail::bucket_shuffle {

/// Counts the digits of a thread's places in a tile all of whose places are the chunk's.
KOKKOS_INLINE_FUNCTION void count_tile(Philox4x32::Block const& digits, std::uint32_t* histogram) {
  RIFFLE_UNROLL
  for (int k = 0; k < digits_per_block; ++k) {
    backend::add_in_scratch(histogram + digit(digits, k), 1);
  }
}

/// The same where only some are.
KOKKOS_INLINE_FUNCTION void count_part_of_tile(Philox4x32::Block const& digits, Chunk const& chunk,
                                               std::uint64_t place, std::uint32_t* histogram) {
  RIFFLE_NO_UNROLL
  for (int k = 0; k < digits_per_block; ++k, place += digits_per_block) {
    if (chunk.has(place)) backend::add_in_scratch(histogram + digit(digits, k), 1);
  }
}

/// Adds to histogram[k], in scratch memory, how many of the chunk's places that are the thread's have digit k.
KOKKOS_INLINE_FUNCTION void count_chunk(std::uint64_t seed, Chunk const& chunk, int thread,
                                        std::uint32_t* histogram) {
  RIFFLE_NO_UNROLL
  for (std::uint64_t tile = chunk.first_tile(); tile < chunk.end; tile += tile_places) {
    auto const digits = tile_digits(seed, chunk.node, tile, thread);
    if (tile >= chunk.begin && chunk.end - tile >= tile_places) {
      count_tile(digits, histogram);
    } else {
      count_part_of_tile(digits, chunk, tile + first_place(thread), histogram);
    }
  }
}

}  // namespace riffle::detail::bucket_shuffle
