#include <Kokkos_Core.hpp>
#include <riffle/uniformity.hpp>
#include <riffle/uniformity/detail/block_order_test.hpp>
#include <riffle/uniformity/detail/lehmer_digit_test.hpp>
#include <riffle/uniformity/detail/parts.hpp>
#include <riffle/uniformity/detail/position_test.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/uniformity_samples.hpp"

namespace riffle::test::uniformity_tables_test {
namespace {

using namespace detail::uniformity;
using oracle::Permutation;
using Counts = std::vector<std::uint64_t>;

TEST(UniformityParts, AreRangesOfNearlyEqualLengths) {
  for (std::uint64_t size = 1; size <= 70; ++size) {
    for (std::uint64_t count = 1; count <= size; ++count) {
      Parts const parts{size, count};
      Counts lengths(count);
      for (std::uint64_t i = 0; i < size; ++i) ++lengths[parts.of(i)];
      ASSERT_EQ(lengths, parts.lengths());
      ASSERT_EQ(*std::min_element(lengths.begin(), lengths.end()), parts.shortest());
      ASSERT_LE(*std::max_element(lengths.begin(), lengths.end()), parts.shortest() + 1);
    }
  }
}

Counts position_counts(std::vector<Permutation> const& samples, Parts const& blocks) {
  Counts counts(blocks.count * blocks.count);
  for (auto const& sigma : samples)
    for (std::size_t i = 0; i < sigma.size(); ++i)
      ++counts[blocks.of(i) * blocks.count + blocks.of(oracle::image(sigma, i))];
  return counts;
}

Counts order_counts(std::vector<Permutation> const& samples) {
  Counts counts(6);
  for (auto const& sigma : samples) {
    for (auto begin = sigma.begin(); sigma.end() - begin >= 3; begin += 3) {
      Permutation const block(begin, begin + 3);
      ++counts[static_cast<std::size_t>(2 * oracle::lehmer_digit(block, 0) +
                                        oracle::lehmer_digit(block, 1))];
    }
  }
  return counts;
}

Counts digit_counts(std::vector<Permutation> const& samples, LehmerBins const& bins) {
  Counts counts(bins.positions() * LehmerBins::max_bins);
  for (auto const& sigma : samples) {
    for (std::size_t i = 0; i < bins.positions(); ++i) {
      auto const digit = static_cast<std::uint64_t>(oracle::lehmer_digit(sigma, i));
      ++counts[i * LehmerBins::max_bins + bins.of(i).of(digit)];
    }
  }
  return counts;
}

template <class Exec>
class UniformityTables : public ::testing::Test {};
TYPED_TEST_SUITE(UniformityTables, ExecutionSpaces, SpaceNames);

// The tables have fewer cells than items from n = 4096 on for positions, and from 18 on for orders.
TYPED_TEST(UniformityTables, AreCountedAsByTheOracle) {
  for (std::size_t const n : {2, 3, 5, 17, 18, 64, 65, 200, 257, 4200}) {
    auto const samples = random_permutations(n < 1000 ? 20 : 2, n);
    std::uint64_t const enough = 1 << 20;
    Parts const blocks{n, n <= 256 ? n : 64};
    expect_counts<TypeParam>(samples, PositionPlan(n, enough), position_counts(samples, blocks));
    expect_counts<TypeParam>(samples, BlockOrderPlan<3>(n, enough), order_counts(samples));
    expect_counts<TypeParam>(samples, LehmerDigitPlan(n, enough), digit_counts(samples, {n}));
  }
}

TYPED_TEST(UniformityTables, AcceptATrueShuffleAndFindFaults) {
  expect_test<TypeParam, PositionTest>(20, Order::near);
  expect_test<TypeParam, PositionTest>(300, Order::near, 100);
  expect_test<TypeParam, PositionTest>(5000, Order::near, 10);
  expect_test<TypeParam, BlockOrderTest<2>>(20, Order::pairs_sorted);
  expect_test<TypeParam, BlockOrderTest<4>>(20, Order::alternating);
  expect_test<TypeParam, LehmerDigitTest>(2, Order::pairs_sorted);
  expect_test<TypeParam, LehmerDigitTest>(20, Order::near);
  expect_test<TypeParam, LehmerDigitTest>(200, Order::near);
}

template <class Test>
std::string refusal(std::uint64_t n, std::uint64_t samples) {
  return Test{}.plan(n, samples).refusal;
}

TEST(UniformityTableErrors, Positions) {
  EXPECT_EQ(refusal<PositionTest>(1, 10), "n must be at least 2");
  EXPECT_EQ(refusal<PositionTest>(100, 99),
            "samples must be at least 100, for an expected count of 1 in every cell");
  // The shortest block has 4 points.
  EXPECT_EQ(refusal<PositionTest>(300, 18),
            "samples must be at least 19, for an expected count of 1 in every cell");
  EXPECT_EQ(refusal<PositionTest>(1 << 20, 1),
            "samples must be at least 2, for an expected count of 1 in every cell");
  EXPECT_EQ(refusal<PositionTest>(1 << 20, 2), "");
}

TEST(UniformityTableErrors, Orders) {
  EXPECT_EQ(refusal<BlockOrderTest<3>>(2, 100), "n must be at least 3");
  EXPECT_EQ(refusal<BlockOrderTest<3>>(8, 14), "samples must be at least 15, for 5 3! blocks");
  EXPECT_EQ(refusal<BlockOrderTest<3>>(8, 15), "");
  EXPECT_EQ(std::string(BlockOrderTest<3>::name), "orders of 3 neighbours");
}

TEST(UniformityTableErrors, Digits) {
  EXPECT_EQ(refusal<LehmerDigitTest>(1, 100), "n must be at least 2");
  // One of the digits below 31 has a bin of its own.
  EXPECT_EQ(refusal<LehmerDigitTest>(40, 154),
            "samples must be at least 155, for an expected count of 5 in every bin");
  EXPECT_EQ(refusal<LehmerDigitTest>(40, 155), "");
}

}  // namespace
}  // namespace riffle::test::uniformity_tables_test
