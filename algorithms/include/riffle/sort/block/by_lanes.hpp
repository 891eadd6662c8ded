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

#include <riffle/backend/backend.hpp>
#include <riffle/sort/block/slots.hpp>
#include <riffle/sort/block/windows.hpp>

namespace riffle::detail::team_sort {

/// One thread's part of a team's sort of n entries. Threads of a partial warp have none.
template <class Entries, class Member>
class LaneSorter {
 public:
  using Entry = typename Entries::Entry;
  using Shape = team_sort::Shape<Entry>;

  KOKKOS_FORCEINLINE_FUNCTION LaneSorter(Member const& team, Entries const& entries, void* memory,
                                         int n)
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
        for (int e = 0; e < Shape::held; ++e) {
          f(first + Striped::index_step(e), position + Striped::position_step(e));
        }
      } else {
        RIFFLE_NO_UNROLL
        for (int e = 0; e < Shape::held; ++e) {
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
    for (int thread = rank_; thread < size / Shape::held; thread += threads_) f(thread);
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
    Entry held[Shape::held];
    int const first = Striped::first(thread);
    if (is_full(thread)) {
      RIFFLE_UNROLL
      for (int e = 0; e < Shape::held; ++e) held[e] = load(first + Striped::index_step(e));
    } else {
      RIFFLE_UNROLL
      for (int e = 0; e < Shape::held; ++e) {
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
      for (int e = 0; e < Shape::held; ++e) {
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

}  // namespace riffle::detail::team_sort
