#pragma once

// Sorts a part of an output in place, whatever its size and its words: what teams do where classes do not tell words
// apart. Such parts are few, so that what counts is that the code is short: a sorting network that is unrolled takes the
// compiler longer than all other kernels of a sort together.
//
// The network is bitonic [1]. All its comparators put the lesser word first, so that words beyond the end, which would be
// the greatest, need not exist. Words are brought block by block to scratch memory for all steps that compare words of one
// block; other steps compare words where the output keeps them.
//
// [1] K. E. Batcher, "Sorting networks and their applications", AFIPS Spring Joint Computer Conference (1968).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>

namespace riffle::detail::sort::by_splitters {

/// Sorts by a team of `threads` threads the `size` elements of an output from `begin` on, which it keeps.
template <class Word, class Out, int threads>
class PartNetwork {
 public:
  /// Scratch memory: a block of words. A block is a power of two.
  static constexpr std::size_t bytes = max_in_scratch<Word> * sizeof(Word);

  KOKKOS_FUNCTION PartNetwork(Out const& out, std::uint64_t begin, Index size, void* memory)
      : out_(out), begin_(begin), size_(size), words_(static_cast<Word*>(memory)) {}

  /// All threads of the team call this, which meets before and after.
  template <class Member>
  KOKKOS_FUNCTION void sort(Member const& team) const {
    team.team_barrier();
    for_each_block(team, [&](Index count) {
      RIFFLE_NO_UNROLL
      for (int run = 1; run <= log_block && count > Index{1} << (run - 1); ++run) {
        merge_in_block(team, count, run);
      }
    });
    RIFFLE_NO_UNROLL
    for (int run = log_block + 1; size_ > std::uint64_t{1} << (run - 1); ++run) {
      step_in_output(team, run - 1, true);
      RIFFLE_NO_UNROLL
      for (int log = run - 2; log >= log_block; --log) step_in_output(team, log, false);
      for_each_block(team, [&](Index count) { halve_in_block(team, count, log_block - 1); });
    }
  }

 private:
  static constexpr Index block = max_in_scratch<Word>;
  static constexpr int log_block = block == 4096 ? 12 : 11;
  static_assert(block == Index{1} << log_block);

  /// Calls f(count) with each block of `count` words in scratch memory.
  template <class Member, class F>
  KOKKOS_FUNCTION void for_each_block(Member const& team, F const& f) const {
    auto const thread = static_cast<Index>(team.team_rank());
    RIFFLE_NO_UNROLL
    for (std::uint64_t first = 0; first < size_; first += block) {
      auto const count = static_cast<Index>(Kokkos::min<std::uint64_t>(block, size_ - first));
      RIFFLE_NO_UNROLL
      for (Index i = thread; i < count; i += threads) words_[i] = out_.kept(begin_ + first + i);
      team.team_barrier();
      f(count);
      RIFFLE_NO_UNROLL
      for (Index i = thread; i < count; i += threads) out_.keep(begin_ + first + i, words_[i]);
      team.team_barrier();
    }
  }

  /// Merges sorted halves of runs of 2^run words.
  template <class Member>
  KOKKOS_FUNCTION void merge_in_block(Member const& team, Index count, int run) const {
    step_in_block(team, count, run - 1, true);
    halve_in_block(team, count, run - 2);
  }

  template <class Member>
  KOKKOS_FUNCTION void halve_in_block(Member const& team, Index count, int log) const {
    RIFFLE_NO_UNROLL
    for (; log >= 0; --log) step_in_block(team, count, log, false);
  }

  template <class Member>
  KOKKOS_FUNCTION void step_in_block(Member const& team, Index count, int log,
                                     bool is_first) const {
    for_each_pair(team, count, log, is_first, [&](std::uint64_t low, std::uint64_t high) {
      Word const a = words_[low];
      Word const b = words_[high];
      if (b < a) {
        words_[low] = b;
        words_[high] = a;
      }
    });
  }

  template <class Member>
  KOKKOS_FUNCTION void step_in_output(Member const& team, int log, bool is_first) const {
    for_each_pair(team, size_, log, is_first, [&](std::uint64_t low, std::uint64_t high) {
      Word const a = out_.kept(begin_ + low);
      Word const b = out_.kept(begin_ + high);
      if (b < a) {
        out_.keep(begin_ + low, b);
        out_.keep(begin_ + high, a);
      }
    });
  }

  /// Compares word 2 k 2^log + i, where i < 2^log, with the word 2^log further on; in the first step of a merge, with that
  /// which lies as far from the end of the 2^(log + 1) words as it from their beginning. The team meets afterwards.
  template <class Member, class Compare>
  KOKKOS_FUNCTION static void for_each_pair(Member const& team, std::uint64_t count, int log,
                                            bool is_first, Compare const& compare) {
    std::uint64_t const distance = std::uint64_t{1} << log;
    std::uint64_t const flipped = is_first ? 2 * distance - 1 : distance;
    RIFFLE_NO_UNROLL
    for (auto pair = static_cast<std::uint64_t>(team.team_rank());; pair += threads) {
      std::uint64_t const low = (pair >> log << (log + 1)) + (pair & (distance - 1));
      if (low >= count) break;
      std::uint64_t const high = low ^ flipped;
      if (high < count) compare(low, high);
    }
    team.team_barrier();
  }

  Out const& out_;
  std::uint64_t begin_;
  std::uint64_t size_;
  Word* words_;
};

}  // namespace riffle::detail::sort::by_splitters
