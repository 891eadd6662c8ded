#pragma once

// Splitters, from a sample that a team sorts.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/random/philox.hpp>
#include <riffle/sort/block/run.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>

namespace riffle::detail::sort::by_splitters {

/// Elements drawn at random, some maybe twice.
template <class Source>
struct RandomElements {
  Source source;
  std::uint64_t seed;
  Index begin;
  Index size;
  int drawn;

  KOKKOS_FUNCTION std::size_t extent(int) const { return static_cast<std::size_t>(drawn); }
  KOKKOS_FUNCTION auto operator()(int i) const {
    std::uint64_t const random = Philox4x32(seed)({static_cast<std::uint32_t>(i), 0, begin, 0})[0];
    return source(begin + (random * size >> 32));
  }
};

/// The `size` elements from `begin` on, called as a View is.
template <class Target>
struct Part {
  Target target;
  std::uint64_t begin;
  std::size_t size;

  KOKKOS_FUNCTION std::size_t extent(int) const { return size; }
  KOKKOS_FUNCTION decltype(auto) operator()(int i) const {
    return target(begin + static_cast<std::uint64_t>(i));
  }
};

/// An array, called as a View is.
template <class T>
struct Items {
  T* data;

  KOKKOS_FUNCTION T& operator()(std::uint64_t i) const { return data[i]; }
};

/// Draws a sample, sorts it in scratch memory, and chooses splitters. All threads of a team call this.
template <class Kind, class Member, class Source>
KOKKOS_FUNCTION void make_splitters(Member const& team, RandomElements<Source> const& drawn,
                                    typename Kind::Element* sample, typename Kind::Word* words,
                                    int depth) {
  Part<Items<typename Kind::Element>> const sorted{{sample}, 0, drawn.extent(0)};
  team_sort::sort_numbers_by_lanes(team, typename Kind::Entries{}, drawn, sorted);
  int const per_bucket = drawn.drawn >> depth;
  Splitters<typename Kind::Word>::store(
      team, words, depth, [&](int i) { return Kind::word(sorted((i + 1) * per_bucket)); });
}

/// The scratch memory that a team takes to sort: 34 KiB at most, for a power of two of entries.
template <class Entry>
inline constexpr std::size_t max_entry_bytes = team_sort::scratch_bytes<Entry>(sizeof(Entry) <= 8
                                                                                   ? 4096
                                                                                   : 2048);

template <class Kind>
constexpr std::size_t sample_scratch_bytes(int size) {
  using Entry = typename Kind::Entries::Entry;
  return std::min(max_entry_bytes<Entry>,
                  team_sort::scratch_bytes<Entry>(static_cast<std::size_t>(size)));
}

/// Samples all keys, by one team. Also clears what later passes add to, and counts ties where these are to be told
/// apart.
template <class Kind, class Keys>
struct SampleKeys {
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 1;

  Keys keys;
  Arrays<Kind> arrays;

  static constexpr std::size_t scratch_bytes = sample_scratch_bytes<Kind>(sample_size);

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    arrays.sizes[team.team_rank()] = 0;
    if (team.team_rank() == 0)
      *arrays.oddities = *arrays.crowded_count = *arrays.ties_in_sample = 0;
    std::uint64_t const n = keys.extent(0);
    make_splitters<Kind>(team, RandomElements<Keys>{keys, n, 0, static_cast<Index>(n), sample_size},
                         arrays.sample, arrays.splitters, bucket_depth);
    if constexpr (has_index<typename Kind::Word>) count_ties(team);
  }

 private:
  /// The same element, drawn twice, is no tie.
  template <class Member>
  KOKKOS_FUNCTION void count_ties(Member const& team) const {
    Index ties = 0;
    for (int i = team.team_rank(); i + 1 < sample_size; i += threads) {
      auto const& element = arrays.sample[i];
      auto const& next = arrays.sample[i + 1];
      ties += static_cast<Index>(element.code == next.code && element.index != next.index);
    }
    if (ties != 0) Kokkos::atomic_add(arrays.ties_in_sample, ties);
  }
};

/// Samples each bucket that is to be sorted, with a team for each.
template <class Kind>
struct SampleBuckets {
  using T = typename Kind::Element;
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 2;

  Arrays<Kind> arrays;
  std::uint64_t seed;
  int drawn;

  static constexpr std::size_t scratch_bytes =
      sample_scratch_bytes<Kind>(part_sample_size(max_part_depth));

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const bucket = team.league_rank();
    Index const begin = arrays.begins[bucket];
    Index const size = arrays.begins[bucket + 1] - begin;
    if (size == 0 || arrays.bucket_splitters().has_ties_only(bucket)) return;
    make_splitters<Kind>(
        team, RandomElements<Items<T>>{{arrays.elements}, seed, begin, size, drawn},
        arrays.sample + bucket * drawn, arrays.words_of(bucket), arrays.part_depth);
  }
};

}  // namespace riffle::detail::sort::by_splitters
