#pragma once

// Which of some buckets a key is in, of keys as words that are ordered as they are.

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/lanes.hpp>

namespace riffle::detail::sort::by_splitters {

/// 2^depth - 1 sorted splitters between 2^depth buckets: bucket b has the keys above splitter b - 1, up to splitter b.
/// Of splitters that are alike, all but the first give their buckets no key but that one: the second one's has all that
/// equal it, and needs no sorting.
///
/// They lie twice: as a search tree level by level [1], of which the levels that all lanes look at have few banks to
/// share, and in order. Word 0, where the tree has no node, says whether two are alike.
///
/// [1] P. Sanders, S. Winkel, "Super scalar sample sort", ESA (2004), sec. 4.
template <class Word>
class Splitters {
 public:
  static constexpr int words(int depth) { return 2 << depth; }

  KOKKOS_FUNCTION Splitters(Word const* words, int depth)
      : tree_(words), in_order_(words + (std::size_t{1} << depth)), depth_(depth) {}

  /// The bucket of each word; a level of all before the next, so that their reads overlap.
  template <int count>
  KOKKOS_FUNCTION void find(Word const (&words)[count], int (&buckets)[count]) const {
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) buckets[k] = 1;
    RIFFLE_NO_UNROLL
    for (int level = 0; level < depth_; ++level) {
      RIFFLE_UNROLL
      for (int k = 0; k < count; ++k) {
        buckets[k] = 2 * buckets[k] + static_cast<int>(tree_[buckets[k]] < words[k]);
      }
    }
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) buckets[k] -= 1 << depth_;
    if (tree_[0] == Word{}) return;
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) {
      bool const has_next = buckets[k] + 2 < 1 << depth_;
      if (has_next && in_order_[buckets[k] + 1] == words[k]) ++buckets[k];
    }
  }

  /// Whether the bucket's keys, if any, are all alike: equal to splitter `bucket`.
  KOKKOS_FUNCTION bool has_ties_only(int bucket) const {
    return bucket > 0 && bucket + 1 < 1 << depth_ && in_order_[bucket - 1] == in_order_[bucket];
  }

  KOKKOS_FUNCTION Word splitter(int i) const { return in_order_[i]; }

  /// The splitter at a node of the tree, 1 or more.
  KOKKOS_FUNCTION static int index_at(int node, int depth) {
    int level = 0;
    while (2 << level <= node) ++level;
    return (2 * (node - (1 << level)) + 1) * (1 << (depth - 1 - level)) - 1;
  }

 private:
  Word const* tree_;
  Word const* in_order_;
  int depth_;
};

}  // namespace riffle::detail::sort::by_splitters
