#pragma once

// Scratch memory of a team in addition to its matrices, for functions that all warps of the team
// call together, each for its own matrix (part of bank_processors.hpp).

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>

namespace riffle::detail {

inline constexpr std::size_t processors_scratch_alignment = 8;

/// The number of matrices that a team of `team_size` threads works on at a time.
template <class Exec>
KOKKOS_FUNCTION constexpr std::size_t matrices_of_team(int team_size) {
  return static_cast<std::size_t>(team_size / bank_processor_threads<Exec>);
}

/// The number of bytes of scratch memory for a team whose matrices take `bytes` each.
template <class Exec>
KOKKOS_FUNCTION constexpr std::size_t processors_scratch_bytes(int team_size, std::size_t bytes) {
  return matrices_of_team<Exec>(team_size) * bytes + processors_scratch_alignment;
}

template <class Member>
KOKKOS_FUNCTION bool is_of_whole_warps(Member const& member) {
  return member.team_size() % bank_processor_threads<typename Member::execution_space> == 0;
}

/// Memory of `bytes` for the caller's matrix, or null if there is too little for the whole team. It
/// is valid until the calling function returns: a copy of the scratch space, which is then dropped,
/// takes it after the caller's own Views.
///
/// Barrier: the calling function must have a team barrier before it returns. The beginning of a
/// warp's memory depends on `bytes`, so that the next call of a fast warp might otherwise write
/// where a slow warp still reads.
template <class Member>
KOKKOS_FUNCTION std::byte* processors_scratch(Member const& member, std::size_t bytes,
                                              int level = 0) {
  constexpr int threads = bank_processor_threads<typename Member::execution_space>;
  auto const matrices = static_cast<std::size_t>(member.team_size() / threads);
  auto const scratch = member.team_scratch(level);
  auto* const all = static_cast<std::byte*>(scratch.get_shmem_aligned(
      bytes * matrices, static_cast<std::ptrdiff_t>(processors_scratch_alignment)));
  if (all == nullptr) return nullptr;
  return all + bytes * static_cast<std::size_t>(member.team_rank() / threads);
}

}  // namespace riffle::detail
