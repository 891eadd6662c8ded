#pragma once

// The ranks of a few elements by counting: each is compared with all others. These are many comparisons, but none waits
// for another, as the steps of a sort do, and few instructions make them all, where those of a sorting network, each
// run once, have to be fetched from memory.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/quads.hpp>

namespace riffle::detail::sort::by_ranks {

using Index = std::uint32_t;

/// The elements that a team ranks, one with each lane of a warp. Its warps share those that they are compared with.
inline constexpr Index ranked = backend::width;

/// The teams that rank n elements.
inline int teams_of(std::uint64_t n) { return static_cast<int>((n + ranked - 1) / ranked); }

template <class Word, int threads>
struct CountedRanks {
  /// Scratch memory for the ranks among `size` elements.
  KOKKOS_FUNCTION static constexpr std::size_t bytes(Index size) {
    return rounded(size) * sizeof(Word) + ranked * sizeof(Index);
  }
  static constexpr std::ptrdiff_t alignment = 16;

  /// Calls take(i, rank) for each i of first, ..., first + ranked - 1 below `size`, with the rank of element i among
  /// `size` elements in a stable order; `first` is a multiple of `ranked`. code(i) is an unsigned integer in the order
  /// of element i. All threads of a team call this.
  template <class Member, class Code, class Take>
  KOKKOS_FUNCTION static void rank(Member const& team, void* memory, Index size, Index first,
                                   Code const& code, Take const& take) {
    auto* const codes = static_cast<Word*>(memory);
    auto* const ranks = reinterpret_cast<Index*>(codes + rounded(size));
    auto const thread = static_cast<Index>(team.team_rank());
    Index const lane = thread % ranked;
    load(codes, size, thread, code);
    if (thread < ranked) ranks[lane] = 0;
    team.team_barrier();
    Index const before = count_before(codes, size, thread / ranked * ranked, first, lane);
    if (before != 0) backend::add_in_scratch(ranks + lane, before);
    team.team_barrier();
    if (thread < ranked && first + lane < size) take(first + lane, ranks[lane]);
  }

 private:
  /// Codes are filled up to whole warps.
  KOKKOS_FUNCTION static constexpr Index rounded(Index size) {
    return (size + ranked - 1) / ranked * ranked;
  }

  /// Codes beyond the end are such as come before no element.
  template <class Code>
  KOKKOS_FUNCTION static void load(Word* codes, Index size, Index thread, Code const& code) {
    constexpr Index batch = 4;
    RIFFLE_NO_UNROLL
    for (Index begin = thread; begin < rounded(size); begin += batch * threads) {
      // All loads are under way at once, since none is in a branch.
      Word loaded[batch];
      RIFFLE_UNROLL
      for (Index k = 0; k < batch; ++k) {
        loaded[k] = code(Kokkos::min(begin + k * threads, size - 1));
      }
      RIFFLE_UNROLL
      for (Index k = 0; k < batch; ++k) {
        Index const i = begin + k * threads;
        if (i < rounded(size)) codes[i] = i < size ? loaded[k] : static_cast<Word>(~Word{0});
      }
    }
  }

  /// Counts the elements before first + lane among those that are this warp's to compare.
  KOKKOS_FUNCTION static Index count_before(Word const* codes, Index size, Index begin, Index first,
                                            Index lane) {
    Word const own = codes[first + lane];
    Index before = 0;
    RIFFLE_NO_UNROLL
    for (; begin < size; begin += threads) {
      // Elements that tie are in the order of their indices.
      if (begin < first) {
        before += count(codes + begin, [&](Word other, Index) { return !(own < other); });
      } else if (begin > first) {
        before += count(codes + begin, [&](Word other, Index) { return other < own; });
      } else {
        before += count(codes + begin, [&](Word other, Index i) {
          // There are no branches.
          return static_cast<bool>(static_cast<int>(other < own) |
                                   (static_cast<int>(other == own) & static_cast<int>(i < lane)));
        });
      }
    }
    return before;
  }

  template <class IsBefore>
  KOKKOS_FUNCTION static Index count(Word const* codes, IsBefore const& is_before) {
    Index before[quad_size] = {};  // side by side, so that sums do not wait for each other
    RIFFLE_UNROLL
    for (Index i = 0; i < ranked; i += quad_size) {
      Word others[quad_size];
      load_quad(codes + i, others);
      RIFFLE_UNROLL
      for (int e = 0; e < quad_size; ++e) {
        before[e] += static_cast<Index>(is_before(others[e], i + static_cast<Index>(e)));
      }
    }
    return before[0] + before[1] + before[2] + before[3];
  }
};

}  // namespace riffle::detail::sort::by_ranks
