#pragma once

// A stable sort by any comparison on a GPU: a team sorts each tile in its scratch memory, then pairs of runs are merged,
// a tile of the result by each team, where one kernel finds what tiles are merged from and another merges. As on a CPU,
// nothing but the items is read or written, and they remain the same items, even where the comparison is no order: CUB's
// merge sort reads outside its shared memory then.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/merge_parts.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/find_cuts.hpp>
#include <riffle/sort/detail/gpu/merge_tile.hpp>

namespace riffle::detail::sort {

/// What the kernels of teams have in common.
template <class Item, class Before>
struct TileKernel {
  using Shape = MergeTileShape<Item>;
  template <class Member>
  using Tile = MergeTile<Item, Member, Before>;

  static constexpr int threads = Shape::threads;
  static constexpr int teams_per_processor = Shape::merging_teams;
  static constexpr std::size_t scratch_bytes = Tile<int>::scratch_bytes;
};

/// Sorts tiles, with a team for each: in(i) is item i, which may lie where item i of the result does.
template <class Item, class Before, class In>
struct SortTiles : TileKernel<Item, Before> {
  using Shape = MergeTileShape<Item>;
  static constexpr int teams_per_processor = Shape::sorting_teams;

  In in;
  Item* to;
  std::uint64_t n;
  Before before;
  std::uint32_t* disorder;

  SortTiles(In const& in_, Item* to_, std::uint64_t n_, Before const& before_,
            std::uint32_t* disorder_)
      : in(in_), to(to_), n(n_), before(before_), disorder(disorder_) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const number = static_cast<std::uint64_t>(team.league_rank());
    if (number == 0 && team.team_rank() == 0) *disorder = 0;
    std::uint64_t const begin = number * Shape::size;
    MergeTile<Item, Member, Before> const tile(
        team, Kokkos::min<std::uint64_t>(Shape::size, n - begin), before);
    tile.load([&](std::uint32_t i) { return in(begin + i); });
    tile.sort();
    tile.store([&](std::uint32_t i, Item const& item) { to[begin + i] = item; });
  }
};

/// Merges the tiles of the result, with a team for each. Where there is disorder, runs are left as they are.
template <class Item, class Before>
struct MergeTiles : TileKernel<Item, Before> {
  using Shape = MergeTileShape<Item>;

  Item const* from;
  Item* to;
  std::uint64_t n;
  std::uint64_t run_size;
  std::uint64_t const* cuts;
  std::uint32_t const* disorder;
  Before before;

  MergeTiles(FindCuts<Item, Before> const& found, Item* to_)
      : from(found.from),
        to(to_),
        n(found.n),
        run_size(found.run_size),
        cuts(found.cuts),
        disorder(found.disorder),
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
    if (*disorder != 0) {
      return tile.between(Kokkos::min(tile.begin, tile.left()), Kokkos::min(tile.end, tile.left()));
    }
    return tile.between(cuts[number], tile.is_last() ? tile.left() : cuts[number + 1]);
  }
};

template <class Item>
std::uint64_t tiles_of_merges(std::uint64_t n) {
  constexpr std::uint64_t size = MergeTileShape<Item>::size;
  return (n + size - 1) / size;
}

/// What n > 0 items are sorted in: arrays for them, and what is known of their tiles.
template <class Item>
struct MergeArrays {
  Item* sorted;
  Item* spare;
  std::uint64_t* cuts;
  std::uint32_t* disorder;

  MergeArrays(Item* sorted_, std::uint64_t n, ArrayMemory& memory)
      : sorted(sorted_),
        spare(memory.take<Item>(n)),
        cuts(memory.take<std::uint64_t>(tiles_of_merges<Item>(n))),
        disorder(memory.take<std::uint32_t>(1)) {}
};

/// The items are the places that they have.
template <class Index>
struct OwnPlace {
  KOKKOS_FUNCTION Index operator()(std::uint64_t i) const { return static_cast<Index>(i); }
};

/// The rounds of merges that n items take.
template <class Item>
int rounds_of_merges(std::uint64_t n) {
  int rounds = 0;
  for (std::uint64_t run_size = MergeTileShape<Item>::size; run_size < n; run_size *= 2) ++rounds;
  return rounds;
}

/// Sorts n > 0 items to arrays.sorted, in which they may lie before. in(i) is item i.
template <class Exec, class Item, class In, class Before>
void sort_by_merges_on_device(Context<Exec> const& context, std::uint64_t n, In const& in,
                              MergeArrays<Item> const& arrays, Before const& before) {
  std::uint64_t const tiles = tiles_of_merges<Item>(n);
  int const rounds = rounds_of_merges<Item>(n);
  Item* from = rounds % 2 == 0 ? arrays.sorted : arrays.spare;
  Item* to = rounds % 2 == 0 ? arrays.spare : arrays.sorted;
  launch_teams(context.named("tiles"), tiles,
               SortTiles<Item, Before, In>(in, from, n, before, arrays.disorder));
  std::uint64_t run_size = MergeTileShape<Item>::size;
  for (int round = 0; round < rounds; ++round, run_size *= 2) {
    FindCuts<Item, Before> const find{from, n, run_size, before, arrays.cuts, arrays.disorder};
    launch_teams(context.named("cuts"), find.teams(tiles), find);
    launch_teams(context.named("merge"), tiles, MergeTiles<Item, Before>(find, to));
    std::swap(from, to);
  }
}

}  // namespace riffle::detail::sort
