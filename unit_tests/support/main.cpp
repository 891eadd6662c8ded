#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/watched_arena.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();  // which needs no device
  Kokkos::ScopeGuard const guard(argc, argv);
  riffle::test::ArenaThatFailsTests watch(std::getenv("RIFFLE_WATCH_DEVICE_ARENAS") != nullptr);
  return RUN_ALL_TESTS();
}
