// What the compiler of a device that Riffle has no kernels for reads of Riffle's headers: Kokkos shows it what is
// marked for devices, and hides what is for hosts. It must know all names there, as an unknown device knows none of
// CUDA's.

#include <Kokkos_Core.hpp>

#if !defined(KOKKOS_ENABLE_CUDA)
#undef KOKKOS_IF_ON_HOST
#undef KOKKOS_IF_ON_DEVICE
#define RIFFLE_SHOWN(...) __VA_ARGS__
#define KOKKOS_IF_ON_HOST(CODE)
#define KOKKOS_IF_ON_DEVICE(CODE) RIFFLE_SHOWN CODE
#endif

#include <riffle_headers.hpp>
