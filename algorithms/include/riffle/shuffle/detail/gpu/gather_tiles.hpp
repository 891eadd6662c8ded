#pragma once

// Gathers rows if the tree has one level. This replaces the leaf and riffle passes, which would move each row twice. A
// team computes sigma(i) for the places i of a tile, from the digits of the places and a table of the leaves'
// bijections. Then the team gathers the rows. sigma is stored only in scratch memory.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/random/feistel_network.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/detail/gpu/digit_tiles.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle::detail::bucket_shuffle {

/// Stores the bijections of a node's children in scratch memory, so that each lane can evaluate a different bijection.
/// The table is stored word by word: word w of all leaves is contiguous, so that lanes that read different leaves at
/// random have few bank conflicts.
class LeafTable {
  enum Word { begin, last, radix, low_bits, first_key, count = first_key + leaf_rounds };

  /// The keys of one leaf, in the form that FeistelForm reads.
  class Keys {
   public:
    KOKKOS_FORCEINLINE_FUNCTION Keys(std::uint32_t const* keys, int) : keys_(keys) {}

    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator[](int round) const {
      return widened_key<std::uint32_t>(keys_[round * buckets]);
    }

   private:
    std::uint32_t const* keys_;
  };

 public:
  static constexpr std::size_t words = std::size_t{count} * buckets;

  /// `memory` points to `words` words.
  KOKKOS_FUNCTION explicit LeafTable(std::uint32_t* memory) : memory_(memory) {}

  /// Stores a leaf that has fewer than 2^32 elements. `begin_of_leaf` is the index, over all leaves, of the leaf's
  /// first element. One thread per leaf must call it. Requires: a team barrier before the table is read.
  KOKKOS_FUNCTION void put(int leaf, std::uint32_t begin_of_leaf, std::uint32_t size,
                           LeafKeys const& keys, std::uint64_t seed_of_leaves, Node node) const {
    auto const halves = MixedRadixFeistel::halves(size);
    at(begin, leaf) = begin_of_leaf;
    at(last, leaf) = size - 1;
    at(radix, leaf) = static_cast<std::uint32_t>(halves.radix);
    at(low_bits, leaf) = static_cast<std::uint32_t>(halves.low_bits);
    for (int round = 0; round < leaf_rounds; ++round)
      at(first_key + round, leaf) = keys.words[round];
    // FeistelForm needs more than two points. If a leaf has two points, low_bits is 0, and `radix` is 1 if the points
    // are swapped, otherwise 0.
    if (size == 2) at(radix, leaf) = image_of_first(seed_of_leaves, node);
    if (size < 2) at(radix, leaf) = 0;
  }

  /// Returns the index, over all leaves, of the element that place i of `leaf` takes.
  KOKKOS_FUNCTION std::uint32_t operator()(int leaf, std::uint32_t i) const {
    std::uint32_t const bits = at(low_bits, leaf);
    if (bits == 0) return at(begin, leaf) + (i ^ at(radix, leaf));
    using Form = FeistelForm<std::uint32_t, leaf_rounds, Keys>;
    Form const form(std::uint64_t{at(last, leaf)} + 1, at(radix, leaf), static_cast<int>(bits),
                    leaf_rounds, &at(first_key, leaf));
    return at(begin, leaf) + static_cast<std::uint32_t>(form(i));
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t image_of_first(std::uint64_t seed_of_leaves, Node node) {
    return static_cast<std::uint32_t>(bucket_shuffle::leaf(2, seed_of_leaves, node)(0));
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t& at(int word, int leaf) const {
    return memory_[word * buckets + leaf];
  }

  std::uint32_t* memory_;
};

/// Copies row sigma(i) to row i for each place i of the root. One team processes each chunk of places. `Copies` is a
/// pack of RowCopy for which are_copied_by_rows() holds.
template <class Copies>
class GatherTiles {
 public:
  static constexpr int threads = team_threads;
  static constexpr int teams_per_processor = teams_that_gather;

  GatherTiles(Level<std::uint32_t> const& level, LeafKeys const* keys, Copies const& copies)
      : level_(level), keys_(keys), seed_of_leaves_(leaf_seed(level.seed)), copies_(copies) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Scratch const scratch(team);
    Chunk const chunk = level_.chunk(team.league_rank());
    int const digit = team.team_rank();
    std::uint32_t const leaf_begin = begin_of_leaf(digit);
    put_leaf(scratch, chunk.node, digit, leaf_begin);
    std::uint32_t cursor = count_at(chunk.column, digit) - leaf_begin;
    RIFFLE_NO_UNROLL
    for (std::uint64_t tile = chunk.first_tile(); tile < chunk.end; tile += tile_places) {
      find_images(team, scratch, chunk, tile, cursor);
      copy_rows(team, scratch, chunk, tile);
      team.team_barrier();
    }
  }

 private:
  static constexpr std::size_t alignment = 128;

  struct Scratch {
    static constexpr std::size_t sum_words = threads / backend::width;
    static constexpr std::size_t words =
        TileRanks::words + tile_places + LeafTable::words + buckets + sum_words;

    template <class Member>
    KOKKOS_FUNCTION explicit Scratch(Member const& team)
        : table(static_cast<std::uint32_t*>(
              team.team_scratch(0).get_shmem_aligned(words * sizeof(std::uint32_t), alignment))),
          images(table + TileRanks::words),
          leaves(images + tile_places),
          offsets(leaves + LeafTable::words),
          sums(offsets + buckets) {}

    std::uint32_t* table;
    std::uint32_t* images;
    std::uint32_t* leaves;
    std::uint32_t* offsets;  // offsets[digit] + position in the sorted tile = place in the leaf
    std::uint32_t* sums;
  };

  /// Function place -> sigma(place) for the places of a tile. Used by the warps that copy the rows.
  struct ImagesOfTile {
    std::uint32_t const* images;
    std::uint64_t tile;

    KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t place) const {
      return images[place - tile];
    }
  };

 public:
  static constexpr std::size_t scratch_bytes = Scratch::words * sizeof(std::uint32_t) + alignment;

 private:
  KOKKOS_FUNCTION std::uint32_t count_at(std::uint64_t column, int digit) const {
    return level_.counts[column + static_cast<std::uint64_t>(digit) * level_.chunks];
  }

  KOKKOS_FUNCTION std::uint32_t begin_of_leaf(int digit) const {
    return digit == buckets ? static_cast<std::uint32_t>(level_.n) : count_at(0, digit);
  }

  KOKKOS_FUNCTION void put_leaf(Scratch const& scratch, Node node, int digit,
                                std::uint32_t begin) const {
    std::uint32_t const size = begin_of_leaf(digit + 1) - begin;
    LeafTable(scratch.leaves)
        .put(digit, begin, size, keys_[digit], seed_of_leaves_, child(node, digit));
  }

  template <class Member>
  KOKKOS_FUNCTION void find_images(Member const& team, Scratch const& scratch, Chunk const& chunk,
                                   std::uint64_t tile, std::uint32_t& cursor) const {
    int const thread = team.team_rank();
    TileRanks const ranks(scratch.table, scratch.sums, thread);
    ranks.clear();
    auto const digits = tile_digits(level_.seed, chunk.node, tile, thread);
    std::uint64_t const first = first_place(thread);
    // Chunks of the root begin at the start of a tile.
    std::uint64_t const places = chunk.end - tile;
    team.team_barrier();
    auto const exists = [&](int k) { return first + place_offset(k) < places; };
    auto const in_unit = rank_existing(ranks, digits, exists);
    team.team_barrier();
    Run const run = ranks.scan(team);
    scratch.offsets[thread] = cursor - run.begin;
    cursor += run.size;
    team.team_barrier();
    LeafTable const leaves(scratch.leaves);
    visit_existing(ranks, digits, in_unit, exists, [&](int k, int own, std::uint32_t sorted) {
      scratch.images[first + place_offset(k)] = leaves(own, scratch.offsets[own] + sorted);
    });
    team.team_barrier();
  }

  template <class Member>
  KOKKOS_FUNCTION void copy_rows(Member const& team, Scratch const& scratch, Chunk const& chunk,
                                 std::uint64_t tile) const {
    constexpr std::uint64_t step = threads / backend::width * RowsOfWarp::size;
    int const lane = team.team_rank() % backend::width;
    auto const warp = static_cast<std::uint64_t>(team.team_rank() / backend::width);
    std::uint64_t const end = Kokkos::min(chunk.end, tile + tile_places);
    for (std::uint64_t row = tile + warp * RowsOfWarp::size; row < end; row += step) {
      RowsOfWarp rows(level_.n, row / RowsOfWarp::size, lane);
      rows.evaluate(ImagesOfTile{scratch.images, tile});
      copy_part(copies_, rows, 0);
    }
  }

  Level<std::uint32_t> level_;
  LeafKeys const* keys_;
  std::uint64_t seed_of_leaves_;
  Copies copies_;
};

}  // namespace riffle::detail::bucket_shuffle
