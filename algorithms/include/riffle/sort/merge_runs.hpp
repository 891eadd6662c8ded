#pragma once

// Merges of several sorted runs of an array, such as a rank has from the others: neighbours in pairs, in as many rounds as
// it takes until one run is left. Stable: of ties, those of earlier runs come first. As in all merges here, nothing but
// the items is read or written, whatever the comparison answers.

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
#include <riffle/primitives/merge_parts.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/cpu/merge_sort_cpu.hpp>
#include <riffle/sort/detail/gpu/merge_sort_gpu.hpp>
#include <riffle/sort/detail/gpu/merge_tile.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

// --- pairs of neighbouring runs ---
//
// They are merged side by side, in parts that threads or teams find independently. Between runs there may be gaps; what is
// merged has none.

/// Sorted items first, ..., last - 1 of an array.
struct Run {
  std::uint64_t first;
  std::uint64_t last;

  std::uint64_t size() const { return last - first; }
};

/// Runs that begin at all bounds but the last, at which the last one ends.
inline std::vector<Run> runs_between(std::vector<std::uint64_t> const& bounds) {
  std::vector<Run> runs;
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) runs.push_back({bounds[r], bounds[r + 1]});
  return runs;
}

/// The items of all runs.
inline std::uint64_t count_items(std::vector<Run> const& runs) {
  std::uint64_t count = 0;
  for (auto const& run : runs) count += run.size();
  return count;
}

/// What is merged, and where the result begins.
struct RunMerge {
  TwoRuns runs;
  std::uint64_t to;
};

/// The pairs of a round, as kernels see them: pair p makes the parts from first_part[p] on.
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
  /// The last pair whose parts begin at this one or before.
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

/// All rounds, on the host: neighbours are merged until one run is left.
class MergeRounds {
 public:
  struct Round {
    std::size_t first_pair;  // in pairs()
    std::size_t first_part;  // in first_parts()
    std::uint64_t pairs;
    std::uint64_t parts;
  };

  /// Runs that follow each other. Empty ones take no part.
  MergeRounds(std::vector<Run> const& runs, std::uint64_t part_size)
      : part_size_(part_size), size_(count_items(runs)) {
    std::vector<Run> left;
    for (auto const& run : runs) {
      if (run.size() > 0) left.push_back(run);
    }
    if (!left.empty()) first_ = left.front().first;
    while (left.size() > 1) add_round(left);
  }

  /// The items of all runs.
  std::uint64_t size() const { return size_; }
  /// Where the first item is that takes part.
  std::uint64_t first() const { return first_; }

  std::vector<Round> const& rounds() const { return rounds_; }
  std::vector<RunMerge> const& pairs() const { return pairs_; }
  std::vector<std::uint64_t> const& first_parts() const { return first_parts_; }

  std::uint64_t max_parts() const {
    std::uint64_t most = 0;
    for (auto const& round : rounds_) most = most < round.parts ? round.parts : most;
    return most;
  }

  /// A round, where kernels have the lists.
  RunPairs pairs_of(Round const& round, RunMerge const* pairs,
                    std::uint64_t const* first_parts) const {
    return {pairs + round.first_pair, first_parts + round.first_part, round.pairs, part_size_};
  }

 private:
  /// Lists the merges of neighbours, of which the last one's other may be empty; `runs` becomes what they make.
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

/// Consecutive parts of one merge, and where they go.
template <class Item>
struct MergeStrip {
  TwoRuns runs;
  Item* to;

  /// So many steps can be made before one of the runs may be at its end.
  std::uint64_t steps() const {
    return std::min(runs.left_end - runs.left, runs.right_end - runs.right);
  }
};

/// Writes all of two runs to `to`, stably, by four strips that a thread merges at once: a step waits for the items that
/// the step before chose, so that steps of several strips hide each other's waits. It is decided by sums, since half of
/// all branches on random items would be mispredicted. (2^24 doubles of two runs, one core: 2.3 ns each, where
/// merge_runs takes 5.0.)
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

/// Merges pairs of runs on a CPU, a part by one thread.
template <class Item, class Before>
struct MergePairs {
  Item const* from;
  Item* to;
  RunPairs pairs;
  Before before;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t number) const {
    KOKKOS_IF_ON_HOST((merge(number);))
  }

 private:
  void merge(std::uint64_t number) const {
    RunMerge const part = pairs.part(from, number, before);
    merge_in_strips(from, part.runs, to + part.to, before);
  }
};

/// Some parts for each thread, so that none waits long for the others.
inline std::uint64_t merge_part_size(std::uint64_t n, int threads) {
  auto const parts = static_cast<std::uint64_t>(threads == 1 ? 1 : 4 * threads);
  return std::max(min_merge_chunk_size, (n + parts - 1) / parts);
}

template <class Exec, class Item, class Before>
void merge_pairs(Context<Exec> const& context, RunPairs const& pairs, std::uint64_t parts,
                 Item const* from, Item* to, Before const& before) {
  for_each_dynamic(context.named("merge"), parts,
                   MergePairs<Item, Before>{from, to, pairs, before});
}

// --- on a GPU ---

/// Finds what each tile of the result is merged from.
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

/// Merges pairs of runs on a GPU, a tile by one team in its scratch memory.
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

/// Merges that are prepared: what they need of memory is there. Items are values, or indices of values.
template <class Exec, class Item>
class MergesOfRuns {
  static constexpr bool is_on_cpu = backend::is_cpu<Exec>;

 public:
  /// The runs follow each other, and there may be gaps between them, and before the first. Waits.
  MergesOfRuns(Context<Exec> const& context, Scope<Exec>& scope, std::vector<Run> const& runs)
      : end_(runs.empty() ? 0 : runs.back().last),
        rounds_(runs, part_size(context, runs)),
        pairs_(to_kernels(context, scope, rounds_.pairs())),
        first_parts_(to_kernels(context, scope, rounds_.first_parts())),
        tiles_(scope.template take<RunMerge>(is_on_cpu ? 0 : rounds_.max_parts())) {
    context.exec().fence("riffle: kernels have the runs");
  }

  /// Merges values. Returns where they are, without gaps: in `values` or `spare`, or, where there is anything to merge and it
  /// is not null, at `last`. `spare` and `last` have room for the values of all runs.
  template <class Order>
  Item* run(Context<Exec> const& context, Item* values, Item* spare, Order const& order,
            Item* last = nullptr) const {
    return merge(context, values, spare, last, IsValueBefore<Item, Order>{order});
  }

  /// Sets indices so that view(indices[k]) is the k-th, where they are returned: in `indices`, which has room for as many as
  /// `view` has elements where the last run ends, or `spare`.
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
