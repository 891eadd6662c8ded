# What Riffle stands on. The library itself needs Kokkos and Boost's headers (Boost.Math); its programs look for their own packages.
# Eigen is needed by linear models alone: where it is not found, all other headers work without it.

find_package(Kokkos 4.6 REQUIRED)
find_package(Boost 1.74 CONFIG REQUIRED)
find_package(Eigen3 3.4 QUIET NO_MODULE)

# The room mpi/ alone needs MPI, and NCCL where it is asked for.
if(RIFFLE_ENABLE_MPI)
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(RIFFLE_ENABLE_NCCL)
  find_path(NCCL_INCLUDE_DIR nccl.h REQUIRED)
  find_library(NCCL_LIBRARY nccl REQUIRED)
endif()

list(JOIN Kokkos_DEVICES ", " devices)
set(with_mpi "no MPI")
if(MPI_CXX_FOUND)
  set(with_mpi "MPI ${MPI_CXX_VERSION}")
endif()
message(STATUS "Riffle ${PROJECT_VERSION}: Kokkos ${Kokkos_VERSION} (${devices}), ${with_mpi}")

# riffle::monte_carlo multiplies by Kokkos Kernels where it is found.
include(RiffleKernels)
set(riffle_kokkos_kernels)
if(RIFFLE_ENABLE_KERNELS)
  riffle_find_kokkos_kernels(riffle_kokkos_kernels)
endif()
