#pragma once

// The caches of a CPU. A part of riffle/lanes.hpp, which includes it.

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace riffle::lanes {

inline constexpr std::size_t cache_line = 64;

/// Has the cache line of a CPU that holds `address`, which need not exist, brought nearer.
inline void prefetch_line([[maybe_unused]] void const* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

/// Copies bytes past the caches, as it is better where `to` is much larger than these and is written in
/// order: its lines are not read first, and other data stay. Other threads may see them only after
/// order_streamed().
inline void stream_copy(void* to, void const* from, std::size_t bytes) {
#if defined(__SSE2__)
  auto* target = static_cast<char*>(to);
  auto const* source = static_cast<char const*>(from);
  std::size_t const head = -reinterpret_cast<std::uintptr_t>(target) % sizeof(__m128i);
  if (head >= bytes) {
    std::memcpy(target, source, bytes);
    return;
  }
  std::memcpy(target, source, head);
  std::size_t b = head;
  for (; b + sizeof(__m128i) <= bytes; b += sizeof(__m128i)) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + b),
                     _mm_loadu_si128(reinterpret_cast<__m128i const*>(source + b)));
  }
  std::memcpy(target + b, source + b, bytes - b);
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Puts what this thread has streamed before what it writes from now on.
inline void order_streamed() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Asks the system for large pages, where it gives them on demand, for memory not yet touched.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t page = std::size_t{1} << 21;
  std::size_t const head = -reinterpret_cast<std::uintptr_t>(memory) % page;
  if (bytes < head + page) return;
  std::size_t const whole = (bytes - head) / page * page;
  madvise(static_cast<char*>(memory) + head, whole, MADV_HUGEPAGE);  // a wish: it may be refused
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
