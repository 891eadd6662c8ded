#include <riffle/monte_carlo/binomial_interval.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "support/thrown_message.hpp"

namespace riffle::test::binomial_interval_test {
namespace {

struct Case {
  std::uint64_t successes;
  std::uint64_t trials;
  double level;
  double lower;
  double upper;
};

// scipy.stats.beta.ppf((1 - level) / 2, successes, trials - successes + 1) and scipy.stats.beta.isf((1 - level) / 2,
// successes + 1, trials - successes); the first two rows also equal R's binom.test(5, 100) and binom.test(0, 10).
Case const cases[] = {
    {5, 100, 0.95, 0.016431879182052158, 0.11283491110546275},
    {0, 10, 0.95, 0.0, 0.3084971078187608},
    {10, 10, 0.95, 0.6915028921812392, 1.0},
    {1, 2, 0.95, 0.01257911709342506, 0.9874208829065749},
    {1, 1, 0.5, 0.25, 1.0},
    {17, 9999, 0.99, 0.0008254661099676012, 0.0030772434828293853},
    {1000, 9999, 0.95, 0.09419666124697142, 0.10605746996117633},
    {50, 100, 0.9, 0.41362171463091163, 0.5863782853690884},
    {3, 1000000, 0.95, 6.186725501906404e-07, 8.767247788067677e-06},
    {999999, 1000000, 0.95, 0.9999944283693448, 0.9999999746821924},
    {123456, 1000000, 0.999, 0.12237589525913871, 0.12454179558467815},
};

TEST(ClopperPearsonTest, AgreesWithSciPyAndR) {
  for (auto const& [successes, trials, level, lower, upper] : cases) {
    auto const interval = clopper_pearson(successes, trials, level);
    EXPECT_NEAR(interval.lower, lower, 1e-10 * lower) << successes << " of " << trials;
    EXPECT_NEAR(interval.upper, upper, 1e-10 * upper) << successes << " of " << trials;
  }
}

TEST(ClopperPearsonTest, FollowsItsClosedForms) {
  // Without successes, (1 - upper)^m = (1 - level) / 2.
  for (std::uint64_t const m : {1, 10, 1000, 1000000}) {
    auto const none = clopper_pearson(0, m, 0.95);
    EXPECT_EQ(none.lower, 0.0);
    EXPECT_NEAR(none.upper, -std::expm1(std::log(0.025) / static_cast<double>(m)),
                1e-12 / static_cast<double>(m));
    auto const all = clopper_pearson(m, m, 0.95);
    EXPECT_EQ(all.upper, 1.0);
    EXPECT_NEAR(all.lower, std::exp(std::log(0.025) / static_cast<double>(m)), 1e-12);
  }
}

TEST(ClopperPearsonTest, IsSymmetricNestedAndHoldsTheProportion) {
  for (std::uint64_t const m : {1, 2, 7, 100}) {
    for (std::uint64_t b = 0; b <= m; ++b) {
      double const proportion = static_cast<double>(b) / static_cast<double>(m);
      auto const narrow = clopper_pearson(b, m, 0.5);
      auto const wide = clopper_pearson(b, m, 0.99);
      EXPECT_LE(wide.lower, narrow.lower);
      EXPECT_LE(narrow.lower, proportion);
      EXPECT_LE(proportion, narrow.upper);
      EXPECT_LE(narrow.upper, wide.upper);
      auto const mirrored = clopper_pearson(m - b, m, 0.99);
      EXPECT_NEAR(wide.lower, 1 - mirrored.upper, 1e-12);
    }
  }
}

TEST(ClopperPearsonTest, RejectsInvalidProportions) {
  EXPECT_EQ(thrown_message([] { clopper_pearson(0, 0, 0.95); }),
            "riffle::clopper_pearson: trials = 0: must be at least 1");
  EXPECT_EQ(thrown_message([] { clopper_pearson(11, 10, 0.95); }),
            "riffle::clopper_pearson: successes = 11: must not exceed trials = 10");
  EXPECT_EQ(thrown_message([] { clopper_pearson(1, 10, 0); }),
            "riffle::clopper_pearson: level = 0: must lie between 0 and 1");
  EXPECT_EQ(thrown_message([] { clopper_pearson(1, 10, 1); }),
            "riffle::clopper_pearson: level = 1: must lie between 0 and 1");
  EXPECT_EQ(thrown_message([] { clopper_pearson(1, 10, -0.5); }),
            "riffle::clopper_pearson: level = -0.5: must lie between 0 and 1");
  EXPECT_EQ(
      thrown_message([] { clopper_pearson(1, 10, std::numeric_limits<double>::quiet_NaN()); }),
      "riffle::clopper_pearson: level = nan: must lie between 0 and 1");
}

}  // namespace
}  // namespace riffle::test::binomial_interval_test
