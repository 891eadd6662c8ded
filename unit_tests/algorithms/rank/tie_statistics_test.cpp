#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/tie_statistics.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::tie_statistics_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void expect_ties(TieStatistics const& actual, std::uint64_t elements, std::uint64_t groups,
                 std::uint64_t tie_sum, std::uint64_t largest) {
  EXPECT_EQ(actual.elements, elements);
  EXPECT_EQ(actual.groups, groups);
  EXPECT_EQ(actual.tie_sum_low, tie_sum);
  EXPECT_EQ(actual.tie_sum_high, 0u);
  EXPECT_EQ(actual.largest, largest);
  EXPECT_EQ(actual.tie_sum(), static_cast<double>(tie_sum));
}

// Groups of 2^32 elements and more need no memory here.
TEST(TieStatisticsTest, GroupsOfAnySize) {
  auto const one = TieStatistics::of_group(1);
  expect_ties(one, 1, 1, 0, 1);
  // 2642245 is the largest t for which t^3 - t is below 2^64.
  expect_ties(TieStatistics::of_group(2642245), 2642245, 1, 18446724184310213880u, 2642245);
  // (2^32)^3 - 2^32 = 2^64 (2^32 - 1) + 2^64 - 2^32
  auto const large = TieStatistics::of_group(std::uint64_t{1} << 32);
  EXPECT_EQ(large.tie_sum_high, (std::uint64_t{1} << 32) - 1);
  EXPECT_EQ(large.tie_sum_low, ~std::uint64_t{0} - ((std::uint64_t{1} << 32) - 1));
  EXPECT_EQ(large.tie_sum(), std::ldexp(1.0, 96));  // 2^96 - 2^32, rounded
  auto const largest = TieStatistics::of_group((std::uint64_t{1} << 42) - 1);
  EXPECT_EQ(largest.tie_sum(), std::ldexp(1.0, 126) - 3 * std::ldexp(1.0, 84));
}

TEST(TieStatisticsTest, AddsWithACarry) {
  TieStatistics sum;
  for (int i = 0; i < 3; ++i) sum.add(TieStatistics::of_group(2642245));
  sum.add(TieStatistics::of_group(5));
  EXPECT_EQ(sum.elements, 3u * 2642245u + 5u);
  EXPECT_EQ(sum.groups, 4u);
  EXPECT_EQ(sum.largest, 2642245u);
  EXPECT_EQ(sum.tie_sum_high, 2u);
  // 3 * 18446724184310213880 + 120 - 2^65
  EXPECT_EQ(sum.tie_sum_low, 18446684405511538528u);
}

// 2^64 + 2^63 + 2^11 + 1 is above the middle of two doubles; if its words were rounded first, it would be the middle.
TEST(TieStatisticsTest, SumIsRoundedOnce) {
  TieStatistics ties;
  ties.tie_sum_high = 1;
  ties.tie_sum_low = (std::uint64_t{1} << 63) + (1u << 11) + 1;
  EXPECT_EQ(ties.tie_sum(), std::ldexp(3.0, 63) + 4096);
}

// n - 1 of n elements tie, which leaves 3 n (n - 1): 1 - tie_sum() / (n^3 - n) would lose it by cancellation.
TEST(TieStatisticsTest, CorrectionHasNoCancellation) {
  std::uint64_t const n = std::uint64_t{1} << 32;
  auto ties = TieStatistics::of_group(n - 1);
  ties.add(TieStatistics::of_group(1));
  EXPECT_DOUBLE_EQ(ties.tie_correction(), 3.0 / (std::ldexp(1.0, 32) + 1));
}

template <class Exec>
class TieStatisticsOfDataTest : public ::testing::Test {
 protected:
  template <class T, class Order = Ascending>
  TieStatistics ties(std::vector<T> const& sorted, Order const& order = {}) {
    return riffle::tie_statistics(exec, to_view<Exec>(sorted), order);
  }

  /// Compares with a loop over the runs.
  template <class T, class Order = Ascending>
  void expect_as_counted(std::vector<T> const& sorted, Order const& order = {}) {
    std::uint64_t sum = 0;
    std::uint64_t largest = 0;
    auto const runs = runs_of_ties(sorted, order);
    for (auto const& run : runs) {
      std::uint64_t const t = run.last - run.first + 1;
      sum += t * t * t - t;
      largest = std::max(largest, t);
    }
    SCOPED_TRACE(sorted.size());
    expect_ties(ties(sorted, order), sorted.size(), runs.size(), sum, largest);
  }

  Exec exec;
};
TYPED_TEST_SUITE(TieStatisticsOfDataTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(TieStatisticsOfDataTest, FewElements) {
  expect_ties(this->ties(std::vector<double>{}), 0, 0, 0, 0);
  expect_ties(this->ties(std::vector<double>{7}), 1, 1, 0, 1);
  expect_ties(this->ties(std::vector<double>{7, 7}), 2, 1, 6, 2);
  expect_ties(this->ties(std::vector<double>{7, 8}), 2, 2, 0, 1);
  expect_ties(this->ties(std::vector<double>{1, 2, 2, 3, 3, 3}), 6, 3, 30, 3);
}

// scipy.stats.tiecorrect(scipy.stats.rankdata(...)), SciPy 1.10.1
TYPED_TEST(TieStatisticsOfDataTest, CorrectionAgreesWithSciPy) {
  auto const correction = [&](std::vector<double> const& sorted) {
    return this->ties(sorted).tie_correction();
  };
  EXPECT_EQ(correction({}), 1);
  EXPECT_EQ(correction({5}), 1);
  EXPECT_EQ(correction({1, 2, 3, 4, 5}), 1);
  EXPECT_EQ(correction({1, 1, 1, 1}), 0);
  EXPECT_DOUBLE_EQ(correction({1, 2, 2, 3}), 0.9);
  EXPECT_DOUBLE_EQ(correction({1, 4, 4, 4, 6, 6, 9, 9, 9, 9}), 0.9090909090909091);
  EXPECT_DOUBLE_EQ(correction({0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 3, 3}),
                   0.8823529411764706);
}

TYPED_TEST(TieStatisticsOfDataTest, RandomRuns) {
  for (std::size_t const n : {3, 31, 32, 33, 1000, 70001}) {
    for (double const recurring : {0.0, 0.3, 0.9, 0.999, 1.0}) {
      this->expect_as_counted(random_runs(n, recurring));
    }
  }
}

TYPED_TEST(TieStatisticsOfDataTest, RunsNearTheEdgesOfBlocks) {
  for (std::size_t const edge : {4, 64, 256}) {
    for (auto const& data : runs_near(edge, 40)) this->expect_as_counted(data);
  }
  for (auto const& data : long_runs(512, 30)) this->expect_as_counted(data);
}

// 3 10^6 ties have a sum of 2.7 10^19, which needs more than 64 bits.
TYPED_TEST(TieStatisticsOfDataTest, SumsBeyond64Bits) {
  auto data = runs_that_end_at<std::int8_t>(3000007, {3000000, 3000005});
  auto const found = this->ties(data);
  EXPECT_EQ(found.groups, 3u);
  EXPECT_EQ(found.largest, 3000000u);
  EXPECT_EQ(found.tie_sum_high, 1u);
  EXPECT_EQ(found.tie_sum_low, 8553255926287448510u);  // 27 10^18 - 3 10^6 + 120 + 6 - 2^64
  EXPECT_EQ(found.tie_sum(), 26999999999997000126.0);
}

// NaNs tie with each other, at either end, and not with numbers; -0 ties with 0.
TYPED_TEST(TieStatisticsOfDataTest, NaNsAreAGroup) {
  expect_ties(this->ties(std::vector<double>{1, 1, 2, nan, nan, nan}), 6, 3, 30, 3);
  expect_ties(this->ties(std::vector<double>{nan, nan, 1, 2, 2, 2}), 6, 3, 30, 3);
  expect_ties(this->ties(std::vector<double>{nan, nan}), 2, 1, 6, 2);
  expect_ties(this->ties(std::vector<double>{-1, -0.0, 0, nan}), 4, 3, 6, 2);
  std::vector<double> many(5000, nan);
  for (std::size_t i = 0; i < 2000; ++i) many[i] = static_cast<double>(i / 3);
  this->expect_as_counted(many);
}

/// Compares by tens.
struct ByTens {
  KOKKOS_FUNCTION bool operator()(int a, int b) const { return a / 10 < b / 10; }
};

TYPED_TEST(TieStatisticsOfDataTest, OrdersOfAnyKind) {
  auto data = random_runs(3000, 0.5);
  this->expect_as_counted(data, ByTens{});
  std::reverse(data.begin(), data.end());
  this->expect_as_counted(data, Descending{});
  expect_ties(this->ties(std::vector<double>{nan, 3, 3, 1}, Descending{}), 4, 3, 6, 2);
}

TYPED_TEST(TieStatisticsOfDataTest, ReadsConstAndStridedViews) {
  auto const data = random_runs(500, 0.6);
  auto const expected = this->ties(data);
  Kokkos::View<int const*, typename TypeParam::memory_space> const constant =
      to_view<TypeParam>(data);
  auto const strided = make_strided<TypeParam, int>(500);
  fill(strided, data);
  for (auto const& found : {riffle::tie_statistics(this->exec, constant),
                            riffle::tie_statistics(Context(this->exec, "user::label"), strided)}) {
    EXPECT_EQ(found.groups, expected.groups);
    EXPECT_EQ(found.tie_sum_low, expected.tie_sum_low);
  }
}

// Neighbours decide where a run ends; its start is searched for within the View only.
TYPED_TEST(TieStatisticsOfDataTest, UnsortedDataAreReadWithinBounds) {
  std::vector<int> data;
  for (int i = 0; i < 1000; ++i) data.push_back(i % 7 < 4 ? 3 : i % 2);
  std::uint64_t ends = 1;
  for (std::size_t i = 1; i < data.size(); ++i) ends += data[i] != data[i - 1];
  auto const found = this->ties(data);
  EXPECT_EQ(found.groups, ends);
  EXPECT_LE(found.largest, data.size());
}

TYPED_TEST(TieStatisticsOfDataTest, RejectsMoreThanItCanCount) {
  using Huge = Kokkos::View<char const*, typename TypeParam::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  auto const some = zeros<TypeParam, char>(1);
  Huge const huge(some.data(), std::size_t{1} << 42);
  EXPECT_EQ(thrown_message([&] { riffle::tie_statistics(this->exec, huge); }),
            "riffle::tie_statistics: sorted.extent(0) = 4398046511104: must be less than 2^42");
}

TYPED_TEST(TieStatisticsOfDataTest, ToolsSeeLabelsAndTheInstance) {
  auto const data = to_view<TypeParam>(random_runs(20000, 0.6));
  auto const exec = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  auto const call = [&](auto const& on) { riffle::tie_statistics(on, data); };
  expect_labels_and_instance(exec, call);
  expect_fences_of_the_instance_only(exec, call);
}

}  // namespace
}  // namespace riffle::test::tie_statistics_test
