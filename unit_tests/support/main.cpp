#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#include "support/heap_bytes.hpp"
#include "support/watched_arena.hpp"

#ifdef __has_feature
#define RIFFLE_IS_CLANG_ASAN __has_feature(address_sanitizer)
#else
#define RIFFLE_IS_CLANG_ASAN 0
#endif

// Not with compilers for GPUs, which would also replace the device's operator new, nor with AddressSanitizer, which has its own.
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && \
    !defined(__SANITIZE_ADDRESS__) && !RIFFLE_IS_CLANG_ASAN
// The operators for arrays call these.
void* operator new(std::size_t size) {
  riffle::test::heap_bytes += size;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();  // needs no device
  Kokkos::ScopeGuard const guard(argc, argv);
  riffle::test::ArenaThatFailsTests watch(std::getenv("RIFFLE_WATCH_DEVICE_ARENAS") != nullptr);
  return RUN_ALL_TESTS();
}
