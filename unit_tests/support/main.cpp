#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "support/watched_arena.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();  // which needs no device
  Kokkos::ScopeGuard const guard(argc, argv);
  std::optional<riffle::test::ArenaThatFailsTests> watch;
  if (std::getenv("RIFFLE_WATCH_ARENAS") != nullptr) watch.emplace();
  return RUN_ALL_TESTS();
}
