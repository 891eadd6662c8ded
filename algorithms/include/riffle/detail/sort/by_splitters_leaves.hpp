#pragma once

// Last pass: each part of a bucket is sorted, from the tiles of the bucket to where it belongs among all keys.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/detail/sort/by_splitters_level.hpp>
#include <riffle/detail/sort/by_splitters_sample.hpp>
#include <riffle/detail/team_sort/entries.hpp>
#include <riffle/detail/team_sort/run.hpp>
#include <riffle/lanes.hpp>

namespace riffle::detail::sort::by_splitters {

/// The runs of elements that a part has in the tiles of its bucket, as one sequence. In scratch memory.
template <class T>
struct PartRuns {
  T const* elements;
  Index const* starts;  // of each run in the sequence; none is after the last of `half * 2`
  Index const* shifts;  // from there to the elements
  int half;
  std::size_t size;

  KOKKOS_FUNCTION std::size_t extent(int) const { return size; }
  KOKKOS_FUNCTION T const& operator()(int i) const {
    auto const place = static_cast<Index>(i);
    int run = 0;
    for (int step = half; step > 0; step /= 2) {
      if (starts[run + step] <= place) run += step;
    }
    return elements[static_cast<Index>(shifts[run] + place)];
  }
};

/// A team per part of a bucket. One that scratch memory does not hold is sorted by blocks.
template <class Order, class Keys>
struct SortParts {
  using T = typename Keys::non_const_value_type;
  using Entries = team_sort::NumberEntries<T, Order>;
  static constexpr int threads = 64;
  static constexpr int teams_per_processor = 8;

  Keys keys;
  Arrays<T> arrays;

  int teams() const { return buckets << arrays.part_depth; }
  static constexpr std::size_t scratch_bytes() {
    return used_bytes + alignment + sample_scratch_bytes<T>(2 * static_cast<int>(leaf_size<T>));
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const bucket = team.league_rank() >> arrays.part_depth;
    int const part = team.league_rank() & ((1 << arrays.part_depth) - 1);
    if (arrays.begins[bucket] == arrays.begins[bucket + 1]) return;
    if (arrays.bucket_splitters().has_ties_only(bucket)) return;
    auto* const memory = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{used_bytes}, static_cast<std::ptrdiff_t>(alignment)));
    Scratch const scratch{reinterpret_cast<std::uint64_t*>(memory),
                          reinterpret_cast<Index*>(memory + sum_bytes)};
    std::uint64_t begin;
    PartRuns<T> const runs = find_runs(team, scratch, bucket, part, begin);
    auto const splitters = arrays.splitters_of(bucket);
    if (splitters.has_ties_only(part)) {
      T const key = Entries::key(splitters.splitter(part));
      for (auto i = static_cast<std::size_t>(team.team_rank()); i < runs.size; i += threads) {
        keys(begin + i) = key;
      }
    } else if (runs.size > 0) {
      team_sort::sort_numbers_by_lanes(team, Entries{}, runs,
                                       Part<Keys, T>{keys, begin, runs.size});
    }
  }

 private:
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t sum_bytes = threads / lanes::width * sizeof(std::uint64_t);
  static constexpr std::size_t used_bytes = sum_bytes + 2 * most_runs * sizeof(Index);

  struct Scratch {
    std::uint64_t* sums;
    Index* starts;
    KOKKOS_FUNCTION Index* shifts() const { return starts + most_runs; }
  };

  /// `begin`: where the part's first key is among all. What tiles have below the part, in the upper half of a sum, all
  /// comes before it; what they have of the part, in the lower half, one after the other.
  template <class Member>
  KOKKOS_FUNCTION PartRuns<T> find_runs(Member const& team, Scratch const& scratch, int bucket,
                                        int part, std::uint64_t& begin) const {
    Index const bucket_begin = arrays.begins[bucket];
    Index const bucket_size = arrays.begins[bucket + 1] - bucket_begin;
    Index const count = (bucket_size + tile_size - 1) / tile_size;
    Index whole = 1;
    while (whole < count) whole *= 2;
    std::uint64_t sum = 0;
    RIFFLE_NO_UNROLL
    for (Index first = 0; first < whole; first += threads) {
      Index const run = first + static_cast<Index>(team.team_rank());
      std::uint64_t const own = run < count ? run_of(bucket, part, run, bucket_size) : 0;
      std::uint64_t all;
      auto const before = sum + exclusive_team_sum(team, scratch.sums, own, all);
      auto const start = static_cast<Index>(before);
      if (run < whole) scratch.starts[run] = run < count ? start : ~Index{0};
      // Shifts wrap round, as unsigned numbers do.
      if (run < count) {
        scratch.shifts()[run] =
            bucket_begin + run * tile_size + static_cast<Index>(own >> 32) - start;
      }
      sum += all;
      team.team_barrier();
    }
    begin = bucket_begin + (sum >> 32);
    return {arrays.elements, scratch.starts, scratch.shifts(), static_cast<int>(whole / 2),
            static_cast<std::size_t>(static_cast<Index>(sum))};
  }

  KOKKOS_FUNCTION std::uint64_t run_of(int bucket, int part, Index run, Index bucket_size) const {
    std::uint16_t const* const begins =
        arrays.part_begins + (std::uint64_t{arrays.first_tiles[bucket] + run} << arrays.part_depth);
    Index const begin = begins[part];
    Index const end = part + 1 < 1 << arrays.part_depth
                          ? begins[part + 1]
                          : Kokkos::min(Index{tile_size}, bucket_size - run * tile_size);
    return std::uint64_t{begin} << 32 | (end - begin);
  }
};

}  // namespace riffle::detail::sort::by_splitters
