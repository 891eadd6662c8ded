#pragma once

// Draws uniform indices from the random 64-bit words of one stream. Words 2 b and 2 b + 1 are the
// two halves of random block b. Several indices are drawn from each word:
//   N. Brackett-Rozinsky, D. Lemire, "Batched ranged random integer generation", Software: Practice
//   and Experience 55 (2025), doi 10.1002/spe.3369, algorithm 4.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/random/philox_words.hpp>

namespace riffle::detail {

/// Returns word `half`, 0 or 1, of a block.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t word_of_block(Philox4x32::Block const& block,
                                                             std::uint64_t half) {
  auto const low = half == 0 ? block[0] : block[2];
  auto const high = half == 0 ? block[1] : block[3];
  return low | std::uint64_t{high} << 32;
}

/// Reads the words of a stream in order. A block is computed when its first word is read. Host and
/// device.
class WordStream {
 public:
  KOKKOS_FUNCTION WordStream(std::uint64_t seed, std::uint64_t stream, Purpose purpose)
      : seed_(seed), stream_(stream), purpose_(purpose) {}

  KOKKOS_FUNCTION std::uint64_t operator()() {
    std::uint64_t const half = next_++;
    if (half % 2 == 0) block_ = random_block(seed_, stream_, purpose_, half / 2);
    return word_of_block(block_, half % 2);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  Purpose purpose_;
  std::uint64_t next_ = 0;
  Philox4x32::Block block_{};
};

/// Reads the same words as WordStream, but computes many of them at a time in vectors. Host only.
class VectorWordStream {
 public:
  VectorWordStream(std::uint64_t seed, std::uint64_t stream, Purpose purpose)
      : seed_(seed), stream_(stream), purpose_(purpose) {}

  std::uint64_t operator()() {
    if (next_ == words) refill();
    std::uint32_t const block = next_ / 2;
    int const half = static_cast<int>(next_ % 2 * 2);
    ++next_;
    return unit_.word(half)[block] | std::uint64_t{unit_.word(half + 1)[block]} << 32;
  }

 private:
  static constexpr std::uint32_t words = 2 * BlocksOfUnit::blocks;

  void refill() {
    unit_.draw(seed_, stream_, purpose_, first_block_);
    first_block_ += std::uint64_t{BlocksOfUnit::blocks};
    next_ = 0;
  }

  std::uint64_t seed_;
  std::uint64_t stream_;
  Purpose purpose_;
  std::uint64_t first_block_ = 0;
  std::uint32_t next_ = words;
  BlocksOfUnit unit_;
};

/// Multiplies `word` by `bound`, the lower half of the 128-bit product by bound - 1, and so on,
/// with Count multiplications in total. indices[k] is the upper half of product k. Returns the
/// lower half of the last product.
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

/// Draws Count independent indices; indices[k] is uniform on 0, ..., bound - k - 1. Requires Count
/// < bound, and that the product of the bounds bound - k is less than 2^64. Takes words from
/// random() until one is accepted. The probability that a word is rejected is at most (product of
/// the bounds) / 2^64.
template <int Count, class Random>
KOKKOS_FORCEINLINE_FUNCTION void draw_indices(Random& random, std::uint64_t bound,
                                              std::uint64_t (&indices)[Count]) {
  std::uint64_t rest = indices_of_word(random(), bound, indices);
  std::uint64_t product = 1;
  for (int k = 0; k < Count; ++k) product *= bound - static_cast<std::uint64_t>(k);
  if (rest >= product) return;
  // A word is rejected if its last lower half is less than 2^64 % product. The accepted words are
  // then divided equally between the possible combinations of indices.
  std::uint64_t const refused = (std::uint64_t{0} - product) % product;
  while (rest < refused) rest = indices_of_word(random(), bound, indices);
}

}  // namespace riffle::detail
