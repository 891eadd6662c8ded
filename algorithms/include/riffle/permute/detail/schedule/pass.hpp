#pragma once

// What a plan says about one pass over the array.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/detail/schedule/levels.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::schedule {

/// Which of 32 consecutive positions begin a run of their tile, and how many runs of the tile begin before them.
struct Heads {
  std::uint32_t mask;
  std::uint32_t before;

  /// The run of position `lane` of the 32.
  KOKKOS_FUNCTION std::uint32_t run(int lane) const {
    std::uint32_t const up_to = mask & (~std::uint32_t{0} >> (backend::width - 1 - lane));
    return before + static_cast<std::uint32_t>(backend::count_ones(up_to)) - 1;
  }
};

/// Every element of a tile has a position in it, in the order of buckets, then of elements. The elements that go to one
/// bucket are a run of positions, and of places in the array. A pass without runs leaves each element in its tile.
template <class Memory>
struct Pass {
  Tiles tiles;
  /// On a GPU, whose teams scatter within their scratch memory, the position of each element; on a CPU, whose threads
  /// gather within their caches, the element of each position.
  Kokkos::View<std::uint16_t*, Memory> order;
  /// The heads of each 32 positions, tile by tile.
  Kokkos::View<Heads*, Memory> heads;
  /// For each run of a tile that is not empty, the difference between a position's place in the array and the position.
  /// Tile k's offsets begin at k * runs_per_tile.
  Kokkos::View<std::uint64_t*, Memory> offsets;
  std::uint64_t runs_per_tile = 0;

  KOKKOS_FUNCTION bool has_runs() const { return runs_per_tile > 0; }
  KOKKOS_FUNCTION std::uint64_t heads_per_tile() const { return tiles.size() / backend::width; }

  std::size_t bytes() const {
    return order.span() * sizeof(std::uint16_t) + heads.span() * sizeof(Heads) +
           offsets.span() * sizeof(std::uint64_t);
  }
};

/// Arrays of a plan that is kept: each has memory of its own.
template <class Exec>
class OwnArrays {
 public:
  OwnArrays(Context<Exec> const& context) : context_(context) {}

  template <class View>
  View make(char const* name, std::uint64_t size) {
    return View(
        Kokkos::view_alloc(context_.exec(), Kokkos::WithoutInitializing, context_.label() + name),
        size);
  }

 private:
  Context<Exec> context_;
};

/// Arrays of a plan for one call, in memory that stays as long; without memory, they are only counted.
class LentArrays {
 public:
  explicit LentArrays(void* memory) : memory_(memory) {}

  template <class View>
  View make(char const*, std::uint64_t size) {
    return View(memory_.take<typename View::value_type>(size), size);
  }

  std::size_t bytes() const { return memory_.used(); }

 private:
  ArrayMemory memory_;
};

/// A pass whose arrays are not filled yet. `runs`: the most that a tile has; 0 for the last pass.
template <class Memory, class Arrays>
Pass<Memory> make_pass(Arrays& arrays, Tiles const& tiles, std::uint64_t runs) {
  Pass<Memory> pass;
  pass.tiles = tiles;
  pass.order = arrays.template make<decltype(pass.order)>("::order", tiles.n);
  if (runs > 0) {
    pass.runs_per_tile = runs;
    pass.heads = arrays.template make<decltype(pass.heads)>("::heads",
                                                            tiles.count() * pass.heads_per_tile());
    pass.offsets = arrays.template make<decltype(pass.offsets)>("::offsets", tiles.count() * runs);
  }
  return pass;
}

}  // namespace riffle::detail::schedule
