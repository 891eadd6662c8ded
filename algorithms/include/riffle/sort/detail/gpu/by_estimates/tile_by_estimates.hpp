#pragma once

// A tile's elements in the order of up to 2^max_depth groups, through scratch memory. The order of the elements of one
// group is left to chance.

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/sort/detail/gpu/by_estimates/arrays_by_estimates.hpp>

namespace riffle::detail::sort::by_estimates {

/// The counters of groups. A thread has some, which lie apart so that neighbouring threads have neighbours.
class GroupCounters {
 public:
  static constexpr int most_per_thread = (1 << max_depth) / threads;
  static constexpr std::size_t bytes =
      (std::size_t{1} << max_depth) * sizeof(Index) + threads / backend::width * sizeof(Index);

  KOKKOS_FUNCTION GroupCounters(void* memory, Index thread, Index groups)
      : counters_(static_cast<Index*>(memory)), thread_(thread), groups_(groups) {}

  /// The team meets between this and rank().
  KOKKOS_FUNCTION void clear() const {
    for_each_own([&](Index group, int) { counters_[group] = 0; });
  }

  /// Counts an element of a group, and returns how many were counted before it.
  KOKKOS_FUNCTION Index rank(Index group) const {
    return backend::fetch_add_in_scratch(counters_ + group, 1);
  }

  /// After all are ranked: turns counts into where groups begin.
  template <class Member>
  KOKKOS_FUNCTION void scan(Member const& team) const {
    team.team_barrier();
    // Neighbours, unlike the own ones.
    Index const per_thread = (groups_ + threads - 1) / threads;
    Index const first = Kokkos::min(thread_ * per_thread, groups_);
    Index const end = Kokkos::min(first + per_thread, groups_);
    Index sum = 0;
    for (Index group = first; group < end; ++group) sum += counters_[group];
    Index begin = exclusive_team_sum<threads / backend::width>(
        team, counters_ + (std::size_t{1} << max_depth), sum);
    for (Index group = first; group < end; ++group) {
      Index const count = counters_[group];
      counters_[group] = begin;
      begin += count;
    }
    team.team_barrier();
  }

  /// Calls f(group, k) for the own groups.
  template <class F>
  KOKKOS_FUNCTION void for_each_own(F const& f) const {
    RIFFLE_UNROLL
    for (int k = 0; k < most_per_thread; ++k) {
      Index const group = static_cast<Index>(k * threads) + thread_;
      if (group < groups_) f(group, k);
    }
  }

  KOKKOS_FUNCTION Index& operator[](Index group) const { return counters_[group]; }

  /// After scan(): how many elements a group has, of `all`.
  KOKKOS_FUNCTION Index count(Index group, Index all) const {
    return (group + 1 < groups_ ? counters_[group + 1] : all) - counters_[group];
  }

 private:
  Index* counters_;
  Index thread_;
  Index groups_;
};

/// So many elements are searched for at once.
template <class Word>
inline constexpr int batch = held<Word> % 8 == 0 ? 8 : held<Word> / 2;

/// Copies a tree's nodes to scratch memory. The splitters in order stay where they are: only ties need them.
template <class Word>
KOKKOS_FUNCTION void load_tree(Word const* from, int depth, Word* nodes, int thread) {
  RIFFLE_NO_UNROLL
  for (int i = thread; i < 1 << depth; i += threads) nodes[i] = from[i];
}

}  // namespace riffle::detail::sort::by_estimates
