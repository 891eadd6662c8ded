#include <riffle/backend/backend.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace processor_test {
namespace {

using riffle::backend::Processor;

constexpr Processor large{2048, std::size_t{228} << 10};
constexpr Processor small{1024, std::size_t{64} << 10};

TEST(LaneProcessor, TheWantedNumberOfTeams) {
  EXPECT_EQ(large.teams(8, 128, 27'000), 8);
  EXPECT_EQ(large.teams(1, 1024, 48 << 10), 1);
  EXPECT_EQ(small.teams(2, 512, 0), 2);
}

TEST(LaneProcessor, NoMoreThanThreads) {
  EXPECT_EQ(large.teams(16, 256, 0), 8);
  EXPECT_EQ(small.teams(8, 256, 0), 4);
  EXPECT_EQ(small.teams(8, 768, 0), 1);
}

TEST(LaneProcessor, NoMoreThanScratchMemory) {
  // Each team takes 1 KiB more than it requests, or 8 bytes a thread and some more.
  EXPECT_EQ(small.teams(8, 64, 15 << 10), 4);
  EXPECT_EQ(small.teams(8, 64, (15 << 10) + 1), 3);
  EXPECT_EQ(large.teams(8, 128, 44'000), 5);
  EXPECT_EQ(small.teams(2, 256, 31 << 10), 1);
  EXPECT_EQ(small.teams(2, 256, (30 << 10) - 64), 2);
}

TEST(LaneProcessor, OneAtLeast) {
  EXPECT_EQ(small.teams(4, 2048, 0), 1);
  EXPECT_EQ(small.teams(4, 32, 100 << 10), 1);
}

TEST(LaneProcessor, BoundsOfLaunches) {
  using Bounds = riffle::backend::TeamBounds<128, 1, 0>;
  EXPECT_TRUE((std::is_same_v<Bounds, Kokkos::LaunchBounds<128, 1>>));
}

}  // namespace
}  // namespace processor_test
