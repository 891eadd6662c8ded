#pragma once

// How GPU teams divide the places of a split node among themselves, and count the digits of these places.
//
//     level    the split nodes of one depth of the tree
//     chunk    the places of a node that one team processes: whole tiles, of which the last one may be partial
//     tile     4096 places, sixteen for each of the team's 256 threads
//     unit     256 consecutive places, processed by the sixteen lanes of half a warp
//
// A team counts the digits of its chunk (count_chunk). Later the team sorts the places of each tile by digit, in
// scratch memory. TileRanks computes the position of each place in the sorted tile. In the sorted tile, the places with
// one digit form a run; TileRuns finds the run that contains a given position.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle::detail::bucket_shuffle {

static_assert(team_threads == buckets);  // thread k processes the count of digit k

/// The number of places in a tile, and the number of units. Each thread of a team draws one Philox block, which
/// contains the digits of the thread's sixteen places.
inline constexpr int tile_places = team_threads * digits_per_block;
inline constexpr int tile_units = tile_places / places_per_unit;

/// The first place of a thread, relative to the start of the tile. Half a warp processes the places of a unit
/// (bucket_definition.hpp).
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t first_place(int thread) {
  return static_cast<std::uint64_t>(thread / digits_per_block * places_per_unit +
                                    thread % digits_per_block);
}

/// The difference between a thread's place k and its first place.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t place_offset(int k) {
  return static_cast<std::uint64_t>(k * digits_per_block);
}

/// The places of a node that one team processes: whole tiles, of which the last one may be partial.
struct Chunk {
  Node node;
  std::uint64_t node_begin;  // the index of the node's first element in the whole array
  std::uint64_t begin;       // the chunk's first place, relative to the node
  std::uint64_t end;
  // Level::counts[column + k * Level::chunks] is the chunk's entry for digit k.
  std::uint64_t column;

  KOKKOS_FUNCTION bool has(std::uint64_t place) const { return place >= begin && place < end; }

  /// The start of the tile that contains the chunk's first place; `end` if the chunk is empty.
  KOKKOS_FUNCTION std::uint64_t first_tile() const {
    return begin < end ? begin / tile_places * tile_places : end;
  }
};

/// Returns the digits for the places of thread `thread`, in the tile that begins at place `tile` of a node.
KOKKOS_INLINE_FUNCTION Philox4x32::Block tile_digits(std::uint64_t seed, Node node,
                                                     std::uint64_t tile, int thread) {
  return digit_block(seed, node, tile / digits_per_block + static_cast<std::uint64_t>(thread));
}

/// The split nodes of one level. Their elements are contiguous, n in total, and the type Index can represent n.
///
/// The places of each node are divided into `chunks` chunks, which consist of whole tiles. `counts` has one entry for
/// each (node, digit, chunk), sorted in this order. At first an entry is the number of places in the chunk with the
/// digit. An exclusive scan then replaces it by the index, within the level, of the first element that these places
/// take.
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

  /// Converts an index `node` within this level to the node's index in the tree. The tree indices in a level are
  /// consecutive. The first node is reached from the root by digits 0 only, so its tree index is nodes * root.
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

// --- counting ---

/// Counts the digits of the thread's places in a tile. Requires: all places of the tile belong to the chunk.
KOKKOS_INLINE_FUNCTION void count_tile(Philox4x32::Block const& digits, std::uint32_t* histogram) {
  RIFFLE_UNROLL
  for (int k = 0; k < digits_per_block; ++k) {
    backend::add_in_scratch(histogram + digit(digits, k), 1);
  }
}

/// Counts the digits of the thread's places in a tile, but only of places that belong to the chunk. `place` is the
/// thread's first place.
KOKKOS_INLINE_FUNCTION void count_part_of_tile(Philox4x32::Block const& digits, Chunk const& chunk,
                                               std::uint64_t place, std::uint32_t* histogram) {
  RIFFLE_NO_UNROLL
  for (int k = 0; k < digits_per_block; ++k, place += digits_per_block) {
    if (chunk.has(place)) backend::add_in_scratch(histogram + digit(digits, k), 1);
  }
}

/// Adds this thread's part of the chunk to the histogram in scratch memory: histogram[k] grows by the number of places
/// with digit k. All threads of the team must call it.
KOKKOS_INLINE_FUNCTION void count_chunk(std::uint64_t seed, Chunk const& chunk, int thread,
                                        std::uint32_t* histogram) {
  RIFFLE_NO_UNROLL
  for (std::uint64_t tile = chunk.first_tile(); tile < chunk.end; tile += tile_places) {
    auto const digits = tile_digits(seed, chunk.node, tile, thread);
    if (tile >= chunk.begin && chunk.end - tile >= tile_places) {
      count_tile(digits, histogram);
    } else {
      count_part_of_tile(digits, chunk, tile + first_place(thread), histogram);
    }
  }
}

// --- sorting a tile by digits ---

/// A run: the positions in a sorted tile whose places have the same digit. Non-empty runs have the indices 0, 1, ...
/// (`number`) in ascending order of their digits. An empty run has the index of the next non-empty run.
struct Run {
  std::uint32_t number;
  std::uint32_t begin;
  std::uint32_t size;
};

/// Finds the run that contains a position in the sorted tile, from a table in scratch memory.
///
/// A table entry describes 32 consecutive positions. `first` is the index (Run::number) of the run that contains the
/// first of them. Bit k > 0 of `begins` says whether a run begins at position k of the 32. Therefore position k is in
/// the run with index `first` + (number of bits set among bits 1, ..., k of `begins`). Lanes with neighbouring
/// positions read without bank conflicts.
class TileRuns {
 public:
  struct Entry {
    std::uint32_t begins;
    std::uint32_t first;
  };
  static constexpr int places_per_entry = 32;
  static constexpr int size = tile_places / places_per_entry;

  /// `entries` points to `size` entries.
  KOKKOS_FUNCTION explicit TileRuns(Entry* entries) : entries_(entries) {}

  /// Clears the table. All threads of the team call it. Requires: a team barrier before the first mark().
  KOKKOS_FUNCTION void clear(int thread) const {
    if (thread < size) entries_[thread].begins = 0;
  }

  /// Marks a non-empty run. Requires: a team barrier between the last mark() and the first read of the table.
  KOKKOS_FUNCTION void mark(Run const& run) const {
    std::uint32_t const bit = run.begin % places_per_entry;
    std::uint32_t entry = run.begin / places_per_entry;
    if (bit != 0) backend::add_in_scratch(&entries_[entry++].begins, std::uint32_t{1} << bit);
    for (; entry * places_per_entry < run.begin + run.size; ++entry) {
      entries_[entry].first = run.number;
    }
  }

  /// Returns the index of the run that contains position `place`.
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t place) const {
    Entry const entry = entries_[place / places_per_entry];
    std::uint32_t const up_to =
        ~std::uint32_t{0} >> (places_per_entry - 1 - place % places_per_entry);
    return entry.first + static_cast<std::uint32_t>(backend::count_ones(entry.begins & up_to));
  }

 private:
  Entry* entries_;
};

/// Sorts the places of a tile stably by digit, in scratch memory. rank() returns the rank of a place among the places
/// with the same digit in its unit. After scan(), position() returns the place's position in the sorted tile.
///
/// The sixteen lanes of half a warp process a unit of 256 places in sixteen steps; a step processes sixteen consecutive
/// places. The table has one word per unit and digit:
///
///     bits 16-31   the number of places with the digit in all steps so far, including this step
///     bits 0-15    one bit for each of the sixteen lanes, set if the lane's place in this step has the digit
///
/// In a step, each lane adds two numbers to the word for its digit: 1 to the upper half, and its lane's bit to the
/// lower half. The order of the additions does not matter. After them, the number of earlier places with the same digit
/// is the upper half, minus the number of bits set in the lower half for this lane and all higher lanes.
class TileRanks {
 public:
  static constexpr int words = tile_units * buckets;

  /// `table` points to `words` words, `sums` to one word for each warp.
  KOKKOS_FUNCTION TileRanks(std::uint32_t* table, std::uint32_t* sums, int thread)
      : table_(table), sums_(sums), thread_(thread) {}

  /// Clears the table. Requires: a team barrier before the first rank().
  KOKKOS_FUNCTION void clear() const {
    RIFFLE_UNROLL
    for (int k = 0; k < words / team_threads; ++k) table_[k * team_threads + thread_] = 0;
  }

  /// Returns the number of earlier places in the unit that have the same digit as the lane's place: places in earlier
  /// calls, and places of lower lanes in this call. All lanes of a warp must call it together, once for each of their
  /// places in ascending order. If `exists` is false, the lane has no place in this call.
  KOKKOS_FUNCTION std::uint32_t rank(int digit, bool exists) const {
    std::uint32_t* const word = unit() + digit;
    int const lane = thread_ % digits_per_block;
    if (exists) backend::add_in_scratch(word, one_place | std::uint32_t{1} << lane);
    backend::synchronize();
    std::uint32_t const all = *word;
    std::uint32_t const from_here = (all & lane_bits) >> lane;
    backend::synchronize();
    bool const is_last = exists && from_here == 1;
    if (is_last) *word = all & ~lane_bits;
    backend::synchronize();
    return (all >> 16) - static_cast<std::uint32_t>(backend::count_ones(from_here));
  }

  /// Replaces the count for each unit and digit by the position in the sorted tile at which the unit's places with the
  /// digit begin. Thread d does this for digit d, and returns the run for digit d. Requires: a team barrier between the
  /// last rank() and scan(), and a team barrier between scan() and the first position().
  template <class Member>
  KOKKOS_FUNCTION Run scan(Member const& team) const {
    std::uint32_t before_unit[tile_units];
    std::uint32_t size = 0;
    RIFFLE_UNROLL
    for (int u = 0; u < tile_units; ++u) {
      before_unit[u] = size;
      size += column(u) >> 16;
    }
    // One scan computes two prefix sums: bits 0-15 count places, higher bits count non-empty runs.
    static_assert(tile_places < one_run);
    std::uint32_t const before =
        exclusive_team_sum<warps>(team, sums_, size > 0 ? size + one_run : 0);
    std::uint32_t const begin = before % one_run;
    RIFFLE_UNROLL
    for (int u = 0; u < tile_units; ++u) column(u) = begin + before_unit[u];
    return {before / one_run, begin, size};
  }

  /// Returns the position in the sorted tile for a place with digit `digit` and rank `rank` in its unit. Requires:
  /// scan() was called.
  KOKKOS_FUNCTION std::uint32_t position(int digit, std::uint32_t rank) const {
    return unit()[digit] + rank;
  }

 private:
  static constexpr std::uint32_t one_place = std::uint32_t{1} << 16;
  static constexpr std::uint32_t lane_bits = one_place - 1;
  static constexpr std::uint32_t one_run = std::uint32_t{1} << 16;
  static constexpr int warps = team_threads / backend::width;

  KOKKOS_FUNCTION std::uint32_t* unit() const {
    return table_ + thread_ / digits_per_block * buckets;
  }
  KOKKOS_FUNCTION std::uint32_t& column(int unit) const { return table_[unit * buckets + thread_]; }

  std::uint32_t* table_;
  std::uint32_t* sums_;
  int thread_;
};

// The following functions are for a tile in which some places do not exist; exists(k) says whether the thread's place k
// exists. The ranks in units are stored as bytes in words, which the compiler keeps in registers. The alternatives are
// slower. An array with an index that is unknown at compile time would be in local memory, and the compiler would then
// also keep the ranks for whole tiles in local memory. An unrolled loop would need more registers than a thread has.

/// Returns the ranks of the thread's places in their units. Byte k of the result is the rank of place k.
template <class Exists>
KOKKOS_FORCEINLINE_FUNCTION Philox4x32::Block rank_existing(TileRanks const& ranks,
                                                            Philox4x32::Block const& digits,
                                                            Exists const& exists) {
  Philox4x32::Block in_unit{};
  RIFFLE_UNROLL
  for (int word = 0; word < 4; ++word) {
    RIFFLE_NO_UNROLL
    for (int k = 0; k < 4; ++k) {
      std::uint32_t const rank = ranks.rank(byte_of(digits[word], k), exists(4 * word + k));
      in_unit[word] |= (rank & 0xFFu) << 8 * k;
    }
  }
  return in_unit;
}

/// Calls visit(k, digit, position) for each of the thread's places k that exists, where `position` is the place's
/// position in the sorted tile. Requires: scan() was called.
template <class Exists, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void visit_existing(TileRanks const& ranks,
                                                Philox4x32::Block const& digits,
                                                Philox4x32::Block const& in_unit,
                                                Exists const& exists, Visit const& visit) {
  RIFFLE_UNROLL
  for (int word = 0; word < 4; ++word) {
    RIFFLE_NO_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (!exists(4 * word + k)) continue;
      int const own = byte_of(digits[word], k);
      auto const rank = static_cast<std::uint32_t>(byte_of(in_unit[word], k));
      visit(4 * word + k, own, ranks.position(own, rank));
    }
  }
}

}  // namespace riffle::detail::bucket_shuffle
