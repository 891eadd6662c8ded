#pragma once

// The Euler split of a bipartite multigraph whose nodes all have an even number of edges: two halves, each with half of
// every node's edges (H. N. Gabow, "Using Euler partitions to edge color bipartite multigraphs", International Journal
// of Computer and Information Sciences 5, 1976).
//
// There is no tour of adjacency lists: edges are numbered in the order of their left nodes, so that 2p and 2p + 1 share
// one, and likewise each edge has a partner of the same right node. Partners on the left and on the right alternate
// along cycles of even length, whose edges go to the two halves in turn. A right node pairs its edges in the order in
// which they come, so that partners are near each other, and a walk along a cycle reads nearby memory.

#include <cstdint>

namespace riffle::detail::edge_colouring {

/// Edges are numbered below `walked`. `walked` and the word after it mark edges that have been walked, `none` also
/// right nodes at which no edge waits.
inline constexpr std::uint32_t walked = 0xFFFFFFFEu;
inline constexpr std::uint32_t none = 0xFFFFFFFFu;

/// All ones where an edge waits, else 0. Whether one waits is as good as random: with a branch, or a conditional that
/// the compiler turns into one, half of the time goes into mispredictions.
inline std::uint32_t mask_of(std::uint32_t waiting) {
  return std::uint32_t{0} - static_cast<std::uint32_t>(waiting != none);
}

/// partner[e] = the edge that edge e < edges is paired with at its right node.
///
/// open: `none` for every right node, before and after the call.
template <class Node>
void pair_at_right(Node const* right, std::uint32_t edges, std::uint32_t* open,
                   std::uint32_t* partner) {
  for (std::uint32_t e = 0; e < edges; ++e) {
    std::uint32_t const waiting = open[right[e]];
    std::uint32_t const mask = mask_of(waiting);
    std::uint32_t const other = (waiting & mask) | (e & ~mask);
    partner[e] = other;
    partner[other] = e;
    open[right[e]] = e | mask;
  }
}

/// pair_at_right() for many edges: they are read forwards and then backwards, so that `partner` is written in sequence.
template <class Node>
void pair_many_at_right(Node const* right, std::uint32_t edges, std::uint32_t* open,
                        std::uint32_t* partner) {
  for (std::uint32_t e = 0; e < edges; ++e) {
    std::uint32_t const waiting = open[right[e]];
    partner[e] = waiting;
    open[right[e]] = e | mask_of(waiting);
  }
  for (std::uint32_t e = edges; e-- > 0;) {
    std::uint32_t const waiting = open[right[e]];
    partner[e] &= waiting;  // one of the two is `none`
    open[right[e]] = e | mask_of(waiting);
  }
}

/// Walks the cycles of a graph's partners one after another. Afterwards edge first_of(partner, p), one of the edges 2p
/// and 2p + 1, is in the first half, which has the lowest edge of each cycle.
class CycleWalk {
 public:
  /// Requires edges > 0.
  CycleWalk(std::uint32_t edges, std::uint32_t* partner) : edges_(edges), partner_(partner) {}

  /// Takes a pair of edges and goes on to the next; false once all are walked.
  bool step() {
    std::uint32_t const next = partner_[edge_ ^ 1];
    // The partners of the pair have both been used.
    partner_[edge_ & ~std::uint32_t{1}] = walked + (edge_ & 1);
    edge_ = next;
    return next != start_ || find_start();
  }

 private:
  bool find_start() {
    do {
      start_ += 2;
    } while (start_ < edges_ && partner_[start_] >= walked);
    edge_ = start_;
    return start_ < edges_;
  }

  std::uint32_t edges_;
  std::uint32_t* partner_;
  std::uint32_t start_ = 0;
  std::uint32_t edge_ = 0;
};

inline void walk_cycles(std::uint32_t edges, std::uint32_t* partner) {
  if (edges == 0) return;
  CycleWalk walk(edges, partner);
  while (walk.step()) {
  }
}

/// Walks four graphs of `edges` edges each at once, so that the waits for memory of their steps overlap.
inline void walk_cycles_of_four(std::uint32_t edges, std::uint32_t* const (&partner)[4]) {
  CycleWalk a(edges, partner[0]);
  CycleWalk b(edges, partner[1]);
  CycleWalk c(edges, partner[2]);
  CycleWalk d(edges, partner[3]);
  bool has_a = true;
  bool has_b = true;
  bool has_c = true;
  bool has_d = true;
  while (has_a && has_b && has_c && has_d) {
    has_a = a.step();
    has_b = b.step();
    has_c = c.step();
    has_d = d.step();
  }
  while (has_a) has_a = a.step();
  while (has_b) has_b = b.step();
  while (has_c) has_c = c.step();
  while (has_d) has_d = d.step();
}

inline std::uint32_t first_of(std::uint32_t const* partner, std::uint32_t pair) {
  return 2 * pair + (partner[2 * pair] - walked);
}

/// The edges of a regular bipartite multigraph in the order of their left nodes, each with its right node and the
/// caller's number for it. In a graph of degree d, left node u has d edges from u d on.
template <class Node>
struct Edges {
  Node* right;
  std::uint32_t* number;

  Edges from(std::uint32_t first) const { return {right + first, number + first}; }
};

/// to = the first half of `from`, then the second, both in the order of left nodes, as each pair gives one edge to each
/// half. partner: as walk_cycles() leaves it.
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
void split(Edges<Node> const& from, Edges<Node> const& to, std::uint32_t edges, std::uint32_t* open,
           std::uint32_t* partner) {
  pair_at_right(from.right, edges, open, partner);
  walk_cycles(edges, partner);
  divide(from, to, edges, partner);
}

}  // namespace riffle::detail::edge_colouring
