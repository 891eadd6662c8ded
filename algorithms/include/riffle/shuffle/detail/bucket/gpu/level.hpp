#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/philox.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle::detail::bucket_shuffle {

/// Teams of a GPU work on tiles of a node's places; the thread of rank t has the digits of one block.
inline constexpr int tile_places = team_threads * digits_per_block;
inline constexpr int tile_units = tile_places / places_per_unit;

/// The first of a thread's places in a tile. Half a warp has the places of a unit.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t first_place(int thread) {
  return static_cast<std::uint64_t>(thread / digits_per_block * places_per_unit +
                                    thread % digits_per_block);
}

/// How far behind it the thread's place k is.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t place_offset(int k) {
  return static_cast<std::uint64_t>(k * digits_per_block);
}

/// One team's part of a node's places: whole tiles, but for the first and the last.
struct Chunk {
  Node node;
  std::uint64_t node_begin;  // of its elements, among all
  std::uint64_t begin;       // of its places
  std::uint64_t end;
  std::uint64_t column;  // where its count of the first digit is; those of the others are apart by
                         // Level::chunks

  KOKKOS_FUNCTION bool has(std::uint64_t place) const { return place >= begin && place < end; }

  /// Where the tile of the first place begins; of a chunk without places, its end.
  KOKKOS_FUNCTION std::uint64_t first_tile() const {
    return begin < end ? begin / tile_places * tile_places : end;
  }
};

/// The digits of a thread's places in the tile that begins at place `tile` of a node.
KOKKOS_INLINE_FUNCTION Philox4x32::Block tile_digits(std::uint64_t seed, Node node,
                                                     std::uint64_t tile, int thread) {
  return digit_block(seed, node, tile / digits_per_block + static_cast<std::uint64_t>(thread));
}

/// The split nodes of one level, whose elements follow each other. Index counts elements of all nodes.
///
/// Each node's places are cut into `chunks` chunks of whole tiles. `counts`, in the order (node, digit, chunk), first
/// has the number of a chunk's places with a digit. Once scanned, it has where the elements that these places take
/// begin among all.
template <class Index>
struct Level {
  std::uint64_t n;
  std::uint64_t seed;
  std::uint64_t nodes;
  std::uint64_t chunks;
  Index* counts;
  Index const* starts;  // node s begins at starts[s * starts_stride]; unused at the root
  std::uint64_t starts_stride;

  KOKKOS_FUNCTION std::uint64_t size() const { return nodes * buckets * chunks; }
  KOKKOS_FUNCTION int teams() const { return static_cast<int>(nodes * chunks); }

  KOKKOS_FUNCTION std::uint64_t node_begin(std::uint64_t node) const {
    if (node == 0) return 0;
    return node == nodes ? n : starts[node * starts_stride];
  }

  /// Nodes of a level are numbered on from what child() gives for the digits 0.
  KOKKOS_FUNCTION Node number(std::uint64_t node) const { return nodes * root + node; }

  KOKKOS_FUNCTION Chunk chunk(int team) const {
    auto const rank = static_cast<std::uint64_t>(team);
    std::uint64_t const node = nodes == 1 ? 0 : rank / chunks;
    std::uint64_t const chunk = rank - node * chunks;
    std::uint64_t const begin_of_node = node_begin(node);
    std::uint64_t const places = node_begin(node + 1) - begin_of_node;
    std::uint64_t const tiles = (places + tile_places - 1) / tile_places;
    std::uint64_t const length = (tiles + chunks - 1) / chunks * tile_places;
    return {number(node), begin_of_node, Kokkos::min(chunk * length, places),
            Kokkos::min((chunk + 1) * length, places), node * buckets * chunks + chunk};
  }
};

}  // namespace riffle::detail::bucket_shuffle
