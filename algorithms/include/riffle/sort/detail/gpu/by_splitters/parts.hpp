#pragma once

// Third pass: the tiles of each bucket are put in the order of the bucket's parts, each in place. The leaves find out
// which of their runs are a part's.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>
#include <riffle/sort/detail/gpu/by_splitters/tile_by_splitters.hpp>

namespace riffle::detail::sort::by_splitters {

/// A team per tile. The tiles of buckets of ties are in order, and are only copied from the temporary to where they
/// belong.
template <class Word, class Out>
struct SplitTiles {
  static constexpr int held = by_splitters::held<Word>;
  static constexpr Index tile_size = by_splitters::tile_size<Word>;
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 3;

  Out out;
  Arrays<Word> arrays;

  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t used_bytes =
      TileOrder<Word>::bytes + Splitters<Word>::words(max_part_depth) * sizeof(Word);
  static constexpr std::size_t scratch_bytes = used_bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const tile = static_cast<Index>(team.league_rank());
    if (tile >= arrays.first_tiles[buckets]) return;
    auto* const memory = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{used_bytes}, static_cast<std::ptrdiff_t>(alignment)));
    int const bucket = find_bucket(team, memory, tile);
    std::uint64_t const first =
        arrays.begins[bucket] + std::uint64_t{tile - arrays.first_tiles[bucket]} * tile_size;
    auto const size = static_cast<Index>(
        Kokkos::min<std::uint64_t>(tile_size, arrays.begins[bucket + 1] - first));
    TileOrder<Word> const order(memory, team.team_rank(), size);
    Word elements[held] = {};
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) elements[k] = arrays.elements[first + order.place(k)];
    }
    if (arrays.bucket_splitters().has_ties_only(bucket)) {
      RIFFLE_UNROLL
      for (int k = 0; k < held; ++k) {
        if (order.exists(k)) out.write(first + order.place(k), elements[k]);
      }
      return;
    }
    order.clear();
    auto* const words = reinterpret_cast<Word*>(memory + TileOrder<Word>::bytes);
    load_splitters(bucket, words, team.team_rank());
    team.team_barrier();
    int parts[held];
    Splitters<Word>(words, arrays.part_depth).template find_in_batches<held / 2>(elements, parts);
    Index ranks[held] = {};
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) ranks[k] = order.rank(parts[k]);
    }
    Index count;
    write_begin(tile, team.team_rank(), order.scan(team, count));
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) order.store(parts[k], ranks[k], elements[k]);
    }
    team.team_barrier();
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) arrays.elements[first + order.place(k)] = order.element(k);
    }
  }

 private:
  /// Finds the bucket of a tile: each thread looks at one bucket.
  template <class Member>
  KOKKOS_FUNCTION int find_bucket(Member const& team, void* memory, Index tile) const {
    auto* const found = static_cast<int*>(memory);
    int const own = team.team_rank();
    if (arrays.first_tiles[own] <= tile && tile < arrays.first_tiles[own + 1]) *found = own;
    team.team_barrier();
    int const bucket = *found;
    team.team_barrier();
    return bucket;
  }

  KOKKOS_FUNCTION void load_splitters(int bucket, Word* words, int thread) const {
    int const count = Splitters<Word>::words(arrays.part_depth);
    Word const* const from = arrays.words_of(bucket);
    for (int i = thread; i < count; i += threads) words[i] = from[i];
  }

  KOKKOS_FUNCTION void write_begin(Index tile, int part, Index begin) const {
    if (part >> arrays.part_depth != 0) return;
    arrays.part_begins[(std::uint64_t{tile} << arrays.part_depth) +
                       static_cast<std::uint64_t>(part)] = static_cast<std::uint16_t>(begin);
  }
};

}  // namespace riffle::detail::sort::by_splitters
