#pragma once

// The leaves of a node, for a team whose lanes each evaluate another one.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/random/feistel_form.hpp>
#include <riffle/random/feistel_rounds.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>
#include <riffle/shuffle/detail/bucket/leaf_keys.hpp>

namespace riffle::detail::bucket_shuffle {

/// The bijections of all children of a node, in scratch memory: one word of each leaf beside that of the next, so that
/// lanes of random leaves meet in few banks.
class LeafTable {
  enum Word { begin, last, radix, low_bits, first_key, count = first_key + leaf_rounds };

  /// The keys of one leaf, as rounds take them.
  class Keys {
   public:
    KOKKOS_FORCEINLINE_FUNCTION Keys(std::uint32_t const* keys, int) : keys_(keys) {}

    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator[](int round) const {
      return widened_key<std::uint32_t>(keys_[round * buckets]);
    }

   private:
    std::uint32_t const* keys_;
  };

 public:
  static constexpr std::size_t words = std::size_t{count} * buckets;

  /// `memory` has `words` words.
  KOKKOS_FUNCTION explicit LeafTable(std::uint32_t* memory) : memory_(memory) {}

  /// A leaf of fewer than 2^32 elements, which begin at `begin_of_leaf` among all. By one thread for each leaf, which meet
  /// afterwards.
  KOKKOS_FUNCTION void put(int leaf, std::uint32_t begin_of_leaf, std::uint32_t size,
                           LeafKeys const& keys, std::uint64_t seed_of_leaves, Node node) const {
    auto const halves = MixedRadixFeistel::halves(size);
    at(begin, leaf) = begin_of_leaf;
    at(last, leaf) = size - 1;
    at(radix, leaf) = static_cast<std::uint32_t>(halves.radix);
    at(low_bits, leaf) = static_cast<std::uint32_t>(halves.low_bits);
    for (int round = 0; round < leaf_rounds; ++round)
      at(first_key + round, leaf) = keys.words[round];
    // Two points, which have no form of these rounds, stay or change places.
    if (size == 2) at(radix, leaf) = image_of_first(seed_of_leaves, node);
    if (size < 2) at(radix, leaf) = 0;
  }

  /// The number among all elements that element i of a leaf takes.
  KOKKOS_FUNCTION std::uint32_t operator()(int leaf, std::uint32_t i) const {
    std::uint32_t const bits = at(low_bits, leaf);
    if (bits == 0) return at(begin, leaf) + (i ^ at(radix, leaf));
    using Form = FeistelForm<std::uint32_t, leaf_rounds, Keys>;
    Form const form(std::uint64_t{at(last, leaf)} + 1, at(radix, leaf), static_cast<int>(bits),
                    leaf_rounds, &at(first_key, leaf));
    return at(begin, leaf) + static_cast<std::uint32_t>(form(i));
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t image_of_first(std::uint64_t seed_of_leaves, Node node) {
    return static_cast<std::uint32_t>(bucket_shuffle::leaf(2, seed_of_leaves, node)(0));
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t& at(int word, int leaf) const {
    return memory_[word * buckets + leaf];
  }

  std::uint32_t* memory_;
};

}  // namespace riffle::detail::bucket_shuffle
