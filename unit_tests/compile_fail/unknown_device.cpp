// Riffle's headers must compile for a device that Riffle has no kernels for. Kokkos's macros then keep the code that is
// marked for devices, and leave out the code for hosts; the former may use no name of CUDA's.

#include <Kokkos_Core.hpp>

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#undef KOKKOS_IF_ON_HOST
#undef KOKKOS_IF_ON_DEVICE
#define RIFFLE_SHOWN(...) __VA_ARGS__
#define KOKKOS_IF_ON_HOST(CODE)
#define KOKKOS_IF_ON_DEVICE(CODE) RIFFLE_SHOWN CODE
#endif

#include <riffle_headers.hpp>
