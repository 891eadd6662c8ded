# What Riffle stands on. The library itself needs Kokkos and Boost's headers (Boost.Math); its programs look for their own packages.

find_package(Kokkos 4.6 REQUIRED)
find_package(Boost 1.74 CONFIG REQUIRED)

list(JOIN Kokkos_DEVICES ", " devices)
message(STATUS "Riffle ${PROJECT_VERSION}: Kokkos ${Kokkos_VERSION} (${devices})")
