#pragma once

// Allocates scratch memory, in addition to the caller's matrices, for functions that all warps of a
// team call together. Each warp (on a CPU each thread) works on its own matrix.

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>

namespace riffle::detail {

inline constexpr std::size_t processors_scratch_alignment = 8;

/// Returns the number of matrices on which a team of `team_size` threads works at a time.
template <class Exec>
KOKKOS_FUNCTION constexpr std::size_t matrices_of_team(int team_size) {
  return static_cast<std::size_t>(team_size / bank_processor_threads<Exec>);
}

/// Returns the number of bytes of scratch memory that a team needs if `bytes` bytes are needed for
/// each of its matrices.
template <class Exec>
KOKKOS_FUNCTION constexpr std::size_t processors_scratch_bytes(int team_size, std::size_t bytes) {
  return matrices_of_team<Exec>(team_size) * bytes + processors_scratch_alignment;
}

template <class Member>
KOKKOS_FUNCTION bool is_of_whole_warps(Member const& member) {
  return member.team_size() % bank_processor_threads<typename Member::execution_space> == 0;
}

/// Returns `bytes` bytes of memory for the caller's matrix, or null if there is too little memory
/// for the whole team. The memory is valid until the calling function returns. It is taken after
/// the caller's own Views, from a copy of the scratch space, so that the caller's scratch space
/// does not change.
///
/// Barrier: the calling function must execute a team barrier before it returns. The reason is that
/// the start of a warp's memory depends on `bytes`. Without the barrier, a warp that is already in
/// the next call might write memory that another warp still reads.
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
