#pragma once

// A sample whose elements are ranked: in chunks by counting, then each is searched for in all chunks.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/sort/detail/gpu/by_ranks/counted_ranks.hpp>
#include <riffle/sort/detail/gpu/by_ranks/searched_ranks.hpp>
#include <riffle/sort/detail/gpu/by_splitters/kinds.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>

namespace riffle::detail::sort::by_splitters {

/// The array is divided evenly, and of each stretch an element is drawn: the sample is in the order of indices, and no
/// element is in it twice.
class Sample {
 public:
  Sample(Index n, Index size) : size_(size), step_((std::uint64_t{n} << step_bits) / size) {}

  KOKKOS_FUNCTION Index size() const { return size_; }

  /// The index of element j of the sample.
  KOKKOS_FUNCTION Index index(Index j) const {
    std::uint64_t const random = Philox4x32(0)({j, 0, 0, 0})[0];
    std::uint64_t const begin = begin_of(j);
    return static_cast<Index>(begin + (random * (begin_of(j + 1) - begin) >> 32));
  }

 private:
  // Products of an element's number and the step have less than 64 bits.
  static constexpr int step_bits = 24;

  KOKKOS_FUNCTION std::uint64_t begin_of(Index j) const { return j * step_ >> step_bits; }

  Index size_;
  std::uint64_t step_;
};

inline constexpr Index chunk = 256;

/// Sorts the chunks of a sample, a few elements by a team.
struct SortsChunks {
  static constexpr int threads = static_cast<int>(chunk);
  static constexpr int teams_per_processor = 4;
  using Ranks = by_ranks::CountedRanks<std::uint64_t, threads>;
  static constexpr std::size_t scratch_bytes = Ranks::bytes(chunk) + Ranks::alignment;

  /// Chunks lie in `sorted` where they lie in the sample.
  template <class Member, class In>
  KOKKOS_FUNCTION static void sort_chunk(Member const& team, In const& in, Sample const& sample,
                                         IndexedCode* sorted) {
    void* const memory =
        team.team_scratch(0).get_shmem_aligned(Ranks::bytes(chunk), Ranks::alignment);
    Index const first = static_cast<Index>(team.league_rank()) * by_ranks::ranked;
    Index const begin = first / chunk * chunk;
    auto const code_at = [&](Index index) -> std::uint64_t { return code_of(in(index)); };
    // Elements that tie are in the order of the sample, which is that of their indices.
    Ranks::rank(
        team, memory, Kokkos::min(Index{chunk}, sample.size() - begin), first - begin,
        [&](Index i) { return code_at(sample.index(begin + i)); },
        [&](Index i, Index rank) {
          Index const index = sample.index(begin + i);
          sorted[begin + rank] = {code_at(index), index, 0};
        });
  }
};

/// Ranks the elements of a sample, a few by a team.
struct RanksSample {
  static constexpr int threads = by_ranks::SearchedRanks::threads;
  static constexpr int teams_per_processor = 8;
  static constexpr std::size_t scratch_bytes =
      by_ranks::SearchedRanks::bytes + by_ranks::SearchedRanks::alignment;

  IndexedCode const* sorted;  // by chunks
  Index size;

  int teams() const { return by_ranks::teams_of(size); }

  /// Calls take(element, rank) for each element of the team, by the lanes of its first warp.
  template <class Member, class Take>
  KOKKOS_FUNCTION void rank(Member const& team, Take const& take) const {
    using by_ranks::SearchedRanks;
    void* const memory = team.team_scratch(0).get_shmem_aligned(std::size_t{SearchedRanks::bytes},
                                                                SearchedRanks::alignment);
    SearchedRanks{size, chunk}.rank(
        team, memory, static_cast<Index>(team.league_rank()) * by_ranks::ranked,
        [&](Index i) { return sorted[i].code; },
        [&](Index i, Index rank) { take(sorted[i], rank); });
  }
};

}  // namespace riffle::detail::sort::by_splitters
