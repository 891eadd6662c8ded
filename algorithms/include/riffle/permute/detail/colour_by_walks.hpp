#pragma once

// Colours edges on the host: the first splits make parts for all threads, each of which then colours parts of its own
// (colour_graph.hpp).

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

/// A graph that splits have made.
struct Part {
  std::uint32_t first_edge;
  std::uint32_t colour;
};

/// Graphs of one degree; each thread takes one at a time.
template <class Node, class Paint>
struct Parts {
  WalkMemory<Node> const* memory;
  int side;  // which of the two places for edges holds them
  std::uint32_t nodes;
  std::uint32_t degree;
  Part const* parts;
  Paint paint;

  std::uint32_t edges() const { return nodes * degree; }
  Edges<Node> now(std::uint64_t k) const { return memory->edges(side).from(parts[k].first_edge); }
  Edges<Node> spare(std::uint64_t k) const {
    return memory->edges(1 - side).from(parts[k].first_edge);
  }
  WalkScratch<Node> scratch(std::uint64_t k) const {
    return memory->scratch(parts[k].first_edge, k);
  }
};

template <class Node, class Paint>
struct MakePartsEven {
  Parts<Node, Paint> of;

  void operator()(std::uint64_t k) const {
    make_even(of.now(k), of.spare(k), of.nodes, of.degree, of.parts[k].colour, of.scratch(k),
              of.paint);
  }
};

template <class Node, class Paint>
struct SplitParts {
  Parts<Node, Paint> of;

  void operator()(std::uint64_t k) const {
    auto const scratch = of.scratch(k);
    split(of.now(k), of.spare(k), of.edges(), scratch.open, scratch.partner);
  }
};

template <class Node, class Paint>
struct ColourParts {
  Parts<Node, Paint> of;

  void operator()(std::uint64_t k) const {
    colour_graph(of.now(k), of.spare(k), of.nodes, of.degree, of.parts[k].colour, of.scratch(k),
                 of.paint);
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

/// The two halves of each part.
inline std::vector<Part> halves_of(std::vector<Part> const& parts, std::uint32_t half_edges,
                                   std::uint32_t half_degree) {
  std::vector<Part> halves;
  for (Part const part : parts) {
    halves.push_back(part);
    halves.push_back({part.first_edge + half_edges, part.colour + half_degree});
  }
  return halves;
}

/// The number of parts that are made by splits of all parts at once: a few for each thread.
template <class Host>
std::uint64_t count_parts(Host const& host, std::uint32_t degree) {
  auto const threads = static_cast<std::uint64_t>(host.concurrency());
  std::uint64_t const wanted = threads == 1 ? 1 : parts_per_thread * threads;
  std::uint64_t count = 1;
  for (; degree > 1 && count < wanted; degree /= 2) count *= 2;
  return count;
}

/// Colours a regular graph whose edge in place k, in the order of left nodes, goes to right node source.right(k) and is
/// the caller's number source.number(k).
///
/// paint(colour, numbers) is called once for each colour, by several threads at a time, with the numbers of a perfect
/// matching's edges in the order of left nodes.
template <class Node, class Host, class Source, class Paint>
void colour_by_walks(Context<Host> const& context, std::uint32_t nodes, std::uint32_t degree,
                     Source const& source, Paint const& paint) {
  std::uint64_t const count = count_parts(context.exec(), degree);
  std::uint64_t const edges = std::uint64_t{nodes} * degree;
  bool const matches = has_matchings(degree);
  Scope scope(context);
  void* const block =
      scope.template take<std::byte>(WalkMemory<Node>::bytes(edges, count, nodes, matches));
  WalkMemory<Node> const memory(block, edges, count, nodes, matches);
  context.named("edges").for_each(edges, PutEdges<Node, Source>{memory.edges(0), source});
  std::vector<Part> parts{{0, 0}};
  Parts<Node, Paint> of{&memory, 0, nodes, degree, parts.data(), paint};
  while (parts.size() < count) {
    if (of.degree % 2 == 1) {
      for_each_dynamic(context.named("match"), parts.size(), MakePartsEven<Node, Paint>{of});
      of.side = 1 - of.side;
      --of.degree;
    }
    for_each_dynamic(context.named("split"), parts.size(), SplitParts<Node, Paint>{of});
    of.side = 1 - of.side;
    of.degree /= 2;
    parts = halves_of(parts, of.edges(), of.degree);
    of.parts = parts.data();
  }
  for_each_dynamic(context.named("colour"), count, ColourParts<Node, Paint>{of});
  context.exec().fence(context.label() + "::colour");
}

}  // namespace riffle::detail::edge_colouring
