#pragma once

// A sample whose elements are ranked: teams sort chunks of it, then each element is searched for in all chunks.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/lanes/lanes.hpp>
#include <riffle/random/philox.hpp>
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

inline int chunks_of(Sample const& sample) {
  return static_cast<int>((sample.size() + chunk - 1) / chunk);
}

/// Sorts a chunk of the sample by a team with a thread for each element. It is compared with all others, which tells
/// its rank: for so few this takes less time than the steps of a sort, which wait for each other.
struct SortsChunks {
  static constexpr int threads = static_cast<int>(chunk);
  static constexpr int teams_per_processor = 4;
  static constexpr std::size_t used_bytes = chunk * sizeof(std::uint64_t);
  static constexpr std::size_t scratch_bytes = used_bytes + 16;

  /// The chunk lies in `sorted` where it lies in the sample.
  template <class Member, class In>
  KOKKOS_FUNCTION static void sort_chunk(Member const& team, In const& in, Sample const& sample,
                                         IndexedCode* sorted) {
    auto* const codes = static_cast<std::uint64_t*>(
        team.team_scratch(0).get_shmem_aligned(std::size_t{used_bytes}, 16));
    auto const thread = static_cast<Index>(team.team_rank());
    Index const begin = static_cast<Index>(team.league_rank()) * chunk;
    Index const size = Kokkos::min(Index{chunk}, sample.size() - begin);
    IndexedCode own{};
    if (thread < size) {
      own.index = sample.index(begin + thread);
      own.code = code_of(in(own.index));
      codes[thread] = own.code;
    }
    team.team_barrier();
    if (thread >= size) return;
    // Elements that tie are in the order of the sample, which is that of their indices.
    Index rank = 0;
    RIFFLE_NO_UNROLL
    for (Index k = 0; k < size; ++k) {
      std::uint64_t const other = codes[k];
      rank += static_cast<Index>(other < own.code) |
              (static_cast<Index>(other == own.code) & static_cast<Index>(k < thread));
    }
    sorted[begin + rank] = own;
  }
};

/// A team ranks as many elements of the sample as a warp has lanes. Its warps share the chunks.
struct RanksSample {
  static constexpr int threads = 256;
  static constexpr int teams_per_processor = 8;
  static constexpr Index warps = threads / lanes::width;
  static constexpr std::size_t used_bytes = lanes::width * sizeof(Index);
  static constexpr std::size_t scratch_bytes = used_bytes + 16;

  IndexedCode const* sorted;  // by chunks
  Index size;

  int teams() const { return static_cast<int>((size + lanes::width - 1) / lanes::width); }

  /// Calls take(element, rank) for each element of the team, by the lanes of its first warp.
  template <class Member, class Take>
  KOKKOS_FUNCTION void rank(Member const& team, Take const& take) const {
    auto* const ranks =
        static_cast<Index*>(team.team_scratch(0).get_shmem_aligned(std::size_t{used_bytes}, 16));
    auto const thread = static_cast<Index>(team.team_rank());
    Index const lane = thread % lanes::width;
    Index const j = static_cast<Index>(team.league_rank()) * lanes::width + lane;
    if (thread < lanes::width) ranks[lane] = 0;
    team.team_barrier();
    IndexedCode const own = sorted[Kokkos::min(j, size - 1)];
    Index before = 0;
    RIFFLE_NO_UNROLL
    for (Index first = thread / lanes::width * chunk; first < size;
         first += batch * warps * chunk) {
      before += count_before(own, first);
    }
    if (before != 0) lanes::add_in_scratch(ranks + lane, before);
    team.team_barrier();
    if (thread < lanes::width && j < size) take(own, ranks[lane]);
  }

 private:
  static constexpr Index batch = 4;

  /// Counts the elements before `own` in the chunk that begins at `first`, and in the next ones of this warp's batch.
  /// All are searched side by side, so that their reads overlap.
  KOKKOS_FUNCTION Index count_before(IndexedCode const& own, Index first) const {
    Index begins[batch];
    Index counts[batch] = {};
    RIFFLE_UNROLL
    for (Index k = 0; k < batch; ++k) begins[k] = first + k * warps * chunk;
    RIFFLE_NO_UNROLL
    for (Index half = chunk; half > 0; half /= 2) {
      RIFFLE_UNROLL
      for (Index k = 0; k < batch; ++k) {
        Index const probe = begins[k] + counts[k] + half - 1;
        bool const is_there = counts[k] + half <= chunk && probe < size;
        if (is_there && sorted[probe] < own) counts[k] += half;
      }
    }
    Index all = 0;
    RIFFLE_UNROLL
    for (Index k = 0; k < batch; ++k) all += counts[k];
    return all;
  }
};

}  // namespace riffle::detail::sort::by_splitters
