#pragma once

// Sorts the parts of buckets, from the tiles of a bucket to where a part belongs among all keys. The keys of most parts
// are spread evenly enough to be sorted by classes; crowded parts are left to team_sort.

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/lanes/lanes.hpp>
#include <riffle/sort/detail/gpu/by_splitters/classes.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>
#include <riffle/sort/detail/gpu/by_splitters/runs.hpp>

namespace riffle::detail::sort::by_splitters {

/// Sorts with a team per part of a bucket. A crowded part is kept as it is.
template <class Word, class Out>
struct SortParts {
  static constexpr int threads = 128;
  static constexpr int teams_per_processor = sizeof(Word) <= 4 ? 6 : sizeof(Word) <= 8 ? 8 : 5;

  Out out;
  Arrays<Word> arrays;

  int teams() const { return buckets << arrays.part_depth; }
  using Classes = ClassesOfTeam<Word, threads>;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = Classes::bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const bucket = team.league_rank() >> arrays.part_depth;
    int const part = team.league_rank() & ((1 << arrays.part_depth) - 1);
    if (arrays.begins[bucket] == arrays.begins[bucket + 1]) return;
    if (arrays.bucket_splitters().has_ties_only(bucket)) return;
    void* const memory = team.team_scratch(0).get_shmem_aligned(
        std::size_t{Classes::bytes}, static_cast<std::ptrdiff_t>(alignment));
    auto const thread = static_cast<Index>(team.team_rank());
    // The runs lie where the words come later on.
    Runs const runs(team, memory, arrays.tiles_of(bucket), static_cast<Index>(part));
    if (arrays.splitters_of(bucket).has_ties_only(part)) {
      Word const element = arrays.splitters_of(bucket).splitter(part);
      for (Index i = thread; i < runs.size(); i += threads) out.write(runs.begin() + i, element);
    } else if (runs.size() > max_in_scratch<Word>) {
      copy(runs, thread);
      note_crowded(team, runs);
    } else if (runs.size() > 0) {
      sort(team, runs, Classes(memory, thread), bounds_of(bucket, part));
    }
  }

 private:
  using Runs = PartRuns<Word, threads>;
  static constexpr int batch = 4;
  static_assert(Runs::bytes <= Classes::words_bytes);

  KOKKOS_FUNCTION Bounds<Word> bounds_of(int bucket, int part) const {
    auto const all = arrays.bucket_splitters();
    auto const own = arrays.splitters_of(bucket);
    bool const is_last = part + 1 == 1 << arrays.part_depth;
    Bounds<Word> bounds{Word{}, Word{}, false};
    if ((part == 0 && bucket == 0) || (is_last && bucket + 1 == buckets)) return bounds;
    bounds.least = part > 0 ? own.splitter(part - 1) : all.splitter(bucket - 1);
    bounds.greatest = is_last ? all.splitter(bucket) : own.splitter(part);
    if ((is_last ? all : own).are_by_codes()) {
      bounds.greatest = greatest_of_code<Word>(code_of(bounds.greatest));
    }
    bounds.are_known = true;
    return bounds;
  }

  KOKKOS_FUNCTION void copy(Runs const& runs, Index thread) const {
    for (Index first = thread; first < runs.size(); first += batch * threads) {
      Word elements[batch];
      runs.template load<batch>(first, threads, elements);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        Index const i = first + static_cast<Index>(k * threads);
        if (i < runs.size()) out.keep(runs.begin() + i, elements[k]);
      }
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void note_crowded(Member const& team, Runs const& runs) const {
    if (team.team_rank() != 0) return;
    auto const place = Kokkos::atomic_fetch_add(arrays.crowded_count, Index{1});
    arrays.crowded[place] = {static_cast<Index>(runs.begin()), runs.size()};
  }

  template <class Member>
  KOKKOS_FUNCTION void sort(Member const& team, Runs const& runs, Classes const& classes,
                            Bounds<Word> const& bounds) const {
    Word words[Classes::held];
    auto const thread = static_cast<Index>(team.team_rank());
    RIFFLE_UNROLL
    for (int first = 0; first < Classes::held; first += batch) {
      if (static_cast<Index>(first * threads) >= runs.size()) break;
      Word elements[batch] = {};
      runs.template load<batch>(static_cast<Index>(first * threads) + thread, threads, elements);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) words[first + k] = elements[k];
    }
    bool const is_sorted = classes.sort(
        team, words, runs.size(), bounds,
        [&](Index i, Word const& word) { out.write(runs.begin() + i, word); },
        [&](Index i, Word const& word) { out.keep(runs.begin() + i, word); });
    if (!is_sorted) note_crowded(team, runs);
  }
};

}  // namespace riffle::detail::sort::by_splitters
