#pragma once

// Splitters of buckets and of their parts, from one sorted sample; and the room of each bucket.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/sort/detail/gpu/by_estimates/arrays_by_estimates.hpp>
#include <riffle/sort/detail/gpu/by_splitters/chunks.hpp>

namespace riffle::detail::sort::by_estimates {

/// Reads the sample.
template <class Word, class In>
struct DrawSample {
  DrawSample(In const& in_, Arrays<Word> const& arrays)
      : in(in_), sample(arrays.size, arrays.sample_size()), drawn(arrays.sample) {}

  KOKKOS_FUNCTION void operator()(std::uint64_t j) const {
    drawn[j] = in(sample.index(static_cast<Index>(j)));
  }

  In in;
  by_splitters::Sample sample;
  Word* drawn;
};

/// Finds which elements of the sample are in a bucket. Those that tie with the splitter at its end are in it, unless the
/// next bucket has no others.
template <class Word>
struct FindRanges {
  Arrays<Word> arrays;

  KOKKOS_FUNCTION void operator()(std::uint64_t b) const {
    auto const bucket = static_cast<Index>(b);
    Index const begin = bucket == 0 ? 0 : end_with_ties(last_of(bucket - 1));
    arrays.ranges[bucket] = {begin, Kokkos::max(begin, end_of(bucket)) - begin};
  }

 private:
  /// The place of the last element that a bucket would have if none tied: its splitter.
  KOKKOS_FUNCTION Index last_of(Index bucket) const {
    return ((bucket + 1) * sample_per_part << arrays.part_depth) - 1;
  }

  KOKKOS_FUNCTION Index end_of(Index bucket) const {
    if (bucket + 1 == arrays.buckets()) return arrays.sample_size();
    Index const last = last_of(bucket);
    bool const has_next = bucket + 2 < arrays.buckets();
    if (!has_next || arrays.sample[last_of(bucket + 1)] != arrays.sample[last]) {
      return end_with_ties(last);
    }
    return search(0, last, [&](Word other) { return other < arrays.sample[last]; });
  }

  /// The end of the elements that tie with the one at `place`.
  KOKKOS_FUNCTION Index end_with_ties(Index place) const {
    Word const word = arrays.sample[place];
    if (place + 1 == arrays.sample_size() || arrays.sample[place + 1] != word) return place + 1;
    return search(place + 1, arrays.sample_size(), [&](Word other) { return other == word; });
  }

  /// The first place from `begin` on, below `end`, where goes_on is false; else `end`.
  template <class GoesOn>
  KOKKOS_FUNCTION Index search(Index begin, Index end, GoesOn const& goes_on) const {
    while (begin < end) {
      Index const middle = begin + (end - begin) / 2;
      if (goes_on(arrays.sample[middle])) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }
};

/// Stores the splitters of the parts of a bucket, by a team for each bucket. Where the sample says that keys are spread
/// evenly, parts are found by interpolation, and these splitters are not used. One more team does what is for all
/// buckets: it stores their splitters, and makes room for each.
template <class Word>
struct StoreSplitters {
  static constexpr int threads = 1 << min_bucket_depth;
  static constexpr int teams_per_processor = 4;
  static constexpr std::size_t used_bytes = (sizeof(Index) << max_depth) + sizeof(Index);
  static constexpr std::size_t scratch_bytes = used_bytes + 16;

  Arrays<Word> arrays;

  int teams() const { return static_cast<int>(arrays.buckets()) + 1; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const memory =
        static_cast<Index*>(team.team_scratch(0).get_shmem_aligned(std::size_t{used_bytes}, 16));
    auto const bucket = static_cast<Index>(team.league_rank());
    if (bucket == arrays.buckets()) {
      place_buckets(team, memory);
      Splitters<Word>::store(team, arrays.splitters, arrays.bucket_depth,
                             [&](int b) { return splitter(static_cast<Index>(b)); });
      if (team.team_rank() == 0) *arrays.crowded_count = 0;
      return;
    }
    auto const [begin, size] = arrays.ranges[bucket];
    Splitters<Word>::store(team, arrays.words_of(bucket), arrays.part_depth, [&](int i) {
      return last_of(bucket, begin, size, static_cast<Index>(i));
    });
    judge(team, memory, bucket);
  }

 private:
  /// The most elements of the sample in a class of a bucket whose keys are spread evenly: of 16 on average, more are in
  /// none of a million classes of the average size.
  static constexpr Index max_of_class = 40;

  KOKKOS_FUNCTION Word splitter(Index bucket) const {
    return arrays.sample[((bucket + 1) * sample_per_part << arrays.part_depth) - 1];
  }

  /// The last element of the sample that is in a part.
  KOKKOS_FUNCTION Word last_of(Index bucket, Index begin, Index size, Index part) const {
    if (size == 0) return splitter(Kokkos::min(bucket, arrays.buckets() - 2));
    auto const end = static_cast<Index>(std::uint64_t{size} * (part + 1) >> arrays.part_depth);
    return arrays.sample[begin + Kokkos::max(end, Index{1}) - 1];
  }

  /// Counts the sample by classes, and so finds whether keys are spread evenly.
  template <class Member>
  KOKKOS_FUNCTION void judge(Member const& team, Index* counts, Index bucket) const {
    Index* const most = counts + (std::size_t{1} << max_depth);
    auto const thread = static_cast<Index>(team.team_rank());
    for (Index p = thread; p < arrays.parts(); p += threads) counts[p] = 0;
    if (thread == 0) *most = 0;
    team.team_barrier();
    auto const [begin, size] = arrays.ranges[bucket];
    bool is_linear = arrays.has_bounds(bucket) && size > 0;
    if (is_linear) {
      ClassOf<Word> const class_of({splitter(bucket - 1), splitter(bucket)}, arrays.parts());
      is_linear = class_of.has_bounds();
      for (Index i = thread; i < size; i += threads) {
        Word const word = arrays.sample[begin + i];
        if (backend::fetch_add_in_scratch(counts + class_of(word), 1) >= max_of_class) *most = 1;
      }
    }
    team.team_barrier();
    if (thread == 0) arrays.are_linear[bucket] = is_linear && *most == 0;
  }

  template <class Member>
  KOKKOS_FUNCTION void place_buckets(Member const& team, Index* sums) const {
    Index const per_thread = arrays.buckets() / threads;
    Index const first = static_cast<Index>(team.team_rank()) * per_thread;
    Index sum = 0;
    for (Index b = first; b < first + per_thread; ++b) sum += tiles_of(b);
    Index begin = exclusive_team_sum(team, sums, sum);
    for (Index b = first; b < first + per_thread; ++b) {
      arrays.sizes[b] = 0;
      arrays.first_tiles[b] = begin;
      begin += tiles_of(b);
    }
    if (first + per_thread == arrays.buckets()) arrays.first_tiles[arrays.buckets()] = begin;
  }

  /// Of a bucket of ties alone, and of one where no element is expected, there may be a tile that nothing uses.
  KOKKOS_FUNCTION Index tiles_of(Index bucket) const {
    return arrays.tiles_for(arrays.ranges[bucket].size);
  }
};

}  // namespace riffle::detail::sort::by_estimates
