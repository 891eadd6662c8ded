#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle::detail::bucket_shuffle {

/// to(j) = source(j) for j < n. A team per tile.
template <class Source, class To>
struct CopyTiles {
  static constexpr int threads = threads_of_copy;
  static constexpr int teams_per_processor = teams_of_copy;
  static constexpr std::size_t scratch_bytes = 0;
  static constexpr std::uint64_t tile_size = elements_of_copy;

  std::uint64_t n;
  Source source;
  To to;

  static int teams(std::uint64_t n) { return static_cast<int>((n + tile_size - 1) / tile_size); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint64_t const first = static_cast<std::uint64_t>(team.league_rank()) * tile_size;
    std::uint64_t const end = Kokkos::min(first + tile_size, n);
    auto const thread = static_cast<std::uint64_t>(team.team_rank());
    for (std::uint64_t j = first + thread; j < end; j += threads) to(j) = source(j);
  }
};

}  // namespace riffle::detail::bucket_shuffle
