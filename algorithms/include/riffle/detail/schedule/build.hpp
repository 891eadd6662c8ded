#pragma once

// A plan from a permutation that has been checked.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include <riffle/detail/range.hpp>
#include <riffle/detail/scan/gpu.hpp>
#include <riffle/detail/schedule/cpu_build.hpp>
#include <riffle/detail/schedule/cpu_move.hpp>
#include <riffle/detail/schedule/gpu_build.hpp>
#include <riffle/detail/schedule/gpu_tile.hpp>
#include <riffle/detail/schedule/plan.hpp>
#include <riffle/detail/stored_indices.hpp>
#include <riffle/lanes.hpp>
#include <riffle/monoid.hpp>
#include <riffle/scan.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail::schedule {

/// Of the last pass, where all elements are in their tiles.
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

/// The size of tiles, and how many buckets a level has at most.
struct Shape {
  int tile_bits;
  int most_bucket_bits;
};

template <class Exec>
constexpr Shape default_shape() {
  if (lanes::has_vector_threads<Exec>) return {CpuTile::bits, CpuTile::most_bucket_bits};
  return {GpuTile::bits, GpuTile::most_bucket_bits};
}

template <class Exec>
class Builder {
 public:
  using Memory = typename Exec::memory_space;

  /// A CPU takes any shape of at most 16 bits, a GPU its own.
  Builder(std::string const& label, Exec const& exec, Workspace<Exec>& workspace,
          Shape const& shape = default_shape<Exec>())
      : label_(label), exec_(exec), workspace_(workspace), shape_(shape) {}

  /// Of a permutation of n > 0.
  template <class Permutation>
  Plan<Memory> build(Permutation const& p) const {
    std::uint64_t const n = p.extent(0);
    if (n <= std::uint64_t{1} << 32) return build_with<std::uint32_t>(n, p);
    return build_with<std::uint64_t>(n, p);
  }

 private:
  template <class Index, class Permutation>
  Plan<Memory> build_with(std::uint64_t n, Permutation const& p) const {
    using Moved = Kokkos::View<Index*, Memory>;
    Plan<Memory> plan;
    plan.tiles = {n, shape_.tile_bits};
    auto const levels = levels_of(plan.tiles.count(), shape_.most_bucket_bits);
    auto const array_where = [&](bool is_needed) {
      return Moved(
          Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, label_ + "::destinations"),
          is_needed ? n : 0);
    };
    // In turns: level k writes array k % 2.
    Moved const moved[] = {array_where(levels.size() > 0), array_where(levels.size() > 1)};
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if (k == 0) {
        add_level(plan, levels[k], StoredIndices<Permutation>{p}, moved[0]);
      } else {
        add_level(plan, levels[k], StoredIndices<Moved>{moved[(k - 1) % 2]}, moved[k % 2]);
      }
    }
    if (levels.empty()) {
      add_last(plan, StoredIndices<Permutation>{p});
    } else {
      add_last(plan, StoredIndices<Moved>{moved[(levels.size() - 1) % 2]});
    }
    return plan;
  }

  template <class Destinations, class Moved>
  void add_level(Plan<Memory>& plan, Level const& level, Destinations const& destinations,
                 Moved const& moved) const {
    Tiles const& tiles = plan.tiles;
    auto const pass = make_pass<Memory>(label_, exec_, tiles, level.buckets());
    // Zero, since a group need not have all its tiles.
    Kokkos::View<std::uint64_t*, Memory> const counts(
        Kokkos::view_alloc(exec_, label_ + "::counts"), level.count_places(tiles.count()));
    if constexpr (lanes::has_vector_threads<Exec>) {
      auto const all = dynamic_range(exec_, 0, tiles.count());
      Kokkos::parallel_for(
          label_ + "::count", all,
          CountBucketsOfTile<Destinations, Memory>{tiles, level, destinations, counts});
      exclusive_scan(label_ + "::scan", exec_, counts, counts, Sum<std::uint64_t>{},
                     std::uint64_t{0}, workspace_);
      Kokkos::parallel_for(label_ + "::place", all,
                           PlaceBucketsOfTile<Destinations, Moved, Memory>{level, destinations,
                                                                           counts, pass, moved});
    } else {
      scan::launch_tiles(label_ + "::count", exec_, tiles.count(),
                         CountBuckets<Destinations, Memory>{tiles, level, destinations, counts});
      exclusive_scan(label_ + "::scan", exec_, counts, counts, Sum<std::uint64_t>{},
                     std::uint64_t{0}, workspace_);
      scan::launch_tiles(
          label_ + "::place", exec_, tiles.count(),
          PlaceBuckets<Destinations, Moved, Memory>(level, destinations, counts, pass, moved));
    }
    plan.passes.push_back(pass);
  }

  template <class Destinations>
  void add_last(Plan<Memory>& plan, Destinations const& destinations) const {
    auto const pass = make_pass<Memory>(label_, exec_, plan.tiles, 0);
    Kokkos::parallel_for(
        label_ + "::last", range(exec_, 0, plan.tiles.n),
        SetOrder<Destinations, Memory, lanes::has_vector_threads<Exec>>{destinations, pass});
    plan.passes.push_back(pass);
  }

  std::string const& label_;
  Exec const& exec_;
  Workspace<Exec>& workspace_;
  Shape shape_;
};

}  // namespace riffle::detail::schedule
