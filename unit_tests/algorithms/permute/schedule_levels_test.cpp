// Plans with small tiles and few buckets, which have many levels.

#include <Kokkos_Core.hpp>
#include <riffle/permute/detail/schedule/build_schedule.hpp>
#include <riffle/permute/detail/schedule/move_by_schedule.hpp>
#include <riffle/permute/detail/schedule/plan.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/views.hpp"

namespace riffle::test::schedule_levels_test {
namespace {

namespace schedule = detail::schedule;

using Host = Kokkos::DefaultHostExecutionSpace;
using Memory = Host::memory_space;

TEST(ScheduleLevelsTest, DigitsAreEvenAndFew) {
  EXPECT_TRUE(schedule::levels_of(0, 9).empty());
  EXPECT_TRUE(schedule::levels_of(1, 9).empty());
  auto const expect = [](std::uint64_t tiles, int max_bits, std::vector<int> const& bits) {
    auto const levels = schedule::levels_of(tiles, max_bits);
    ASSERT_EQ(levels.size(), bits.size());
    int rest = std::accumulate(bits.begin(), bits.end(), 0);
    for (std::size_t k = 0; k < bits.size(); ++k) {
      EXPECT_EQ(levels[k].bucket_bits, bits[k]);
      EXPECT_EQ(levels[k].group_bits, rest);
      rest -= bits[k];
    }
  };
  expect(2, 9, {1});
  expect(512, 9, {9});
  expect(513, 9, {5, 5});
  expect(std::uint64_t{1} << 19, 9, {6, 6, 7});
}

// Each bucket of each tile has its own count, in the order of groups, buckets and tiles.
TEST(ScheduleLevelsTest, PlacesOfCounts) {
  schedule::Level const level{3, 2};
  std::uint64_t expected = 0;
  for (std::uint64_t group = 0; group < 3; ++group) {
    for (std::uint64_t bucket = 0; bucket < 4; ++bucket) {
      for (std::uint64_t tile = 0; tile < 8; ++tile) {
        EXPECT_EQ(level.place_of_count(8 * group + tile, bucket), expected++);
      }
    }
  }
  EXPECT_EQ(level.count_places(17), expected);
  EXPECT_EQ(level.count_places(24), expected);
  EXPECT_EQ(level.bucket(13), 2u);  // tile 5 of 8 tiles, 2 tiles to a bucket
}

TEST(ScheduleLevelsTest, PlansOfManyShapes) {
  Host const exec;
  Workspace<Host> workspace;
  Context const context(exec, "riffle::test", workspace);
  std::mt19937 random(5);
  for (int const tile_bits : {5, 6, 8}) {
    for (int const max_bits : {1, 2, 3}) {
      for (std::size_t const n : {1, 31, 32, 33, 255, 256, 257, 1000, 4099}) {
        SCOPED_TRACE(::testing::Message() << tile_bits << ' ' << max_bits << ' ' << n);
        std::vector<std::uint32_t> p(n);
        std::iota(p.begin(), p.end(), 0u);
        std::shuffle(p.begin(), p.end(), random);
        schedule::Builder<Host> const builder(context, {tile_bits, max_bits});
        auto const plan = builder.build(to_view<Host>(p));
        std::uint64_t const tiles = (n - 1) / (std::uint64_t{1} << tile_bits) + 1;
        ASSERT_EQ(plan.passes.size(), schedule::levels_of(tiles, max_bits).size() + 1);
        Kokkos::View<std::uint32_t*, Memory> const out("out", n);
        Kokkos::View<std::uint32_t*, Memory> const back("back", n);
        schedule::Mover<Host>(context, plan, true).move(to_view<Host>(p), out);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out(i), i);
        schedule::Mover<Host>(context, plan, false).move(out, back);
        ASSERT_EQ(to_vector(back), p);
      }
    }
  }
}

}  // namespace
}  // namespace riffle::test::schedule_levels_test
