#pragma once

// Parts of buckets that are too large, or whose keys are not spread evenly enough, in order by team_sort.

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/detail/sort/by_splitters_level.hpp>
#include <riffle/detail/sort/by_splitters_sample.hpp>
#include <riffle/detail/team_sort/run.hpp>
#include <riffle/lanes/lanes.hpp>

namespace riffle::detail::sort::by_splitters {

/// Each team takes every so many of them; they lie where they belong.
template <class Kind, class Out>
struct SortCrowdedParts {
  using Entries = typename Kind::Entries;
  static constexpr int threads = 256;
  static constexpr int teams_per_processor = 3;

  Out out;
  Arrays<Kind> arrays;

  // More than large GPUs run at a time.
  KOKKOS_FUNCTION static constexpr int teams() { return 512; }
  static constexpr std::size_t scratch_bytes() { return most_entry_bytes<typename Entries::Entry>; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Index const count = *arrays.crowded_count;
    RIFFLE_NO_UNROLL
    for (auto i = static_cast<Index>(team.league_rank()); i < count; i += teams()) {
      auto const [begin, size] = arrays.crowded[i];
      Part<Out> const part{out, begin, size};
      team_sort::sort_numbers_by_lanes(team, Entries{}, part, part);
    }
  }
};

}  // namespace riffle::detail::sort::by_splitters
