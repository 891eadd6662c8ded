#pragma once

// How a team's warps walk over all tiles of variables, each with replicates of its own.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/running_maxima.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_shape.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/window_counts.hpp>
#include <riffle/monte_carlo/detail/variables/tile_counts.hpp>
#include <riffle/primitives/launch.hpp>

namespace riffle::detail::variables {

/// A kernel's part in it: what a warp keeps in scratch memory, `OfWarp`, and
///   kernel.of_warp(part), with
///     count_tile(tile, in_window), which counts a tile's comparands, and
///     end_window(), behind a window's last tile.
template <class Shape_, class OfWarp>
struct TileWalk {
  using Shape = Shape_;
  static constexpr int threads = 128;
  static constexpr int warps = threads / backend::width;
  static constexpr int tiles_of_window = WindowCounts::variables / Shape::variables;

  struct State {
    WindowCounts window;
    RunningMaximum maxima[warps][Shape::replicates];
    OfWarp of_warp[warps];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  /// What a warp has to do.
  template <class Member>
  struct Part {
    Member const& team;
    std::uint64_t chunk;
    int lane;
    WindowCounts& window;
    RunningMaxima& maxima;
    OfWarp& own;

    /// The first count of a tile's variables.
    KOKKOS_FUNCTION std::uint32_t* raw_of_tile(int in_window) const {
      return window.raw + in_window * Shape::variables;
    }
  };

  static std::uint64_t teams(std::uint64_t replicates) {
    constexpr std::uint64_t of_team = warps * Shape::replicates;
    return (replicates + of_team - 1) / of_team;
  }

  /// `terms` are those of all tiles.
  template <class Kernel, class Member>
  KOKKOS_FORCEINLINE_FUNCTION static void run(Kernel const& kernel, Member const& team,
                                              TileCounts const& counts, TileTerms const* terms,
                                              std::uint64_t tiles) {
    State& state = team_state<State>(team);
    int const rank = team.team_rank();
    int const lane = rank % backend::width;
    int const warp = rank / backend::width;
    std::uint64_t const chunk =
        static_cast<std::uint64_t>(team.league_rank()) * warps + static_cast<std::uint64_t>(warp);
    std::uint64_t const first = chunk * Shape::replicates;
    std::uint64_t const left = counts.replicates > first ? counts.replicates - first : 0;
    auto const own = static_cast<int>(Kokkos::min<std::uint64_t>(left, Shape::replicates));
    RunningMaxima maxima(lane, own, state.maxima[warp], state.window, terms,
                         static_cast<std::uint32_t>(tiles * Shape::variables));
    state.window.clear(rank, threads);
    team.team_barrier();
    maxima.begin();
    // A warp without replicates looks at those of the first: it must meet the others.
    auto of_warp = kernel.of_warp(
        Part<Member>{team, left > 0 ? chunk : 0, lane, state.window, maxima, state.of_warp[warp]});
    for (std::uint64_t begin = 0; begin < tiles; begin += tiles_of_window) {
      auto const in_window =
          static_cast<int>(Kokkos::min<std::uint64_t>(tiles_of_window, tiles - begin));
      std::uint64_t const place = begin * Shape::variables;
      maxima.begin_window(static_cast<std::uint32_t>(place), counts.step_down);
      RIFFLE_NO_UNROLL
      for (int t = 0; t < in_window; ++t) {
        of_warp.count_tile(begin + static_cast<std::uint64_t>(t), t);
      }
      of_warp.end_window();
      team.team_barrier();
      state.window.add_to(counts.raw + place, counts.step_down + place,
                          in_window * Shape::variables, rank, threads);
      team.team_barrier();
      state.window.clear(rank, threads);
      team.team_barrier();
    }
    maxima.finish(counts.maxima + first);
  }
};

}  // namespace riffle::detail::variables
