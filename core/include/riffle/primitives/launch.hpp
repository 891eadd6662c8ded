#pragma once

// Kernels of teams: the constants that such kernels declare, how the kernels are launched, and how a kernel finds out
// which of its teams ends last.

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>

namespace riffle::detail {

/// The maximum number of bytes of level-0 scratch memory that a team may take, on every back end, in addition to the
/// bytes that Kokkos reserves for itself. If a team took more, fewer teams would run at a time.
inline constexpr std::size_t max_scratch_bytes = std::size_t{47} << 10;

/// The maximum number of bytes of level-0 scratch memory for a team of `threads` threads: 48 KiB minus Kokkos's
/// reservation for reductions, which is 8 bytes per thread and 16 bytes.
constexpr std::size_t max_scratch_bytes_of(int threads) {
  return (std::size_t{48} << 10) - 8 * (static_cast<std::size_t>(threads) + 2);
}

/// The bytes of scratch memory that team_state needs, including alignment.
template <class State>
inline constexpr std::size_t team_state_bytes = sizeof(State) + 16;

/// Returns the state that the threads of a team share. It is the first array in the team's scratch memory, and
/// uninitialized.
template <class State>
KOKKOS_INLINE_FUNCTION State& team_state(auto const& team) {
  return *static_cast<State*>(team.team_scratch(0).get_shmem_aligned(sizeof(State), 16));
}

/// Returns the maximum number of bytes of scratch memory at the given level for a team of `threads` threads.
template <class Bounds, class Exec>
std::size_t max_team_scratch_bytes(Exec const& exec, int threads, int level = 0) {
  Kokkos::TeamPolicy<Exec, Bounds> const policy(exec, 1, threads);
  return static_cast<std::size_t>(policy.scratch_size_max(level));
}

/// The number of teams, the number of threads per team, and the bytes of scratch memory per team.
struct League {
  std::uint64_t teams;
  int threads;
  std::size_t scratch_bytes = 0;
  int scratch_level = 0;
};

/// A kernel with large tables. The tables are passed as launch arguments. If Kokkos passed them through constant
/// memory, a launch would wait for the previous kernel.
template <class Kernel>
concept HasLargeTables = requires {
  requires Kernel::has_large_tables;
};

/// Launches a kernel on a league. Bounds is a Kokkos::LaunchBounds.
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

/// A kernel of teams that declares constants for the compiler: `threads`, the number of threads of a team; the number
/// of teams that should run on a multiprocessor at a time (it limits the registers per thread); and `scratch_bytes`,
/// the bytes of scratch memory per team.
template <class Kernel>
concept TeamKernel = requires {
  { Kernel::threads } -> std::convertible_to<int>;
  { Kernel::teams_per_processor } -> std::convertible_to<int>;
  { Kernel::scratch_bytes } -> std::convertible_to<std::size_t>;
};

/// Launches a TeamKernel. `scratch_bytes` may be less than the kernel declares, if the size depends on values that are
/// known only at run time. On a CPU, where these kernels run only in tests and comparisons, a team has one thread.
template <TeamKernel Kernel, class Exec>
void launch_teams(Context<Exec> const& context, std::uint64_t teams, Kernel const& kernel,
                  std::size_t scratch_bytes = Kernel::scratch_bytes) {
  using Bounds =
      backend::TeamBounds<Kernel::threads, Kernel::teams_per_processor, Kernel::scratch_bytes>;
  int const threads = backend::is_cpu<Exec> ? 1 : int{Kernel::threads};
  launch_league<Bounds>(context, {teams, threads, scratch_bytes}, kernel);
}

/// Returns a function launch(part, teams, kernel) that launches a TeamKernel under the label of `context` with `part`
/// appended. Requires that the context outlives the function.
template <class Exec>
auto launcher_of(Context<Exec> const& context) {
  return [&context](char const* part, int teams, auto const& kernel) {
    launch_teams(context.named(part), static_cast<std::uint64_t>(teams), kernel);
  };
}

/// Determines which team of a launch ends last. The last team sees all writes of the other teams; no team waits for
/// another. A word of the workspace counts the teams that have ended. The word is zero before and after each launch, so
/// look-backs can use the same word as a counter (riffle/primitives/look_back.hpp).
class LastTeam {
 public:
  static constexpr std::size_t scratch_bytes = 16 + 16;

  /// The number of words of Workspace::messages that a LastTeam needs.
  static constexpr std::size_t words = 2;

  template <class Exec>
  explicit LastTeam(Context<Exec> const& context)
      : LastTeam(context.workspace().messages(context.label(), context.exec(), words)) {}
  explicit LastTeam(std::uint64_t* memory) : ended_(memory + 1) {}

  /// Returns whether all other teams of the launch have already called this function. All threads of each team must
  /// call it once, after the team has written the data that the last team reads. Contains two team barriers.
  template <class Member>
  KOKKOS_FUNCTION bool is_this_team(Member const& team) const {
    auto* const is_last =
        static_cast<bool*>(team.team_scratch(0).get_shmem_aligned(sizeof(bool), 16));
    backend::release_fence();
    team.team_barrier();
    if (team.team_rank() == 0) {
      auto const teams = static_cast<std::uint64_t>(team.league_size());
      *is_last = Kokkos::atomic_fetch_add(ended_, std::uint64_t{1}) + 1 == teams;
      if (*is_last) backend::store_relaxed(ended_, 0);
    }
    team.team_barrier();
    if (!*is_last) return false;
    backend::acquire_fence();
    return true;
  }

 private:
  std::uint64_t* ended_;
};

}  // namespace riffle::detail
