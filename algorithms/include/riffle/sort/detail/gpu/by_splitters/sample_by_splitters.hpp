#pragma once

// Splitters, from samples: of all elements, and of each bucket, which a team sorts.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/sort/detail/gpu/by_ranks/counted_ranks.hpp>
#include <riffle/sort/detail/gpu/by_splitters/chunks.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>
#include <riffle/sort/detail/gpu/by_splitters/part_network.hpp>

namespace riffle::detail::sort::by_splitters {

/// An array as an output that is sorted in place.
template <class Word>
struct WordsInPlace {
  KOKKOS_FUNCTION void keep(std::uint64_t i, Word const& word) const { words[i] = word; }
  KOKKOS_FUNCTION Word kept(std::uint64_t i) const { return words[i]; }

  Word* words;
};

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

  using Network = PartNetwork<Word, WordsInPlace<Word>, threads>;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = Network::bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const bucket = team.league_rank();
    Index const begin = arrays.begins[bucket];
    Index const size = arrays.begins[bucket + 1] - begin;
    if (size == 0 || arrays.bucket_splitters().has_ties_only(bucket)) return;
    Word* const sample = arrays.sample + bucket * drawn;
    RIFFLE_NO_UNROLL
    for (int i = team.team_rank(); i < drawn; i += threads) {
      // Some may be drawn twice.
      std::uint64_t const random =
          Philox4x32(seed)({static_cast<std::uint32_t>(i), 0, begin, 0})[0];
      sample[i] = arrays.elements[begin + (random * size >> 32)];
    }
    void* const memory = team.team_scratch(0).get_shmem_aligned(
        std::size_t{Network::bytes}, static_cast<std::ptrdiff_t>(alignment));
    WordsInPlace<Word> const sorted{sample};
    Network(sorted, 0, static_cast<Index>(drawn), memory).sort(team);
    int const per_bucket = drawn >> arrays.part_depth;
    Splitters<Word>::store(team, arrays.words_of(bucket), arrays.part_depth,
                           [&](int i) { return sample[(i + 1) * per_bucket]; });
  }
};

}  // namespace riffle::detail::sort::by_splitters
