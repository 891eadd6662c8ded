#pragma once

// The caches of a CPU, and which back ends run on one. A part of riffle/lanes.hpp, which includes it.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__unix__)
#include <unistd.h>
#endif

namespace riffle::lanes {

/// Whether a kernel on `Exec` has ended when the call that launched it returns, so that the calling
/// thread may as well do the work of a small one itself.
template <class Exec>
inline constexpr bool runs_at_once = false;
#if defined(KOKKOS_ENABLE_SERIAL)
template <>
inline constexpr bool runs_at_once<Kokkos::Serial> = true;
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
template <>
inline constexpr bool runs_at_once<Kokkos::OpenMP> = true;
#endif
#if defined(KOKKOS_ENABLE_THREADS)
template <>
inline constexpr bool runs_at_once<Kokkos::Threads> = true;
#endif

inline constexpr std::size_t cache_line = 64;

/// Has the cache line of a CPU that holds `address`, which need not exist, brought nearer.
inline void prefetch_line([[maybe_unused]] void const* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

/// The bytes of the CPU's outermost cache, or a common size where the system does not tell.
inline std::size_t last_level_cache() {
  static std::size_t const bytes = [] {
    long known = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
    known = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return known > 0 ? static_cast<std::size_t>(known) : std::size_t{1} << 25;
  }();
  return bytes;
}

}  // namespace riffle::lanes
