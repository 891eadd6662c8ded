// The emulated GPU finds errors that lanes of AMD's GPUs would make: each test is a small kernel with an error, and the same
// kernel without it.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <riffle/backend/backend.hpp>

#include "support/emulated_gpu.hpp"
#include "support/race_detection.hpp"

namespace riffle::test::emulated_gpu_test {
namespace {

constexpr int seeds = 16;
constexpr std::uint64_t few_turns = 100'000;

template <class Kernel>
void run(Wavefront wavefront, std::uint64_t seed, int teams, int threads, Kernel const& kernel) {
  EmulatedGpu(teams, seed, wavefront, few_turns).run(teams, threads, 0, kernel);
}

/// Runs kernel(team, word) by one team of 64 threads, with every seed. The word is 0 at first. Returns the number of deadlocks.
template <class Kernel>
int count_deadlocks(Wavefront wavefront, Kernel const& kernel) {
  int deadlocks = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    std::uint64_t word = 0;
    try {
      run(wavefront, static_cast<std::uint64_t>(seed), 1, 64,
          [&](EmulatedMember const& team) { kernel(team, &word); });
    } catch (Deadlock const& deadlock) {
      EXPECT_NE(std::string(deadlock.what()).find("held back"), std::string::npos);
      ++deadlocks;
    }
  }
  return deadlocks;
}

void wait_for(std::uint64_t const* word, std::uint64_t value) {
  while (backend::load_relaxed(word) != value) backend::wait();
}

TEST(EmulatedGpu, FindsALaneThatWaitsForAnotherBranchOfItsWarp) {
  auto const wait_in_branch = [](EmulatedMember const& team, std::uint64_t* word) {
    if (team.team_rank() == 0) wait_for(word, 1);
    if (team.team_rank() == 5) backend::store_relaxed(word, 1);
    backend::synchronize();
  };
  EXPECT_EQ(count_deadlocks(Wavefront::of_32_lanes, wait_in_branch), 0);
  EXPECT_GT(count_deadlocks(Wavefront::of_64_lanes, wait_in_branch), 0);
}

TEST(EmulatedGpu, FindsALaneThatWaitsForTheOtherWarpOfItsWavefront) {
  auto const wait_for_warp = [](EmulatedMember const& team, std::uint64_t* word) {
    if (team.team_rank() == 0) wait_for(word, 1);
    if (team.team_rank() == 40) backend::store_relaxed(word, 1);
    team.team_barrier();
  };
  EXPECT_EQ(count_deadlocks(Wavefront::of_32_lanes, wait_for_warp), 0);
  int const deadlocks = count_deadlocks(Wavefront::of_64_lanes, wait_for_warp);
  EXPECT_GT(deadlocks, 0);
  EXPECT_LT(deadlocks, seeds);  // the other warp may run first
}

TEST(EmulatedGpu, LetsALaneWaitForWhatWasStoredBefore) {
  auto const wait_after = [](auto const& meet) {
    return [meet](EmulatedMember const& team, std::uint64_t* word) {
      if (team.team_rank() == 5) backend::store_relaxed(word, 1);
      meet(team);
      if (team.team_rank() == 0) wait_for(word, 1);
      team.team_barrier();
    };
  };
  for (auto const wavefront : {Wavefront::of_32_lanes, Wavefront::of_64_lanes}) {
    auto const by_barrier = wait_after([](EmulatedMember const& team) { team.team_barrier(); });
    EXPECT_EQ(count_deadlocks(wavefront, by_barrier), 0);
    auto const in_warp = wait_after([](EmulatedMember const&) { backend::reconverge(); });
    EXPECT_EQ(count_deadlocks(wavefront, in_warp), 0);
  }
}

TEST(EmulatedGpu, LetsALaneWaitForAnotherTeamWhileItsWarpWaitsForIt) {
  for (auto const wavefront : {Wavefront::of_32_lanes, Wavefront::of_64_lanes}) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      std::uint64_t words[2] = {};
      run(wavefront, seed, 2, 128, [&](EmulatedMember const& team) {
        int const rank = team.league_rank();
        if (team.team_rank() == 96) backend::store_relaxed(&words[rank], 1);
        if (team.team_rank() == 0) wait_for(&words[1 - rank], 1);
        backend::synchronize();
      });
    }
  }
}

/// The warps of a team increment a word in turn, `rounds` times. Each polls in a loop of warp operations.
template <bool Reconverges>
struct IncrementInTurn {
  static constexpr std::uint64_t rounds = 3;

  void operator()(EmulatedMember const& team, std::uint64_t* word) const {
    auto const warp = static_cast<std::uint64_t>(team.team_rank() / backend::width);
    bool const is_first = team.team_rank() % backend::width == 0;
    for (std::uint64_t round = 0; round < rounds;) {
      if constexpr (Reconverges) backend::reconverge();
      bool const has_turn = is_first && backend::load_relaxed(word) == 2 * round + warp;
      if (has_turn) backend::store_relaxed(word, 2 * round + warp + 1);
      if (backend::ballot(has_turn) != 0) ++round;
    }
    team.team_barrier();
    EXPECT_EQ(*word, 2 * rounds);
  }
};

TEST(EmulatedGpu, FindsALoopThatWaitsForTheOtherWarpOfItsWavefront) {
  EXPECT_EQ(count_deadlocks(Wavefront::of_32_lanes, IncrementInTurn<false>{}), 0);
  EXPECT_EQ(count_deadlocks(Wavefront::of_64_lanes, IncrementInTurn<false>{}), seeds);
  EXPECT_EQ(count_deadlocks(Wavefront::of_64_lanes, IncrementInTurn<true>{}), 0);
}

/// The masks that lane 7 of each of two warps gets if lane l passes l % 3 == w in warp w.
template <class Ballot>
std::vector<std::uint32_t> masks_of_warps(Wavefront wavefront, Ballot const& ballot) {
  std::vector<std::uint32_t> masks(2);
  run(wavefront, 1, 1, 64, [&](EmulatedMember const& team) {
    int const warp = team.team_rank() / backend::width;
    int const lane = team.team_rank() % backend::width;
    std::uint32_t const mask = ballot(lane % 3 == warp);
    if (lane == 7) masks[static_cast<std::size_t>(warp)] = mask;
  });
  return masks;
}

TEST(EmulatedGpu, FindsABallotOf64LanesThatIsTakenFor32) {
  std::vector<std::uint32_t> const expected{0x49249249, 0x92492492};
  auto const of_warp = [](bool predicate) { return backend::ballot(predicate); };
  auto const lower_half = [](bool predicate) {
    return static_cast<std::uint32_t>(backend::emulator()->ballot(predicate));
  };
  EXPECT_EQ(masks_of_warps(Wavefront::of_32_lanes, of_warp), expected);
  EXPECT_EQ(masks_of_warps(Wavefront::of_64_lanes, of_warp), expected);
  EXPECT_EQ(masks_of_warps(Wavefront::of_32_lanes, lower_half), expected);
  EXPECT_NE(masks_of_warps(Wavefront::of_64_lanes, lower_half), expected);
}

/// The first team writes a number and sets a flag; the other one polls the flag and reads the number.
void pass_number(bool has_release_fence, bool has_acquire_fence) {
  std::uint64_t flag = 0;
  int number = 0;
  int read = 0;
  run(Wavefront::of_32_lanes, 1, 2, 32, [&](EmulatedMember const& team) {
    if (team.team_rank() != 0) return;
    if (team.league_rank() == 0) {
      number = 5;
      if (has_release_fence) backend::release_fence();
      backend::store_relaxed(&flag, 1);
    } else {
      wait_for(&flag, 1);
      if (has_acquire_fence) backend::acquire_fence();
      read = number;
    }
  });
  EXPECT_EQ(read, 5);
}

/// Lane 1 reads what lane 0 of its warp wrote.
void pass_number_in_warp(bool synchronizes) {
  int number = 0;
  int read = 0;
  run(Wavefront::of_32_lanes, 1, 1, 32, [&](EmulatedMember const& team) {
    if (team.team_rank() == 0) number = 5;
    static_cast<void>(backend::ballot(true));  // imposes no memory order
    if (synchronizes) backend::synchronize();
    if (team.team_rank() == 1) read = number;
  });
  EXPECT_EQ(read, 5);
}

TEST(EmulatedGpu, FencesAndBarriersOrderAccesses) {
  pass_number(true, true);
  pass_number_in_warp(true);
}

TEST(EmulatedGpuDeathTest, FindsMissingFencesAndBarriers) {
  if (!races::are_detected) GTEST_SKIP() << "needs ThreadSanitizer";
  EXPECT_DEATH(pass_number(false, true), "data race");
  EXPECT_DEATH(pass_number(true, false), "data race");
  EXPECT_DEATH(pass_number_in_warp(false), "data race");
}

}  // namespace
}  // namespace riffle::test::emulated_gpu_test
