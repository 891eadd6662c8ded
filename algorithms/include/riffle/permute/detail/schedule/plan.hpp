#pragma once

// The plan of a ScheduledPermutation: passes that read and write runs of contiguous memory.
//
// The array is divided into tiles of 2^tile_bits elements. The plan has several levels. Consecutive tiles form groups;
// at level 0 there is one group. Each level is like one pass of a radix sort within each group: it distributes the
// elements of a group to buckets, by one digit of the destination tile's index. A bucket is stored in the group's own
// memory: it occupies the tiles of the group whose indices have this digit. The buckets are the groups of the next
// level. After all levels each element is in the tile of its destination, and the last pass sorts each tile:
//
//     tiles                  0     1     2     3          (4 tiles, 2 levels of 2 buckets)
//     level 0, 1 group    [  bucket 0  |  bucket 1  ]     high bit of the destination tile
//     level 1, 2 groups   [ b 0 | b 1 ] [ b 0 | b 1 ]     low bit
//     last pass           [  ] [  ] [  ] [  ]             order within each tile

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail::schedule {

/// One level. It distributes the elements in each group of tiles to buckets. The buckets are the groups of the next
/// level.
struct Level {
  int group_bits;   // a group has 2^group_bits tiles
  int bucket_bits;  // a group has 2^bucket_bits buckets

  KOKKOS_FUNCTION std::uint64_t buckets() const { return std::uint64_t{1} << bucket_bits; }

  /// Returns the bucket, within its group, for an element whose destination is in `tile`.
  KOKKOS_FUNCTION std::uint32_t bucket(std::uint64_t tile) const {
    std::uint64_t const in_group = tile & ((std::uint64_t{1} << group_bits) - 1);
    return static_cast<std::uint32_t>(in_group >> (group_bits - bucket_bits));
  }

  /// Returns the index of the count for (tile, bucket): the number of elements in `tile` that move to `bucket`. Counts
  /// are sorted by group, then by bucket, then by tile. Therefore an exclusive scan over all counts gives, for each
  /// run, the index in the array at which the run begins.
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

/// The tiles of an array; the last one may be shorter.
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

/// Returns the minimum number of levels such that each has at most 2^max_bits buckets. The digits have lengths that are
/// as even as possible. The first levels have the shorter digits, because their buckets are farthest apart in memory.
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
//
// A pass sorts the elements of a tile stably by bucket; the position of an element is its index in this order. The
// elements that move to one bucket form a run: they have consecutive positions in the tile, and, after the pass,
// consecutive indices in the array.
//
//     elements of the tile     d0 a0 c0 d1 a1 c1 a2          letters: buckets
//     by position              a0 a1 a2 c0 c1 d0 d1
//     run heads                 1  0  0  1  0  1  0          one bit for each position
//     offset of a run          index in the array of its first element - its first position

/// The run heads among 32 consecutive positions. Bit k of `mask` says whether a run begins at position k. `before` is
/// the number of runs in the tile that begin before these positions.
struct Heads {
  std::uint32_t mask;
  std::uint32_t before;

  /// Returns the number, within the tile, of the run that contains position `lane` of the 32 positions.
  KOKKOS_FUNCTION std::uint32_t run(int lane) const {
    std::uint32_t const up_to = mask & (~std::uint32_t{0} >> (backend::width - 1 - lane));
    return before + static_cast<std::uint32_t>(backend::count_ones(up_to)) - 1;
  }
};

/// The arrays of a pass. The last pass has no runs, because each element stays in its tile.
template <class Memory>
struct Pass {
  Tiles tiles;
  /// On a GPU, order(element) is the position, because teams scatter into scratch memory. On a CPU, order(position) is
  /// the element, because threads gather from a tile that is in their caches.
  Kokkos::View<std::uint16_t*, Memory> order;
  /// One entry for every 32 positions, sorted by tile and position.
  Kokkos::View<Heads*, Memory> heads;
  /// offsets(k * runs_per_tile + r) belongs to the r-th non-empty run of tile k. It is the index in the array minus the
  /// position in the tile; this difference is the same for all elements of a run.
  Kokkos::View<std::uint64_t*, Memory> offsets;
  std::uint64_t runs_per_tile = 0;

  KOKKOS_FUNCTION bool has_runs() const { return runs_per_tile > 0; }
  KOKKOS_FUNCTION std::uint64_t heads_per_tile() const { return tiles.size() / backend::width; }

  std::size_t bytes() const {
    return order.span() * sizeof(std::uint16_t) + heads.span() * sizeof(Heads) +
           offsets.span() * sizeof(std::uint64_t);
  }
};

/// Allocates the arrays of a pass without filling them. `runs` is the maximum number of runs in a tile, or 0 for the
/// last pass.
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

/// A plan for n > 0 elements: a pass for each level, then the last pass.
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

/// A plan as a function from an element's index to its final index, callable in GPU kernels.
template <class Memory>
class PlanFunction {
 public:
  /// An upper bound for the number of passes, for any 64-bit n.
  static constexpr int max_passes = 8;

  explicit PlanFunction(Plan<Memory> const& plan) : count_(static_cast<int>(plan.passes.size())) {
    for (int k = 0; k < count_; ++k) passes_[k] = plan.passes[static_cast<std::size_t>(k)];
  }

  /// Returns the final index of element i. Complexity: up to three random reads per pass.
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
