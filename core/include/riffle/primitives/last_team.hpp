#pragma once

// Which team of a launch is the last to end: it finds all that the others have written, and no team waits for another.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>

namespace riffle::detail {

/// Counts the teams that have ended in a word that is zero before and after each launch: the one that look-backs count
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
  KOKKOS_FUNCTION bool is_own(Member const& team) const {
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
