#include <Kokkos_Core.hpp>
#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>
#include <riffle/published/bank_conflict_free_sorting/banked_matrix.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/emulated_gpu.hpp"

namespace riffle::test::bank_processors_test {
namespace {

using Index = std::uint32_t;

/// Moves row p + 1 to row p, then back. If the steps overlap, the result is wrong.
template <class Processors>
KOKKOS_FUNCTION void rotate_twice(Processors& processors, BankedMatrix<Index> const& matrix) {
  auto value = processors.template registers<Index>();
  for (int turn = 0; turn < 2; ++turn) {
    processors.step([&](Index p) { value[p] = matrix.read((p + 1) % 32, 0); });
    processors.step([&](Index p) { matrix.write(p, 0, value[p]); });
  }
}

TEST(BankProcessors, OneThreadRunsAllProcessors) {
  std::vector<Index> array(32);
  BankedMatrix<Index> const matrix(array.data(), 1);
  for (Index i = 0; i < 32; ++i) array[i] = i;
  ThreadProcessors<> processors;
  static_assert(BankProcessors<ThreadProcessors<7>>);
  rotate_twice(processors, matrix);
  for (Index i = 0; i < 32; ++i) EXPECT_EQ(array[i], (i + 2) % 32);
}

TEST(BankProcessors, LanesWaitForEachOtherBetweenSteps) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<Index> array(64);
    for (Index i = 0; i < 64; ++i) array[i] = i;
    EmulatedGpu(1, seed).run(1, 64, 0, [&](EmulatedMember const& member) {
      int const warp = member.team_rank() / 32;
      LaneProcessors processors(member.team_rank() % 32);
      rotate_twice(processors, BankedMatrix<Index>(array.data() + 32 * warp, 1));
    });
    for (Index i = 0; i < 64; ++i) EXPECT_EQ(array[i], i / 32 * 32 + (i + 2) % 32);
  }
}

}  // namespace
}  // namespace riffle::test::bank_processors_test
