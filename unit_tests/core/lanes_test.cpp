#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <riffle/lanes.hpp>

#include "support/execution_spaces.hpp"
#include "support/kernels.hpp"

namespace {

using riffle::lanes::Vector;

// Asks the compiler which of its passes made the code that runs.
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
  EXPECT_EQ(riffle::lanes::has_vector_threads<TypeParam>, on_host[0] == 1);
}

TYPED_TEST(Lanes, ThreadsHaveWholeVectorsOfProblemsOrOne) {
  constexpr int problems = riffle::lanes::problems_per_thread<TypeParam>;
  if (riffle::lanes::has_vector_threads<TypeParam>) {
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

// Pairs of vectors of which one lane in four has few bits, so that carries and signs differ.
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

}  // namespace
