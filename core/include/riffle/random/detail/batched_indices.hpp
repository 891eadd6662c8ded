#pragma once

// Several uniform indices from one random word:
//   N. Brackett-Rozinsky, D. Lemire, "Batched ranged random integer generation", Software: Practice
//   and Experience 55 (2025), doi 10.1002/spe.3369, algorithm 4.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/wide_integer.hpp>

namespace riffle::detail {

/// indices[k] = the upper half of (what is left of the word) * (bound - k), k < Count; returns what is
/// left at last.
template <int Count>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t indices_of_word(std::uint64_t word, std::uint64_t bound,
                                                          std::uint64_t (&indices)[Count]) {
  for (int k = 0; k < Count; ++k) {
    uint128 const product = static_cast<uint128>(word) * (bound - static_cast<std::uint64_t>(k));
    indices[k] = static_cast<std::uint64_t>(product >> 64);
    word = static_cast<std::uint64_t>(product);
  }
  return word;
}

/// indices[k] independent and uniform below bound - k, for k < Count < bound, where the product of all
/// these bounds is below 2^64. Takes words from random() until one is not refused: a word is, with
/// probability (product of the bounds) / 2^64 at most.
template <int Count, class Random>
KOKKOS_FORCEINLINE_FUNCTION void draw_indices(Random& random, std::uint64_t bound,
                                              std::uint64_t (&indices)[Count]) {
  std::uint64_t rest = indices_of_word(random(), bound, indices);
  std::uint64_t product = 1;
  for (int k = 0; k < Count; ++k) product *= bound - static_cast<std::uint64_t>(k);
  if (rest >= product) return;
  // Of every multiple of the product in 2^64 words, as many: the first 2^64 % product are refused.
  std::uint64_t const refused = (std::uint64_t{0} - product) % product;
  while (rest < refused) rest = indices_of_word(random(), bound, indices);
}

}  // namespace riffle::detail
