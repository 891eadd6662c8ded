# What Riffle stands on. The library itself needs Kokkos and Boost's headers (Boost.Math); its programs look for their own packages.

find_package(Kokkos 4.6 REQUIRED)
find_package(Boost 1.74 CONFIG REQUIRED)

# Trilinos names the target one way, a build of one's own another.
find_package(KokkosKernels QUIET)
set(RIFFLE_KOKKOS_KERNELS_TARGET "")
foreach(candidate Kokkos::kokkoskernels KokkosKernels::all_libs)
  if(TARGET ${candidate})
    set(RIFFLE_KOKKOS_KERNELS_TARGET ${candidate})
    break()
  endif()
endforeach()

list(JOIN Kokkos_DEVICES ", " devices)
set(kernels no)
if(RIFFLE_KOKKOS_KERNELS_TARGET)
  set(kernels yes)
endif()
message(STATUS "Riffle ${PROJECT_VERSION}: Kokkos ${Kokkos_VERSION} (${devices}), Kokkos Kernels: "
               "${kernels}")
