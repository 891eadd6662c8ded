#pragma once

// Colours edges with all threads of the host. First all threads together split the graph into several subgraphs per
// thread. Then each thread colours one whole subgraph at a time (colour_graph.hpp).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/permute/detail/colour_graph.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::edge_colouring {

/// A subgraph: the index of its first edge in the arrays of edges, and the lowest of its colours.
struct Subgraph {
  std::uint32_t first_edge;
  std::uint32_t colour;
};

/// Subgraphs that have the same degree. Task k processes subgraph k. The edges of all subgraphs are in one of two
/// arrays; the other array is free.
template <class Node, class SetColour>
struct Subgraphs {
  ColouringMemory<Node> const* memory;
  int side;  // the array that contains the edges, 0 or 1
  std::uint32_t nodes;
  std::uint32_t degree;
  Subgraph const* subgraphs;
  SetColour set_colour;

  std::uint32_t edges() const { return nodes * degree; }
  Edges<Node> current(std::uint64_t k) const {
    return memory->edges(side).from(subgraphs[k].first_edge);
  }
  Edges<Node> spare(std::uint64_t k) const {
    return memory->edges(1 - side).from(subgraphs[k].first_edge);
  }
  ColouringScratch<Node> scratch(std::uint64_t k) const {
    return memory->scratch(subgraphs[k].first_edge, k);
  }
};

template <class Node, class SetColour>
struct MakeSubgraphsEven {
  Subgraphs<Node, SetColour> graphs;

  void operator()(std::uint64_t k) const {
    make_even(graphs.current(k), graphs.spare(k), graphs.nodes, graphs.degree,
              graphs.subgraphs[k].colour, graphs.scratch(k), graphs.set_colour);
  }
};

template <class Node, class SetColour>
struct SplitSubgraphs {
  Subgraphs<Node, SetColour> graphs;

  void operator()(std::uint64_t k) const {
    auto const scratch = graphs.scratch(k);
    split(graphs.current(k), graphs.spare(k), graphs.edges(), scratch.unpaired, scratch.partner);
  }
};

template <class Node, class SetColour>
struct ColourSubgraphs {
  Subgraphs<Node, SetColour> graphs;

  void operator()(std::uint64_t k) const {
    colour_graph(graphs.current(k), graphs.spare(k), graphs.nodes, graphs.degree,
                 graphs.subgraphs[k].colour, graphs.scratch(k), graphs.set_colour);
  }
};

template <class Node, class Source>
struct PutEdges {
  Edges<Node> edges;
  Source source;

  void operator()(std::uint64_t k) const {
    edges.right[k] = static_cast<Node>(source.right(k));
    edges.number[k] = static_cast<std::uint32_t>(source.number(k));
  }
};

/// Returns the two halves of each subgraph after a split.
inline std::vector<Subgraph> halves_of(std::vector<Subgraph> const& subgraphs,
                                       std::uint32_t half_edges, std::uint32_t half_degree) {
  std::vector<Subgraph> halves;
  for (Subgraph const graph : subgraphs) {
    halves.push_back(graph);
    halves.push_back({graph.first_edge + half_edges, graph.colour + half_degree});
  }
  return halves;
}

/// The number of subgraphs that all threads together make, a power of two. The number is at least subgraphs_per_thread
/// times the number of threads, if the degree allows it. With one thread the number is 1.
template <class Host>
std::uint64_t count_subgraphs(Host const& host, std::uint32_t degree) {
  auto const threads = static_cast<std::uint64_t>(host.concurrency());
  std::uint64_t const wanted = threads == 1 ? 1 : subgraphs_per_thread * threads;
  std::uint64_t count = 1;
  for (; degree > 1 && count < wanted; degree /= 2) count *= 2;
  return count;
}

/// Colours a regular graph. The caller's edges are numbered in the order of their left nodes: edge k ends at right node
/// source.right(k), and its index in the caller's arrays is source.number(k).
///
/// Calls set_colour(colour, numbers) once per colour, from several threads. The edges with this colour are a perfect
/// matching; numbers[u] is the caller's index of the edge that starts at left node u.
template <class Node, class Host, class Source, class SetColour>
void colour_by_walks(Context<Host> const& context, std::uint32_t nodes, std::uint32_t degree,
                     Source const& source, SetColour const& set_colour) {
  std::uint64_t const count = count_subgraphs(context.exec(), degree);
  std::uint64_t const edges = std::uint64_t{nodes} * degree;
  bool const matches = needs_matchings(degree);
  Scope scope(context);
  void* const block =
      scope.template take<std::byte>(ColouringMemory<Node>::bytes(edges, count, nodes, matches));
  ColouringMemory<Node> const memory(block, edges, count, nodes, matches);
  context.named("edges").for_each(edges, PutEdges<Node, Source>{memory.edges(0), source});
  std::vector<Subgraph> subgraphs{{0, 0}};
  Subgraphs<Node, SetColour> graphs{&memory, 0, nodes, degree, subgraphs.data(), set_colour};
  while (subgraphs.size() < count) {
    if (graphs.degree % 2 == 1) {
      for_each_dynamic(context.named("match"), subgraphs.size(),
                       MakeSubgraphsEven<Node, SetColour>{graphs});
      graphs.side = 1 - graphs.side;
      --graphs.degree;
    }
    for_each_dynamic(context.named("split"), subgraphs.size(),
                     SplitSubgraphs<Node, SetColour>{graphs});
    graphs.side = 1 - graphs.side;
    graphs.degree /= 2;
    subgraphs = halves_of(subgraphs, graphs.edges(), graphs.degree);
    graphs.subgraphs = subgraphs.data();
  }
  for_each_dynamic(context.named("colour"), count, ColourSubgraphs<Node, SetColour>{graphs});
  context.exec().fence(context.label() + "::colour");
}

}  // namespace riffle::detail::edge_colouring
