#pragma once

// Colours edges on the host: the first splits make parts for all threads, each of which then colours parts of its own
// (colour_graph.hpp).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/permute/detail/edge_colouring/chunked_split.hpp>
#include <riffle/permute/detail/edge_colouring/colour_graph.hpp>
#include <riffle/permute/detail/edge_colouring/euler_split.hpp>
#include <riffle/permute/detail/edge_colouring/walk_memory.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::edge_colouring {

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

enum class SplitStep { pair, walk, join, divide };

/// One step of the splits of large parts: walk and divide run by chunks, pair and join by parts.
template <SplitStep Step, class Node, class Paint>
struct SplitPartsByChunks {
  Parts<Node, Paint> of;
  PathMemory const* paths;
  std::uint32_t chunk_edges;
  std::uint32_t chunks;  // the number of chunks of a part

  void operator()(std::uint64_t k) const {
    if constexpr (Step == SplitStep::pair) of_part(k).pair();
    if constexpr (Step == SplitStep::walk) of_part(k / chunks).walk(chunk(k));
    if constexpr (Step == SplitStep::join) of_part(k).join();
    if constexpr (Step == SplitStep::divide) of_part(k / chunks).divide(chunk(k));
  }

 private:
  std::uint32_t chunk(std::uint64_t k) const { return static_cast<std::uint32_t>(k % chunks); }

  ChunkedSplit<Node> of_part(std::uint64_t k) const {
    auto const scratch = of.scratch(k);
    return ChunkedSplit<Node>(of.now(k), of.spare(k), of.edges(), chunk_edges, scratch.open,
                              scratch.partner, *paths, k * chunks);
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

inline std::vector<Part> halves_of(std::vector<Part> const& parts, std::uint32_t half_edges,
                                   std::uint32_t half_degree) {
  std::vector<Part> halves;
  for (Part const part : parts) {
    halves.push_back(part);
    halves.push_back(part.second_half(half_edges, half_degree));
  }
  return halves;
}

/// Splits, all parts at once, until there are enough parts for all threads and none is larger than a chunk.
template <class Node, class Host, class Paint>
class FirstSplits {
 public:
  /// The number of parts at the end.
  static std::uint64_t parts(Host const& host, std::uint32_t nodes, std::uint32_t degree) {
    // A few parts for each thread, so that the others do not wait for one that is late.
    std::uint64_t const wanted = host.concurrency() == 1 ? 1 : 4 * host.concurrency();
    std::uint64_t const chunk = chunk_size(nodes);
    std::uint64_t count = 1;
    for (; degree > 1 && (count < wanted || std::uint64_t{nodes} * degree > chunk); degree /= 2) {
      count *= 2;
    }
    return count;
  }

  FirstSplits(Context<Host> const& context, WalkMemory<Node> const& memory, std::uint32_t nodes,
              std::uint32_t degree, Paint const& paint)
      : context_(context), parts_{{0, 0}}, of_{&memory, 0, nodes, degree, parts_.data(), paint} {}

  void split_to(std::uint64_t parts) {
    std::uint32_t const chunk_edges = chunk_size(of_.nodes);
    // Twice the chunks of the whole graph suffice for all parts, each of which has more than one chunk.
    std::uint64_t const chunks = chunks_for_all(chunk_edges);
    Scope scope(context_);
    PathMemory const paths =
        scope.arrays([&](ArrayMemory& memory) { return PathMemory(memory, chunks, of_.nodes); });
    while (parts_.size() < parts) {
      if (of_.degree % 2 == 1) make_even();
      if (of_.edges() > chunk_edges) {
        split_by_chunks(paths, chunk_edges);
      } else {
        run("split", parts_.size(), SplitParts<Node, Paint>{of_});
      }
      move(of_.degree / 2);
      parts_ = halves_of(parts_, of_.edges(), of_.degree);
      of_.parts = parts_.data();
    }
  }

  void colour() { run("colour", parts_.size(), ColourParts<Node, Paint>{of_}); }

 private:
  std::uint64_t chunks_for_all(std::uint32_t chunk_edges) const {
    return of_.edges() > chunk_edges ? 2 * ChunkedSplit<Node>::chunks(of_.edges(), chunk_edges) : 0;
  }

  template <class Kernel>
  void run(char const* step, std::uint64_t count, Kernel const& kernel) const {
    for_each_dynamic(context_.named(step), count, kernel);
  }

  void move(std::uint32_t degree) {
    of_.side = 1 - of_.side;
    of_.degree = degree;
  }

  void make_even() {
    run("match", parts_.size(), MakePartsEven<Node, Paint>{of_});
    move(of_.degree - 1);
  }

  void split_by_chunks(PathMemory const& paths, std::uint32_t chunk_edges) const {
    std::uint32_t const chunks = ChunkedSplit<Node>::chunks(of_.edges(), chunk_edges);
    run_step<SplitStep::pair>(parts_.size(), paths, chunk_edges, chunks);
    run_step<SplitStep::walk>(parts_.size() * chunks, paths, chunk_edges, chunks);
    run_step<SplitStep::join>(parts_.size(), paths, chunk_edges, chunks);
    run_step<SplitStep::divide>(parts_.size() * chunks, paths, chunk_edges, chunks);
  }

  template <SplitStep Step>
  void run_step(std::uint64_t count, PathMemory const& paths, std::uint32_t chunk_edges,
                std::uint32_t chunks) const {
    run("split", count, SplitPartsByChunks<Step, Node, Paint>{of_, &paths, chunk_edges, chunks});
  }

  Context<Host> context_;
  std::vector<Part> parts_;
  Parts<Node, Paint> of_;
};

/// Colours a regular graph whose edge in place k, in the order of left nodes, goes to right node source.right(k) and is
/// the caller's number source.number(k).
///
/// paint(colour, numbers) is called once for each colour, by several threads at a time, with the numbers of a perfect
/// matching's edges in the order of left nodes.
template <class Node, class Host, class Source, class Paint>
void colour_by_walks(Context<Host> const& context, std::uint32_t nodes, std::uint32_t degree,
                     Source const& source, Paint const& paint) {
  using Splits = FirstSplits<Node, Host, Paint>;
  std::uint64_t const parts = Splits::parts(context.exec(), nodes, degree);
  std::uint64_t const edges = std::uint64_t{nodes} * degree;
  bool const matches = has_matchings(degree);
  Scope scope(context);
  void* const block =
      scope.template take<std::byte>(WalkMemory<Node>::bytes(edges, parts, nodes, matches));
  WalkMemory<Node> const memory(block, edges, parts, nodes, matches);
  context.named("edges").for_each(edges, PutEdges<Node, Source>{memory.edges(0), source});
  Splits splits(context, memory, nodes, degree, paint);
  splits.split_to(parts);
  splits.colour();
  context.exec().fence(context.label() + "::colour");
}

}  // namespace riffle::detail::edge_colouring
