#pragma once

// How a team's warps walk over all tiles of variables, each with replicates of its own.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/kernel/launch.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_counter.hpp>
#include <riffle/monte_carlo/detail/variables/tile_counts.hpp>

namespace riffle::detail::variables {

template <class Shape>
struct TileWalk {
  static constexpr int threads = 128;
  static constexpr int warps = threads / lanes::width;

  struct State {
    WindowCounts<Shape> window;
    double maxima[warps][Shape::replicates];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  static std::uint64_t teams(std::uint64_t replicates) {
    constexpr std::uint64_t of_team = warps * Shape::replicates;
    return (replicates + of_team - 1) / of_team;
  }

  /// count_tile(tile, counter) counts all of a tile's comparands; prepare(chunk) makes it for a chunk of a warp's
  /// replicates.
  template <class Member, class Prepare>
  KOKKOS_FORCEINLINE_FUNCTION static void run(Member const& team, TileCounts const& counts,
                                              std::uint64_t tiles, Prepare const& prepare) {
    State& state = team_state<State>(team);
    int const lane = team.team_rank() % lanes::width;
    int const warp = team.team_rank() / lanes::width;
    std::uint64_t const chunk =
        static_cast<std::uint64_t>(team.league_rank()) * warps + static_cast<std::uint64_t>(warp);
    std::uint64_t const first = chunk * Shape::replicates;
    std::uint64_t const left = counts.replicates > first ? counts.replicates - first : 0;
    TileCounter<Shape> counter(
        lane, state.maxima[warp],
        static_cast<int>(Kokkos::min<std::uint64_t>(left, Shape::replicates)));
    state.window.clear(team.team_rank(), threads);
    team.team_barrier();
    // A warp without replicates looks at those of the first: it must meet the others.
    auto count_tile = prepare(left > 0 ? chunk : 0, lane);
    constexpr int window = WindowCounts<Shape>::tiles;
    for (std::uint64_t begin = 0; begin < tiles; begin += window) {
      auto const in_window = static_cast<int>(Kokkos::min<std::uint64_t>(window, tiles - begin));
      RIFFLE_NO_UNROLL
      for (int t = 0; t < in_window; ++t) {
        count_tile(begin + static_cast<std::uint64_t>(t), counter);
        counter.end_tile(state.window, t);
      }
      team.team_barrier();
      std::uint64_t const place = begin * Shape::variables;
      state.window.add_to(counts.raw + place, counts.step_down + place,
                          in_window * Shape::variables, team.team_rank(), threads);
      team.team_barrier();
      state.window.clear(team.team_rank(), threads);
      team.team_barrier();
    }
    if (left > 0) counter.store_maxima(counts.maxima + first);
  }
};

}  // namespace riffle::detail::variables
