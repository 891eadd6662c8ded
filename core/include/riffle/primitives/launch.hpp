#pragma once

// Kernels of teams: what they declare, their launch, and which team of a launch is the last to end.

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>

namespace riffle::detail {

/// The scratch memory that any Kokkos gives a team, less what Kokkos keeps for itself. With more, fewer teams would run
/// side by side.
inline constexpr std::size_t max_scratch_bytes = std::size_t{47} << 10;

/// The scratch memory that any Kokkos gives a team of so many threads: 48 KiB, less 8 bytes for each thread and 16 more,
/// which Kokkos keeps for its own reductions.
constexpr std::size_t max_scratch_bytes_of(int threads) {
  return (std::size_t{48} << 10) - 8 * (static_cast<std::size_t>(threads) + 2);
}

/// The scratch memory that team_state asks for.
template <class State>
inline constexpr std::size_t team_state_bytes = sizeof(State) + 16;

/// The state that the threads of a team share, at the beginning of its scratch memory.
template <class State>
KOKKOS_INLINE_FUNCTION State& team_state(auto const& team) {
  return *static_cast<State*>(team.team_scratch(0).get_shmem_aligned(sizeof(State), 16));
}

/// The most scratch memory of a level that a team of `threads` threads can have.
template <class Bounds, class Exec>
std::size_t max_team_scratch_bytes(Exec const& exec, int threads, int level = 0) {
  Kokkos::TeamPolicy<Exec, Bounds> const policy(exec, 1, threads);
  return static_cast<std::size_t>(policy.scratch_size_max(level));
}

/// A number of teams, the threads of each, and the scratch memory of each.
struct League {
  std::uint64_t teams;
  int threads;
  std::size_t scratch_bytes = 0;
  int scratch_level = 0;
};

/// A kernel with large tables, which travel as the launch's own arguments: through constant memory a launch would wait
/// for the one before.
template <class Kernel>
concept HasLargeTables = requires {
  requires Kernel::has_large_tables;
};

/// Launches a kernel with a league. Bounds is a Kokkos::LaunchBounds.
template <class Bounds = Kokkos::LaunchBounds<>, class Exec, class Kernel>
void launch_league(Context<Exec> const& context, League const& league, Kernel const& kernel) {
  using Policy = Kokkos::TeamPolicy<Exec, Bounds>;
  Policy policy(context.exec(), static_cast<int>(league.teams), league.threads);
  policy.set_scratch_size(league.scratch_level,
                          Kokkos::PerTeam(static_cast<int>(league.scratch_bytes)));
  if constexpr (HasLargeTables<Kernel>) {
    constexpr auto light = Kokkos::Experimental::WorkItemProperty::HintLightWeight;
    Kokkos::parallel_for(context.label(), Kokkos::Experimental::require(policy, light), kernel);
  } else {
    Kokkos::parallel_for(context.label(), policy, kernel);
  }
}

/// A kernel of teams that declares, for the compiler, how many threads a team has, how many teams are to run on a
/// multiprocessor at a time (which limits the registers of each thread), and how many bytes of scratch memory each team
/// takes.
template <class Kernel>
concept TeamKernel = requires {
  { Kernel::threads } -> std::convertible_to<int>;
  { Kernel::teams_per_processor } -> std::convertible_to<int>;
  { Kernel::scratch_bytes } -> std::convertible_to<std::size_t>;
};

/// Launches such a kernel. It may take less scratch memory than it declares, where that depends on what is known only
/// now. On a CPU, where such a kernel runs to be tested and compared, a team is one thread.
template <TeamKernel Kernel, class Exec>
void launch_teams(Context<Exec> const& context, std::uint64_t teams, Kernel const& kernel,
                  std::size_t scratch_bytes = Kernel::scratch_bytes) {
  using Bounds =
      backend::TeamBounds<Kernel::threads, Kernel::teams_per_processor, Kernel::scratch_bytes>;
  int const threads = backend::is_cpu<Exec> ? 1 : int{Kernel::threads};
  launch_league<Bounds>(context, {teams, threads, scratch_bytes}, kernel);
}

/// launch(part, teams, kernel), which launches a kernel as a part of the call of `context`. The context outlives it.
template <class Exec>
auto launcher_of(Context<Exec> const& context) {
  return [&context](char const* part, int teams, auto const& kernel) {
    launch_teams(context.named(part), static_cast<std::uint64_t>(teams), kernel);
  };
}

/// Tells which team of a launch is the last to end: it finds all that the others have written, and no team waits for
/// another. Counts the teams that have ended in a word that is zero before and after each launch: the one that look-backs count
/// in, too (riffle/primitives/look_back.hpp).
class LastTeam {
 public:
  static constexpr std::size_t scratch_bytes = 16 + 16;

  /// The words of the workspace that it takes.
  static constexpr std::size_t words = 2;

  template <class Exec>
  explicit LastTeam(Context<Exec> const& context)
      : LastTeam(context.workspace().messages(context.label(), context.exec(), words)) {}
  explicit LastTeam(std::uint64_t* memory) : ended_(memory + 1) {}

  /// Whether all other teams of the launch have called this before. All threads of each team call it once, when the team
  /// has written what the last one reads.
  template <class Member>
  KOKKOS_FUNCTION bool is_this_team(Member const& team) const {
    auto* const is_last =
        static_cast<bool*>(team.team_scratch(0).get_shmem_aligned(sizeof(bool), 16));
    Kokkos::memory_fence();
    team.team_barrier();
    if (team.team_rank() == 0) {
      auto const teams = static_cast<std::uint64_t>(team.league_size());
      *is_last = Kokkos::atomic_fetch_add(ended_, std::uint64_t{1}) + 1 == teams;
      if (*is_last) *ended_ = 0;
    }
    team.team_barrier();
    if (!*is_last) return false;
    Kokkos::memory_fence();
    return true;
  }

 private:
  std::uint64_t* ended_;
};

}  // namespace riffle::detail
