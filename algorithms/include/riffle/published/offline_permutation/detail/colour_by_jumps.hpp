#pragma once

// Colours the edges of a bipartite graph whose degree is a power of two, using all threads of a device. It uses the
// Euler splits of riffle/permute/detail/colour_graph.hpp, but no thread walks along a whole cycle.
//
// Consider the step from an edge to its left partner and then to the right partner of that partner. This step stays in
// the same half, so each cycle consists of two orbits of the step, one for each half. Every edge finds the lowest edge
// of its orbit by pointer jumping (J. C. Wyllie, "The complexity of parallel computations", 1979). The edges that an
// edge has visited are consecutive on the orbit. An edge stores the lowest of them, and the next edge after them. In
// each round, an edge also takes over the edges that this next edge has visited:
//
//     before      e visited {e},                next edge e1
//     round 0     e visited {e, e1},            next edge e2
//     round 1     e visited {e, e1, e2, e3},    next edge e4
//
// Edges read each other's data while the data are written, so an edge may have advanced further than shown.
//
// An edge is in the first half if the lowest edge of its orbit is less than the lowest edge of its left partner's
// orbit. A sequential walk that starts at the lowest edge of the cycle would give the same halves.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/argsort.hpp>

namespace riffle::detail::edge_colouring {

/// Upper half: the first edge on the orbit that has not been visited. Lower half: the lowest visited edge. Both are in
/// one word, so that a thread that reads a word while another thread writes it sees halves that belong together.
using Link = std::uint64_t;

KOKKOS_INLINE_FUNCTION Link make_link(std::uint32_t behind, std::uint32_t lowest) {
  return (static_cast<Link>(behind) << 32) | lowest;
}
KOKKOS_INLINE_FUNCTION std::uint32_t first_unvisited(Link link) {
  return static_cast<std::uint32_t>(link >> 32);
}
KOKKOS_INLINE_FUNCTION std::uint32_t lowest(Link link) { return static_cast<std::uint32_t>(link); }

/// The maximum number of rounds of jumps.
inline constexpr int max_rounds = 32;

/// The graphs that the splits have made so far. Each graph has `edges` edges. An edge has two indices, called numbers
/// here: its left number is its position in the order of left nodes, its right number its position in the order of
/// right nodes. In both orders, edges 2k and 2k + 1 share a node. A split divides the number of an edge within its
/// graph by 2, rounding down.
struct SplitState {
  std::uint32_t edges;
  std::uint32_t* right;    // right[e]: the right number of the edge with left number e
  std::uint32_t* left;     // the inverse of `right`
  Link* links;             // by left number
  std::uint32_t* changed;  // changed[r]: whether any edge learnt of a lower edge in round r

  KOKKOS_FUNCTION bool is_in_first_half(std::uint32_t e) const {
    return lowest(links[e]) < lowest(links[e ^ 1]);
  }

  /// Returns the number of an edge after its graph has been split.
  KOKKOS_FUNCTION std::uint32_t number_in_half(std::uint32_t number, bool is_first) const {
    std::uint32_t const in_graph = number % edges;
    return number - in_graph + in_graph / 2 + (is_first ? 0 : edges / 2);
  }
};

struct BeginLinks {
  SplitState state;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    auto const e = static_cast<std::uint32_t>(k);
    state.links[e] = make_link(state.left[state.right[e ^ 1] ^ 1], e);
    if (e < max_rounds) state.changed[e] = 0;
  }
};

/// One round of pointer jumping. If no edge learns of a lower edge in a round, every edge knows the lowest edge of its
/// orbit. Proof: follow the next edges, starting at any edge. No edge learns, so the lowest visited edge that is stored
/// never decreases along this path. The path ends in a cycle, on which it is therefore constant. Two successive edges
/// of the cycle have visited adjacent intervals of the orbit. Both intervals contain the same lowest edge, so they cover
/// the whole orbit, and this is the lowest edge of the orbit. The first edge of the path cannot store a greater edge.
struct Jump {
  SplitState state;
  int round;

  KOKKOS_FUNCTION void operator()(std::uint64_t e) const {
    if (round > 0 && state.changed[round - 1] == 0) return;
    Link const own = state.links[e];
    Link const next = backend::load_relaxed(&state.links[first_unvisited(own)]);
    bool const learns = lowest(next) < lowest(own);
    backend::store_relaxed(&state.links[e],
                           make_link(first_unvisited(next), learns ? lowest(next) : lowest(own)));
    if (learns && state.changed[round] == 0) Kokkos::atomic_store(&state.changed[round], 1u);
  }
};

/// numbers(i) is the left number of the caller's edge i.
template <class Numbers>
struct MoveNumbers {
  using Value = typename Numbers::non_const_value_type;

  SplitState state;
  Numbers numbers;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    auto const e = static_cast<std::uint32_t>(numbers(i));
    numbers(i) = static_cast<Value>(state.number_in_half(e, state.is_in_first_half(e)));
  }
};

/// Writes the new right numbers over `left`, which is no longer needed.
struct MoveEdges {
  SplitState state;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    auto const e = static_cast<std::uint32_t>(k);
    bool const is_first = state.is_in_first_half(e);
    state.left[state.number_in_half(e, is_first)] = state.number_in_half(state.right[e], is_first);
  }
};

struct Invert {
  std::uint32_t const* from;
  std::uint32_t* to;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    to[from[k]] = static_cast<std::uint32_t>(k);
  }
};

template <class Source, class Numbers>
struct BeginEdges {
  using Value = typename Numbers::non_const_value_type;

  Source source;
  Numbers numbers;
  std::uint32_t* right_node;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    right_node[k] = static_cast<std::uint32_t>(source.right(k));
    numbers(source.number(k)) = static_cast<Value>(k);
  }
};

template <class Colours>
struct NumbersToColours {
  using Colour = typename Colours::non_const_value_type;

  std::uint32_t nodes;
  Colours colours;  // on entry, the numbers of the edges
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    colours(i) = static_cast<Colour>(static_cast<std::uint32_t>(colours(i)) / nodes);
  }
};

/// For each k, sets colours(source.number(k)) to the colour of edge k, where edges are in the order of their left
/// nodes. source.right(k) is the right node of edge k. Requires that degree is a power of two. Edge numbers are stored
/// in `colours` first, so the value type of `colours` must be able to represent them.
template <class Exec, class Source, class Colours>
void colour_by_jumps(Context<Exec> const& context, std::uint32_t nodes, std::uint32_t degree,
                     Source const& source, Colours const& colours) {
  std::uint32_t const edges = nodes * degree;
  std::uint64_t const words = std::uint64_t{edges} * 2 + max_rounds;
  Scope scope(context);
  auto* const ends = scope.template take<std::uint32_t>(words);
  SplitState state{edges, ends, ends + edges, nullptr, ends + std::uint64_t{edges} * 2};
  context.named("edges").for_each(edges, BeginEdges<Source, Colours>{source, colours, state.right});
  Kokkos::View<std::uint32_t const*, typename Exec::memory_space, Kokkos::MemoryUnmanaged> const
      right_nodes(state.right, edges);
  Kokkos::View<std::uint32_t*, typename Exec::memory_space, Kokkos::MemoryUnmanaged> const
      by_right_nodes(state.left, edges);
  argsort(context.named("sort"), right_nodes, by_right_nodes, Ascending{});
  context.named("edges").for_each(edges, Invert{state.left, state.right});
  state.links = scope.template take<Link>(edges);
  for (std::uint32_t d = degree; d > 1; d /= 2) {
    state.edges = nodes * d;
    context.named("links").for_each(edges, BeginLinks{state});
    for (int round = 0; std::uint64_t{1} << round < state.edges / 2; ++round) {
      context.named("jump").for_each(edges, Jump{state, round});
    }
    context.named("split").for_each(edges, MoveNumbers<Colours>{state, colours});
    context.named("split").for_each(edges, MoveEdges{state});
    std::swap(state.left, state.right);
    context.named("split").for_each(edges, Invert{state.right, state.left});
  }
  context.named("colours").for_each(edges, NumbersToColours<Colours>{nodes, colours});
}

}  // namespace riffle::detail::edge_colouring
