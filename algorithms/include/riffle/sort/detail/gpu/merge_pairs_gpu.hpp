#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/sort/detail/gpu/by_merges_gpu.hpp>
#include <riffle/sort/detail/gpu/merge_tile.hpp>
#include <riffle/sort/detail/run_pairs.hpp>

namespace riffle::detail::sort {

/// Finds what each tile of the result is merged from.
template <class Item, class Before>
struct FindTiles {
  Item const* from;
  RunPairs pairs;
  Before before;
  Merged* tiles;

  KOKKOS_FUNCTION void operator()(std::uint64_t tile) const {
    tiles[tile] = pairs.part(from, tile, before);
  }
};

/// Merges pairs of runs on a GPU, a tile by one team in its scratch memory.
template <class Item, class Before>
struct MergePairTiles : TileKernel<Item, Before> {
  Item const* from;
  Item* to;
  Merged const* tiles;
  Before before;

  MergePairTiles(Item const* from_, Item* to_, Merged const* tiles_, Before const& before_)
      : from(from_), to(to_), tiles(tiles_), before(before_) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Merged const part = tiles[team.league_rank()];
    MergeTile<Item, Member, Before> const tile(team, part.runs.size(), before);
    tile.load_runs(from, part.runs);
    tile.merge_two(part.runs.left_end - part.runs.left);
    tile.store([&](std::uint32_t i, Item const& item) { to[part.to + i] = item; });
  }
};

template <class Exec, class Item, class Before>
void merge_pairs_on_device(Context<Exec> const& context, RunPairs const& pairs, std::uint64_t parts,
                           Merged* tiles, Item const* from, Item* to, Before const& before) {
  context.named("parts").for_each(parts, FindTiles<Item, Before>{from, pairs, before, tiles});
  launch_teams(context.named("merge"), parts,
               MergePairTiles<Item, Before>(from, to, tiles, before));
}

}  // namespace riffle::detail::sort
