// Sorts by teams of an emulated GPU with comparisons that are not strict weak orderings.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>

#include "support/emulated_gpu.hpp"
#include "support/emulated_space.hpp"
#include "support/fuzzed_team_sorts.hpp"

namespace riffle::test::team_sort_fuzz_gpu_test {
namespace {

TEST(TeamSortOfEmulatedGpuFuzz, TeamSort) {
  expect_sorts_by_teams<Kokkos::DefaultHostExecutionSpace>(
      {17, 513, 1100}, [](auto const& kernel, std::size_t n) {
        EmulatedGpu(1, n).run(1, 64, fuzzed_scratch_bytes(n) + 256,
                              [&](EmulatedMember const& member) { kernel(GpuMember(member)); });
      });
}

}  // namespace
}  // namespace riffle::test::team_sort_fuzz_gpu_test
