#pragma once

// First pass: the bucket of each key, how many each has, and where buckets begin.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/sort/detail/gpu/by_splitters/ends.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>

namespace riffle::detail::sort::by_splitters {

/// A team takes some batches of keys.
template <class Word, class Keys>
struct CountBuckets {
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 8;
  // The keys that a thread holds at a time, so that all are in registers; and the batches of a team.
  static constexpr int held = 4;
  static constexpr std::uint64_t batch = threads * held;
  static constexpr std::uint64_t max_batches = 16;
  // With fewer teams a GPU is not busy.
  static constexpr std::uint64_t wanted_teams = 1024;
  static constexpr int splitter_words = Splitters<Word>::words(bucket_depth);

  Keys keys;
  Arrays<Word> arrays;

  KOKKOS_FUNCTION std::uint64_t batches_per_team() const {
    std::uint64_t const wanted = keys.extent(0) / (wanted_teams * batch);
    return wanted < 1 ? 1 : wanted < max_batches ? wanted : max_batches;
  }
  int teams() const {
    std::uint64_t const size = batches_per_team() * batch;
    return static_cast<int>((keys.extent(0) + size - 1) / size);
  }
  static constexpr std::size_t used_bytes =
      splitter_words * sizeof(Word) + buckets * sizeof(std::uint32_t);
  static constexpr std::size_t scratch_bytes = used_bytes + 16;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const words =
        static_cast<Word*>(team.team_scratch(0).get_shmem_aligned(std::size_t{used_bytes}, 16));
    auto* const histogram = reinterpret_cast<std::uint32_t*>(words + splitter_words);
    int const thread = team.team_rank();
    histogram[thread] = 0;
    auto const chosen = [&](int i) { return arrays.chosen[i]; };
    Splitters<Word>::store(team, words, bucket_depth, chosen);
    // Later passes look at them.
    if (team.league_rank() == 0) {
      Splitters<Word>::store(team, arrays.splitters, bucket_depth, chosen);
    }
    team.team_barrier();
    Splitters<Word> const splitters(words, bucket_depth);
    std::uint64_t const first =
        static_cast<std::uint64_t>(team.league_rank()) * batches_per_team() * batch;
    RIFFLE_NO_UNROLL
    for (std::uint64_t b = 0; b < batches_per_team(); ++b) {
      count(splitters, histogram, first + b * batch, static_cast<std::uint64_t>(thread));
    }
    team.team_barrier();
    if (histogram[thread] != 0) {
      Kokkos::atomic_add(arrays.sizes + thread, std::uint64_t{histogram[thread]});
    }
  }

 private:
  KOKKOS_FUNCTION void count(Splitters<Word> const& splitters, std::uint32_t* histogram,
                             std::uint64_t first, std::uint64_t thread) const {
    std::uint64_t const n = keys.extent(0);
    Word words[held] = {};
    read_elements(keys, first + thread, threads, n, words);
    int found[held];
    splitters.find(words, found);
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      std::uint64_t const i = first + static_cast<std::uint64_t>(k * threads) + thread;
      if (i >= n) continue;
      arrays.bucket_of[i] = static_cast<std::uint8_t>(found[k]);
      backend::add_in_scratch(histogram + found[k], 1);
    }
  }
};

/// Finds where buckets begin, and their tiles, by one team.
template <class Word>
struct PlaceBuckets {
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 1;

  Arrays<Word> arrays;

  static constexpr std::size_t sum_bytes = threads / backend::width * sizeof(Index);
  static constexpr std::size_t scratch_bytes = 2 * sum_bytes + 16;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const sums =
        static_cast<Index*>(team.team_scratch(0).get_shmem_aligned(2 * sum_bytes, 16));
    int const bucket = team.team_rank();
    auto const size = static_cast<Index>(arrays.sizes[bucket]);
    Index const tiles = (size + tile_size<Word> - 1) / tile_size<Word>;
    Index all;
    Index all_tiles;
    Index const begin = exclusive_team_sum(team, sums, size, all);
    Index const first_tile =
        exclusive_team_sum(team, sums + threads / backend::width, tiles, all_tiles);
    arrays.begins[bucket] = begin;
    arrays.cursors[bucket] = begin;
    arrays.first_tiles[bucket] = first_tile;
    if (bucket + 1 < buckets) return;
    arrays.begins[buckets] = all;
    arrays.first_tiles[buckets] = all_tiles;
  }
};

/// Finds the worst verdict of all buckets.
template <class Word>
struct JudgeBuckets {
  Arrays<Word> arrays;

  KOKKOS_FUNCTION void operator()(std::uint64_t bucket, std::uint32_t& worst) const {
    worst = Kokkos::max(worst, static_cast<std::uint32_t>(judge(static_cast<int>(bucket))));
  }

  KOKKOS_FUNCTION Verdict judge(int bucket) const {
    bool const is_large = arrays.sizes[bucket] > max_of_bucket();
    return is_large && !arrays.bucket_splitters().has_ties_only(bucket) ? Verdict::cannot_sort
                                                                        : Verdict::can_sort;
  }

 private:
  /// The largest bucket whose parts find room for their runs, and are sorted in scratch memory for the most part; the
  /// average bucket has an eighth of this or less.
  KOKKOS_FUNCTION std::uint64_t max_of_bucket() const {
    std::uint64_t const by_parts = (8 * leaf_size<Word>) << arrays.part_depth;
    return Kokkos::min(by_parts, std::uint64_t{max_runs} * tile_size<Word>);
  }
};

}  // namespace riffle::detail::sort::by_splitters
