#pragma once

// Second pass: all keys go to their buckets.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_splitters/ends.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>
#include <riffle/sort/detail/gpu/by_splitters/tile_by_splitters.hpp>

namespace riffle::detail::sort::by_splitters {

/// A team per tile, which writes a run of some 16 elements, or 8 pairs, of each bucket.
template <class Word, class Keys>
struct ScatterToBuckets {
  static constexpr int held = by_splitters::held<Word>;
  static constexpr Index tile_size = by_splitters::tile_size<Word>;
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 3;

  Keys keys;
  Arrays<Word> arrays;

  int teams() const { return static_cast<int>((keys.extent(0) + tile_size - 1) / tile_size); }
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t used_bytes =
      TileOrder<Word>::bytes + buckets * sizeof(Index) + tile_size * sizeof(std::uint8_t);
  static constexpr std::size_t scratch_bytes = used_bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const memory = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{used_bytes}, static_cast<std::ptrdiff_t>(alignment)));
    auto* const shifts = reinterpret_cast<Index*>(memory + TileOrder<Word>::bytes);
    auto* const bucket_at = reinterpret_cast<std::uint8_t*>(shifts + buckets);
    int const thread = team.team_rank();
    std::uint64_t const first = static_cast<std::uint64_t>(team.league_rank()) * tile_size;
    TileOrder<Word> const order(
        memory, thread,
        static_cast<Index>(Kokkos::min<std::uint64_t>(tile_size, keys.extent(0) - first)));
    order.clear();
    Word elements[held] = {};
    int bucket[held] = {};
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) bucket[k] = arrays.bucket_of[first + order.place(k)];
    }
    read_elements(keys, first + order.place(0), threads, keys.extent(0), elements);
    team.team_barrier();
    Index ranks[held] = {};
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) ranks[k] = order.rank(bucket[k]);
    }
    Index count;
    Index const begin = order.scan(team, count);
    shifts[thread] = reserve(thread, count) - begin;
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (!order.exists(k)) continue;
      bucket_at[order.store(bucket[k], ranks[k], elements[k])] =
          static_cast<std::uint8_t>(bucket[k]);
    }
    team.team_barrier();
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (!order.exists(k)) continue;
      // Shifts wrap round, as unsigned numbers do.
      arrays.elements[shifts[bucket_at[order.place(k)]] + order.place(k)] = order.element(k);
    }
  }

 private:
  /// Takes the next `count` places of a bucket, and returns the first.
  KOKKOS_FUNCTION Index reserve(int bucket, Index count) const {
    return count == 0
               ? 0
               : static_cast<Index>(backend::fetch_add_relaxed(arrays.cursors + bucket, count));
  }
};

}  // namespace riffle::detail::sort::by_splitters
