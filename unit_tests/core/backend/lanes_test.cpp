#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <riffle/backend/backend.hpp>

#include "support/execution_spaces.hpp"
#include "support/kernels.hpp"
#include "support/matrices.hpp"
#include "support/views.hpp"

namespace lanes_test {
namespace {

using riffle::backend::Vector;

// Whether the code that runs was compiled for the host.
struct RunsOnHost {
  KOKKOS_FUNCTION int operator()(int) const {
    int on_host = 0;
    KOKKOS_IF_ON_HOST((on_host = 1;))
    return on_host;
  }
};

template <class Exec>
class Lanes : public ::testing::Test {};
TYPED_TEST_SUITE(Lanes, riffle::test::ExecutionSpaces, riffle::test::SpaceNames);

TYPED_TEST(Lanes, OnlyThreadsOfTheHostHaveVectors) {
  auto const on_host = riffle::test::map_in_kernel<TypeParam>(RunsOnHost{}, std::vector<int>{0});
  EXPECT_EQ(riffle::backend::is_cpu<TypeParam>, on_host[0] == 1);
}

TYPED_TEST(Lanes, ThreadsHaveWholeVectorsOfProblemsOrOne) {
  constexpr int problems = riffle::backend::problems_per_thread<TypeParam>;
  if (riffle::backend::is_cpu<TypeParam>) {
    EXPECT_GE(problems, Vector::width);
    EXPECT_EQ(problems % Vector::width, 0);
  } else {
    EXPECT_EQ(problems, 1);
  }
}

std::vector<std::uint64_t> lanes_of(Vector const& vector) {
  std::array<std::int64_t, Vector::width> values{};
  vector.store(values.data());
  return {values.begin(), values.end()};
}

// Pairs of vectors. One lane in four has few bits, so that carries and signs differ.
struct Pairs {
  std::mt19937_64 generator{1};
  std::vector<std::uint64_t> a = std::vector<std::uint64_t>(Vector::width);
  std::vector<std::uint64_t> b = std::vector<std::uint64_t>(Vector::width);

  void next(std::uint64_t mask) {
    for (auto* const values : {&a, &b}) {
      for (auto& value : *values) value = (generator() >> (generator() % 4 == 0 ? 40 : 0)) & mask;
    }
    if (generator() % 4 == 0) a[0] = b[0];
  }
};

Vector vector_of(std::vector<std::uint64_t> const& values) {
  std::vector<std::int64_t> const signed_values(values.begin(), values.end());
  return Vector::load(signed_values.data());
}

// Applies the scalar operation lane by lane.
template <class Operation>
std::vector<std::uint64_t> lane_by_lane(Pairs const& pairs, Operation const& operation) {
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < pairs.a.size(); ++i)
    result.push_back(operation(pairs.a[i], pairs.b[i]));
  return result;
}

TEST(Vector, BroadcastsAndCounts) {
  for (std::uint64_t const x : {std::uint64_t{0}, std::uint64_t{0xFFFFFFFFu}, ~std::uint64_t{0}}) {
    EXPECT_EQ(lanes_of(Vector::broadcast(x)), std::vector<std::uint64_t>(Vector::width, x));
    std::vector<std::uint64_t> counted(Vector::width);
    std::iota(counted.begin(), counted.end(), x);
    EXPECT_EQ(lanes_of(Vector::iota(x)), counted);
  }
}

TEST(Vector, CalculatesLaneByLane) {
  using U64 = std::uint64_t;
  Pairs pairs;
  for (int i = 0; i < 200; ++i) {
    pairs.next(~U64{0});
    auto const a = vector_of(pairs.a);
    auto const b = vector_of(pairs.b);
    ASSERT_EQ(lanes_of(a), pairs.a) << "load and store";
    ASSERT_EQ(lanes_of(a + b), lane_by_lane(pairs, [](U64 x, U64 y) { return x + y; }));
    ASSERT_EQ(lanes_of(a - b), lane_by_lane(pairs, [](U64 x, U64 y) { return x - y; }));
    ASSERT_EQ(lanes_of(a ^ b), lane_by_lane(pairs, [](U64 x, U64 y) { return x ^ y; }));
    ASSERT_EQ(lanes_of(a & b), lane_by_lane(pairs, [](U64 x, U64 y) { return x & y; }));
    ASSERT_EQ(lanes_of(a | b), lane_by_lane(pairs, [](U64 x, U64 y) { return x | y; }));
    ASSERT_EQ(lanes_of(multiply_low(a, b)), lane_by_lane(pairs, [](U64 x, U64 y) {
                return (x % (U64{1} << 32)) * (y % (U64{1} << 32));
              }));
    ASSERT_EQ(lanes_of(upper(a)),
              lane_by_lane(pairs, [](U64 x, U64) { return x / (U64{1} << 32); }));
  }
}

TEST(Vector, ComparesLaneByLane) {
  Pairs pairs;
  for (int i = 0; i < 200; ++i) {
    pairs.next(0x7FFFFFFFu);
    ASSERT_EQ(lanes_of(less(vector_of(pairs.a), vector_of(pairs.b))),
              lane_by_lane(pairs, [](std::uint64_t x, std::uint64_t y) {
                return x < y ? ~std::uint64_t{0} : 0;
              }));
  }
}

TEST(Vector, FindsANegativeLaneAnywhere) {
  std::vector<std::uint64_t> values(Vector::width, 0x7FFFFFFFFFFFFFFFu);
  EXPECT_FALSE(any_negative(vector_of(values)));
  for (auto& value : values) {
    value = std::uint64_t{1} << 63;
    EXPECT_TRUE(any_negative(vector_of(values)));
    value = 0x80000000u;
    EXPECT_FALSE(any_negative(vector_of(values)));
  }
}

// --- a warp that one thread of a CPU replaces ---

TEST(LaneArrays, BallotHasABitForEachLane) {
  for (std::uint32_t const bits : {0u, 1u, 0x80000000u, 0xFFFFFFFFu, 0x12345678u}) {
    bool predicate[riffle::backend::width];
    for (int lane = 0; lane < riffle::backend::width; ++lane) predicate[lane] = bits >> lane & 1;
    EXPECT_EQ(riffle::backend::ballot(predicate), bits);
  }
}

TEST(LaneArrays, ShuffleUpLeavesTheLowestLanes) {
  for (int const distance : {0, 1, 2, 7, 16, 31}) {
    int value[riffle::backend::width];
    std::iota(value, value + riffle::backend::width, 100);
    riffle::backend::shuffle_up(value, distance);
    for (int lane = 0; lane < riffle::backend::width; ++lane) {
      EXPECT_EQ(value[lane], 100 + (lane < distance ? lane : lane - distance)) << distance;
    }
  }
}

TEST(LaneArrays, FromLaneGivesAllTheSame) {
  for (int const source : {0, 1, 15, 31}) {
    double value[riffle::backend::width];
    std::iota(value, value + riffle::backend::width, 0.5);
    riffle::backend::from_lane(value, source);
    for (double const taken : value) EXPECT_EQ(taken, source + 0.5);
  }
}

// --- a warp of threads of a GPU ---

constexpr int warps = 3;

// A value whose size is not a multiple of 4 bytes.
struct SevenBytes {
  unsigned char byte[7];
};

// Each lane stores the result of every operation: one row of `results` for each operation.
template <class Exec>
struct UseLanes {
  static constexpr int operations = 7;

  KOKKOS_FUNCTION void operator()(
      typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    int const thread = team.team_rank();
    int const lane = thread % riffle::backend::width;
    std::uint64_t const value = (std::uint64_t{1} << 40) + static_cast<std::uint64_t>(thread);
    results(0, thread) = riffle::backend::from_lane(value, 31 - lane);
    results(1, thread) = riffle::backend::shuffle_up(value, lane, 5);
    results(2, thread) = riffle::backend::ballot(lane % 3 == 0 || thread == 33);
    results(3, thread) = riffle::backend::all(thread < 50) ? 1 : 0;
    SevenBytes bytes;
    for (int i = 0; i < 7; ++i) bytes.byte[i] = static_cast<unsigned char>(thread + 10 * i);
    SevenBytes const other = riffle::backend::from_lane(bytes, (lane + 1) % 32);
    results(4, thread) = 0;
    for (int i = 0; i < 7; ++i) results(4, thread) = 256 * results(4, thread) + other.byte[i];
    results(5, thread) = static_cast<std::uint64_t>(
        riffle::backend::count_ones(riffle::backend::ballot(lane >= 20)));
    shared(thread) = value;
    riffle::backend::synchronize();
    results(6, thread) = shared(thread / 32 * 32 + (lane + 9) % 32);
  }

  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, typename Exec::memory_space> results;
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> shared;
};

// The results that the lanes of UseLanes should have.
std::uint64_t expected_of_lane(int operation, int thread) {
  int const lane = thread % 32;
  int const first = thread - lane;
  auto const value = [](int of) {
    return (std::uint64_t{1} << 40) + static_cast<std::uint64_t>(of);
  };
  switch (operation) {
    case 0: return value(first + 31 - lane);
    case 1: return value(lane < 5 ? thread : thread - 5);
    case 2: return first == 32 ? 0x4924924Bu : 0x49249249u;
    case 3: return first == 0 ? 1 : 0;
    case 4: {
      std::uint64_t bytes = 0;
      for (int i = 0; i < 7; ++i) {
        bytes = 256 * bytes + static_cast<std::uint64_t>(first + (lane + 1) % 32 + 10 * i);
      }
      return bytes;
    }
    case 5: return 12;
    default: return value(first + (lane + 9) % 32);
  }
}

template <class Exec>
std::vector<std::uint64_t> use_lanes() {
  constexpr int threads = warps * riffle::backend::width;
  using Results = decltype(UseLanes<Exec>::results);
  UseLanes<Exec> const kernel{Results("results", UseLanes<Exec>::operations, threads),
                              riffle::test::zeros<Exec, std::uint64_t>(threads)};
  Exec const exec;
  Kokkos::parallel_for("use_lanes", Kokkos::TeamPolicy<Exec>(exec, 1, threads), kernel);
  exec.fence();
  return riffle::test::row_major(kernel.results);
}

void expect_lanes_exchange(std::vector<std::uint64_t> const& results) {
  constexpr int threads = warps * riffle::backend::width;
  for (std::size_t i = 0; i < results.size(); ++i) {
    int const operation = static_cast<int>(i) / threads;
    int const thread = static_cast<int>(i) % threads;
    EXPECT_EQ(results[i], expected_of_lane(operation, thread))
        << "operation " << operation << ", thread " << thread;
  }
}

TYPED_TEST(Lanes, ThreadsOfAGroupExchangeValues) {
  if (riffle::backend::is_cpu<TypeParam>) GTEST_SKIP() << "a thread of a CPU is no lane";
  expect_lanes_exchange(use_lanes<TypeParam>());
}

TYPED_TEST(Lanes, OneThreadOfACpuIsAGroupOfOne) {
  if (!riffle::backend::is_cpu<TypeParam>) GTEST_SKIP() << "a GPU has groups of 32";
  EXPECT_EQ(riffle::backend::from_lane(7, 0), 7);
  EXPECT_EQ(riffle::backend::ballot(true), 1u);
  EXPECT_EQ(riffle::backend::ballot(false), 0u);
  EXPECT_TRUE(riffle::backend::all(true));
  EXPECT_FALSE(riffle::backend::all(false));
}

// --- bits and words ---

TEST(LaneBits, CountAndFind) {
  EXPECT_EQ(riffle::backend::count_ones(0), 0);
  EXPECT_EQ(riffle::backend::count_ones(0xFFFFFFFFu), 32);
  EXPECT_EQ(riffle::backend::count_ones(0x80000101u), 3);
  for (int bit = 0; bit < 32; ++bit) {
    EXPECT_EQ(riffle::backend::lowest_one(0xFFFFFFFFu << bit), bit);
    EXPECT_EQ(riffle::backend::lowest_one(1u << bit), bit);
  }
}

// Copies a word by the loads and stores of messages.
template <class Exec>
struct CopyWord {
  KOKKOS_FUNCTION void operator()(int) const {
    riffle::backend::store_relaxed(&words(1), riffle::backend::load_relaxed(&words(0)));
  }

  Kokkos::View<std::uint64_t*, typename Exec::memory_space> words;
};

TYPED_TEST(Lanes, LoadAndStoreWholeWords) {
  std::uint64_t const word = 0x123456789ABCDEFu;
  CopyWord<TypeParam> const kernel{
      riffle::test::to_view<TypeParam>(std::vector<std::uint64_t>{word, 0})};
  TypeParam const exec;
  Kokkos::parallel_for("copy_word", Kokkos::RangePolicy<TypeParam>(exec, 0, 1), kernel);
  exec.fence();
  EXPECT_EQ(riffle::test::to_vector(kernel.words), (std::vector<std::uint64_t>{word, word}));
}

template <class Exec>
struct TakeTickets {
  KOKKOS_FUNCTION void operator()(int i) const {
    tickets(i) = riffle::backend::fetch_add_relaxed(&word(0), 3);
  }

  Kokkos::View<std::uint64_t*, typename Exec::memory_space> word;
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> tickets;
};

TYPED_TEST(Lanes, FetchAddReturnsThePreviousValue) {
  constexpr std::size_t count = 10000;
  std::uint64_t const first = (std::uint64_t{1} << 32) - 1000;
  TakeTickets<TypeParam> const kernel{
      riffle::test::to_view<TypeParam>(std::vector<std::uint64_t>{first}),
      riffle::test::to_view<TypeParam>(std::vector<std::uint64_t>(count))};
  TypeParam const exec;
  Kokkos::parallel_for("take_tickets", Kokkos::RangePolicy<TypeParam>(exec, 0, count), kernel);
  exec.fence();
  auto tickets = riffle::test::to_vector(kernel.tickets);
  std::sort(tickets.begin(), tickets.end());
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(tickets[i], first + 3 * i);
  EXPECT_EQ(riffle::test::to_vector(kernel.word)[0], first + 3 * count);
}

}  // namespace
}  // namespace lanes_test
