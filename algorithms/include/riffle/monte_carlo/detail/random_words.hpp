#pragma once

// Random 32-bit words, each of which gives several random numbers (draws) of a replicate.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/philox.hpp>

namespace riffle::detail {

inline constexpr std::uint32_t max_labels_per_word = 4;
/// The product of the bounds of all draws from one word is at most this, so that words are rarely redrawn.
inline constexpr std::uint64_t max_product_of_bounds = std::uint64_t{1} << 24;

/// Returns `word` if it gives draws without bias, otherwise the first random replacement that does. `bound` is the
/// product of the bounds of the draws.
///
/// A word gives several random numbers below bounds b_1, b_2, ... as follows. The upper half of the 64-bit product word
/// * b_1 is the first number. The lower half replaces the word and is multiplied by b_2 for the second number, and so
/// on. The numbers are exactly uniform if the word is drawn again whenever the last lower half is below 2^32 modulo
/// (b_1 b_2 ...) (N. Brackett-Rozinsky, D. Lemire, "Batched ranged random integer generation", Software: Practice and
/// Experience 55, 2025). The last lower half is word * b_1 b_2 ... modulo 2^32.
KOKKOS_INLINE_FUNCTION std::uint32_t accept_word(std::uint32_t word, std::uint32_t bound,
                                                 std::uint64_t seed, std::uint64_t replicate,
                                                 std::uint64_t index,
                                                 Purpose redrawn = Purpose::labels_redrawn) {
  if (word * bound >= bound) return word;                // for most words, without a division
  std::uint32_t const threshold = (0u - bound) % bound;  // 2^32 modulo bound
  for (std::uint64_t attempt = 0; word * bound < threshold; ++attempt) {
    word = random_block(seed, replicate, redrawn, index << 16 | (attempt & 0xFFFF))[0];
  }
  return word;
}

inline constexpr std::uint32_t signs_per_word = 32;
inline constexpr std::uint32_t words_per_block = 4;

/// Returns the number of replicates of n signs that share a Philox block. Each replicate uses whole words of the block.
KOKKOS_INLINE_FUNCTION constexpr std::uint32_t replicates_per_block(std::uint32_t n) {
  return n <= signs_per_word ? 4 : n <= 2 * signs_per_word ? 2 : 1;
}

/// Returns signs 32 w, ..., 32 w + 31 of a replicate with n signs, one in each bit.
KOKKOS_INLINE_FUNCTION constexpr std::uint32_t random_sign_word(std::uint32_t n, std::uint64_t seed,
                                                                std::uint64_t replicate,
                                                                std::uint32_t w) {
  std::uint32_t const sharing = replicates_per_block(n);
  std::uint32_t const words_each = words_per_block / sharing;
  auto const place = static_cast<std::uint32_t>(replicate % sharing) * words_each + w % words_each;
  return random_block(seed, replicate / sharing, Purpose::signs, w / words_each)[place];
}

}  // namespace riffle::detail
