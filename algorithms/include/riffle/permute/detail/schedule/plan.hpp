#pragma once

// How a permutation known beforehand is cut into passes over contiguous memory.
//
// The array is cut into tiles of 2^tile_bits elements. A level moves each element into the region of its bucket: the
// tiles whose numbers have the same high digit as its destination's. Regions are where the result's elements belong,
// so that buckets need no memory of their own, and all levels have the same tiles. When the digits of all levels have
// been dealt with, an element lies in the tile of its destination, and a last pass sorts each tile.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail::schedule {

/// One distribution: of the elements of each group of tiles to its buckets, which are groups of the next level.
struct Level {
  int group_bits;   // a group has 2^group_bits tiles
  int bucket_bits;  // and 2^bucket_bits buckets

  KOKKOS_FUNCTION std::uint64_t buckets() const { return std::uint64_t{1} << bucket_bits; }

  /// The bucket, in its group, of an element that goes to `tile`.
  KOKKOS_FUNCTION std::uint32_t bucket(std::uint64_t tile) const {
    std::uint64_t const in_group = tile & ((std::uint64_t{1} << group_bits) - 1);
    return static_cast<std::uint32_t>(in_group >> (group_bits - bucket_bits));
  }

  /// Where a tile's count of a bucket stands, so that a scan of all counts says where each run goes: by group, then by
  /// bucket, then by tile.
  KOKKOS_FUNCTION std::uint64_t place_of_count(std::uint64_t tile, std::uint64_t bucket) const {
    std::uint64_t const group = tile >> group_bits;
    std::uint64_t const in_group = tile & ((std::uint64_t{1} << group_bits) - 1);
    return (((group << bucket_bits) | bucket) << group_bits) | in_group;
  }

  std::uint64_t count_places(std::uint64_t tiles) const {
    std::uint64_t const groups = ((tiles - 1) >> group_bits) + 1;
    return groups << (bucket_bits + group_bits);
  }
};

/// All tiles of an array, the last of which may be shorter.
struct Tiles {
  std::uint64_t n;
  int bits;

  KOKKOS_FUNCTION std::uint32_t size() const { return std::uint32_t{1} << bits; }
  KOKKOS_FUNCTION std::uint64_t count() const { return n == 0 ? 0 : ((n - 1) >> bits) + 1; }
  KOKKOS_FUNCTION std::uint64_t begin(std::uint64_t tile) const { return tile << bits; }
  KOKKOS_FUNCTION std::uint32_t size_of(std::uint64_t tile) const {
    std::uint64_t const rest = n - begin(tile);
    return rest < size() ? static_cast<std::uint32_t>(rest) : size();
  }
};

/// As few levels as possible with at most 2^max_bits buckets each. Their digits are as even as possible, and the first
/// levels, whose buckets lie furthest apart, have the shorter digits.
inline std::vector<Level> levels_of(std::uint64_t tiles, int max_bits) {
  int rest = tiles < 2 ? 0 : bit_width(tiles - 1);
  int count = (rest + max_bits - 1) / max_bits;
  std::vector<Level> levels;
  for (; count > 0; --count) {
    int const bits = rest / count;
    levels.push_back({rest, bits});
    rest -= bits;
  }
  return levels;
}

// --- passes ---

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

/// A pass whose arrays are not filled yet. `runs`: the most that a tile has; 0 for the last pass.
template <class Exec>
auto make_pass(Context<Exec> const& context, Tiles const& tiles, std::uint64_t runs) {
  Pass<typename Exec::memory_space> pass;
  auto const allocate = [&](auto& view, char const* name, std::uint64_t size) {
    view = std::decay_t<decltype(view)>(
        Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + name),
        size);
  };
  pass.tiles = tiles;
  allocate(pass.order, "::order", tiles.n);
  if (runs > 0) {
    pass.runs_per_tile = runs;
    allocate(pass.heads, "::heads", tiles.count() * pass.heads_per_tile());
    allocate(pass.offsets, "::offsets", tiles.count() * runs);
  }
  return pass;
}

// --- plans ---

/// A plan for n > 0 elements: a pass for each level, and the last one.
template <class Memory>
struct Plan {
  Tiles tiles;
  std::vector<Pass<Memory>> passes;

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (auto const& pass : passes) sum += pass.bytes();
    return sum;
  }
};

/// A GPU's plan as a function, in kernels.
template <class Memory>
class PlanFunction {
 public:
  /// Enough for more elements than addresses have bits.
  static constexpr int max_passes = 8;

  explicit PlanFunction(Plan<Memory> const& plan) : count_(static_cast<int>(plan.passes.size())) {
    for (int k = 0; k < count_; ++k) passes_[k] = plan.passes[static_cast<std::size_t>(k)];
  }

  /// Where element i goes. Takes some reads at random for each pass.
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    for (int k = 0; k < count_; ++k) i = place(passes_[k], i);
    return i;
  }

 private:
  KOKKOS_FUNCTION static std::uint64_t place(Pass<Memory> const& pass, std::uint64_t i) {
    std::uint64_t const tile = i >> pass.tiles.bits;
    std::uint32_t const position = pass.order(i);
    if (!pass.has_runs()) return pass.tiles.begin(tile) + position;
    Heads const heads = pass.heads(tile * pass.heads_per_tile() + position / backend::width);
    std::uint32_t const run = heads.run(static_cast<int>(position % backend::width));
    return position + pass.offsets(tile * pass.runs_per_tile + run);
  }

  int count_;
  Pass<Memory> passes_[max_passes];
};

}  // namespace riffle::detail::schedule
