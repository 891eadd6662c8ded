// The fibers on which tests emulate a GPU: whose turn it is, and that they say so where one waits for what never comes.

#include "support/fibers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace riffle::test::fibers_test {
namespace {

std::string message_of(Fibers& fibers) {
  try {
    fibers.run();
  } catch (std::runtime_error const& error) {
    return error.what();
  }
  return "";
}

/// The crews of the fibers in the order of their turns, of which each takes so many.
std::vector<int> turns_of(std::uint64_t seed, int crews, int turns) {
  Fibers fibers(seed);
  std::vector<int> order;
  for (int crew = 0; crew < crews; ++crew) {
    fibers.add(crew, nullptr, [&, crew] {
      for (int turn = 0; turn < turns; ++turn, fibers.yield()) order.push_back(crew);
    });
  }
  fibers.run();
  return order;
}

TEST(Fibers, TakeTurnsAsTheSeedHasIt) {
  auto const order = turns_of(1, 7, 100);
  EXPECT_EQ(order, turns_of(1, 7, 100));
  EXPECT_NE(order, turns_of(2, 7, 100));
  for (int crew = 0; crew < 7; ++crew) {
    EXPECT_EQ(std::count(order.begin(), order.end(), crew), 100);
    // No fiber has all its turns at a stretch.
    EXPECT_NE(std::find(order.begin(), order.begin() + 600, crew), order.begin() + 600);
  }
}

// While a crew sleeps, others run far ahead: with two fibers, one then has thousands of turns at a stretch.
TEST(Fibers, CrewsSleep) {
  auto const order = turns_of(1, 2, 50'000);
  std::size_t longest = 0, length = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    length = order[i] == order[i - 1] ? length + 1 : 0;
    longest = std::max(longest, length);
  }
  EXPECT_GE(longest, 4000u);
}

TEST(Fibers, MeetAgainAndAgain) {
  Fibers fibers(3);
  FiberBarrier barrier(20);
  std::vector<int> held(20);
  for (int number = 0; number < 20; ++number) {
    fibers.add(number % 3, &held[static_cast<std::size_t>(number)], [&] {
      for (int round = 0; round < 50; ++round) {
        ++*static_cast<int*>(fibers.owner());
        fibers.arrive_and_wait(barrier);
        // All have come, and none is two barriers ahead.
        auto const [least, most] = std::minmax_element(held.begin(), held.end());
        EXPECT_GE(*least, round + 1);
        EXPECT_LE(*most, round + 2);
      }
    });
  }
  fibers.run();
  EXPECT_EQ(held, std::vector<int>(20, 50));
}

TEST(Fibers, AddFibers) {
  Fibers fibers(4);
  int left = 1000;
  std::function<void()> const body = [&] {
    if (--left > 0) fibers.add(left, nullptr, body);
  };
  fibers.add(0, nullptr, body);
  fibers.run();
  EXPECT_EQ(left, 0);
}

TEST(Fibers, ReportDeadlocks) {
  Fibers fibers(5);
  FiberBarrier barrier(3);
  for (int number = 0; number < 2; ++number)
    fibers.add(0, nullptr, [&] { fibers.arrive_and_wait(barrier); });
  EXPECT_EQ(message_of(fibers), "every fiber waits for another");
}

TEST(Fibers, ReportEndlessWaits) {
  Fibers fibers(6, 10'000);
  fibers.add(0, nullptr, [&] {
    for (;;) fibers.yield();
  });
  EXPECT_EQ(message_of(fibers), "fibers wait for what never comes");
}

// Whoever throws leaves the others where they are; the next fibers run on their stacks.
TEST(Fibers, RethrowExceptions) {
  for (int time = 0; time < 2; ++time) {
    Fibers fibers(7);
    FiberBarrier barrier(5);
    for (int number = 0; number < 4; ++number) {
      fibers.add(0, nullptr, [&] { fibers.arrive_and_wait(barrier); });
    }
    fibers.add(0, nullptr, [&] { throw std::runtime_error("thrown"); });
    EXPECT_EQ(message_of(fibers), "thrown");
    EXPECT_EQ(turns_of(8, 5, 1).size(), 5u);
  }
}

}  // namespace
}  // namespace riffle::test::fibers_test
