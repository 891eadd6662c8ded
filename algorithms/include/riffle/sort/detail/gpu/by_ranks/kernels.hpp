#pragma once

// The kernels that sort rows by their ranks. encode(key) is an unsigned integer in the order of the key, one for keys
// that tie.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/sort/detail/gpu/by_ranks/counted_ranks.hpp>
#include <riffle/sort/detail/gpu/by_ranks/searched_ranks.hpp>

namespace riffle::detail::sort::by_ranks {

/// The most elements that one is compared with: their codes lie in scratch memory, 32 KiB at most.
inline constexpr Index max_chunk = 4096;

template <class Encode, class From>
using CodeOf =
    std::decay_t<decltype(std::declval<Encode const&>()(std::declval<typename From::Key>()))>;

/// Sorts each chunk of the rows from one place to another.
template <class Encode, class From, class To>
struct SortChunks {
  static constexpr int threads = 512;
  static constexpr int teams_per_processor = 2;
  using Ranks = CountedRanks<CodeOf<Encode, From>, threads>;
  static constexpr std::size_t scratch_bytes = Ranks::bytes(max_chunk) + Ranks::alignment;

  Encode encode;
  From from;
  To to;
  Index size;
  Index chunk;  // a multiple of `ranked`, max_chunk at most

  int teams() const { return teams_of(size); }
  /// What it takes of scratch_bytes.
  std::size_t needed_bytes() const {
    return Ranks::bytes(Kokkos::min(chunk, size)) + Ranks::alignment;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Index const first = static_cast<Index>(team.league_rank()) * ranked;
    Index const begin = first / chunk * chunk;
    Index const chunk_size = Kokkos::min(chunk, size - begin);
    void* const memory =
        team.team_scratch(0).get_shmem_aligned(Ranks::bytes(chunk_size), Ranks::alignment);
    Ranks::rank(
        team, memory, chunk_size, first - begin,
        [&](Index i) { return encode(from.key(begin + i)); },
        [&](Index i, Index rank) { to.set(begin + rank, from.get(begin + i)); });
  }
};

/// Sorts one chunk to where it is read from, by way of a second place, from which the last team to end moves all.
template <class Encode, class Keys, class Second>
struct SortInPlace {
  using ToSecond = SortChunks<Encode, Keys, Second>;
  static constexpr int threads = ToSecond::threads;
  static constexpr int teams_per_processor = ToSecond::teams_per_processor;
  static constexpr std::size_t scratch_bytes = ToSecond::scratch_bytes + LastTeam::scratch_bytes;

  ToSecond to_second;
  LastTeam last_team;

  int teams() const { return to_second.teams(); }
  std::size_t needed_bytes() const { return to_second.needed_bytes() + LastTeam::scratch_bytes; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    to_second(team);
    if (last_team.is_own(team)) move(static_cast<Index>(team.team_rank()));
  }

 private:
  KOKKOS_FUNCTION void move(Index thread) const {
    constexpr Index batch = 4;
    Index const size = to_second.size;
    RIFFLE_NO_UNROLL
    for (Index begin = thread; begin < size; begin += batch * threads) {
      // All loads are under way at once, since none is in a branch.
      decltype(to_second.to.get(0)) rows[batch];
      RIFFLE_UNROLL
      for (Index k = 0; k < batch; ++k) {
        rows[k] = to_second.to.get(Kokkos::min(begin + k * threads, size - 1));
      }
      RIFFLE_UNROLL
      for (Index k = 0; k < batch; ++k) {
        Index const i = begin + k * threads;
        if (i < size) to_second.from.set(i, rows[k]);
      }
    }
  }
};

/// Merges sorted chunks.
template <class Encode, class From, class To>
struct MergeChunks {
  static constexpr int threads = SearchedRanks::threads;
  static constexpr int teams_per_processor = 8;
  static constexpr std::size_t scratch_bytes = SearchedRanks::bytes + SearchedRanks::alignment;

  Encode encode;
  From from;
  To to;
  SearchedRanks ranks;

  int teams() const { return teams_of(ranks.size); }
  std::size_t needed_bytes() const { return scratch_bytes; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    void* const memory = team.team_scratch(0).get_shmem_aligned(std::size_t{SearchedRanks::bytes},
                                                                SearchedRanks::alignment);
    ranks.rank(
        team, memory, static_cast<Index>(team.league_rank()) * ranked,
        [&](Index i) { return encode(from.key(i)); },
        [&](Index i, Index rank) { to.set(rank, from.get(i)); });
  }
};

}  // namespace riffle::detail::sort::by_ranks
