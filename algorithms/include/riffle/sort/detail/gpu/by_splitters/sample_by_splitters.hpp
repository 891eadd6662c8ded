#pragma once

// Splitters, from samples: of all elements, and of each bucket, which a team sorts.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/random/philox.hpp>
#include <riffle/sort/block/sort_block.hpp>
#include <riffle/sort/detail/gpu/by_ranks/counted_ranks.hpp>
#include <riffle/sort/detail/gpu/by_splitters/chunks.hpp>
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
template <class Word, class Member, class Source>
KOKKOS_FUNCTION void make_splitters(Member const& team, RandomElements<Source> const& drawn,
                                    Word* sample, Word* words, int depth) {
  Part<Items<Word>> const sorted{{sample}, 0, drawn.extent(0)};
  team_sort::sort_numbers_by_lanes(team, EntriesOf<Word>{}, drawn, sorted);
  int const per_bucket = drawn.drawn >> depth;
  Splitters<Word>::store(team, words, depth, [&](int i) { return sorted((i + 1) * per_bucket); });
}

/// The scratch memory that a team takes to sort: 34 KiB at most, for a power of two of entries.
template <class Entry>
inline constexpr std::size_t max_entry_bytes = team_sort::scratch_bytes<Entry>(sizeof(Entry) <= 8
                                                                                   ? 4096
                                                                                   : 2048);

template <class Word>
constexpr std::size_t sample_scratch_bytes(int size) {
  using Entry = typename EntriesOf<Word>::Entry;
  return std::min(max_entry_bytes<Entry>,
                  team_sort::scratch_bytes<Entry>(static_cast<std::size_t>(size)));
}

/// Samples all elements: sorts the chunks of the sample. Also clears what later passes add to.
template <class Word, class In>
struct SampleChunks : SortsChunks {
  SampleChunks(In const& in_, Arrays<Word> const& arrays_)
      : in(in_), arrays(arrays_), sample(static_cast<Index>(in_.extent(0)), sample_size) {}

  int teams() const { return by_ranks::teams_of(sample.size()); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (team.league_rank() == 0) {
      for (int b = team.team_rank(); b < buckets; b += threads) arrays.sizes[b] = 0;
      if (team.team_rank() == 0) *arrays.crowded_count = 0;
    }
    sort_chunk(team, in, sample, arrays.drawn);
  }

  In in;
  Arrays<Word> arrays;
  Sample sample;
};

/// Chooses the splitters of the buckets.
template <class Word>
struct ChooseSplitters : RanksSample {
  explicit ChooseSplitters(Arrays<Word> const& arrays_)
      : RanksSample{arrays_.drawn, sample_size}, arrays(arrays_) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    rank(team, [&](IndexedCode const& element, Index rank) {
      Index const bucket = rank / sample_per_part;
      if (rank % sample_per_part != sample_per_part - 1 || bucket + 1 >= buckets) return;
      if constexpr (has_index<Word>) {
        arrays.chosen[bucket] = element;
      } else {
        arrays.chosen[bucket] = static_cast<Word>(element.code);
      }
    });
  }

  Arrays<Word> arrays;
};

/// Samples each bucket that is to be sorted, with a team for each.
template <class Word>
struct SampleBuckets {
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 2;

  Arrays<Word> arrays;
  std::uint64_t seed;
  int drawn;

  static constexpr std::size_t scratch_bytes =
      sample_scratch_bytes<Word>(part_sample_size(max_part_depth));

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const bucket = team.league_rank();
    Index const begin = arrays.begins[bucket];
    Index const size = arrays.begins[bucket + 1] - begin;
    if (size == 0 || arrays.bucket_splitters().has_ties_only(bucket)) return;
    make_splitters<Word>(
        team, RandomElements<Items<Word>>{{arrays.elements}, seed, begin, size, drawn},
        arrays.sample + bucket * drawn, arrays.words_of(bucket), arrays.part_depth);
  }
};

}  // namespace riffle::detail::sort::by_splitters
