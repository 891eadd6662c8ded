#pragma once

// A graph coloured by one thread, depth first, so that the parts to split lie in ever nearer caches. A graph of even
// degree is split into two, whose colours differ; in a graph of odd degree, a perfect matching gets a colour of its own
// first.

#include <cstdint>
#include <utility>

#include <riffle/permute/detail/edge_colouring/euler_split.hpp>
#include <riffle/permute/detail/edge_colouring/perfect_matching.hpp>
#include <riffle/permute/detail/edge_colouring/walk_memory.hpp>

namespace riffle::detail::edge_colouring {

/// A graph that splits have made.
struct Part {
  std::uint32_t first_edge;
  std::uint32_t colour;

  Part second_half(std::uint32_t edges, std::uint32_t degree) const {
    return {first_edge + edges, colour + degree};
  }
};

/// Makes a graph of odd degree even: a perfect matching gets the last colour, and the other edges move to `spare`.
/// paint(colour, numbers) gets the number of the matched edge of each left node.
template <class Node, class Paint>
void make_even(Edges<Node> const& now, Edges<Node> const& spare, std::uint32_t nodes,
               std::uint32_t degree, std::uint32_t colour, WalkScratch<Node> const& scratch,
               Paint const& paint) {
  std::uint32_t* const matched = scratch.matching.odd_entry;  // free once the matching is known
  take_matching(now, spare, nodes, degree, scratch.matching, scratch.open, matched);
  paint(colour + degree - 1, matched);
}

/// One, two or four graphs of one degree, which are split together; four of them (`most`) are walked at a time.
template <class Node, class Paint>
class Family {
 public:
  static constexpr int most = 4;

  Family(Edges<Node> const& now, Edges<Node> const& spare, std::uint32_t nodes,
         std::uint32_t degree, WalkScratch<Node> const& scratch, Paint const& paint)
      : now_(now),
        spare_(spare),
        nodes_(nodes),
        degree_(degree),
        scratch_(scratch),
        paint_(paint) {}

  void add(Part const& part) { parts_[count_++] = part; }

  /// Overwrites both places for edges.
  void colour() {
    if (degree_ == 1) {
      for (int k = 0; k < count_; ++k) paint_(parts_[k].colour, now_.from(first(k)).number);
      return;
    }
    if (degree_ % 2 == 1) make_all_even();
    split_all();
    if (count_ < most) {
      colour_halves(0, count_);
    } else {
      colour_halves(0, most / 2);
      colour_halves(most / 2, most);
    }
  }

 private:
  std::uint32_t first(int k) const { return parts_[k].first_edge; }
  std::uint32_t edges() const { return nodes_ * degree_; }
  std::uint32_t* partner(int k) const { return scratch_.partner + first(k); }

  void make_all_even() {
    for (int k = 0; k < count_; ++k) {
      make_even(now_.from(first(k)), spare_.from(first(k)), nodes_, degree_, parts_[k].colour,
                scratch_, paint_);
    }
    std::swap(now_, spare_);
    --degree_;
  }

  void split_all() const {
    for (int k = 0; k < count_; ++k) {
      pair_at_right(now_.from(first(k)).right, edges(), scratch_.open, partner(k));
    }
    if (count_ == most) {
      walk_cycles_of_four(edges(), {partner(0), partner(1), partner(2), partner(3)});
    } else {
      for (int k = 0; k < count_; ++k) walk_cycles(edges(), partner(k));
    }
    for (int k = 0; k < count_; ++k) {
      divide(now_.from(first(k)), spare_.from(first(k)), edges(), partner(k));
    }
  }

  void colour_halves(int begin, int end) const {
    std::uint32_t const half = degree_ / 2;
    Family halves(spare_, now_, nodes_, half, scratch_, paint_);
    for (int k = begin; k < end; ++k) {
      halves.add(parts_[k]);
      halves.add(parts_[k].second_half(nodes_ * half, half));
    }
    halves.colour();
  }

  Edges<Node> now_;
  Edges<Node> spare_;
  std::uint32_t nodes_;
  std::uint32_t degree_;
  WalkScratch<Node> const& scratch_;
  Paint const& paint_;
  int count_ = 0;
  Part parts_[most];
};

/// Colours a graph with the colours from `colour` on. Overwrites both places for edges.
template <class Node, class Paint>
void colour_graph(Edges<Node> const& now, Edges<Node> const& spare, std::uint32_t nodes,
                  std::uint32_t degree, std::uint32_t colour, WalkScratch<Node> const& scratch,
                  Paint const& paint) {
  Family family(now, spare, nodes, degree, scratch, paint);
  family.add({0, colour});
  family.colour();
}

}  // namespace riffle::detail::edge_colouring
