#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <optional>

#include "support/watched_arena.hpp"

namespace {

/// As GoogleTest lists them, but without the comments on the types and values of a test, which CTest would take for
/// parts of its name.
void list_tests() {
  auto const& program = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    auto const& suite = *program.GetTestSuite(s);
    std::cout << suite.name() << ".\n";
    for (int t = 0; t < suite.total_test_count(); ++t) {
      std::cout << "  " << suite.GetTestInfo(t)->name() << '\n';
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (GTEST_FLAG_GET(list_tests)) {
    // Needs no device.
    list_tests();
    return 0;
  }
  Kokkos::ScopeGuard const guard(argc, argv);
  std::optional<riffle::test::ArenaThatFailsTests> watch;
  if (std::getenv("RIFFLE_WATCH_ARENAS") != nullptr) watch.emplace();
  return RUN_ALL_TESTS();
}
