#pragma once

// The permutation of BucketShuffle: a function of n and the seed only, the same on every back end.
//
// A node of a tree permutes n elements; a place is an index in the node's output. A leaf permutes by a bijection that
// is keyed by the leaf's index. A split node draws a random digit for each place. Its input is divided into 256
// contiguous parts, one per digit. Part k has one element for each place with digit k, and child k permutes it. Let k
// be the digit of place p, and i the number of earlier places with digit k. Then place p of the node's output takes
// element i of child k's output:
//
//     input             a  b  c  d | e  f | g  h
//     child's output    d  b  a  c | f  e | h  g
//     digit of a place  0  1  0  2   0  1   0  2
//     output            d  f  b  h   a  e   c  g
//
// If digits are independent and uniform, and leaves are uniform permutations, this is the inverse of the uniform
// permutation of
//   C. R. Rao, "Generation of random permutations of given number of elements using random sampling
//   numbers", Sankhya A 23 (1961); M. Sandelius, "A simple randomization procedure", J. R. Stat. Soc. B
//   24 (1962).

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/random/feistel_network.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/random/philox.hpp>

namespace riffle::detail::bucket_shuffle {

/// The number of children of a split node. A digit is a byte.
inline constexpr int buckets = 256;

/// For fewer elements than this, the permutation is RandomPermutation(n, seed).
inline constexpr std::uint64_t min_split = std::uint64_t{1} << 20;

/// The number of levels of split nodes above the leaves, for n elements. It is the smallest number for which a leaf has
/// at most about 2^22 elements, so that the elements of a leaf fit a cache.
KOKKOS_INLINE_FUNCTION constexpr int level_count(std::uint64_t n) {
  if (n < min_split) return 0;
  int count = 1;
  for (std::uint64_t last = (n - 1) >> 8; last >= std::uint64_t{1} << 22; last >>= 8) ++count;
  return count;
}

/// The index of a node. The node's stream of random words has the same index.
using Node = std::uint64_t;
inline constexpr Node root = 1;

KOKKOS_INLINE_FUNCTION constexpr Node child(Node node, int digit) {
  return node * buckets + static_cast<Node>(digit);
}

// --- digits ---
//
// A unit is 256 consecutive places. Its digits are in sixteen Philox blocks: block b contains the digits of places b,
// b + 16, ..., b + 240 of the unit. So sixteen lanes that draw one block each have the digits of sixteen consecutive
// places at each step:
//
//     place of the unit    0  1 ... 15 | 16 17 ... 31 | ... | 240 ... 255
//     block                0  1 ... 15 |  0  1 ... 15 | ... |   0 ...  15
//     digit of the block   0  0 ...  0 |  1  1 ...  1 | ... |  15 ...  15

inline constexpr int digits_per_block = 16;
inline constexpr int places_per_unit = digits_per_block * digits_per_block;

/// Returns block b of a node. It contains the digits of places 256 * (b / 16) + b % 16 + 16 k for k = 0, ..., 15.
KOKKOS_INLINE_FUNCTION constexpr Philox4x32::Block digit_block(std::uint64_t seed, Node node,
                                                               std::uint64_t block) {
  return random_block(seed, node, Purpose::digits, block);
}

KOKKOS_INLINE_FUNCTION constexpr int byte_of(std::uint32_t word, int k) {
  return static_cast<int>(word >> 8 * k & 0xFFu);
}

KOKKOS_INLINE_FUNCTION constexpr int digit(Philox4x32::Block const& block, int k) {
  return byte_of(block[k / 4], k % 4);
}

// --- leaves ---

/// The number of rounds in a leaf's network. It was chosen for the smallest leaves: 4096 points, the mean size for
/// n = 2^20. Eight rounds are the fewest for which a million networks of this size pass the test of uniformity that is
/// most sensitive at this size (successions); with seven rounds they fail (p = 1e-48). Larger networks mix better. By
/// default, leaves have at least 2^15 points on average, because BucketShuffle is the default only for n >= 2^23.
inline constexpr int leaf_rounds = 8;

/// The seed for all leaves. Its random stream differs from the stream that the keys of RandomPermutation(n, seed) are
/// drawn from, so that the two permutations are unrelated.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t leaf_seed(std::uint64_t seed) {
  auto const words = random_block(seed, 0, Purpose::leaf_seed, 0);
  return words[0] | std::uint64_t{words[1]} << 32;
}

KOKKOS_INLINE_FUNCTION MixedRadixFeistel leaf(std::uint64_t size, std::uint64_t seed_of_leaves,
                                              Node node) {
  return MixedRadixFeistel(size, seed_of_leaves, node, leaf_rounds);
}

/// The keys of one leaf. They are stored because several GPU teams permute parts of the same leaf.
struct alignas(16) LeafKeys {
  std::uint32_t words[leaf_rounds];
};

KOKKOS_INLINE_FUNCTION LeafKeys leaf_keys(std::uint64_t seed_of_leaves, Node node) {
  LeafKeys keys;
  random_keys(seed_of_leaves, node, leaf_rounds, keys.words);
  return keys;
}

/// The bijection leaf(size, seed_of_leaves, node) in a form that is fast in loops. Requires: size > 2; size <= 2^32 if
/// Word is std::uint32_t.
template <class Word>
KOKKOS_INLINE_FUNCTION FeistelForm<Word, leaf_rounds> leaf_form(std::uint64_t size,
                                                                LeafKeys const& keys) {
  auto const halves = MixedRadixFeistel::halves(size);
  return {size, halves.radix, halves.low_bits, leaf_rounds, keys.words};
}

// --- sources: source(j), 0 <= j < n, is element j of the input ---

/// Reads the values of a rank-1 View, and converts them to the output's type.
template <class View, class Value>
struct ReadView {
  static constexpr bool is_memory = true;

  View view;

  KOKKOS_FUNCTION Value operator()(std::uint64_t j) const { return static_cast<Value>(view(j)); }

  /// Returns element j. On a GPU it loads the whole cache line, not only a sector. Use it for random accesses if
  /// elements near j will be read soon.
  KOKKOS_FUNCTION Value at_random(std::uint64_t j) const {
    if constexpr (std::is_lvalue_reference_v<decltype(view(j))>) {
      return static_cast<Value>(backend::load_with_line(&view(j)));
    } else {
      return (*this)(j);
    }
  }
};

/// The source with source(j) = j, for which the output is the permutation.
template <class Value>
struct IndexSource {
  static constexpr bool is_memory = false;

  KOKKOS_FUNCTION Value operator()(std::uint64_t j) const { return static_cast<Value>(j); }
  KOKKOS_FUNCTION Value at_random(std::uint64_t j) const { return (*this)(j); }
};

}  // namespace riffle::detail::bucket_shuffle
