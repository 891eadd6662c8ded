#pragma once

// The permutation of BucketShuffle: a function of n and the seed alone, the same on every back end.
//
// A node of a tree permutes its n elements. A leaf is a bijection keyed by the node. A split node draws
// a digit for each of its places; places of one digit, in their order, take what the child of that digit
// gives, in its order; and the children permute consecutive parts of the input, in the order of the
// digits. With independent uniform digits, and uniform permutations in the leaves, that is the inverse of
// the uniform permutation of
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

/// Children of a split node. A digit is a byte.
inline constexpr int buckets = 256;

/// Fewer elements are not split: they are permuted by RandomPermutation(n, seed).
inline constexpr std::uint64_t min_split = std::uint64_t{1} << 20;

/// Levels of split nodes, the same above all leaves: as few as leave leaves of about 2^22 elements at
/// most, which a cache can hold.
KOKKOS_INLINE_FUNCTION constexpr int levels(std::uint64_t n) {
  if (n < min_split) return 0;
  int count = 1;
  for (std::uint64_t last = (n - 1) >> 8; last >= std::uint64_t{1} << 22; last >>= 8) ++count;
  return count;
}

/// The number that is a node's stream of random numbers.
using Node = std::uint64_t;
inline constexpr Node root = 1;

KOKKOS_INLINE_FUNCTION constexpr Node child(Node node, int digit) {
  return node * buckets + static_cast<Node>(digit);
}

// --- digits: a random block has the digits of sixteen places, which are sixteen apart; so sixteen lanes have
//     256 consecutive places, and each lane its own block ---

inline constexpr int digits_per_block = 16;
inline constexpr int places_per_unit = digits_per_block * digits_per_block;

/// Block b of a node has the digits of places 256 (b / 16) + b % 16 + 16 k, k = 0, ..., 15.
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

/// On 4096 points, as a leaf has at n = 2^20, a million networks of eight rounds pass the uniformity
/// battery's sharpest test there (successions), where seven fail it (p = 1e-48); networks mix the better the
/// more points they have, and from n = 2^23 on, where this is a default, leaves have 2^15 and more.
inline constexpr int leaf_rounds = 8;

/// The key of all leaves, drawn apart from the keys of RandomPermutation(n, seed).
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t leaf_seed(std::uint64_t seed) {
  auto const words = random_block(seed, 0, Purpose::leaf_seed, 0);
  return words[0] | std::uint64_t{words[1]} << 32;
}

KOKKOS_INLINE_FUNCTION MixedRadixFeistel leaf(std::uint64_t size, std::uint64_t seed_of_leaves,
                                              Node node) {
  return MixedRadixFeistel(size, seed_of_leaves, node, leaf_rounds);
}

/// The keys of a leaf, drawn once and kept, where each of many teams of a GPU permutes a part of it.
struct alignas(16) LeafKeys {
  std::uint32_t words[leaf_rounds];
};

KOKKOS_INLINE_FUNCTION LeafKeys leaf_keys(std::uint64_t seed_of_leaves, Node node) {
  LeafKeys keys;
  random_keys(seed_of_leaves, node, leaf_rounds, keys.words);
  return keys;
}

/// leaf(size, seed_of_leaves, node) with size > 2, in the form for a loop. Word is std::uint32_t where size <= 2^32.
template <class Word>
KOKKOS_INLINE_FUNCTION FeistelForm<Word, leaf_rounds> leaf_form(std::uint64_t size,
                                                                LeafKeys const& keys) {
  auto const halves = MixedRadixFeistel::halves(size);
  return {size, halves.radix, halves.low_bits, leaf_rounds, keys.words};
}

// --- the elements that are shuffled: source(j), j < n ---

/// The values of a View of rank 1, as the output stores them.
template <class View, class Value>
struct ReadView {
  static constexpr bool is_memory = true;

  View view;

  KOKKOS_FUNCTION Value operator()(std::uint64_t j) const { return static_cast<Value>(view(j)); }

  /// The same, for random reads where neighbours of j will be wanted soon.
  KOKKOS_FUNCTION Value at_random(std::uint64_t j) const {
    if constexpr (std::is_lvalue_reference_v<decltype(view(j))>) {
      return static_cast<Value>(backend::load_with_line(&view(j)));
    } else {
      return (*this)(j);
    }
  }
};

/// j itself: the output is the permutation.
template <class Value>
struct OwnIndex {
  static constexpr bool is_memory = false;

  KOKKOS_FUNCTION Value operator()(std::uint64_t j) const { return static_cast<Value>(j); }
  KOKKOS_FUNCTION Value at_random(std::uint64_t j) const { return (*this)(j); }
};

}  // namespace riffle::detail::bucket_shuffle
