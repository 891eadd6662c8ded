#pragma once

// The first pass over all: elements go to their buckets. Those that are alike in a bucket of ties are only counted.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/sort/detail/gpu/by_estimates/arrays_by_estimates.hpp>
#include <riffle/sort/detail/gpu/by_estimates/tile_by_estimates.hpp>
#include <riffle/sort/detail/gpu/by_splitters/ends.hpp>

namespace riffle::detail::sort::by_estimates {

/// A team per tile of the input, which writes a run of elements of each bucket. Where a bucket has no room for a run,
/// the run is only counted.
template <class Word, class In>
struct ScatterToBuckets {
  static constexpr int held = by_estimates::held<Word>;
  static constexpr Index tile_size = by_estimates::tile_size<Word>;
  static constexpr int threads = by_estimates::threads;
  static constexpr int teams_per_processor = 3;

  In in;
  Arrays<Word> arrays;

  int teams() const { return static_cast<int>((arrays.size + tile_size - 1) / tile_size); }
  static constexpr std::size_t alignment = 16;
  // Once all buckets are found, the elements are staged where the tree was.
  static constexpr std::size_t staged_bytes =
      std::max(tile_size * sizeof(Word), sizeof(Word) << max_depth);
  static constexpr std::size_t used_bytes =
      staged_bytes + GroupCounters::bytes + tile_size * sizeof(std::uint16_t);
  static constexpr std::size_t scratch_bytes = used_bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const memory = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{used_bytes}, static_cast<std::ptrdiff_t>(alignment)));
    auto* const words = reinterpret_cast<Word*>(memory);
    auto* const bucket_at =
        reinterpret_cast<std::uint16_t*>(memory + staged_bytes + GroupCounters::bytes);
    auto const thread = static_cast<Index>(team.team_rank());
    Index const first = static_cast<Index>(team.league_rank()) * tile_size;
    Index const size = Kokkos::min(Index{tile_size}, arrays.size - first);
    GroupCounters const counters(memory + staged_bytes, thread, arrays.buckets());
    counters.clear();
    load_tree(arrays.splitters, arrays.bucket_depth, words, team.team_rank());
    Word elements[held] = {};
    by_splitters::read_elements(in, first + thread, threads, first + size, elements);
    team.team_barrier();
    // A bucket, and in the upper half how many elements of the tile were counted before in the same one.
    std::uint32_t ranks[held];
    Splitters<Word>(words, arrays.splitters + arrays.buckets(), arrays.bucket_depth)
        .template find_in_batches<batch<Word>>(elements, ranks);
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (place(k, thread) < size) ranks[k] |= counters.rank(ranks[k]) << 16;
    }
    counters.scan(team);
    Index shifts[owned] = {};
    reserve(counters, size, shifts);
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (place(k, thread) >= size) continue;
      Index const to = counters[ranks[k] & 0xFFFF] + (ranks[k] >> 16);
      words[to] = elements[k];
      bucket_at[to] = static_cast<std::uint16_t>(ranks[k]);
    }
    team.team_barrier();
    counters.for_each_own([&](Index bucket, int k) { counters[bucket] = shifts[k]; });
    team.team_barrier();
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (place(k, thread) >= size) continue;
      Index const shift = counters[bucket_at[place(k, thread)]];
      if (shift != nowhere) arrays.elements[shift + place(k, thread)] = words[place(k, thread)];
    }
  }

 private:
  static constexpr int owned = GroupCounters::most_per_thread;
  // No shift has this value: buckets but the first begin beyond the first tile.
  static constexpr Index nowhere = ~Index{0};

  KOKKOS_FUNCTION static Index place(int k, Index thread) {
    return static_cast<Index>(k * threads) + thread;
  }

  /// Takes places for the elements of the thread's own buckets. `shifts` becomes how far these are from where the
  /// elements are in the tile; nowhere, where there is not enough room. Shifts wrap round, as unsigned numbers do.
  KOKKOS_FUNCTION void reserve(GroupCounters const& counters, Index size,
                               Index (&shifts)[owned]) const {
    // All are under way before the first is waited for.
    counters.for_each_own([&](Index bucket, int k) {
      shifts[k] = Kokkos::atomic_fetch_add(arrays.sizes + bucket, counters.count(bucket, size));
    });
    counters.for_each_own([&](Index bucket, int k) {
      bool const has_room = shifts[k] + counters.count(bucket, size) <= arrays.room_of(bucket);
      shifts[k] += arrays.first_tiles[bucket] * tile_size - counters[bucket];
      if (!has_room) shifts[k] = nowhere;
    });
  }
};

/// Finds where buckets begin in the result, by one team.
template <class Word>
struct BeginBuckets {
  static constexpr int threads = 1 << min_bucket_depth;
  static constexpr int teams_per_processor = 1;
  static constexpr std::size_t sum_bytes = threads / backend::width * sizeof(Index);
  static constexpr std::size_t scratch_bytes = sum_bytes + 16;

  Arrays<Word> arrays;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const sums =
        static_cast<Index*>(team.team_scratch(0).get_shmem_aligned(std::size_t{sum_bytes}, 16));
    Index const per_thread = arrays.buckets() / threads;
    Index const first = static_cast<Index>(team.team_rank()) * per_thread;
    Index sum = 0;
    for (Index b = first; b < first + per_thread; ++b) sum += arrays.sizes[b];
    Index begin = exclusive_team_sum(team, sums, sum);
    for (Index b = first; b < first + per_thread; ++b) {
      arrays.begins[b] = begin;
      begin += arrays.sizes[b];
    }
  }
};

/// Counts the buckets that have no room for all of their elements.
template <class Word>
struct CountOverfull {
  Arrays<Word> arrays;

  KOKKOS_FUNCTION void operator()(std::uint64_t b, std::uint32_t& count) const {
    auto const bucket = static_cast<Index>(b);
    if (arrays.bucket_splitters().has_ties_only(static_cast<int>(bucket))) return;
    if (arrays.sizes[bucket] > arrays.room_of(bucket)) ++count;
  }
};

}  // namespace riffle::detail::sort::by_estimates
