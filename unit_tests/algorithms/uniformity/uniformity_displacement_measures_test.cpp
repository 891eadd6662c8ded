#include <Kokkos_Core.hpp>
#include <riffle/uniformity.hpp>
#include <riffle/uniformity/detail/displacement_measures.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/uniformity_samples.hpp"

namespace riffle::test::uniformity_displacement_measures_test {
namespace {

using namespace detail::uniformity;

template <class Exec>
class UniformityDisplacementMeasures : public ::testing::Test {};
TYPED_TEST_SUITE(UniformityDisplacementMeasures, ExecutionSpaces, SpaceNames);

TYPED_TEST(UniformityDisplacementMeasures, MatchTheOracle) {
  for (std::size_t const n : {2, 3, 5, 64, 65, 200}) {
    auto samples = random_permutations(20, n);
    samples[0] = oracle::identity(n);
    std::reverse_copy(samples[0].begin(), samples[0].end(), samples[1].begin());
    expect_measures<TypeParam, FootruleMeasure, SquaredDifferenceMeasure>(
        samples, [&](std::size_t r) {
          return std::vector{oracle::footrule(samples[r]), oracle::squared_differences(samples[r])};
        });
  }
}

// Sizes with an exact distribution, and others.
TYPED_TEST(UniformityDisplacementMeasures, AcceptATrueShuffleAndFindFaults) {
  for (std::uint64_t const n : {10, 40, 200}) {
    expect_test<TypeParam, ScalarTest<FootruleMeasure>>(n, Order::near);
    expect_test<TypeParam, ScalarTest<SquaredDifferenceMeasure>>(n, Order::near);
  }
}

TEST(UniformityDisplacementMeasuresNull, IsExactUpToALimit) {
  EXPECT_TRUE(FootruleMeasure::null(80).exact);
  EXPECT_FALSE(FootruleMeasure::null(81).exact);
  EXPECT_TRUE(SquaredDifferenceMeasure::null(12).exact);
  EXPECT_FALSE(SquaredDifferenceMeasure::null(13).exact);
}

TEST(UniformityDisplacementMeasuresNull, SquaredDifferencesAreRejectedIfTheyOverflow) {
  EXPECT_GT(SquaredDifferenceMeasure::null(3024616).moments.variance, 0);
  EXPECT_EQ(thrown_message([] { SquaredDifferenceMeasure::null(3024617); }),
            "riffle::squared differences: n = 3024617: must be at most 3024616");
}

}  // namespace
}  // namespace riffle::test::uniformity_displacement_measures_test
