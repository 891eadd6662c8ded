#include <Kokkos_Core.hpp>
#include <riffle/uniformity.hpp>
#include <riffle/uniformity/detail/order_measures.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/uniformity_samples.hpp"

namespace riffle::test::uniformity_order_measures_test {
namespace {

using namespace detail::uniformity;
using oracle::Permutation;

std::int64_t serial_correlation(Permutation const& sigma) {
  std::int64_t sum = 0;
  auto const last = static_cast<std::int64_t>(sigma.size()) - 1;
  for (std::size_t i = 0; i < sigma.size(); ++i)
    sum += (2 * sigma[i] - last) * (2 * sigma[(i + 1) % sigma.size()] - last);
  return sum;
}

std::int64_t longest_of_64(Permutation sigma) {
  sigma.resize(std::min<std::size_t>(sigma.size(), 64));
  return oracle::longest_increasing(sigma);
}

template <class Exec>
class UniformityOrderMeasures : public ::testing::Test {};
TYPED_TEST_SUITE(UniformityOrderMeasures, ExecutionSpaces, SpaceNames);

TYPED_TEST(UniformityOrderMeasures, MatchTheOracle) {
  for (std::size_t const n : {2, 3, 5, 64, 65, 200}) {
    auto samples = random_permutations(20, n);
    samples[0] = oracle::identity(n);
    std::reverse_copy(samples[0].begin(), samples[0].end(), samples[1].begin());
    expect_measures<TypeParam, DescentMeasure, SuccessionMeasure, LongestIncreasingMeasure,
                    SerialCorrelationMeasure>(samples, [&](std::size_t r) {
      auto const& sigma = samples[r];
      return std::vector{oracle::descents(sigma), oracle::successions(sigma), longest_of_64(sigma),
                         serial_correlation(sigma)};
    });
  }
}

TYPED_TEST(UniformityOrderMeasures, AcceptATrueShuffleAndFindFaults) {
  expect_test<TypeParam, ScalarTest<DescentMeasure>>(20, Order::pairs_sorted);
  expect_test<TypeParam, ScalarTest<SuccessionMeasure>>(20, Order::alternating);
  expect_test<TypeParam, ScalarTest<LongestIncreasingMeasure>>(100, Order::pairs_sorted);
  expect_test<TypeParam, ScalarTest<SerialCorrelationMeasure>>(100, Order::alternating);
}

TEST(UniformityOrderMeasuresNull, IsExactUpToALimit) {
  EXPECT_TRUE(DescentMeasure::null(100).exact);
  EXPECT_FALSE(DescentMeasure::null(8193).exact);
  EXPECT_TRUE(LongestIncreasingMeasure::null(1000).exact);
  EXPECT_FALSE(SerialCorrelationMeasure::null(10).exact);
}

TEST(UniformityOrderMeasuresNull, SerialCorrelationIsRejectedIfItOverflows) {
  EXPECT_GT(SerialCorrelationMeasure::null(3024616).moments.variance, 0);
  EXPECT_EQ(thrown_message([] { SerialCorrelationMeasure::null(3024617); }),
            "riffle::serial correlation: n = 3024617: must be at most 3024616");
  EXPECT_EQ((ScalarTest<SerialCorrelationMeasure>{}.plan(3, 100).refusal), "n must be at least 4");
}

}  // namespace
}  // namespace riffle::test::uniformity_order_measures_test
