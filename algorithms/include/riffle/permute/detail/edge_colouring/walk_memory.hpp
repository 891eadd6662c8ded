#pragma once

#include <cstdint>

#include <riffle/permute/detail/edge_colouring/euler_split.hpp>
#include <riffle/permute/detail/edge_colouring/perfect_matching.hpp>

namespace riffle::detail::edge_colouring {

/// The memory that a colouring thread takes beside the edges.
template <class Node>
struct WalkScratch {
  std::uint32_t* partner;
  std::uint32_t* open;
  MatchingMemory<Node> matching;
};

/// Whether colouring a graph of this degree takes perfect matchings.
inline bool has_matchings(std::uint64_t degree) { return (degree & (degree - 1)) != 0; }

/// The memory for colouring up to `tasks` graphs at a time, in one block of the caller's: for each edge 12 bytes and
/// two nodes, and where the degree is no power of two 16 bytes and a node more; for each task two words a node.
template <class Node>
class WalkMemory {
 public:
  /// The size of the block in bytes.
  static std::uint64_t bytes(std::uint64_t edges, std::uint64_t tasks, std::uint64_t nodes,
                             bool matches) {
    std::uint64_t const places = places_of(edges, tasks, nodes, matches);
    std::uint64_t const words = edges * 2 + places * (matches ? 4 : 1) + tasks * nodes;
    std::uint64_t const node_words = edges * 2 + (matches ? places : 0);
    return words * sizeof(std::uint32_t) + node_words * sizeof(Node);
  }

  WalkMemory(void* block, std::uint64_t edges, std::uint64_t tasks, std::uint64_t nodes,
             bool matches)
      : nodes_(nodes), matches_(matches), places_(places_of(edges, tasks, nodes, matches)) {
    auto* word = static_cast<std::uint32_t*>(block);
    auto const next = [&](std::uint64_t count) {
      auto* const array = word;
      word += count;
      return array;
    };
    for (auto& side : edges_) side.number = next(edges);
    partner_ = next(places_);
    open_ = next(tasks * nodes);
    if (matches) matching_ = {next(places_), next(places_), next(places_), nullptr, partner_};
    auto* const node = reinterpret_cast<Node*>(word);
    edges_[0].right = node;
    edges_[1].right = node + edges;
    if (matches) matching_.odd_right = node + 2 * edges;
    for (std::uint64_t k = 0; k < tasks * nodes; ++k) open_[k] = none;
  }

  /// One of the two places for the edges.
  Edges<Node> const& edges(int side) const { return edges_[side]; }

  /// The memory for the graph whose edges begin at `first`, coloured by the task of number `task`.
  WalkScratch<Node> scratch(std::uint64_t first, std::uint64_t task) const {
    std::uint64_t const place = first + (matches_ ? task * nodes_ : 0);
    return {partner_ + place, open_ + task * nodes_,
            matches_ ? matching_.from(place) : MatchingMemory<Node>{}};
  }

 private:
  static std::uint64_t places_of(std::uint64_t edges, std::uint64_t tasks, std::uint64_t nodes,
                                 bool matches) {
    return edges + (matches ? tasks * nodes : 0);
  }

  std::uint64_t nodes_;
  bool matches_;
  std::uint64_t places_;
  Edges<Node> edges_[2];
  std::uint32_t* partner_;
  std::uint32_t* open_;
  MatchingMemory<Node> matching_{};
};

}  // namespace riffle::detail::edge_colouring
