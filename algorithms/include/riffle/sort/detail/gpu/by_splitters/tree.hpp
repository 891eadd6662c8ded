#pragma once

// Finds the bucket of a word. Words are ordered as the elements are.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_splitters/kinds.hpp>

namespace riffle::detail::sort::by_splitters {

/// 2^depth - 1 sorted splitters between 2^depth buckets: bucket b has the words above splitter b - 1, up to splitter b.
/// Where no two splitters have the same code, only codes are compared. If splitters are alike, the buckets of all but
/// the first have no word but the splitter itself: the second one's bucket has all words that equal it, and needs no
/// sorting.
///
/// The splitters are stored twice: in order, and as a search tree level by level [1], with codes apart from indices;
/// the levels of the tree that all lanes look at are small, and so lie in few banks. The code at index 0, where the
/// tree has no node, says whether two splitters have the same code.
///
/// [1] P. Sanders, S. Winkel, "Super scalar sample sort", ESA (2004), sec. 4.
template <class Word>
class Splitters {
 public:
  using Code = decltype(code_of(Word{}));

  KOKKOS_FUNCTION static constexpr int words(int depth) { return 2 << depth; }

  KOKKOS_FUNCTION Splitters(Word const* words, int depth)
      : codes_(reinterpret_cast<Code const*>(words)),
        in_order_(words + (std::size_t{1} << depth)),
        depth_(depth) {}

  /// The same where the tree lies apart from the splitters in order.
  KOKKOS_FUNCTION Splitters(Word const* tree, Word const* in_order, int depth)
      : codes_(reinterpret_cast<Code const*>(tree)), in_order_(in_order), depth_(depth) {}

  /// All threads of a team call this. splitter(i) gives splitter i < 2^depth - 1.
  template <class Member, class Splitter>
  KOKKOS_FUNCTION static void store(Member const& team, Word* words, int depth,
                                    Splitter const& splitter) {
    int const count = 1 << depth;
    auto* const codes = reinterpret_cast<Code*>(words);
    Word* const in_order = words + count;
    if (team.team_rank() == 0) {
      // This node and the last entry in order are read by all and needed by none.
      set_node(codes, 0, depth, Word{});
      in_order[count - 1] = Word{};
    }
    team.team_barrier();
    for (int i = team.team_rank(); i + 1 < count; i += team.team_size()) {
      in_order[i] = splitter(i);
      set_node(codes, i + 1, depth, splitter(index_at(i + 1, depth)));
      if (i > 0 && code_of(splitter(i - 1)) == code_of(splitter(i))) codes[0] = 1;
    }
  }

  /// Finds the bucket of each word. All words search a level before the next, so that their reads overlap.
  template <int count>
  KOKKOS_FUNCTION void find(Word const (&words)[count], int (&buckets)[count]) const {
    bool const have_ties = codes_[0] != 0;
    if (has_index<Word> && have_ties) {
      search(words, buckets,
             [&](int node, Word const& word) { return is_node_before(node, word); });
    } else {
      search(words, buckets,
             [&](int node, Word const& word) { return codes_[node] < code_of(word); });
    }
    if (!have_ties) return;
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) {
      bool const has_next = buckets[k] + 2 < 1 << depth_;
      if (has_next && in_order_[buckets[k] + 1] == words[k]) ++buckets[k];
    }
  }

  /// The same, `batch` at a time: to search for all at once would take more registers than there are.
  template <int batch, int count, class Group>
  KOKKOS_FUNCTION void find_in_batches(Word const (&words)[count], Group (&groups)[count]) const {
    RIFFLE_UNROLL
    for (int first = 0; first < count; first += batch) {
      Word some[batch];
      int found[batch];
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) some[k] = words[first + k];
      find(some, found);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) groups[first + k] = static_cast<Group>(found[k]);
    }
  }

  /// Whether codes alone were compared: a bucket then has words of its splitter's code that are beyond the splitter.
  KOKKOS_FUNCTION bool are_by_codes() const { return codes_[0] == 0; }

  /// Whether the bucket's words, if any, are all alike: equal to splitter `bucket`.
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
  template <int count, class IsBefore>
  KOKKOS_FUNCTION void search(Word const (&words)[count], int (&buckets)[count],
                              IsBefore const& is_before) const {
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) buckets[k] = 1;
    RIFFLE_NO_UNROLL
    for (int level = 0; level < depth_; ++level) {
      RIFFLE_UNROLL
      for (int k = 0; k < count; ++k) {
        buckets[k] = 2 * buckets[k] + static_cast<int>(is_before(buckets[k], words[k]));
      }
    }
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) buckets[k] -= 1 << depth_;
  }

  // The indices of nodes lie behind their codes.
  KOKKOS_FUNCTION static void set_node([[maybe_unused]] Code* codes, int node, int depth,
                                       Word const& splitter) {
    codes[node] = code_of(splitter);
    if constexpr (has_index<Word>) codes[(1 << depth) + node] = splitter.index;
  }

  KOKKOS_FUNCTION bool is_node_before(int node, Word const& word) const {
    if constexpr (has_index<Word>) {
      Word const splitter{codes_[node], static_cast<std::uint32_t>(codes_[(1 << depth_) + node]),
                          0};
      return splitter < word;
    } else {
      return codes_[node] < word;
    }
  }

  Code const* codes_;
  Word const* in_order_;
  int depth_;
};

}  // namespace riffle::detail::sort::by_splitters
