#pragma once

// A bitonic sort by a team of a GPU. Its memory accesses do not depend on the data.
//
// Level k merges sorted runs of 2^(k - 1) entries. Its first stage compares entry i with entry
// i ^ (2^k - 1), its mirror image in the run of 2^k entries; its other stages compare entry i with
// entry i ^ 2^j for j = k - 2, ..., 0 [1]. Each comparison puts the lesser entry at the lower
// index. If n is not a power of two, the entries that are missing at the end count as greater than
// all others. Since they would never move, they are not stored, and n is only rounded up to whole
// chunks. A thread does all stages of one window of index bits in registers (bitonic_windows.hpp),
// then stores its entries in scratch memory, where other threads read them.
//
// [1] K. E. Batcher, "Sorting networks and their applications", AFIPS Spring Joint Computer
//     Conference (1968); with comparators of one direction in D. E. Knuth, "The Art of Computer
//     Programming", vol. 3, sec. 5.3.4.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/team/bitonic_windows.hpp>

namespace riffle::detail::team_sort {

/// Per-thread interface through which a team sorts n entries in scratch memory. If the last warp of
/// the team is incomplete, its threads only take part in barriers.
template <class Entries, class Member>
class BitonicSorter {
 public:
  using Entry = typename Entries::Entry;
  using Shape = team_sort::Shape<Entry>;

  KOKKOS_FORCEINLINE_FUNCTION BitonicSorter(Member const& team, Entries const& entries,
                                            void* memory, int n)
      : team_(team),
        n_(n),
        threads_(team.team_size() / backend::width * backend::width),
        windows_(entries, memory, static_cast<int>(Shape::rounded(static_cast<std::size_t>(n)))),
        rank_(team.team_rank() < threads_ ? team.team_rank() : windows_.size()) {}

  /// Sorts the entries. load(i) returns entry i < n. The thread that calls load(i) also calls f(i,
  /// position) in for_each_sorted(f), so f may overwrite what load(i) has read.
  template <class Load>
  KOKKOS_FORCEINLINE_FUNCTION void sort(Load const& load) const {
    sort_or_finish_merge(false, load, load);
  }

  /// If is_merged is false, does the same as sort(load). Otherwise finishes a level whose stages
  /// between entries of different blocks have been done: the entries are load_merged(i), and this
  /// function does the remaining stages of that level. One function does both, so that the code of
  /// the stages is instantiated once.
  template <class Load, class LoadMerged>
  KOKKOS_FORCEINLINE_FUNCTION void sort_or_finish_merge(bool is_merged, Load const& load,
                                                        LoadMerged const& load_merged) const {
    int level = Shape::chunk_bits + 1;
    if (is_merged) {
      while (1 << level < windows_.size()) ++level;
      store(load_merged);
    } else {
      for_each_thread(windows_.size(), [&](int thread) { sort_chunk(thread, load); });
    }
    RIFFLE_NO_UNROLL
    for (; is_merged || 1 << (level - 1) < windows_.size(); ++level) {
      team_.team_barrier();
      int low = lowest_of_level(level, Shape::bits);
      if (!is_merged) {
        for_each_thread(rounded_to_power(),
                        [&](int thread) { windows_.compare_first_window(level, thread); });
        low -= Shape::bits;
      }
      compare_windows_from(low);
      is_merged = false;
    }
  }

  /// Calls f(i, position) for each i < n, where sorted entry i is in slot `position`. Neighbouring
  /// lanes process neighbouring i. A warp reads only entries that the warp has stored itself, so no
  /// team barrier is needed before the call.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_sorted(F const& f) const {
    for_each_thread(windows_.size(), [&](int thread) {
      backend::synchronize();
      int const first = Striped::first(thread);
      int const position = Shape::position(first);
      if (is_full(thread)) {
        RIFFLE_UNROLL
        for (int e = 0; e < Shape::items_per_thread; ++e) {
          f(first + Striped::index_step(e), position + Striped::position_step(e));
        }
      } else {
        RIFFLE_NO_UNROLL
        for (int e = 0; e < Shape::items_per_thread; ++e) {
          int const i = first + Striped::index_step(e);
          if (i < n_) f(i, position + Striped::position_step(e));
        }
      }
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION Slots<Entry> const& slots() const { return windows_.slots(); }

 private:
  /// The window in which neighbouring lanes hold neighbouring entries.
  using Striped = Window<Shape::bits, Shape::lane_bits>;

  /// Calls f(t) for each virtual thread t that this thread executes: t = rank_, rank_ + threads_,
  /// ... There is one virtual thread for every items_per_thread of `size` entries.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_thread(int size, F const& f) const {
    RIFFLE_NO_UNROLL
    for (int thread = rank_; thread < size / Shape::items_per_thread; thread += threads_) f(thread);
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_full(int thread) const {
    return (thread / backend::width + 1) * Shape::chunk <= n_;
  }

  template <class Load>
  KOKKOS_FORCEINLINE_FUNCTION void sort_chunk(int thread, Load const& load) const {
    sort_in_registers(thread, load);
    RIFFLE_NO_UNROLL
    for (int level = Shape::bits + 1; level <= Shape::chunk_bits; ++level) {
      backend::synchronize();
      windows_.compare_first_window_in_chunk(level, thread);
      windows_.compare_local_windows(lowest_of_level(level, Shape::bits) - Shape::bits, thread);
    }
  }

  template <class Load>
  KOKKOS_FORCEINLINE_FUNCTION void sort_in_registers(int thread, Load const& load) const {
    Entry held[Shape::items_per_thread];
    int const first = Striped::first(thread);
    if (is_full(thread)) {
      RIFFLE_UNROLL
      for (int e = 0; e < Shape::items_per_thread; ++e)
        held[e] = load(first + Striped::index_step(e));
    } else {
      RIFFLE_UNROLL
      for (int e = 0; e < Shape::items_per_thread; ++e) {
        bool const is_there = Striped::index_step(e) < n_ - first;
        held[e] = is_there ? load(first + Striped::index_step(e)) : windows_.last();
      }
    }
    windows_.sort_and_store(thread, held);
  }

  template <class Load>
  KOKKOS_FORCEINLINE_FUNCTION void store(Load const& load) const {
    for_each_thread(windows_.size(), [&](int thread) {
      int const first = Striped::first(thread);
      RIFFLE_NO_UNROLL
      for (int e = 0; e < Shape::items_per_thread; ++e) {
        int const i = first + Striped::index_step(e);
        windows_.slots().store(Shape::position(i), i < n_ ? load(i) : windows_.last());
      }
    });
  }

  /// Does the stages of the window that begins at bit `low`, and of all windows below it.
  KOKKOS_FORCEINLINE_FUNCTION void compare_windows_from(int low) const {
    RIFFLE_NO_UNROLL
    for (; low > highest_local(Shape::bits); low -= Shape::bits) {
      team_.team_barrier();
      for_each_thread(rounded_to_power(low + Shape::bits),
                      [&](int thread) { windows_.compare_window(low, thread); });
    }
    team_.team_barrier();
    for_each_thread(windows_.size(),
                    [&](int thread) { windows_.compare_local_windows(low, thread); });
  }

  /// The least power of two that is at least the number of entries and at least 2^bits.
  KOKKOS_FORCEINLINE_FUNCTION int rounded_to_power(int bits = 0) const {
    int whole = 1 << bits;
    while (whole < windows_.size()) whole *= 2;
    return whole;
  }

  Member const& team_;
  int n_;
  int threads_;
  Windows<Entries> windows_;
  int rank_;
};

// --- several blocks ---
//
// Sorts numbers, or other entries that can be computed from their keys alone. Scratch memory holds
// all entries, or one block of entries at a time. Blocks are sorted in scratch memory one after the
// other, then merged. The stages of a merge that compare entries of different blocks work in place
// on the output; the other stages are done in scratch memory, block by block.

template <class Entries, class Member, class In, class Out>
class BlockSorter {
 public:
  /// `memory` can hold `block` entries. `block` is the number of all entries, or a power of two
  /// that is at least one chunk.
  KOKKOS_FORCEINLINE_FUNCTION BlockSorter(Member const& team, Entries const& entries, void* memory,
                                          int block, In const& in, Out const& out)
      : team_(team), entries_(entries), memory_(memory), block_(block), in_(in), out_(out) {}

  KOKKOS_FORCEINLINE_FUNCTION void sort() const {
    team_.team_barrier();
    sort_blocks(false);
    RIFFLE_NO_UNROLL
    for (int run = block_; run < size(); run *= 2) {
      compare(run, 2 * run - 1);
      RIFFLE_NO_UNROLL
      for (int half = run / 2; half >= block_; half /= 2) compare(half, half);
      sort_blocks(true);
    }
    team_.team_barrier();
  }

 private:
  using Sorter = BitonicSorter<Entries, Member>;

  KOKKOS_FORCEINLINE_FUNCTION int size() const { return static_cast<int>(out_.extent(0)); }

  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION auto entry(View const& view, int i) const {
    return entries_.entry(view(i), static_cast<std::uint32_t>(i));
  }

  /// If is_merged is false, sorts each block of the input. Otherwise does the stages of a merge
  /// that compare entries of the same block of the output.
  KOKKOS_FORCEINLINE_FUNCTION void sort_blocks(bool is_merged) const {
    RIFFLE_NO_UNROLL
    for (int begin = 0; begin < size(); begin += block_) {
      if (begin > 0 || is_merged) team_.team_barrier();
      Sorter const sorter(team_, entries_, memory_, Kokkos::min(block_, size() - begin));
      sorter.sort_or_finish_merge(
          is_merged, [&](int i) { return entry(in_, begin + i); },
          [&](int i) { return entry(out_, begin + i); });
      sorter.for_each_sorted([&](int i, int position) {
        out_(begin + i) = entries_.key(sorter.slots().load(position));
      });
    }
  }

  /// Compares each entry i of the output for which (i & half) == 0 with entry i ^ mask.
  KOKKOS_FORCEINLINE_FUNCTION void compare(int half, int mask) const {
    team_.team_barrier();
    RIFFLE_NO_UNROLL
    for (int pair = team_.team_rank(); pair < size(); pair += team_.team_size()) {
      int const lower = (pair & ~(half - 1)) + pair;
      if ((lower ^ mask) >= size()) continue;
      auto a = entry(out_, lower);
      auto b = entry(out_, lower ^ mask);
      entries_.put_in_order(a, b);
      out_(lower) = entries_.key(a);
      out_(lower ^ mask) = entries_.key(b);
    }
  }

  Member const& team_;
  Entries const& entries_;
  void* memory_;
  int block_;
  In const& in_;
  Out const& out_;
};

}  // namespace riffle::detail::team_sort
