# The packages that Riffle needs. The library needs Kokkos and Boost's headers (Boost.Math); the programs look for their own
# packages. Only the linear models of riffle::monte_carlo need Eigen: compiled without it, they throw.

find_package(Kokkos 4.6 REQUIRED)
find_package(Boost 1.74 CONFIG REQUIRED)
find_package(Eigen3 3.4 QUIET NO_MODULE)

# Only the module mpi needs MPI, and NCCL if RIFFLE_ENABLE_NCCL is ON.
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

# riffle::monte_carlo multiplies matrices by Kokkos Kernels, if it is found.
include(RiffleKernels)
set(riffle_kokkos_kernels)
if(RIFFLE_ENABLE_KERNELS)
  riffle_find_kokkos_kernels(riffle_kokkos_kernels)
endif()
