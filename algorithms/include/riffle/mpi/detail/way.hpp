#pragma once

// How data go from the memory of an execution space to that of another rank.

#include <mpi.h>

#include <Kokkos_Core.hpp>

// Where MPI tells whether it can read a GPU's memory, it is in a header of its own.
#if defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/nccl.hpp>

namespace riffle::detail::mpi {

/// Whether MPI says that it takes addresses of a GPU's memory. One that does not say so may still take them:
/// Transport::direct tells it to.
inline bool is_gpu_aware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

/// Whether MPI can be given addresses in the memory of Exec.
template <class Exec>
bool is_direct(riffle::mpi::Communicator const& comm) {
  using riffle::mpi::Transport;
  constexpr bool is_on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
  switch (comm.options().transport) {
    case Transport::direct: return true;
    case Transport::staged: return false;
    default: return is_on_host || is_gpu_aware();
  }
}

/// Whether NCCL transfers between memories of Exec, enqueued on the instance.
template <class Exec>
bool is_by_nccl([[maybe_unused]] riffle::mpi::Communicator const& comm) {
#if defined(RIFFLE_ENABLE_NCCL)
  return HasStream<Exec> && comm.options().transport == riffle::mpi::Transport::nccl;
#else
  return false;
#endif
}

/// That of Exec's. Ranks cut what they send into pieces, and gather blocks, by their way: all must have one.
template <class Exec>
Way way_of(riffle::mpi::Communicator const& comm) {
  if (is_by_nccl<Exec>(comm)) return Way::nccl;
  return is_direct<Exec>(comm) ? Way::direct : Way::staged;
}

}  // namespace riffle::detail::mpi
