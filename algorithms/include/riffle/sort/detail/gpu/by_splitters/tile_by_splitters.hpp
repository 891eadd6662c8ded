#pragma once

// A tile's elements in the order of their buckets, through scratch memory. The order of the elements of one bucket is
// left to chance: either they are sorted later on, or they are alike and cannot be told apart.

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>

namespace riffle::detail::sort::by_splitters {

/// All threads of a team use this. Each has the elements thread, thread + threads, ... of the tile.
template <class T>
class TileOrder {
 public:
  static constexpr std::size_t counter_bytes = buckets * sizeof(Index);
  static constexpr std::size_t sum_bytes = threads / backend::width * sizeof(Index);
  static constexpr std::size_t bytes = tile_size<T> * sizeof(T) + counter_bytes + sum_bytes;

  KOKKOS_FUNCTION TileOrder(void* memory, int thread, Index size)
      : staged_(static_cast<T*>(memory)),
        counters_(reinterpret_cast<Index*>(staged_ + tile_size<T>)),
        thread_(thread),
        size_(size) {}

  KOKKOS_FUNCTION Index place(int k) const { return static_cast<Index>(k * threads + thread_); }
  KOKKOS_FUNCTION bool exists(int k) const { return place(k) < size_; }

  /// Clears the counters. The team meets between this and rank().
  KOKKOS_FUNCTION void clear() const { counters_[thread_] = 0; }

  /// Counts an element of a bucket, and returns how many were counted before it.
  KOKKOS_FUNCTION Index rank(int bucket) const {
    return backend::fetch_add_in_scratch(counters_ + bucket, 1);
  }

  /// After all are ranked: returns where in the tile bucket `thread` begins, and sets `count` to how many elements it
  /// has.
  template <class Member>
  KOKKOS_FUNCTION Index scan(Member const& team, Index& count) const {
    team.team_barrier();
    count = counters_[thread_];
    Index all;
    Index const begin = exclusive_team_sum(team, counters_ + buckets, count, all);
    counters_[thread_] = begin;
    team.team_barrier();
    return begin;
  }

  /// After scan(): stores an element where it belongs, and returns where.
  KOKKOS_FUNCTION Index store(int bucket, Index rank, T const& element) const {
    Index const place = counters_[bucket] + rank;
    staged_[place] = element;
    return place;
  }

  /// After store() and a barrier: the element that is at place(k).
  KOKKOS_FUNCTION T const& element(int k) const { return staged_[place(k)]; }

 private:
  T* staged_;
  Index* counters_;
  int thread_;
  Index size_;
};

}  // namespace riffle::detail::sort::by_splitters
