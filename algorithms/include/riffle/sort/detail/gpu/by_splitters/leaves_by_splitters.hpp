#pragma once

// Sorts the parts of buckets, from the tiles of a bucket to where a part belongs among all keys. The keys of most parts
// are spread evenly enough to be sorted by classes; crowded parts are left to a network.

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_splitters/classes.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>
#include <riffle/sort/detail/gpu/by_splitters/part_sorter.hpp>

namespace riffle::detail::sort::by_splitters {

/// Sorts with a team per part of a bucket. A crowded part is kept as it is.
template <class Word, class Out>
struct SortParts {
  static constexpr int threads = 128;
  static constexpr int teams_per_processor = sizeof(Word) <= 4 ? 6 : sizeof(Word) <= 8 ? 8 : 5;

  Out out;
  Arrays<Word> arrays;

  int teams() const { return buckets << arrays.part_depth; }
  using Sorter = PartSorter<Word, Out, Arrays<Word>, threads>;
  using Runs = typename Sorter::Runs;
  using Classes = typename Sorter::Classes;
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
    Sorter const sorter(out, arrays, runs, static_cast<Index>(runs.begin()));
    if (arrays.splitters_of(bucket).has_ties_only(part)) {
      sorter.write_ties(arrays.splitters_of(bucket).splitter(part), thread);
    } else if (runs.size() > max_in_scratch<Word>) {
      sorter.leave(team);
    } else if (runs.size() > 0) {
      sorter.sort(team, Classes(memory, thread), bounds_of(bucket, part));
    }
  }

 private:
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
};

}  // namespace riffle::detail::sort::by_splitters
