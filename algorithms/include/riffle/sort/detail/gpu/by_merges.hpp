#pragma once

// A stable sort by any comparison on a GPU: a team sorts each tile in its scratch memory, then pairs of runs are merged
// in parts as large as a tile, which one kernel finds and another merges. As on a CPU, nothing but the items is read or
// written, and they remain the same items, even where the comparison is no order: CUB's merge sort reads outside its
// shared memory then.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/kernel/launch.hpp>
#include <riffle/kernel/merge_parts.hpp>
#include <riffle/sort/detail/gpu/merge_tile.hpp>

namespace riffle::detail::sort {

/// What the kernels of teams have in common.
template <class Item, class Before>
struct TileKernel {
  using Shape = MergeTileShape<Item>;
  template <class Member>
  using Tile = MergeTile<Item, Member, Before>;

  static constexpr int threads = Shape::threads;
  static constexpr int teams_per_processor = 6;
  static constexpr std::size_t scratch_bytes = Tile<int>::scratch_bytes;
};

/// Sorts tiles in place, with a team for each.
template <class Item, class Before>
struct SortTiles : TileKernel<Item, Before> {
  using Shape = MergeTileShape<Item>;

  Item* items;
  std::uint64_t n;
  Before before;

  SortTiles(Item* items_, std::uint64_t n_, Before const& before_)
      : items(items_), n(n_), before(before_) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Item* const own = items + static_cast<std::uint64_t>(team.league_rank()) * Shape::size;
    auto const rest = n - static_cast<std::uint64_t>(own - items);
    MergeTile<Item, Member, Before> const tile(
        team, static_cast<int>(Kokkos::min<std::uint64_t>(Shape::size, rest)), before);
    tile.load([&](std::uint64_t i) { return own[i]; });
    tile.sort();
    tile.store([&](std::uint64_t i, Item const& item) { own[i] = item; });
  }
};

/// Finds the parts of runs that each tile of the result is merged from.
template <class Item, class Before>
struct FindParts {
  Item const* from;
  std::uint64_t n;
  std::uint64_t run_size;
  Before before;
  TwoRuns* parts;

  KOKKOS_FUNCTION void operator()(std::uint64_t tile) const {
    constexpr std::uint64_t tile_size = MergeTileShape<Item>::size;
    std::uint64_t const tiles = 2 * run_size / tile_size;
    std::uint64_t const begin = tile / tiles * (2 * run_size);
    parts[tile] =
        part_of_merge(from, runs_from(begin, run_size, n), tile % tiles, tiles, tile_size, before);
  }
};

/// Merges the tiles of the result, with a team for each.
template <class Item, class Before>
struct MergeTiles : TileKernel<Item, Before> {
  using Shape = MergeTileShape<Item>;

  Item const* from;
  Item* to;
  TwoRuns const* parts;
  Before before;

  MergeTiles(Item const* from_, Item* to_, TwoRuns const* parts_, Before const& before_)
      : from(from_), to(to_), parts(parts_), before(before_) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    TwoRuns const runs = parts[team.league_rank()];
    std::uint64_t const left = runs.left_end - runs.left;
    Item* const own = to + static_cast<std::uint64_t>(team.league_rank()) * Shape::size;
    MergeTile<Item, Member, Before> const tile(team, static_cast<int>(runs.size()), before);
    tile.load(
        [&](std::uint64_t i) { return from[i < left ? runs.left + i : runs.right + (i - left)]; });
    tile.merge_two(left);
    tile.store([&](std::uint64_t i, Item const& item) { own[i] = item; });
  }
};

template <class Item>
std::uint64_t tiles_of_merges(std::uint64_t n) {
  constexpr std::uint64_t size = MergeTileShape<Item>::size;
  return (n + size - 1) / size;
}

/// Sorts n > 0 items. Returns where they are: `items`, or `spare`, which has room for as many; `parts` has one for each
/// tile.
template <class Exec, class Item, class Before>
Item* sort_by_merges_on_device(Context<Exec> const& context, std::uint64_t n, Item* items,
                               Item* spare, TwoRuns* parts, Before const& before) {
  std::uint64_t const tiles = tiles_of_merges<Item>(n);
  launch_teams(context.named("tiles"), tiles, SortTiles<Item, Before>(items, n, before));
  for (std::uint64_t run_size = MergeTileShape<Item>::size; run_size < n; run_size *= 2) {
    context.named("parts").for_each(tiles,
                                    FindParts<Item, Before>{items, n, run_size, before, parts});
    launch_teams(context.named("merge"), tiles,
                 MergeTiles<Item, Before>(items, spare, parts, before));
    std::swap(items, spare);
  }
  return items;
}

}  // namespace riffle::detail::sort
