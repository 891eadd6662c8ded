# What Riffle stands on. The library itself needs Kokkos and Boost's headers (Boost.Math); its programs look for their own packages.
# Eigen is needed by linear models alone: where it is not found, all other headers work without it.

find_package(Kokkos 4.6 REQUIRED)
find_package(Boost 1.74 CONFIG REQUIRED)
find_package(Eigen3 3.4 QUIET NO_MODULE)

list(JOIN Kokkos_DEVICES ", " devices)
message(STATUS "Riffle ${PROJECT_VERSION}: Kokkos ${Kokkos_VERSION} (${devices})")

# For riffle::kernels, which is not where Kokkos Kernels is not.
include(RiffleKernels)
set(riffle_kokkos_kernels)
if(RIFFLE_ENABLE_KERNELS)
  riffle_find_kokkos_kernels(riffle_kokkos_kernels)
endif()
