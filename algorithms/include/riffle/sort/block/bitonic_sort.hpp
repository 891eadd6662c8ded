#pragma once

// A bitonic sort by a team of a GPU, whose memory accesses do not depend on the data.
//
// Level k merges sorted runs of 2^(k - 1) neighbours: its first stage compares entry i with entry i ^ (2^k - 1), the
// others compare i with i ^ 2^j, j = k - 2, ..., 0 [1]. So the lesser entry always goes to the lower index, entries
// past the end, which would come last, never move, and n need be no power of two. A thread does as many stages as
// fall into one window of bits in registers, then stores its entries in scratch memory, where others find them.
//
// [1] K. E. Batcher, "Sorting networks and their applications", AFIPS Spring Joint Computer Conference (1968); with
//     comparators of one direction in D. E. Knuth, "The Art of Computer Programming", vol. 3, sec. 5.3.4.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/block/bitonic_windows.hpp>

namespace riffle::detail::team_sort {

/// One thread's part of a team's sort of n entries. Threads of a partial warp have none.
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

  /// Sorts the entries. load(i) gives entry i < n, for those i that for_each_sorted gives the same thread. The entries
  /// may be in any order at first.
  template <class Load>
  KOKKOS_FORCEINLINE_FUNCTION void sort(Load const& load) const {
    sort_or_end(false, load, load);
  }

  /// The same; or, where is_merged, does only the last stages of a merge, all but its first. It is one function, so
  /// that its code is there once.
  template <class Load, class LoadMerged>
  KOKKOS_FORCEINLINE_FUNCTION void sort_or_end(bool is_merged, Load const& load,
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
        for_each_thread(whole_size(), [&](int thread) { windows_.begin(level, thread); });
        low -= Shape::bits;
      }
      go_on_from(low);
      is_merged = false;
    }
  }

  /// Calls f(i, position) for each entry i < n of the sorted ones, with neighbours on neighbouring lanes. The entries
  /// of a warp are its own, so that no barrier is needed before.
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
  /// Neighbouring lanes have neighbouring entries.
  using Striped = Window<Shape::bits, Shape::lane_bits>;

  /// Calls f(thread) for each thread that this one plays, among those that `size` entries need.
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
    sort_held(thread, load);
    RIFFLE_NO_UNROLL
    for (int level = Shape::bits + 1; level <= Shape::chunk_bits; ++level) {
      backend::synchronize();
      windows_.begin_in_chunk(level, thread);
      windows_.end(lowest_of_level(level, Shape::bits) - Shape::bits, thread);
    }
  }

  template <class Load>
  KOKKOS_FORCEINLINE_FUNCTION void sort_held(int thread, Load const& load) const {
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

  /// Does all windows from the one at `low` down.
  KOKKOS_FORCEINLINE_FUNCTION void go_on_from(int low) const {
    RIFFLE_NO_UNROLL
    for (; low > highest_local(Shape::bits); low -= Shape::bits) {
      team_.team_barrier();
      for_each_thread(whole_size(low + Shape::bits),
                      [&](int thread) { windows_.go_on(low, thread); });
    }
    team_.team_barrier();
    for_each_thread(windows_.size(), [&](int thread) { windows_.end(low, thread); });
  }

  /// The least power of two that is no less than the number of entries and 2^bits.
  KOKKOS_FORCEINLINE_FUNCTION int whole_size(int bits = 0) const {
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

// --- blocks ---
//
// Sorts numbers, or other entries that can be made again from what is stored, where scratch memory holds all of them or
// only a part. With a part, blocks are sorted there one after the other, and then merged. The stages of a merge between
// blocks work on the result itself, those within a block in scratch memory again.

template <class Entries, class Member, class In, class Out>
class BlockSorter {
 public:
  /// `memory` holds `block` entries: all, or a power of two, at least a chunk.
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

  /// Sorts each block; or, when runs are merged, does the stages within each.
  KOKKOS_FORCEINLINE_FUNCTION void sort_blocks(bool is_merged) const {
    RIFFLE_NO_UNROLL
    for (int begin = 0; begin < size(); begin += block_) {
      if (begin > 0 || is_merged) team_.team_barrier();
      Sorter const sorter(team_, entries_, memory_, Kokkos::min(block_, size() - begin));
      sorter.sort_or_end(
          is_merged, [&](int i) { return entry(in_, begin + i); },
          [&](int i) { return entry(out_, begin + i); });
      sorter.for_each_sorted([&](int i, int position) {
        out_(begin + i) = entries_.key(sorter.slots().load(position));
      });
    }
  }

  /// Compares entries that differ in the bit `half` of their index, each with the one that differs from it in the bits
  /// of `mask`.
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
