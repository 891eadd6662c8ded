#pragma once

// The last pass: the parts of buckets are sorted, from the tiles of a bucket to where they belong among all.

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_estimates/arrays_by_estimates.hpp>
#include <riffle/sort/detail/gpu/by_splitters/classes.hpp>
#include <riffle/sort/detail/gpu/by_splitters/part_sorter.hpp>

namespace riffle::detail::sort::by_estimates {

/// Sorts with a team per part of a bucket. A crowded part is kept as it is. What buckets of ties have is only written.
template <class Word, class Out>
struct SortParts {
  static constexpr int threads = 128;
  static constexpr int teams_per_processor = sizeof(Word) <= 4 ? 6 : 8;

  Out out;
  Arrays<Word> arrays;

  int teams() const { return static_cast<int>(arrays.buckets() << arrays.part_depth); }
  using Sorter = by_splitters::PartSorter<Word, Out, Arrays<Word>, threads>;
  using Runs = typename Sorter::Runs;
  using Classes = typename Sorter::Classes;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = Classes::bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Index const bucket = static_cast<Index>(team.league_rank()) >> arrays.part_depth;
    Index const part = static_cast<Index>(team.league_rank()) & (arrays.parts() - 1);
    auto const thread = static_cast<Index>(team.team_rank());
    if (arrays.sizes[bucket] == 0) return;
    if (arrays.bucket_splitters().has_ties_only(static_cast<int>(bucket))) {
      write_share_of_ties(bucket, part, thread);
      return;
    }
    void* const memory = team.team_scratch(0).get_shmem_aligned(
        std::size_t{Classes::bytes}, static_cast<std::ptrdiff_t>(alignment));
    // The runs lie where the words come later on.
    auto const tiles = arrays.tiles_of(bucket);
    Runs const runs(team, memory, tiles, part);
    Index const begin = arrays.begins[bucket] + static_cast<Index>(runs.begin()) - tiles.begin;
    auto const splitters = arrays.splitters_of(bucket);
    bool const is_linear = arrays.are_linear[bucket] != 0;
    Sorter const sorter(out, arrays, runs, begin);
    if (!is_linear && splitters.has_ties_only(static_cast<int>(part))) {
      sorter.write_ties(splitters.splitter(static_cast<int>(part)), thread);
    } else if (runs.size() > by_splitters::max_in_scratch<Word>) {
      sorter.leave(team);
    } else if (runs.size() > 0) {
      sorter.sort(team, Classes(memory, thread),
                  is_linear ? bounds_of_class(bucket, part) : bounds_of(bucket, part));
    }
  }

 private:
  using Bounds = by_splitters::Bounds<Word>;

  KOKKOS_FUNCTION void write_share_of_ties(Index bucket, Index part, Index thread) const {
    Word const word = arrays.bucket_splitters().splitter(static_cast<int>(bucket));
    std::uint64_t const size = arrays.sizes[bucket];
    auto const begin = static_cast<Index>(size * part >> arrays.part_depth);
    auto const end = static_cast<Index>(size * (part + 1) >> arrays.part_depth);
    for (Index i = begin + thread; i < end; i += threads) {
      out.write(arrays.begins[bucket] + i, word);
    }
  }

  KOKKOS_FUNCTION Bounds bounds_of(Index bucket, Index part) const {
    auto const all = arrays.bucket_splitters();
    auto const own = arrays.splitters_of(bucket);
    auto const b = static_cast<int>(bucket);
    auto const p = static_cast<int>(part);
    bool const is_last = part + 1 == arrays.parts();
    if ((part == 0 && bucket == 0) || (is_last && bucket + 1 == arrays.buckets())) {
      return {Word{}, Word{}, false};
    }
    return {part > 0 ? own.splitter(p - 1) : all.splitter(b - 1),
            is_last ? all.splitter(b) : own.splitter(p), true};
  }

  KOKKOS_FUNCTION Bounds bounds_of_class(Index bucket, Index part) const {
    ClassOf<Word> const classes = arrays.classes_of(bucket);
    Word const greatest = part + 1 < arrays.parts()
                              ? static_cast<Word>(classes.least_of(part + 1) - 1)
                              : arrays.bucket_splitters().splitter(static_cast<int>(bucket));
    return {classes.least_of(part), greatest, true};
  }
};

}  // namespace riffle::detail::sort::by_estimates
