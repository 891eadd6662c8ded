#pragma once

// The Euler split of more edges than a cache holds. A walk along a cycle jumps ahead and back at random, and soon reads
// from all over; so each walk is confined to a chunk of edges. Where a cycle leaves the chunk, the part of it that was
// walked is a path, and only the paths, far fewer than edges, are then joined to cycles. The split is the same.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/permute/detail/edge_colouring/euler_split.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::edge_colouring {

/// A part of a cycle: it begins and ends with edges whose partners at the right are in other chunks.
struct Path {
  std::uint32_t before;  // the partner of its first edge
  std::uint32_t behind;  // the partner of its last edge
  std::uint32_t lowest;  // the edge by which its lowest pair is entered
};

/// The number of edges of a chunk: as many as a second-level cache holds with their partners, and so many that most
/// right nodes have several of them.
inline std::uint32_t chunk_size(std::uint32_t nodes) {
  return std::max(std::uint32_t{1} << 18, nodes < 1u << 27 ? 16 * nodes : 1u << 31);
}

/// The paths of all chunks of graphs of `nodes` nodes. A right node has at most two edges in a chunk whose partners are
/// outside, so a chunk has no more paths than nodes. The first slot of each chunk is for cycles that stay inside.
class PathMemory {
 public:
  PathMemory(ArrayMemory& memory, std::uint64_t chunks, std::uint64_t nodes) : slots_(nodes + 1) {
    paths_ = memory.take<Path>(chunks * slots_);
    flips_ = memory.take<std::uint8_t>(chunks * slots_);
    order_ = memory.take<std::uint32_t>(chunks * slots_);
    ends_ = memory.take<std::uint32_t>(2 * chunks * slots_);
  }

  std::uint32_t first_slot(std::uint64_t chunk) const {
    return static_cast<std::uint32_t>(chunk * slots_);
  }
  Path* paths() const { return paths_; }
  /// Whether the edges of a path change places with their left partners; `unjoined` until known.
  std::uint8_t* flips() const { return flips_; }
  std::uint32_t* order() const { return order_; }
  /// Two words for each slot.
  std::uint32_t* ends() const { return ends_; }

  static constexpr std::uint8_t unjoined = 2;

 private:
  std::uint64_t slots_;
  Path* paths_;
  std::uint8_t* flips_;
  std::uint32_t* order_;
  std::uint32_t* ends_;
};

/// A split in four steps: pair(); walk(chunk) for all chunks in any order; join(); divide(chunk) likewise.
template <class Node>
class ChunkedSplit {
 public:
  ChunkedSplit(Edges<Node> const& from, Edges<Node> const& to, std::uint32_t edges,
               std::uint32_t chunk_edges, std::uint32_t* open, std::uint32_t* partner,
               PathMemory const& memory, std::uint64_t first_chunk)
      : from_(from),
        to_(to),
        edges_(edges),
        chunk_edges_(chunk_edges),
        open_(open),
        partner_(partner),
        memory_(memory),
        first_chunk_(first_chunk) {}

  static std::uint32_t chunks(std::uint32_t edges, std::uint32_t chunk_edges) {
    return static_cast<std::uint32_t>((std::uint64_t{edges} + chunk_edges - 1) / chunk_edges);
  }

  void pair() const { pair_many_at_right(from_.right, edges_, open_, partner_); }

  /// Marks each pair of the chunk with the edge by which it is entered, and the slot of its path.
  void walk(std::uint32_t chunk) const {
    std::uint32_t const begin = chunk * chunk_edges_;
    std::uint32_t const end = begin + std::min(chunk_edges_, edges_ - begin);
    std::uint32_t const no_path = memory_.first_slot(first_chunk_ + chunk);
    std::uint32_t slot = no_path;
    memory_.flips()[no_path] = 0;
    std::uint32_t* const ends = memory_.ends() + 2 * no_path;
    std::uint32_t const count = list_ends(begin, end, ends);
    for (std::uint32_t k = 0; k < count; ++k) {
      if (partner_[ends[k] & ~1u] < walked) walk_path(ends[k], ++slot, begin, end);
    }
    memory_.paths()[no_path].lowest = slot;  // tells join() the chunk's last slot
    for (std::uint32_t e = begin; e < end; e += 2) {
      if (partner_[e] < walked) walk_cycle(e, no_path);
    }
  }

  void join() const {
    std::uint32_t const count = chunks(edges_, chunk_edges_);
    for (std::uint32_t chunk = 0; chunk < count; ++chunk) {
      std::uint32_t const no_path = memory_.first_slot(first_chunk_ + chunk);
      std::uint32_t const last = memory_.paths()[no_path].lowest;
      for (std::uint32_t slot = no_path + 1; slot <= last; ++slot) {
        if (memory_.flips()[slot] == PathMemory::unjoined) join_cycle(slot);
      }
    }
  }

  void divide(std::uint32_t chunk) const {
    std::uint32_t const begin = chunk * chunk_edges_;
    std::uint32_t const end = begin + std::min(chunk_edges_, edges_ - begin);
    std::uint32_t const half = edges_ / 2;
    std::uint8_t const* const flips = memory_.flips();
    for (std::uint32_t e = begin; e < end; e += 2) {
      std::uint32_t const first = e + ((partner_[e] - walked) ^ flips[partner_[e + 1]]);
      std::uint32_t const second = first ^ 1;
      std::uint32_t const pair = e / 2;
      to_.right[pair] = from_.right[first];
      to_.number[pair] = from_.number[first];
      to_.right[half + pair] = from_.right[second];
      to_.number[half + pair] = from_.number[second];
    }
  }

 private:
  static bool is_outside(std::uint32_t e, std::uint32_t begin, std::uint32_t end) {
    return e - begin >= end - begin;
  }

  void mark(std::uint32_t e, std::uint32_t slot) const {
    partner_[e & ~1u] = walked + (e & 1);
    partner_[e | 1u] = slot;
  }

  /// Lists the edges with which paths begin or end. Reads the chunk in order, so that walks find it in a cache.
  std::uint32_t list_ends(std::uint32_t begin, std::uint32_t end, std::uint32_t* ends) const {
    std::uint32_t count = 0;
    for (std::uint32_t e = begin; e < end; ++e) {
      ends[count] = e;
      count += is_outside(partner_[e], begin, end) ? 1 : 0;
    }
    return count;
  }

  void walk_path(std::uint32_t e, std::uint32_t slot, std::uint32_t begin,
                 std::uint32_t end) const {
    Path path{partner_[e], 0, e};
    while (true) {
      std::uint32_t const next = partner_[e ^ 1];
      path.lowest = std::min(path.lowest, e);
      mark(e, slot);
      if (is_outside(next, begin, end)) {
        path.behind = next;
        break;
      }
      e = next;
    }
    memory_.paths()[slot] = path;
    memory_.flips()[slot] = PathMemory::unjoined;
  }

  void walk_cycle(std::uint32_t start, std::uint32_t no_path) const {
    std::uint32_t e = start;
    do {
      std::uint32_t const next = partner_[e ^ 1];
      mark(e, no_path);
      e = next;
    } while (e != start);
  }

  /// Goes from each path to the one that holds the partner of its last edge, until it is back at the start, and flips
  /// paths so that the cycle's lowest edge is in the first half.
  void join_cycle(std::uint32_t start) const {
    std::uint32_t* const order = memory_.order() + memory_.first_slot(first_chunk_);
    std::uint32_t count = 0;
    std::uint32_t lowest = none;
    std::uint32_t slot = start;
    std::uint8_t flip = 0;
    do {
      Path const path = memory_.paths()[slot];
      memory_.flips()[slot] = flip;
      order[count++] = slot;
      lowest = std::min(lowest, path.lowest ^ flip);
      std::uint32_t const next = flip == 0 ? path.behind : path.before;
      slot = partner_[next | 1u];
      flip = static_cast<std::uint8_t>((next & 1u) ^ (partner_[next & ~1u] - walked));
    } while (slot != start);
    if (lowest % 2 == 0) return;
    for (std::uint32_t k = 0; k < count; ++k) memory_.flips()[order[k]] ^= 1;
  }

  Edges<Node> from_;
  Edges<Node> to_;
  std::uint32_t edges_;
  std::uint32_t chunk_edges_;
  std::uint32_t* open_;
  std::uint32_t* partner_;
  PathMemory const& memory_;
  std::uint64_t first_chunk_;
};

}  // namespace riffle::detail::edge_colouring
