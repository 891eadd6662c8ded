#pragma once

// Caches and pages of a CPU. Included by riffle/backend/backend.hpp only.

#include <cstddef>
#include <cstdint>

#if defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace riffle::backend {

inline constexpr std::size_t cache_line = 64;

/// Prefetches the cache line that contains `address`, which need not be a valid address.
inline void prefetch_line([[maybe_unused]] void const* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

/// Asks the operating system to use huge pages for memory that has not been accessed yet. The first
/// access then causes a page fault for each 2 MiB instead of each 4 KiB. Has no effect on systems
/// without huge pages.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t page = std::size_t{1} << 21;
  std::size_t const head = -reinterpret_cast<std::uintptr_t>(memory) % page;
  if (bytes < head + page) return;
  std::size_t const whole = (bytes - head) / page * page;
  madvise(static_cast<char*>(memory) + head, whole, MADV_HUGEPAGE);  // the system may refuse
#endif
}

/// The size of the CPU's last-level cache in bytes, or a typical size if the system does not report
/// it.
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

}  // namespace riffle::backend
