#pragma once

// Colours the edges of a regular bipartite multigraph with one thread. The recursion is depth first, so that subgraphs
// soon fit into the inner caches. A graph with even degree is split into two graphs with half the degree, which are
// coloured with different colours (H. N. Gabow, "Using Euler partitions to edge color bipartite multigraphs",
// International Journal of Computer and Information Sciences 5, 1976). If the degree is odd, a perfect matching is
// first coloured with a colour that no other edge receives; the graph of the other edges has even degree.
//
// The Euler split needs no adjacency lists. Edges are numbered in the order of their left nodes. Because the degree is
// even, edges 2p and 2p + 1 have the same left node; they are partners on the left. Each edge also has a partner on the
// right, which has the same right node. Partners on the left and partners on the right alternate along cycles of even
// length. The edges of a cycle are assigned to the two halves alternately:
//
//     edge      e ---left--- e^1 ---right--- f ---left--- f^1 ---right--- ... ---right--- e
//     half      0             1              0             1                              0
//
// The edges of a right node are paired in ascending order of their numbers. Therefore the numbers of partners are
// close, and a walk along a cycle reads nearby memory.
//
// The perfect matching follows
//   N. Alon, "A simple algorithm for edge-coloring bipartite multigraphs", Information Processing Letters 85 (2003).
// Let d be the degree, and let 2^t be at least the number of edges. Make floor(2^t / d) copies of each edge, and add
// 2^t mod d "bad" edges from each left node u to right node u. The resulting graph has degree 2^t and fewer than 2^t
// bad edges. It is halved t times. In each halving, an edge with k copies gives floor(k / 2) copies to each half. If k
// is odd, one copy remains; an Euler split divides the remaining copies of all edges between the halves. The half with
// fewer bad edges is kept, so at the end no bad edge is left. Each node then has one edge.

#include <algorithm>
#include <cstdint>
#include <utility>

#include <riffle/primitives/scope.hpp>

namespace riffle::detail::edge_colouring {

// --- the Euler split ---

/// Values that cannot be edge numbers, because edge numbers are less than `walked`. In partner[], `walked` and
/// walked + 1 mark pairs that a walk has visited. In unpaired[], `none` means that a right node has no unpaired edge.
inline constexpr std::uint32_t walked = 0xFFFFFFFEu;
inline constexpr std::uint32_t none = 0xFFFFFFFFu;

/// Returns all ones if the right node has an unpaired edge, otherwise 0. The bit operations replace a branch that would
/// be mispredicted half of the time.
inline std::uint32_t mask_of(std::uint32_t waiting) {
  return std::uint32_t{0} - static_cast<std::uint32_t>(waiting != none);
}

/// Pairs the edges at each right node: sets partner[e] to the partner on the right, for each edge e < edges.
///
/// During the call, unpaired[v] is the last edge at right node v that has no partner yet. All entries are `none` before
/// and after the call.
template <class Node>
void pair_at_right(Node const* right, std::uint32_t edges, std::uint32_t* unpaired,
                   std::uint32_t* partner) {
  for (std::uint32_t e = 0; e < edges; ++e) {
    std::uint32_t const waiting = unpaired[right[e]];
    std::uint32_t const mask = mask_of(waiting);
    std::uint32_t const other = (waiting & mask) | (e & ~mask);
    partner[e] = other;
    partner[other] = e;
    unpaired[right[e]] = e | mask;
  }
}

/// Walks along each cycle of partners, and marks the edges that are in the first half. The lowest edge of each cycle is
/// in the first half. Afterwards first_of(partner, p) returns which of the edges 2p and 2p + 1 is in the first half.
inline void walk_cycles(std::uint32_t edges, std::uint32_t* partner) {
  for (std::uint32_t start = 0; start < edges; start += 2) {
    if (partner[start] >= walked) continue;
    std::uint32_t edge = start;
    do {
      std::uint32_t const next = partner[edge ^ 1];
      // The partners in this pair are no longer needed, so the pair's entry is overwritten by the mark.
      partner[edge & ~std::uint32_t{1}] = walked + (edge & 1);
      edge = next;
    } while (edge != start);
  }
}

inline std::uint32_t first_of(std::uint32_t const* partner, std::uint32_t pair) {
  return 2 * pair + (partner[2 * pair] - walked);
}

/// The edges of a regular bipartite multigraph with degree d, sorted by left node: left node u has the edges u d, ...,
/// u d + d - 1. right[e] is the right node of edge e, and number[e] its index in the caller's arrays.
template <class Node>
struct Edges {
  Node* right;
  std::uint32_t* number;

  Edges from(std::uint32_t first) const { return {right + first, number + first}; }
};

/// Writes the edges of `from` to `to`: first the first half, then the second half. Both halves remain sorted by left
/// node, because each contains one edge of each pair. `partner` is the result of walk_cycles().
template <class Node>
void divide(Edges<Node> const& from, Edges<Node> const& to, std::uint32_t edges,
            std::uint32_t const* partner) {
  std::uint32_t const half = edges / 2;
  for (std::uint32_t pair = 0; pair < half; ++pair) {
    std::uint32_t const first = first_of(partner, pair);
    std::uint32_t const second = first ^ 1;
    to.right[pair] = from.right[first];
    to.number[pair] = from.number[first];
    to.right[half + pair] = from.right[second];
    to.number[half + pair] = from.number[second];
  }
}

template <class Node>
void split(Edges<Node> const& from, Edges<Node> const& to, std::uint32_t edges,
           std::uint32_t* unpaired, std::uint32_t* partner) {
  pair_at_right(from.right, edges, unpaired, partner);
  walk_cycles(edges, partner);
  divide(from, to, edges, partner);
}

// --- a perfect matching ---

/// Memory for finding a matching in a graph. Each array has one element per edge plus one per left node, because the
/// list of entries contains every edge and one bad edge per left node.
template <class Node>
struct MatchingMemory {
  std::uint32_t* entry;
  std::uint32_t* copies;
  std::uint32_t* odd_entry;
  Node* odd_right;
  std::uint32_t* partner;

  MatchingMemory from(std::uint64_t first) const {
    return {entry + first, copies + first, odd_entry + first, odd_right + first, partner + first};
  }
};

template <class Node>
class PerfectMatching {
 public:
  PerfectMatching(std::uint32_t nodes, std::uint32_t degree, Node const* right,
                  MatchingMemory<Node> const& memory, std::uint32_t* unpaired)
      : nodes_(nodes), edges_(nodes * degree), right_(right), memory_(memory), unpaired_(unpaired) {
    int halvings = 0;
    while (std::uint64_t{1} << halvings < edges_) ++halvings;
    std::uint64_t const full = std::uint64_t{1} << halvings;
    take_copies(degree, static_cast<std::uint32_t>(full / degree),
                static_cast<std::uint32_t>(full % degree));
    for (; halvings > 0; --halvings) halve();
  }

  /// Calls use(u, e) for each left node u in order, where e is the edge of u in the matching.
  template <class Use>
  void for_each_edge(Use const& use) const {
    std::uint32_t node = 0;
    for (std::uint32_t k = 0; k < entries_; ++k) {
      if (memory_.copies[k] != 0) use(node++, memory_.entry[k]);
    }
  }

 private:
  /// Makes the list of entries. An entry is an edge and its number of copies. The list is sorted by left node. An entry
  /// whose edge number is at least edges_ is a bad edge.
  void take_copies(std::uint32_t degree, std::uint32_t good, std::uint32_t bad) {
    for (std::uint32_t u = 0; u < nodes_; ++u) {
      for (std::uint32_t k = 0; k < degree; ++k) add(u * degree + k, good);
      if (bad > 0) add(edges_ + u, bad);
    }
  }

  void add(std::uint32_t entry, std::uint32_t copies) {
    memory_.entry[entries_] = entry;
    memory_.copies[entries_] = copies;
    ++entries_;
  }

  bool is_bad(std::uint32_t k) const { return memory_.entry[k] >= edges_; }

  void halve() {
    std::uint32_t const odd = halve_copies();
    pair_at_right(memory_.odd_right, odd, unpaired_, memory_.partner);
    walk_cycles(odd, memory_.partner);
    std::uint32_t const kept = better_half(odd);
    for (std::uint32_t pair = 0; pair < odd / 2; ++pair) {
      ++memory_.copies[memory_.odd_entry[first_of(memory_.partner, pair) ^ kept]];
    }
  }

  /// Removes entries without copies, and halves the number of copies in all other entries. Lists the entries in which
  /// this number was odd. Returns the length of this list.
  std::uint32_t halve_copies() {
    std::uint32_t kept = 0;
    std::uint32_t odd = 0;
    for (std::uint32_t k = 0; k < entries_; ++k) {
      std::uint32_t const copies = memory_.copies[k];
      if (copies == 0) continue;
      std::uint32_t const entry = memory_.entry[k];
      memory_.entry[kept] = entry;
      memory_.copies[kept] = copies / 2;
      if (copies % 2 == 1) {
        memory_.odd_entry[odd] = kept;
        memory_.odd_right[odd] = entry < edges_ ? right_[entry] : static_cast<Node>(entry - edges_);
        ++odd;
      }
      ++kept;
    }
    entries_ = kept;
    return odd;
  }

  /// Returns which half has fewer bad edges: 0 or 1.
  std::uint32_t better_half(std::uint32_t odd) const {
    std::int64_t more_in_first = 0;
    for (std::uint32_t pair = 0; pair < odd / 2; ++pair) {
      std::uint32_t const first = first_of(memory_.partner, pair);
      more_in_first += is_bad(memory_.odd_entry[first]);
      more_in_first -= is_bad(memory_.odd_entry[first ^ 1]);
    }
    return more_in_first > 0 ? 1 : 0;
  }

  std::uint32_t nodes_;
  std::uint32_t edges_;
  Node const* right_;
  MatchingMemory<Node> memory_;
  std::uint32_t* unpaired_;
  std::uint32_t entries_ = 0;
};

/// Finds a perfect matching in `from`: matched[u] is the caller's index of the matched edge at left node u. Writes all
/// other edges to `to`.
template <class Node>
void take_matching(Edges<Node> const& from, Edges<Node> const& to, std::uint32_t nodes,
                   std::uint32_t degree, MatchingMemory<Node> const& memory,
                   std::uint32_t* unpaired, std::uint32_t* matched) {
  PerfectMatching<Node> const matching(nodes, degree, from.right, memory, unpaired);
  std::uint32_t written = 0;
  matching.for_each_edge([&](std::uint32_t u, std::uint32_t matched_edge) {
    matched[u] = from.number[matched_edge];
    for (std::uint32_t e = u * degree; e < (u + 1) * degree; ++e) {
      if (e == matched_edge) continue;
      to.right[written] = from.right[e];
      to.number[written] = from.number[e];
      ++written;
    }
  });
}

// --- a colouring ---

/// The memory that a thread needs for colouring, in addition to the edges.
template <class Node>
struct ColouringScratch {
  std::uint32_t* partner;
  std::uint32_t* unpaired;
  MatchingMemory<Node> matching;
};

/// Whether colouring a graph with this degree needs perfect matchings: they are needed for subgraphs whose degree is
/// odd and above 1.
inline bool needs_matchings(std::uint64_t degree) { return (degree & (degree - 1)) != 0; }

/// The memory for colouring up to `tasks` graphs at a time: 12 bytes and two node numbers per edge, and 4 bytes per node
/// and task. If matchings are needed, it has an additional 12 bytes and one node number per edge, and an additional 16
/// bytes and one node number per node and task.
template <class Node>
class ColouringMemory {
 public:
  ColouringMemory(ArrayMemory& memory, std::uint64_t edges, std::uint64_t tasks,
                  std::uint64_t nodes, bool matches)
      : tasks_(tasks),
        nodes_(nodes),
        matches_(matches),
        unpaired_(memory.take<std::uint32_t>(tasks * nodes)) {
    for (auto& side : edges_) {
      side = {memory.take<Node>(edges), memory.take<std::uint32_t>(edges)};
    }
    auto const take = [&]<class T>(T*& array) {
      array = memory.take<T>(edges + (matches ? tasks * nodes : 0));
    };
    take(matching_.partner);
    if (matches) {
      take(matching_.entry);
      take(matching_.copies);
      take(matching_.odd_entry);
      take(matching_.odd_right);
    }
  }

  /// Writes the values that colour_graph() expects. To be called once.
  void initialise() const { std::fill_n(unpaired_, tasks_ * nodes_, none); }

  /// Returns one of the two arrays of edges; side is 0 or 1.
  Edges<Node> const& edges(int side) const { return edges_[side]; }

  /// Returns the memory with which task `task` colours the graph whose first edge is `first`.
  ColouringScratch<Node> scratch(std::uint64_t first, std::uint64_t task) const {
    std::uint64_t const place = first + (matches_ ? task * nodes_ : 0);
    return {matching_.partner + place, unpaired_ + task * nodes_,
            matches_ ? matching_.from(place) : MatchingMemory<Node>{}};
  }

 private:
  std::uint64_t tasks_;
  std::uint64_t nodes_;
  bool matches_;
  std::uint32_t* unpaired_;
  Edges<Node> edges_[2];
  MatchingMemory<Node> matching_{};
};

/// Reduces an odd degree by one: gives the highest colour to a perfect matching, and moves the other edges to `spare`.
/// Calls set_colour(colour, numbers), where numbers[u] is the caller's index of the matched edge at left node u.
template <class Node, class SetColour>
void make_even(Edges<Node> const& current, Edges<Node> const& spare, std::uint32_t nodes,
               std::uint32_t degree, std::uint32_t colour, ColouringScratch<Node> const& scratch,
               SetColour const& set_colour) {
  std::uint32_t* const matched = scratch.matching.odd_entry;  // free once the matching is known
  take_matching(current, spare, nodes, degree, scratch.matching, scratch.unpaired, matched);
  set_colour(colour + degree - 1, matched);
}

/// Colours a graph with the colours `colour`, ..., colour + degree - 1, depth first. Overwrites both arrays of edges.
template <class Node, class SetColour>
void colour_graph(Edges<Node> current, Edges<Node> spare, std::uint32_t nodes, std::uint32_t degree,
                  std::uint32_t colour, ColouringScratch<Node> const& scratch,
                  SetColour const& set_colour) {
  if (degree == 1) return set_colour(colour, current.number);
  if (degree % 2 == 1) {
    make_even(current, spare, nodes, degree, colour, scratch, set_colour);
    std::swap(current, spare);
    --degree;
  }
  split(current, spare, nodes * degree, scratch.unpaired, scratch.partner);
  std::uint32_t const half = degree / 2;
  colour_graph(spare, current, nodes, half, colour, scratch, set_colour);
  colour_graph(spare.from(nodes * half), current.from(nodes * half), nodes, half, colour + half,
               scratch, set_colour);
}

}  // namespace riffle::detail::edge_colouring
