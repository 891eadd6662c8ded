#pragma once

// Colours edges with all threads of the host. First all threads together split the graph into several subgraphs per
// thread. Then each thread colours one whole subgraph at a time (colour_graph.hpp). All subgraphs have the same degree.

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
  auto const memory = scope.arrays([&](ArrayMemory& arrays) {
    return ColouringMemory<Node>(arrays, edges, count, nodes, matches);
  });
  memory.initialise();
  context.named("edges").for_each(edges, [=, to = memory.edges(0)](std::uint64_t k) {
    to.right[k] = static_cast<Node>(source.right(k));
    to.number[k] = static_cast<std::uint32_t>(source.number(k));
  });
  std::vector<Subgraph> subgraphs{{0, 0}};
  int side = 0;  // the array that contains the edges of all subgraphs, 0 or 1; the other is free
  auto const for_each_subgraph = [&](char const* part, auto const& process) {
    for_each_dynamic(context.named(part), subgraphs.size(), [&](std::uint64_t k) {
      auto const [first, colour] = subgraphs[k];
      process(memory.edges(side).from(first), memory.edges(1 - side).from(first), colour,
              memory.scratch(first, k));
    });
  };
  using Graph = Edges<Node>;
  using Scratch = ColouringScratch<Node>;
  while (subgraphs.size() < count) {
    if (degree % 2 == 1) {
      for_each_subgraph(
          "match", [&](Graph current, Graph spare, std::uint32_t colour, Scratch const& scratch) {
            make_even(current, spare, nodes, degree, colour, scratch, set_colour);
          });
      side = 1 - side;
      --degree;
    }
    for_each_subgraph("split",
                      [&](Graph current, Graph spare, std::uint32_t, Scratch const& scratch) {
                        split(current, spare, nodes * degree, scratch.unpaired, scratch.partner);
                      });
    side = 1 - side;
    degree /= 2;
    subgraphs = halves_of(subgraphs, nodes * degree, degree);
  }
  for_each_subgraph("colour",
                    [&](Graph current, Graph spare, std::uint32_t colour, Scratch const& scratch) {
                      colour_graph(current, spare, nodes, degree, colour, scratch, set_colour);
                    });
  context.exec().fence(context.label() + "::colour");
}

}  // namespace riffle::detail::edge_colouring
