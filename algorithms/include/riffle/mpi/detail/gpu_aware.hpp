#pragma once

#include <mpi.h>

// Where MPI tells whether it can read a GPU's memory, it is in a header of its own.
#if defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

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

}  // namespace riffle::detail::mpi
