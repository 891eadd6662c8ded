#pragma once

// The keys of leaves, drawn once and kept, where each of many teams permutes a part of a leaf.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/feistel_form.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>

namespace riffle::detail::bucket_shuffle {

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

}  // namespace riffle::detail::bucket_shuffle
