#pragma once

// How a thread of a CPU writes the ranks of consecutive elements. Ranks that do not fit a cache are written past it, a block
// at a time: memory that is not read first costs half as much to write. Host only.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::rank {

/// Ranks on their way to memory.
template <class Rank, std::size_t size>
struct StagedRanks {
  alignas(backend::cache_line) Rank x[size];
};

/// Whether n ranks are written past the caches, through an AddressableSink that is contiguous.
template <class Rank, class Sink>
bool streams_ranks(Sink const& sink, std::uint64_t n) {
  return backend::can_stream_to(sink.address(0)) &&
         n * sizeof(Rank) > backend::last_level_cache() / 2;
}

/// ranks[k] = rank_of(k) for k < count, which is at most the size of `staged`.
template <class Rank, std::size_t size, class RankOf>
KOKKOS_FORCEINLINE_FUNCTION void write_ranks(Rank* ranks, std::size_t count, RankOf const& rank_of,
                                             StagedRanks<Rank, size>& staged, bool streams) {
  if (streams) {
    for (std::size_t k = 0; k < count; ++k) staged.x[k] = rank_of(k);
    KOKKOS_IF_ON_HOST((backend::stream_copy(ranks, staged.x, count * sizeof(Rank));))
  } else {
    for (std::size_t k = 0; k < count; ++k) ranks[k] = rank_of(k);
  }
}

}  // namespace riffle::detail::rank
