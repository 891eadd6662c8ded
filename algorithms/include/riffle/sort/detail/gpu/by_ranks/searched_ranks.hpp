#pragma once

// The ranks of elements whose chunks are sorted: each is searched for in all other chunks.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_ranks/counted_ranks.hpp>

namespace riffle::detail::sort::by_ranks {

/// A team of `threads` threads ranks one element with each lane of a warp. Its warps share the chunks.
struct SearchedRanks {
  static constexpr int threads = 256;
  static constexpr std::size_t bytes = ranked * sizeof(Index);
  static constexpr std::ptrdiff_t alignment = 16;

  Index size;
  Index chunk;  // the elements of each chunk but the last: a power of two, `ranked` or more

  /// Calls take(i, rank) for each i of first, ..., first + ranked - 1 below `size`, with the rank of element i among
  /// all: elements that tie keep their order, and so do chunks. code(i) is an unsigned integer in the order of element
  /// i, and `first` a multiple of `ranked`. All threads of a team call this.
  template <class Member, class Code, class Take>
  KOKKOS_FUNCTION void rank(Member const& team, void* memory, Index first, Code const& code,
                            Take const& take) const {
    auto* const ranks = static_cast<Index*>(memory);
    auto const thread = static_cast<Index>(team.team_rank());
    Index const lane = thread % ranked;
    Index const own_chunk = first / chunk * chunk;
    Index const i = Kokkos::min(first + lane, size - 1);
    if (thread < ranked) ranks[lane] = i - own_chunk;
    team.team_barrier();
    auto const own = code(i);
    Index before = 0;
    RIFFLE_NO_UNROLL
    for (Index begin = thread / ranked * chunk; begin < size; begin += batch * warps * chunk) {
      before += count_before(own, own_chunk, begin, code);
    }
    if (before != 0) backend::add_in_scratch(ranks + lane, before);
    team.team_barrier();
    if (thread < ranked && first + lane < size) take(i, ranks[lane]);
  }

 private:
  static constexpr Index warps = threads / ranked;
  static constexpr Index batch = 4;

  /// Counts the elements before `own` in the chunk that begins at `first`, and in the next ones of this warp's batch,
  /// but the own chunk. All are searched side by side, so that their reads overlap.
  template <class Word, class Code>
  KOKKOS_FUNCTION Index count_before(Word own, Index own_chunk, Index first,
                                     Code const& code) const {
    Index counts[batch] = {};
    RIFFLE_NO_UNROLL
    for (Index half = chunk; half > 0; half /= 2) {
      RIFFLE_UNROLL
      for (Index k = 0; k < batch; ++k) {
        Index const begin = first + k * warps * chunk;
        Index const probe = begin + counts[k] + half - 1;
        if (counts[k] + half > chunk || probe >= size || begin == own_chunk) continue;
        Word const other = code(probe);
        if (begin < own_chunk ? !(own < other) : other < own) counts[k] += half;
      }
    }
    Index all = 0;
    RIFFLE_UNROLL
    for (Index k = 0; k < batch; ++k) all += counts[k];
    return all;
  }
};

}  // namespace riffle::detail::sort::by_ranks
