#pragma once

// Merges several sorted runs of an array into one, such as the runs that an MPI rank has received.
// Each round merges neighbouring runs in pairs, until one run is left. Stable: tied items of
// earlier runs precede tied items of later runs. If the comparison is not a strict weak ordering,
// no memory outside of the items is accessed.
//
//     runs             | run 0 | run 1 | run 2 | run 3 | run 4 |
//     after round 1    |     0, 1      |     2, 3      |   4   |
//     after round 2    |          0, 1, 2, 3           |   4   |
//     after round 3    |             0, 1, 2, 3, 4             |

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/merge_path.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/cpu/merge_sort_cpu.hpp>
#include <riffle/sort/detail/gpu/merge_sort_gpu.hpp>
#include <riffle/sort/detail/gpu/merge_tile.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

// --- pairs of neighbouring runs ---
//
// All pairs of a round are merged at the same time, in parts that threads or teams find
// independently. Before the first round there may be gaps between runs; a round writes its runs
// without gaps.

/// Sorted items first, ..., last - 1 of an array.
struct Run {
  std::uint64_t first;
  std::uint64_t last;

  std::uint64_t size() const { return last - first; }
};

/// Run r is bounds[r], ..., bounds[r + 1] - 1.
inline std::vector<Run> runs_between(std::vector<std::uint64_t> const& bounds) {
  std::vector<Run> runs;
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) runs.push_back({bounds[r], bounds[r + 1]});
  return runs;
}

/// The number of items of all runs.
inline std::uint64_t count_items(std::vector<Run> const& runs) {
  std::uint64_t count = 0;
  for (auto const& run : runs) count += run.size();
  return count;
}

/// Two runs, or a part of each of two runs, that are merged. The first merged item is written to
/// index `to`.
struct RunMerge {
  TwoRuns runs;
  std::uint64_t to;
};

/// The merges of one round, for kernels. Pair p is merged in the parts with the numbers
/// first_part[p], ..., first_part[p + 1] - 1. A part is part_size consecutive items of the result,
/// or fewer at the end of a pair.
struct RunPairs {
  RunMerge const* whole;
  std::uint64_t const* first_part;
  std::uint64_t pairs;
  std::uint64_t part_size;

  template <class Item, class Before>
  KOKKOS_FUNCTION RunMerge part(Item const* items, std::uint64_t number,
                                Before const& before) const {
    std::uint64_t const pair = pair_of(number);
    std::uint64_t const place = number - first_part[pair];
    std::uint64_t const parts = Kokkos::bit_ceil(first_part[pair + 1] - first_part[pair]);
    return {part_of_merge(items, whole[pair].runs, place, parts, part_size, before),
            whole[pair].to + place * part_size};
  }

 private:
  /// The last pair p with first_part[p] <= number.
  KOKKOS_FUNCTION std::uint64_t pair_of(std::uint64_t number) const {
    std::uint64_t first = 0;
    std::uint64_t last = pairs;
    while (last - first > 1) {
      std::uint64_t const middle = first + (last - first) / 2;
      if (first_part[middle] <= number) {
        first = middle;
      } else {
        last = middle;
      }
    }
    return first;
  }
};

/// The merges of all rounds, computed on the host. Each round merges neighbouring runs, until one
/// run is left.
class MergeRounds {
 public:
  struct Round {
    std::size_t first_pair;  // the index in pairs() at which the round begins
    std::size_t first_part;  // the index in first_parts() at which the round begins
    std::uint64_t pairs;
    std::uint64_t parts;
  };

  /// Requires: `runs` are in ascending order of `first`. Empty runs are left out.
  MergeRounds(std::vector<Run> const& runs, std::uint64_t part_size)
      : part_size_(part_size), size_(count_items(runs)) {
    std::vector<Run> left;
    for (auto const& run : runs) {
      if (run.size() > 0) left.push_back(run);
    }
    if (!left.empty()) first_ = left.front().first;
    while (left.size() > 1) add_round(left);
  }

  /// The number of items of all runs.
  std::uint64_t size() const { return size_; }
  /// The index of the first item of all runs.
  std::uint64_t first() const { return first_; }

  std::vector<Round> const& rounds() const { return rounds_; }
  std::vector<RunMerge> const& pairs() const { return pairs_; }
  std::vector<std::uint64_t> const& first_parts() const { return first_parts_; }

  std::uint64_t max_parts() const {
    std::uint64_t most = 0;
    for (auto const& round : rounds_) most = most < round.parts ? round.parts : most;
    return most;
  }

  /// Returns a round in the form that kernels use. `pairs` and `first_parts` are copies of pairs()
  /// and first_parts() in memory that kernels can access.
  RunPairs pairs_of(Round const& round, RunMerge const* pairs,
                    std::uint64_t const* first_parts) const {
    return {pairs + round.first_pair, first_parts + round.first_part, round.pairs, part_size_};
  }

 private:
  /// Adds a round that merges neighbouring runs, and replaces `runs` by the results. If the number
  /// of runs is odd, the last run is merged with an empty one.
  void add_round(std::vector<Run>& runs) {
    Round round{pairs_.size(), first_parts_.size(), (runs.size() + 1) / 2, 0};
    std::uint64_t to = 0;
    std::vector<Run> made;
    for (std::size_t r = 0; r < runs.size(); r += 2) {
      Run const left = runs[r];
      Run const right = r + 1 < runs.size() ? runs[r + 1] : Run{left.last, left.last};
      pairs_.push_back({{left.first, left.last, right.first, right.last}, to});
      first_parts_.push_back(round.parts);
      std::uint64_t const size = left.size() + right.size();
      round.parts += (size + part_size_ - 1) / part_size_;
      made.push_back({to, to + size});
      to += size;
    }
    first_parts_.push_back(round.parts);
    rounds_.push_back(round);
    runs = made;
  }

  std::uint64_t part_size_;
  std::uint64_t size_;
  std::uint64_t first_ = 0;
  std::vector<Round> rounds_;
  std::vector<RunMerge> pairs_;
  std::vector<std::uint64_t> first_parts_;
};

// --- on a CPU ---

/// A part of a merge. `to` is where its next merged item is written.
template <class Item>
struct MergeStrip {
  TwoRuns runs;
  Item* to;

  /// Returns a number of steps for which both runs have enough items, so that steps need not check
  /// whether a run has ended.
  std::uint64_t steps() const {
    return std::min(runs.left_end - runs.left, runs.right_end - runs.right);
  }
};

/// Merges two runs to `to`, stably. The result is divided into four parts, called strips. The loop
/// merges one item of each strip in turn. A step depends only on the previous step of the same
/// strip, so the processor overlaps the steps of different strips. A step has no branch that
/// depends on a comparison, since half of such branches would be mispredicted for random items.
template <class Item, class Before>
void merge_in_strips(Item const* items, TwoRuns runs, Item* to, Before const& before) {
  constexpr int count = 4;
  MergeStrip<Item> strips[count];
  std::uint64_t const size = runs.size() / count;
  for (int k = 0; k < count; ++k) {
    std::uint64_t const own = k + 1 == count ? runs.size() : size;
    std::uint64_t const left = count_from_left(items, runs, own, before);
    strips[k] = {{runs.left, runs.left + left, runs.right, runs.right + (own - left)}, to};
    runs.left += left;
    runs.right += own - left;
    to += own;
  }
  auto const common_steps = [&] {
    return std::min({strips[0].steps(), strips[1].steps(), strips[2].steps(), strips[3].steps()});
  };
  for (std::uint64_t steps = common_steps(); steps > 0; steps = common_steps()) {
    for (; steps > 0; --steps) {
      RIFFLE_UNROLL
      for (int k = 0; k < count; ++k) {
        auto& [of_strip, place] = strips[k];
        bool const is_right = before(items[of_strip.right], items[of_strip.left]);
        *place++ = items[is_right ? of_strip.right : of_strip.left];
        of_strip.right += is_right;
        of_strip.left += !is_right;
      }
    }
  }
  for (auto const& strip : strips) merge_runs(items, strip.runs, strip.to, before);
}

/// The number of items in a part. There are a few parts per thread, so that all threads finish at
/// about the same time.
inline std::uint64_t merge_part_size(std::uint64_t n, int threads) {
  auto const parts = static_cast<std::uint64_t>(threads == 1 ? 1 : 4 * threads);
  return std::max(min_merge_chunk_size, (n + parts - 1) / parts);
}

template <class Exec, class Item, class Before>
void merge_pairs(Context<Exec> const& context, RunPairs const& pairs, std::uint64_t parts,
                 Item const* from, Item* to, Before const& before) {
  for_each_dynamic(context.named("merge"), parts, [=](std::uint64_t number) {
    RunMerge const part = pairs.part(from, number, before);
    merge_in_strips(from, part.runs, to + part.to, before);
  });
}

// --- on a GPU ---

/// Finds the parts of runs from which each tile of the result is merged.
template <class Item, class Before>
struct FindTiles {
  Item const* from;
  RunPairs pairs;
  Before before;
  RunMerge* tiles;

  KOKKOS_FUNCTION void operator()(std::uint64_t tile) const {
    tiles[tile] = pairs.part(from, tile, before);
  }
};

/// Merges pairs of runs on a GPU. A team merges a tile of the result in its scratch memory.
template <class Item, class Before>
struct MergePairTiles : TileKernel<Item, Before> {
  Item const* from;
  Item* to;
  RunMerge const* tiles;
  Before before;

  MergePairTiles(Item const* from_, Item* to_, RunMerge const* tiles_, Before const& before_)
      : from(from_), to(to_), tiles(tiles_), before(before_) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    RunMerge const part = tiles[team.league_rank()];
    MergeTile<Item, Member, Before> const tile(team, part.runs.size(), before);
    tile.load_runs(from, part.runs);
    tile.merge_two(part.runs.left_end - part.runs.left);
    tile.store([&](std::uint32_t i, Item const& item) { to[part.to + i] = item; });
  }
};

template <class Exec, class Item, class Before>
void merge_pairs_on_device(Context<Exec> const& context, RunPairs const& pairs, std::uint64_t parts,
                           RunMerge* tiles, Item const* from, Item* to, Before const& before) {
  context.named("parts").for_each(parts, FindTiles<Item, Before>{from, pairs, before, tiles});
  launch_teams(context.named("merge"), parts,
               MergePairTiles<Item, Before>(from, to, tiles, before));
}

// --- merges of all runs ---

/// The merges of several runs, with the memory that they need. Items are values, or indices of
/// values.
template <class Exec, class Item>
class MergesOfRuns {
  static constexpr bool is_on_cpu = backend::is_cpu<Exec>;

 public:
  /// Requires: `runs` are in ascending order of `first`; there may be gaps between runs and before
  /// the first. Fences, because arrays of the host are copied to memory that kernels can access.
  MergesOfRuns(Context<Exec> const& context, Scope<Exec>& scope, std::vector<Run> const& runs)
      : end_(runs.empty() ? 0 : runs.back().last),
        rounds_(runs, part_size(context, runs)),
        pairs_(to_kernels(context, scope, rounds_.pairs())),
        first_parts_(to_kernels(context, scope, rounds_.first_parts())),
        tiles_(scope.template take<RunMerge>(is_on_cpu ? 0 : rounds_.max_parts())) {
    context.exec().fence("riffle: kernels have the runs");
  }

  /// Merges values. Returns a pointer to the first merged value. The merged values are in `last` if
  /// it is not null and there are at least two runs, otherwise in `values` or `spare`. `spare` and
  /// `last` can hold the values of all runs.
  template <class Order>
  Item* run(Context<Exec> const& context, Item* values, Item* spare, Order const& order,
            Item* last = nullptr) const {
    return merge(context, values, spare, last, IsValueBefore<Item, Order>{order});
  }

  /// Merges elements of a View by their indices. Returns a pointer r to the merged indices, which
  /// are in `indices` or `spare`: view(r[k]) is merged element k. `indices` can hold
  /// runs.back().last indices, `spare` the indices of all elements of the runs.
  template <class View, class Order>
  Item* run_by_indices(Context<Exec> const& context, View const& view, Item* indices, Item* spare,
                       Order const& order) const {
    context.named("indices").for_each(end_, MakeIndices<Item>{indices});
    return merge(context, indices, spare, nullptr, IsBefore<View, Order>{view, order, false});
  }

 private:
  static std::uint64_t part_size(Context<Exec> const& context, std::vector<Run> const& runs) {
    if constexpr (is_on_cpu) {
      return merge_part_size(count_items(runs), context.exec().concurrency());
    } else {
      return MergeTileShape<Item>::size;
    }
  }

  template <class T>
  static T const* to_kernels(Context<Exec> const& context, Scope<Exec>& scope,
                             std::vector<T> const& list) {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    T* const to = scope.template take<T>(list.size());
    Kokkos::deep_copy(
        context.exec(), Kokkos::View<T*, typename Exec::memory_space, Unmanaged>(to, list.size()),
        Kokkos::View<T const*, Kokkos::HostSpace, Unmanaged>(list.data(), list.size()));
    return to;
  }

  template <class Before>
  Item* merge(Context<Exec> const& context, Item* items, Item* spare, Item* last,
              Before const& before) const {
    auto const& rounds = rounds_.rounds();
    if (rounds.empty()) return items + rounds_.first();
    for (auto const& round : rounds) {
      bool const is_last = &round == &rounds.back() && last != nullptr;
      Item* const to = is_last ? last : spare;
      RunPairs const pairs = rounds_.pairs_of(round, pairs_, first_parts_);
      if constexpr (is_on_cpu) {
        merge_pairs(context, pairs, round.parts, items, to, before);
      } else {
        merge_pairs_on_device(context, pairs, round.parts, tiles_, items, to, before);
      }
      spare = std::exchange(items, to);
    }
    return items;
  }

  std::uint64_t end_;
  MergeRounds rounds_;
  RunMerge const* pairs_;
  std::uint64_t const* first_parts_;
  RunMerge* tiles_;
};

}  // namespace riffle::detail::sort
