#pragma once

// A stable merge sort by any comparison on a GPU. Each team sorts a tile in scratch memory; then
// pairs of runs are merged in rounds. In each round, one kernel finds the parts of the two runs
// from which each tile of the result is merged, and a second kernel merges the tiles, one per team.
//
//     sorted tiles    |  t0  |  t1  |  t2  |  t3  |
//     find cuts           /     \      /     \             cut: the number of items of the left run
//     merge tiles     | t0 + t1     | t2 + t3     |        before a tile of the result
//
// If the comparison is not a strict weak ordering, no memory outside of the items is accessed, and
// the result is a permutation of the items. CUB's merge sort would read outside its shared memory
// in this case.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/merge_path.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/merge_tile.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::sort {

// --- cuts ---
//
// The runs of a pair are cut where the tiles of their merge begin [1]. Several threads search for a
// cut together, each probing one position per step [2]. If a single thread searched, it would wait
// for memory log2(run size) times, which takes longer than the merge if there are few tiles.
//
// [1] S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge path - parallel merging made
//     simple" (2012).
// [2] M. Snir, "On parallel searching", SIAM J. Comput. 14 (1985).

/// A range of possible cuts, which a search narrows by several probes per step.
struct WideCutRange : CutRange<std::uint64_t> {
  /// The k-th of `probes` positions that divide the range evenly.
  KOKKOS_FUNCTION std::uint64_t place(int k, int probes) const {
    return low + (high - low) * static_cast<std::uint64_t>(k + 1) /
                     static_cast<std::uint64_t>(probes + 1);
  }

  /// Returns the range that remains after a step. Probe `first` is the first probe that is after
  /// the cut; if no probe is after it, `first` equals `probes`.
  KOKKOS_FUNCTION WideCutRange before_place(int first, int probes) const {
    return {{first > 0 ? place(first - 1, probes) + 1 : low,
             first < probes ? place(first, probes) : high}};
  }
};

/// A part of the result of merging two runs.
struct PartOfMerge {
  TwoRuns runs;
  std::uint64_t begin;  // where the part begins in the result
  std::uint64_t end;    // where it ends

  KOKKOS_FUNCTION bool is_last() const { return end == runs.size(); }
  /// The number of items of the left run.
  KOKKOS_FUNCTION std::uint64_t left() const { return runs.left_end - runs.left; }

  /// The sections of the runs that are merged to this part, if `cut` items of the left run precede
  /// the part, and `next` items of the left run precede its end.
  KOKKOS_FUNCTION TwoRuns between(std::uint64_t cut, std::uint64_t next) const {
    return {runs.left + cut, runs.left + next, runs.right + (begin - cut),
            runs.right + (end - next)};
  }

  /// Whether `cut` and `next` can be the cuts of a part. Otherwise the comparison is not a strict
  /// weak ordering.
  KOKKOS_FUNCTION bool are_cuts(std::uint64_t cut, std::uint64_t next) const {
    return cut <= next && next - cut <= end - begin;
  }

  /// The sections of the runs if the runs are not merged, but copied one after the other.
  KOKKOS_FUNCTION TwoRuns copied() const {
    return between(Kokkos::min(begin, left()), Kokkos::min(end, left()));
  }
};

/// A tile of the result of a round, in which pairs of neighbouring runs of `run_size` items are
/// merged.
template <class Item>
struct MergedTile : PartOfMerge {
  static constexpr std::uint64_t tile_size = MergeTileShape<Item>::size;

  KOKKOS_FUNCTION MergedTile(std::uint64_t tile, std::uint64_t run_size, std::uint64_t n) {
    std::uint64_t const tiles = 2 * run_size / tile_size;
    runs = runs_from(Kokkos::min(n, tile / tiles * (2 * run_size)), run_size, n);
    begin = Kokkos::min(tile % tiles * tile_size, runs.size());
    end = Kokkos::min(begin + tile_size, runs.size());
  }
};

/// Finds the cut of each tile, that is, the number of items of the left run that precede the tile
/// in the result. The cuts of a tile and of the next tile are searched for separately. If the
/// second cut is less than the first, or exceeds it by more than the tile's size, the comparison is
/// not a strict weak ordering, and *is_inconsistent is set to 1.
template <class Item, class Before>
struct FindCuts {
  using Tile = MergedTile<Item>;

  static constexpr int threads = 128;
  static constexpr int teams_per_processor = 8;
  /// The number of threads that search for one cut.
  static constexpr int probes = 8;
  static constexpr int searches = threads / probes;
  /// The last search of a team finds the end of the team's last tile, which is the same cut as the
  /// first one of the next team.
  static constexpr int tiles_of_team = searches - 1;

  struct State {
    /// is_after[s % 2][t] is whether thread t's probe in step s is after the cut. Since steps
    /// alternate between the two rows, one barrier per step is enough.
    bool is_after[2][threads];
    std::uint64_t cuts[searches];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  Item const* from;
  std::uint64_t n;
  std::uint64_t run_size;
  Before before;
  std::uint64_t* cuts;
  std::uint32_t* is_inconsistent;

  static constexpr std::uint64_t teams(std::uint64_t tiles) {
    return (tiles + tiles_of_team - 1) / tiles_of_team;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    int const search = team.team_rank() / probes;
    std::uint64_t const number = static_cast<std::uint64_t>(team.league_rank()) * tiles_of_team +
                                 static_cast<std::uint64_t>(search);
    Tile const tile(number, run_size, n);
    std::uint64_t const cut = find(team, state, tile);
    bool const is_first = team.team_rank() % probes == 0;
    if (is_first) state.cuts[search] = cut;
    team.team_barrier();
    if (!is_first || search == tiles_of_team || tile.begin == tile.end) return;
    cuts[number] = cut;
    std::uint64_t const next = tile.is_last() ? tile.left() : state.cuts[search + 1];
    if (!tile.are_cuts(cut, next)) Kokkos::atomic_store(is_inconsistent, std::uint32_t{1});
  }

 private:
  template <class Member>
  KOKKOS_FUNCTION std::uint64_t find(Member const& team, State& state, Tile const& tile) const {
    int const own = team.team_rank() % probes;
    WideCutRange range{cut_range_after(tile.runs, tile.begin)};
    int parity = 0;
    // Each step divides the width of the range by at least probes + 1, so after these steps the
    // range is empty.
    for (std::uint64_t width = run_size; width > 0; width /= probes + 1, parity ^= 1) {
      bool* const is_after = state.is_after[parity] + (team.team_rank() - own);
      if (!range.is_found()) {
        is_after[own] = is_after_cut(from, tile.runs, tile.begin, range.place(own, probes), before);
      }
      team.team_barrier();
      if (!range.is_found()) range = range.before_place(first_of(is_after), probes);
    }
    return range.low;
  }

  /// The first k with is_after[k], or `probes` if there is none.
  KOKKOS_FUNCTION static int first_of(bool const* is_after) {
    int first = 0;
    bool all_before = true;
    RIFFLE_UNROLL
    for (int k = 0; k < probes; ++k) {
      all_before = all_before && !is_after[k];
      first += all_before ? 1 : 0;
    }
    return first;
  }
};

// --- kernels ---

/// The common part of kernels that work on tiles.
template <class Item, class Before>
struct TileKernel {
  using Shape = MergeTileShape<Item>;
  template <class Member>
  using Tile = MergeTile<Item, Member, Before>;

  static constexpr int threads = Shape::threads;
  static constexpr int teams_per_processor = Shape::merging_teams;
  static constexpr std::size_t scratch_bytes = Tile<int>::scratch_bytes;
};

/// Sorts tiles, one per team. in(i) returns item i; it may read to[i].
template <class Item, class Before, class In>
struct SortTiles : TileKernel<Item, Before> {
  using Shape = MergeTileShape<Item>;
  static constexpr int teams_per_processor = Shape::sorting_teams;

  In in;
  Item* to;
  std::uint64_t n;
  Before before;
  std::uint32_t* is_inconsistent;

  SortTiles(In const& in_, Item* to_, std::uint64_t n_, Before const& before_,
            std::uint32_t* is_inconsistent_)
      : in(in_), to(to_), n(n_), before(before_), is_inconsistent(is_inconsistent_) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const number = static_cast<std::uint64_t>(team.league_rank());
    if (number == 0 && team.team_rank() == 0) *is_inconsistent = 0;
    std::uint64_t const begin = number * Shape::size;
    MergeTile<Item, Member, Before> const tile(
        team, Kokkos::min<std::uint64_t>(Shape::size, n - begin), before);
    tile.load([&](std::uint32_t i) { return in(begin + i); });
    tile.sort();
    tile.store([&](std::uint32_t i, Item const& item) { to[begin + i] = item; });
  }
};

/// Merges the tiles of the result, one per team. If *is_inconsistent is 1, copies the runs instead.
template <class Item, class Before>
struct MergeTiles : TileKernel<Item, Before> {
  using Shape = MergeTileShape<Item>;

  Item const* from;
  Item* to;
  std::uint64_t n;
  std::uint64_t run_size;
  std::uint64_t const* cuts;
  std::uint32_t const* is_inconsistent;
  Before before;

  MergeTiles(FindCuts<Item, Before> const& found, Item* to_)
      : from(found.from),
        to(to_),
        n(found.n),
        run_size(found.run_size),
        cuts(found.cuts),
        is_inconsistent(found.is_inconsistent),
        before(found.before) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const number = static_cast<std::uint64_t>(team.league_rank());
    TwoRuns const runs = runs_of(number);
    std::uint64_t const begin = number * Shape::size;
    MergeTile<Item, Member, Before> const tile(team, runs.size(), before);
    tile.load_runs(from, runs);
    tile.merge_two(runs.left_end - runs.left);
    tile.store([&](std::uint32_t i, Item const& item) { to[begin + i] = item; });
  }

 private:
  KOKKOS_FUNCTION TwoRuns runs_of(std::uint64_t number) const {
    MergedTile<Item> const tile(number, run_size, n);
    if (*is_inconsistent != 0) return tile.copied();
    return tile.between(cuts[number], tile.is_last() ? tile.left() : cuts[number + 1]);
  }
};

template <class Item>
std::uint64_t tiles_of_merges(std::uint64_t n) {
  constexpr std::uint64_t size = MergeTileShape<Item>::size;
  return (n + size - 1) / size;
}

// --- sorts ---

/// The memory for a merge sort of n > 0 items: two arrays of items, and the cuts for the tiles that
/// one round merges.
template <class Item>
struct MergeArrays {
  Item* sorted;
  Item* spare;
  std::uint64_t* cuts;
  std::uint32_t* is_inconsistent;

  MergeArrays(Item* sorted_, Item* spare_, std::uint64_t n, ArrayMemory& memory)
      : sorted(sorted_),
        spare(spare_),
        cuts(memory.take<std::uint64_t>(tiles_of_merges<Item>(n))),
        is_inconsistent(memory.take<std::uint32_t>(1)) {}
};

/// Input of a sort that moves indices: item i is i.
template <class Index>
struct IndexItself {
  KOKKOS_FUNCTION Index operator()(std::uint64_t i) const { return static_cast<Index>(i); }
};

/// The number of rounds of merges for n items.
template <class Item>
int rounds_of_merges(std::uint64_t n) {
  int rounds = 0;
  for (std::uint64_t run_size = MergeTileShape<Item>::size; run_size < n; run_size *= 2) ++rounds;
  return rounds;
}

/// Sorts n > 0 items to arrays.sorted. in(i) returns item i; it may read arrays.sorted.
template <class Exec, class Item, class In, class Before>
void merge_sort_on_device(Context<Exec> const& context, std::uint64_t n, In const& in,
                          MergeArrays<Item> const& arrays, Before const& before) {
  std::uint64_t const tiles = tiles_of_merges<Item>(n);
  int const rounds = rounds_of_merges<Item>(n);
  Item* from = rounds % 2 == 0 ? arrays.sorted : arrays.spare;
  Item* to = rounds % 2 == 0 ? arrays.spare : arrays.sorted;
  launch_teams(context.named("tiles"), tiles,
               SortTiles<Item, Before, In>(in, from, n, before, arrays.is_inconsistent));
  std::uint64_t run_size = MergeTileShape<Item>::size;
  for (int round = 0; round < rounds; ++round, run_size *= 2) {
    FindCuts<Item, Before> const find{from,   n,           run_size,
                                      before, arrays.cuts, arrays.is_inconsistent};
    launch_teams(context.named("cuts"), find.teams(tiles), find);
    launch_teams(context.named("merge"), tiles, MergeTiles<Item, Before>(find, to));
    std::swap(from, to);
  }
}

/// Sorts the values of a View by comparisons, from `in` to `out`, which may be the same View.
template <class Exec, class In, class Out, class Before>
void sort_by_comparison_on_device(Context<Exec> const& context, In const& in, Out const& out,
                                  Before const& before) {
  using T = typename Out::non_const_value_type;
  struct Arrays {
    ViewAsArray<Out> sorted;
    MergeArrays<T> merged;
  };
  std::uint64_t const n = out.extent(0);
  Scope scope(context);
  auto const arrays = scope.arrays([&](ArrayMemory& memory) {
    ViewAsArray<Out> const sorted(out, memory);
    return Arrays{sorted, {sorted.array(), memory.take<T>(n), n, memory}};
  });
  merge_sort_on_device(context, n, in, arrays.merged, before);
  arrays.sorted.write(context, arrays.merged.sorted);
}

}  // namespace riffle::detail::sort
