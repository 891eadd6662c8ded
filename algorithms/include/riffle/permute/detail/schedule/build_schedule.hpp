#pragma once

// Builds a plan from a permutation that has been checked.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/permute/detail/schedule/cpu/schedule_cpu.hpp>
#include <riffle/permute/detail/schedule/gpu/build_schedule_gpu.hpp>
#include <riffle/permute/detail/schedule/gpu/tile_kernel.hpp>
#include <riffle/permute/detail/schedule/plan.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/scan.hpp>

namespace riffle::detail::schedule {

/// Fills the order of the last pass. Before this pass, every element is already in the tile of its destination. If
/// ByPosition (on a CPU), order(position) is the element; otherwise (on a GPU), order(element) is the position.
template <class Destinations, class Memory, bool ByPosition>
struct SetOrder {
  Destinations destinations;
  Pass<Memory> pass;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const to = destinations(i);
    std::uint64_t const in_tile = pass.tiles.size() - 1;
    if constexpr (ByPosition) {
      pass.order(to) = static_cast<std::uint16_t>(i & in_tile);
    } else {
      pass.order(i) = static_cast<std::uint16_t>(to & in_tile);
    }
  }
};

template <class Exec>
constexpr Shape default_shape() {
  return backend::is_cpu<Exec> ? cpu_shape : gpu_shape;
}

template <class Exec>
class Builder {
 public:
  using Memory = typename Exec::memory_space;

  /// Requires: on a CPU, shape.tile_bits <= 16; on a GPU, the shape is gpu_shape.
  Builder(Context<Exec> const& context, Shape const& shape = default_shape<Exec>())
      : context_(context), shape_(shape) {}

  /// Returns the plan of p. Requires that p is a permutation of n > 0 elements.
  template <class Permutation>
  Plan<Memory> build(Permutation const& p) const {
    std::uint64_t const n = p.extent(0);
    return with_index_type(n, [&]<class Index>(Index) { return build_with<Index>(n, p); });
  }

 private:
  using Counts = Kokkos::View<std::uint64_t*, Memory>;

  /// The temporary memory: two arrays of destinations, and the counts for one level. Level k writes array k % 2. It
  /// reads the other array, except that level 0 reads p.
  template <class Index>
  struct Temporaries {
    Index* moved[2];
    std::uint64_t* counts;
  };

  template <class Index>
  Temporaries<Index> temporaries(Scope<Exec>& scope, Tiles const& tiles,
                                 std::vector<Level> const& levels) const {
    std::uint64_t max_counts = 0;
    for (Level const& level : levels) {
      max_counts = std::max(max_counts, level.count_places(tiles.count()));
    }
    return scope.arrays([&](ArrayMemory& memory) -> Temporaries<Index> {
      return {{memory.take<Index>(levels.size() > 0 ? tiles.n : 0),
               memory.take<Index>(levels.size() > 1 ? tiles.n : 0)},
              memory.take<std::uint64_t>(max_counts)};
    });
  }

  template <class Index, class Permutation>
  Plan<Memory> build_with(std::uint64_t n, Permutation const& p) const {
    using Moved = Kokkos::View<Index*, Memory>;
    Plan<Memory> plan;
    plan.tiles = {n, shape_.tile_bits};
    auto const levels = levels_of(plan.tiles.count(), shape_.max_bucket_bits);
    Scope scope(context_);
    auto const own = temporaries<Index>(scope, plan.tiles, levels);
    Moved const moved[] = {Moved(own.moved[0], n), Moved(own.moved[1], n)};
    for (std::size_t k = 0; k < levels.size(); ++k) {
      Counts const counts(own.counts, levels[k].count_places(plan.tiles.count()));
      auto const pass = make_pass(context_, plan.tiles, levels[k].buckets());
      if (k == 0) {
        fill_level(pass, levels[k], StoredIndices<Permutation>{p}, moved[0], counts);
      } else {
        fill_level(pass, levels[k], StoredIndices<Moved>{moved[(k - 1) % 2]}, moved[k % 2], counts);
      }
      plan.passes.push_back(pass);
    }
    auto const last = make_pass(context_, plan.tiles, 0);
    if (levels.empty()) {
      fill_last(last, StoredIndices<Permutation>{p});
    } else {
      fill_last(last, StoredIndices<Moved>{moved[(levels.size() - 1) % 2]});
    }
    plan.passes.push_back(last);
    return plan;
  }

  template <class Destinations, class Moved>
  void fill_level(Pass<Memory> const& pass, Level const& level, Destinations const& destinations,
                  Moved const& moved, Counts const& counts) const {
    Tiles const& tiles = pass.tiles;
    // If the last group is incomplete, `counts` also has entries for tiles that do not exist. These entries must be 0.
    context_.named("zero").for_each(counts.extent(0), FillZero<Counts>{counts});
    if constexpr (backend::is_cpu<Exec>) {
      for_each_dynamic(context_.named("count"), tiles.count(), [=](std::uint64_t tile) {
        auto const found = bucket_counts(pass.tiles, level, destinations, tile);
        for (std::uint64_t b = 0; b < level.buckets(); ++b) {
          counts(level.place_of_count(tile, b)) = found[b];
        }
      });
      exclusive_scan(context_.named("scan"), counts, counts, Sum<std::uint64_t>{},
                     std::uint64_t{0});
      for_each_dynamic(context_.named("place"), tiles.count(),
                       PlaceBucketsOfTile<Destinations, Moved, Memory>{level, destinations, counts,
                                                                       pass, moved});
    } else {
      launch_teams(context_.named("count"), tiles.count(),
                   CountBuckets<Destinations, Memory>{tiles, level, destinations, counts});
      exclusive_scan(context_.named("scan"), counts, counts, Sum<std::uint64_t>{},
                     std::uint64_t{0});
      launch_teams(
          context_.named("place"), tiles.count(),
          PlaceBuckets<Destinations, Moved, Memory>(level, destinations, counts, pass, moved));
    }
  }

  template <class Destinations>
  void fill_last(Pass<Memory> const& pass, Destinations const& destinations) const {
    context_.named("last").for_each(
        pass.tiles.n, SetOrder<Destinations, Memory, backend::is_cpu<Exec>>{destinations, pass});
  }

  Context<Exec> context_;
  Shape shape_;
};

}  // namespace riffle::detail::schedule
