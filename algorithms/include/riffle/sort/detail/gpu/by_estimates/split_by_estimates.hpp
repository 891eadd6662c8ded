#pragma once

// The second pass: the tiles of each bucket are put in the order of the bucket's parts, each in place.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_estimates/arrays_by_estimates.hpp>
#include <riffle/sort/detail/gpu/by_estimates/tile_by_estimates.hpp>

namespace riffle::detail::sort::by_estimates {

/// A team per tile.
template <class Word>
struct SplitTiles {
  static constexpr int held = by_estimates::held<Word>;
  static constexpr Index tile_size = by_estimates::tile_size<Word>;
  static constexpr int threads = by_estimates::threads;
  static constexpr int teams_per_processor = 3;

  Arrays<Word> arrays;

  int teams() const { return static_cast<int>(arrays.tiles()); }
  static constexpr std::size_t alignment = 16;
  // Once all parts are found, the elements are staged where the tree was.
  static constexpr std::size_t staged_bytes =
      std::max(tile_size * sizeof(Word), sizeof(Word) << max_depth);
  static constexpr std::size_t used_bytes = staged_bytes + GroupCounters::bytes;
  static constexpr std::size_t scratch_bytes = used_bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const tile = static_cast<Index>(team.league_rank());
    if (tile >= arrays.first_tiles[arrays.buckets()]) return;
    auto* const memory = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{used_bytes}, static_cast<std::ptrdiff_t>(alignment)));
    Index const bucket = find_bucket(team, memory, tile);
    auto const thread = static_cast<Index>(team.team_rank());
    Index const before = (tile - arrays.first_tiles[bucket]) * tile_size;
    if (before >= arrays.sizes[bucket]) return;
    Index const size = Kokkos::min(Index{tile_size}, arrays.sizes[bucket] - before);
    auto* const words = reinterpret_cast<Word*>(memory);
    Word* const own = arrays.elements + std::size_t{tile} * tile_size;
    GroupCounters const counters(memory + staged_bytes, thread, arrays.parts());
    counters.clear();
    bool const is_linear = arrays.are_linear[bucket] != 0;
    if (!is_linear) {
      load_tree(arrays.words_of(bucket), arrays.part_depth, words, team.team_rank());
    }
    Word elements[held] = {};
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (place(k, thread) < size) elements[k] = own[place(k, thread)];
    }
    team.team_barrier();
    // A part, and in the upper half how many elements of the tile were counted before in the same one.
    std::uint32_t ranks[held];
    if (is_linear) {
      ClassOf<Word> const class_of = arrays.classes_of(bucket);
      RIFFLE_UNROLL
      for (int k = 0; k < held; ++k) ranks[k] = class_of(elements[k]);
    } else {
      Splitters<Word>(words, arrays.words_of(bucket) + arrays.parts(), arrays.part_depth)
          .template find_in_batches<batch<Word>>(elements, ranks);
    }
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (place(k, thread) < size) ranks[k] |= counters.rank(ranks[k]) << 16;
    }
    counters.scan(team);
    std::uint16_t* const row = arrays.part_begins + (std::uint64_t{tile} << arrays.part_depth);
    counters.for_each_own(
        [&](Index part, int) { row[part] = static_cast<std::uint16_t>(counters[part]); });
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (place(k, thread) >= size) continue;
      words[counters[ranks[k] & 0xFFFF] + (ranks[k] >> 16)] = elements[k];
    }
    team.team_barrier();
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (place(k, thread) < size) own[place(k, thread)] = words[place(k, thread)];
    }
  }

 private:
  KOKKOS_FUNCTION static Index place(int k, Index thread) {
    return static_cast<Index>(k * threads) + thread;
  }

  /// Finds the bucket of a tile: each thread looks at some buckets.
  template <class Member>
  KOKKOS_FUNCTION Index find_bucket(Member const& team, void* memory, Index tile) const {
    auto* const found = static_cast<Index*>(memory);
    for (auto b = static_cast<Index>(team.team_rank()); b < arrays.buckets(); b += threads) {
      if (arrays.first_tiles[b] <= tile && tile < arrays.first_tiles[b + 1]) *found = b;
    }
    team.team_barrier();
    Index const bucket = *found;
    team.team_barrier();
    return bucket;
  }
};

}  // namespace riffle::detail::sort::by_estimates
