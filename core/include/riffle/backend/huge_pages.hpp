#pragma once

// Pages of the host's memory.

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>

namespace riffle::backend {

/// Asks for huge pages in memory of the host that nobody has touched: there a first touch costs a page fault for each 2 MiB,
/// not for each 4 KiB. Where the system has none, or does not listen, nothing changes.
inline void advise_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t page = std::size_t{1} << 21;
  auto const address = reinterpret_cast<std::uintptr_t>(data);
  std::size_t const before = (page - address % page) % page;
  if (bytes < before + page) return;
  std::size_t const whole = (bytes - before) / page * page;
  // Advice that is not taken is no error.
  static_cast<void>(madvise(static_cast<std::byte*>(data) + before, whole, MADV_HUGEPAGE));
#endif
}

}  // namespace riffle::backend
