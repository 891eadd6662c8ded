// The false discovery rate, on the host.

#include <riffle/monte_carlo/benjamini_hochberg.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/thrown_message.hpp"

namespace riffle::test::benjamini_hochberg_test {
namespace {

using Values = std::vector<double>;

/// Computes the definition: the least p_j G / (the number of p-values <= p_j) over all p_j at least as large.
Values oracle(Values const& p) {
  Values adjusted(p.size(), 1);
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (double const other : p) {
      if (other < p[i]) continue;
      auto const rank = std::count_if(p.begin(), p.end(), [&](double x) { return x <= other; });
      adjusted[i] =
          std::min(adjusted[i], other * static_cast<double>(p.size()) / static_cast<double>(rank));
    }
  }
  return adjusted;
}

// The 15 p-values of Benjamini and Hochberg's example, section 3.2: at 0.05 the procedure rejects the four smallest.
TEST(BenjaminiHochberg, ExampleOfThePaper) {
  Values const p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  auto const adjusted = benjamini_hochberg(p);
  EXPECT_EQ(std::count_if(adjusted.begin(), adjusted.end(), [](double x) { return x <= 0.05; }), 4);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.0015);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.0095 * 15 / 4);
  EXPECT_DOUBLE_EQ(adjusted[5], 0.0298 * 15 / 7) << "the seventh's, which is smaller";
  EXPECT_EQ(adjusted[14], 1);
}

TEST(BenjaminiHochberg, TiesAndOrder) {
  for (Values const& p : {Values{0.5, 0.01, 0.04, 0.01, 0.9, 0.04, 0.04}, Values{0.3},
                          Values{1, 1, 1}, Values{0, 0, 0.2}, Values{0.2, 0.1, 0.05, 0.025}}) {
    EXPECT_EQ(benjamini_hochberg(p), oracle(p));
  }
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

TEST(BenjaminiHochberg, MissingPValuesDoNotCount) {
  double const missing = std::numeric_limits<double>::quiet_NaN();
  auto const adjusted = benjamini_hochberg({0.02, missing, 0.01, missing});
  EXPECT_EQ(adjusted[0], 0.02);
  EXPECT_EQ(adjusted[2], 0.02);
  EXPECT_TRUE(std::isnan(adjusted[1]));
  EXPECT_TRUE(std::isnan(adjusted[3]));
}

TEST(BenjaminiHochberg, RejectsInvalidProbabilities) {
  EXPECT_EQ(thrown_message([] {
              benjamini_hochberg({0.5, 1.5});
            }),
            "riffle::benjamini_hochberg: p[1] = 1.5: must lie between 0 and 1");
  EXPECT_EQ(thrown_message([] { benjamini_hochberg({-0.25}); }),
            "riffle::benjamini_hochberg: p[0] = -0.25: must lie between 0 and 1");
}

}  // namespace
}  // namespace riffle::test::benjamini_hochberg_test
