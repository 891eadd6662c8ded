#pragma once

// Kokkos's sort by a team, in scratch memory if the tile fits, otherwise in global memory. The number of threads is the one
// that is fastest for random keys.

#include <Kokkos_Core.hpp>
#include <Kokkos_NestedSort.hpp>

#include <cstdint>
#include <vector>

#include "support/sort_tiles.hpp"

namespace perf {

template <bool in_scratch>
struct SortTileByKokkos {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Scratch = Kokkos::View<std::uint32_t*, Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  using Tile = Kokkos::View<std::uint32_t*, Exec, Kokkos::MemoryUnmanaged>;

  TileKeys in;
  TileKeys out;
  std::uint64_t tile;

  KOKKOS_FUNCTION void operator()(Policy::member_type const& team) const {
    std::uint64_t const begin = static_cast<std::uint64_t>(team.league_rank()) * tile;
    Tile const result(out.data() + begin, tile);
    if constexpr (in_scratch) {
      Scratch const keys(team.team_scratch(0), tile);
      copy(team, in.data() + begin, keys.data());
      Kokkos::Experimental::sort_team(team, keys);
      copy(team, keys.data(), result.data());
    } else {
      copy(team, in.data() + begin, result.data());
      Kokkos::Experimental::sort_team(team, result);
    }
  }

 private:
  KOKKOS_FUNCTION void copy(Policy::member_type const& team, std::uint32_t const* from,
                            std::uint32_t* to) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(tile)),
                         [=](int i) { to[i] = from[i]; });
    team.team_barrier();
  }
};

/// A row: see team_sort.cpp.
class KokkosSortTeam {
 public:
  static constexpr char const* name = "KokkosSortTeam";

  explicit KokkosSortTeam(TileProblem const& problem) : problem_(problem) {
    std::vector<int> const sizes =
        runs_on_host ? std::vector<int>{1} : std::vector<int>{128, 256, 512, 1024};
    team_size_ = fastest(problem.exec, sizes, [&](int size) { run(size); });
  }

  void operator()() const { run(team_size_); }

  std::uint32_t threads() const { return merge_threads(problem_.tile); }
  std::uint32_t items() const { return merge_items(problem_.tile); }

 private:
  void run(int team_size) const {
    std::size_t const bytes = SortTileByKokkos<true>::Scratch::shmem_size(problem_.tile);
    using Policy = Kokkos::TeamPolicy<Exec>;
    Policy policy(problem_.exec, static_cast<int>(problem_.tiles()), team_size);
    if (bytes <= static_cast<std::size_t>(Policy::scratch_size_max(0))) {
      policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
      Kokkos::parallel_for("perf::kokkos_sort_team", policy,
                           SortTileByKokkos<true>{problem_.in, problem_.out, problem_.tile});
    } else {
      Kokkos::parallel_for("perf::kokkos_sort_team", policy,
                           SortTileByKokkos<false>{problem_.in, problem_.out, problem_.tile});
    }
  }

  TileProblem problem_;
  int team_size_ = 1;
};

}  // namespace perf
