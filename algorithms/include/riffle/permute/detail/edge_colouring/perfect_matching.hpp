#pragma once

// A perfect matching of a regular bipartite multigraph of any degree, after
//   N. Alon, "A simple algorithm for edge-coloring bipartite multigraphs", Information Processing Letters 85 (2003).
//
// With 2^t >= the number of edges, each edge of a graph of degree d is taken floor(2^t / d) times, and each left node u
// gets 2^t mod d additional edges to right node u. That makes a graph of degree 2^t, with fewer than 2^t such bad
// edges. It is halved t times: an edge taken k times goes floor(k / 2) times to each half, the edges left over from odd
// k are divided by an Euler split, and the half with fewer bad edges is kept. So no bad edge is left at the end, and
// each node has one edge.

#include <cstdint>

#include <riffle/permute/detail/edge_colouring/euler_split.hpp>

namespace riffle::detail::edge_colouring {

/// The memory for a matching: each array has a place for every edge and every node.
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
                  MatchingMemory<Node> const& memory, std::uint32_t* open)
      : nodes_(nodes), edges_(nodes * degree), right_(right), memory_(memory), open_(open) {
    int halvings = 0;
    while (std::uint64_t{1} << halvings < edges_) ++halvings;
    std::uint64_t const full = std::uint64_t{1} << halvings;
    take_copies(degree, static_cast<std::uint32_t>(full / degree),
                static_cast<std::uint32_t>(full % degree));
    for (; halvings > 0; --halvings) halve();
  }

  /// Calls use(u, e) with the edge e of each left node u in turn.
  template <class Use>
  void for_each_edge(Use const& use) const {
    std::uint32_t node = 0;
    for (std::uint32_t k = 0; k < entries_; ++k) {
      if (memory_.copies[k] != 0) use(node++, memory_.entry[k]);
    }
  }

 private:
  /// Entries are in the order of left nodes; those from edges_ on are the bad edges.
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
    pair_at_right(memory_.odd_right, odd, open_, memory_.partner);
    walk_cycles(odd, memory_.partner);
    std::uint32_t const kept = better_half(odd);
    for (std::uint32_t pair = 0; pair < odd / 2; ++pair) {
      ++memory_.copies[memory_.odd_entry[first_of(memory_.partner, pair) ^ kept]];
    }
  }

  /// Drops the entries without copies, lists those that have an odd number of copies, and returns how many are listed.
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

  /// The half with fewer bad edges: 0 for the first half, 1 for the second.
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
  std::uint32_t* open_;
  std::uint32_t entries_ = 0;
};

/// matched[u] = the number of left node u's edge in a perfect matching of `from`, and to = all other edges.
template <class Node>
void take_matching(Edges<Node> const& from, Edges<Node> const& to, std::uint32_t nodes,
                   std::uint32_t degree, MatchingMemory<Node> const& memory, std::uint32_t* open,
                   std::uint32_t* matched) {
  PerfectMatching<Node> const matching(nodes, degree, from.right, memory, open);
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

}  // namespace riffle::detail::edge_colouring
