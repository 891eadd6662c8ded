#include <riffle/uniformity/detail/nulls/holm.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/thrown_message.hpp"

namespace riffle::test::uniformity_holm_test {
namespace {

using detail::uniformity::holm_adjusted;

// The definition: the maximum, over all q <= p, of q times the number of p-values that are not below q.
double by_definition(std::vector<double> const& p, double own) {
  double adjusted = 0;
  for (double const smaller : p) {
    if (smaller > own) continue;
    auto const left = std::count_if(p.begin(), p.end(), [&](double x) { return x >= smaller; });
    adjusted = std::max(adjusted, static_cast<double>(left) * smaller);
  }
  return std::min(adjusted, 1.0);
}

void expect_adjusted(std::vector<double> const& p, std::vector<double> const& expected) {
  auto const adjusted = holm_adjusted(p);
  ASSERT_EQ(adjusted.size(), expected.size());
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_DOUBLE_EQ(adjusted[i], expected[i]) << i;
}

TEST(UniformityHolm, KeepsTheOrderOfItsInput) {
  // 4 * 0.005, 3 * 0.01, 2 * 0.03, and 1 * 0.04, which must not be below the one before it.
  expect_adjusted({0.03, 0.01, 0.04, 0.005}, {0.06, 0.03, 0.06, 0.02});
  expect_adjusted({0.5, 0.01, 0.9}, {1, 0.03, 1});
  expect_adjusted({0.2}, {0.2});
  expect_adjusted({0, 1}, {0, 1});
  expect_adjusted({}, {});
}

TEST(UniformityHolm, TreatsEqualPValuesAlike) {
  expect_adjusted({0.1, 0.02, 0.1}, {0.2, 0.06, 0.2});
}

TEST(UniformityHolm, FollowsItsDefinition) {
  std::mt19937_64 generator(1);
  for (std::size_t tests = 1; tests <= 40; ++tests) {
    std::vector<double> p;
    for (std::size_t i = 0; i < tests; ++i)
      p.push_back(static_cast<double>(generator() % 1000) / 10000);
    std::vector<double> expected;
    for (double const own : p) expected.push_back(by_definition(p, own));
    expect_adjusted(p, expected);
  }
}

TEST(UniformityHolm, RejectsInvalidProbabilities) {
  EXPECT_EQ(thrown_message([] {
              holm_adjusted({0.5, 1.5});
            }),
            "riffle::holm_adjusted: p[1] = 1.5: must lie in [0, 1]");
  EXPECT_EQ(thrown_message([] { holm_adjusted({-0.5}); }),
            "riffle::holm_adjusted: p[0] = -0.5: must lie in [0, 1]");
  EXPECT_EQ(thrown_message([] { holm_adjusted({std::numeric_limits<double>::quiet_NaN()}); }),
            "riffle::holm_adjusted: p[0] = nan: must lie in [0, 1]");
}

}  // namespace
}  // namespace riffle::test::uniformity_holm_test
