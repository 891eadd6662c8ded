#pragma once

// Sorts by a network the parts of buckets that are too large, or whose keys are not spread evenly enough.

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>
#include <riffle/sort/detail/gpu/by_splitters/part_network.hpp>

namespace riffle::detail::sort::by_splitters {

/// Team t sorts the parts t, t + teams(), ... of the list, in place.
template <class Word, class Out, class Arrays = by_splitters::Arrays<Word>>
struct SortCrowdedParts {
  static constexpr int threads = 256;
  static constexpr int teams_per_processor = 3;

  Out out;
  Arrays arrays;

  // There are more teams than large GPUs run at a time.
  KOKKOS_FUNCTION static constexpr int teams() { return 512; }
  using Network = PartNetwork<Word, Out, threads>;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = Network::bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    void* const memory = team.team_scratch(0).get_shmem_aligned(
        std::size_t{Network::bytes}, static_cast<std::ptrdiff_t>(alignment));
    Index const count = *arrays.crowded_count;
    RIFFLE_NO_UNROLL
    for (auto i = static_cast<Index>(team.league_rank()); i < count; i += teams()) {
      auto const [begin, size] = arrays.crowded[i];
      Network(out, begin, size, memory).sort(team);
      for (Index k = static_cast<Index>(team.team_rank()); k < size; k += threads) {
        out.write(begin + k, out.kept(begin + k));
      }
      team.team_barrier();
    }
  }
};

}  // namespace riffle::detail::sort::by_splitters
