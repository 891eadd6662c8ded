// Decisions from coarse sums are never wrong, and few are left undecided.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/label_tiles.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace riffle::test::coarse_terms_test {
namespace {

using namespace detail::variables;

using Numbers = std::vector<double>;
using Generator = std::mt19937_64;

constexpr Alternative alternatives[] = {Alternative::two_sided, Alternative::greater,
                                        Alternative::less};

struct Values {
  double const* values;
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const { return values[i]; }
};

/// A variable, its coarse numbers, and the computations of kernels with them.
struct Variable {
  Numbers values;
  CoarseValues coarse;
  int pairs;
  double factor;

  Variable(Numbers own, int digit_pairs, double own_factor)
      : values(own),
        coarse(Values{own.data()}, own.size(), max_of_digit_pairs(digit_pairs)),
        pairs(digit_pairs),
        factor(own_factor) {}

  double test_statistic(std::vector<bool> const& labels, Alternative alternative) const {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += labels[i] ? values[i] : 0;
    if (alternative == Alternative::two_sided) return std::abs(sum) * factor;
    return (alternative == Alternative::less ? -sum : sum) * factor;
  }

  /// The coarse sum that kernels compute from sums of digits.
  float coarse_sum(std::vector<bool> const& labels, Alternative alternative) const {
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!labels[i]) continue;
      auto const c = static_cast<std::int64_t>(CoarseValues::rounded(values[i], coarse.scale));
      std::int64_t const own = ((c + (1 << 13)) & ((1 << 14) - 1)) - (1 << 13);
      low += pairs == 1 ? c : own;
      high += pairs == 1 ? 0 : (c - own) / (1 << 14);
    }
    float const sum = std::fma(static_cast<float>(high), 0x1p14f, static_cast<float>(low));
    return alternative == Alternative::two_sided ? std::abs(sum) : sum;
  }

  CoarseTerms terms(double threshold, Alternative alternative) const {
    return MakeCoarseTerms(coarse, TileTerms{factor, threshold, threshold, 0}, alternative)();
  }
};

std::vector<bool> draw_labels(std::size_t n, Generator& generator) {
  std::vector<bool> labels(n);
  for (std::size_t i = 0; i < n; ++i) labels[i] = generator() % 3 == 0;
  return labels;
}

/// Normal values of several magnitudes, with heavy tails, with few different values, and with an outlier.
std::vector<Numbers> data_of(std::size_t n, Generator& generator) {
  std::normal_distribution<double> normal;
  std::vector<Numbers> all;
  for (double const unit : {3.0, 3e3, 1e6, 1e9, 1e14}) {
    Numbers values(n);
    for (double& x : values) x = std::nearbyint(unit * normal(generator));
    all.push_back(values);
  }
  Numbers heavy(n);
  for (double& x : heavy) x = std::nearbyint(1e7 * std::exp(2 * normal(generator)));
  Numbers outlier = all[0];
  outlier[0] = 0x1p45;
  all.push_back(heavy);
  all.push_back(outlier);
  all.push_back(Numbers(n, -5));
  all.push_back(Numbers(n, 0));
  return all;
}

/// Expects that no decision is wrong, and returns the number of sums that are undecided.
int expect_right(Variable const& variable, double threshold, Alternative alternative,
                 std::vector<std::vector<bool>> const& replicates) {
  auto const terms = variable.terms(threshold, alternative);
  int undecided = 0;
  for (auto const& labels : replicates) {
    double const test_statistic = variable.test_statistic(labels, alternative);
    float const sum = variable.coarse_sum(labels, alternative);
    float const reaches = terms.reaches(sum);
    bool const is_reached = test_statistic >= threshold;
    if (reaches == 1) {
      EXPECT_TRUE(is_reached) << test_statistic << " of " << threshold;
    } else if (reaches == 0) {
      EXPECT_FALSE(is_reached) << test_statistic << " of " << threshold;
    } else {
      ++undecided;
    }
    EXPECT_GE(static_cast<double>(terms.bound(sum)), test_statistic);
  }
  return undecided;
}

TEST(CoarseTerms, DecisionsAreRight) {
  Generator generator(1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t const n : {1u, 5u, 38u, 300u}) {
    std::vector<std::vector<bool>> replicates;
    for (int r = 0; r < 100; ++r) replicates.push_back(draw_labels(n, generator));
    replicates.push_back(std::vector<bool>(n, true));
    replicates.push_back(std::vector<bool>(n, false));
    int number = 0;
    for (auto const& values : data_of(n, generator)) {
      for (int const pairs : {1, 2}) {
        for (double const factor : {1.0, 0.37e-9, 1e-40, 1e40}) {
          Variable const variable(values, pairs, factor);
          for (auto const alternative : alternatives) {
            SCOPED_TRACE(std::to_string(n) + " of data " + std::to_string(number) + ", pairs " +
                         std::to_string(pairs) + ", side " +
                         std::to_string(static_cast<int>(alternative)));
            // The test statistics, and the nearest doubles on both sides.
            Numbers thresholds{0, -0.0, infinity, -infinity, 1e300, -1e300, 1e-300};
            for (std::size_t r = 0; r < replicates.size(); r += 10) {
              double const x = variable.test_statistic(replicates[r], alternative);
              for (double const to : {x, infinity, -infinity}) {
                thresholds.push_back(std::nextafter(x, to));
              }
            }
            for (double const threshold : thresholds) {
              expect_right(variable, threshold, alternative, replicates);
            }
          }
        }
      }
      ++number;
    }
  }
}

// Values that the coarse digits hold exactly are always decided, also for ties.
TEST(CoarseTerms, SmallValuesAreDecided) {
  Generator generator(2);
  Numbers ranks;
  for (int i = 0; i < 38; ++i) ranks.push_back(2 * i - 37);
  std::vector<std::vector<bool>> replicates;
  for (int r = 0; r < 200; ++r) replicates.push_back(draw_labels(38, generator));
  for (double const factor : {1.0, 0.1, 1 / 3.0}) {
    Variable const variable(ranks, 1, factor);
    for (auto const alternative : alternatives) {
      for (int r = 0; r < 50; ++r) {
        double const x =
            variable.test_statistic(replicates[static_cast<std::size_t>(r)], alternative);
        EXPECT_EQ(expect_right(variable, x, alternative, replicates), 0);
      }
    }
  }
}

// About 10 units of a range of 9000 are undecided with one pair of digits; almost none with two.
TEST(CoarseTerms, FewAreUndecided) {
  Generator generator(3);
  std::normal_distribution<double> normal;
  Numbers values(38);
  for (double& x : values) x = std::nearbyint(1e12 * normal(generator));
  std::vector<std::vector<bool>> replicates;
  for (int r = 0; r < 20000; ++r) replicates.push_back(draw_labels(38, generator));
  for (int const pairs : {1, 2}) {
    Variable const variable(values, pairs, 1);
    int undecided = 0;
    for (std::size_t r = 0; r < 20; ++r) {
      double const x = variable.test_statistic(replicates[r], Alternative::two_sided);
      undecided += expect_right(variable, x, Alternative::two_sided, replicates);
    }
    // The replicate that gives the threshold is always undecided.
    EXPECT_GE(undecided, 20);
    EXPECT_LE(undecided, pairs == 1 ? 20 * 40 : 20 * 3);
  }
}

// If the statistic is not the sum times a positive factor, the decision is left to the exact values.
TEST(CoarseTerms, NothingIsDecidedWithoutAPositiveFactor) {
  for (double const factor : {0.0, -1.0, std::nan("")}) {
    Variable const variable({1, 2, -3}, 1, factor);
    auto const terms = variable.terms(0.5, Alternative::greater);
    EXPECT_EQ(terms.reaches(1.0f), 0.5f);
    EXPECT_EQ(terms.bound(1.0f), std::numeric_limits<float>::infinity());
  }
}

// Sums of lanes without a replicate are NaN.
TEST(CoarseTerms, NaNsNeverReach) {
  Variable const variable({1, 2, -3}, 1, 1);
  for (double const threshold : {-1e300, 0.0, 1.0}) {
    for (auto const alternative : alternatives) {
      auto const terms = variable.terms(threshold, alternative);
      EXPECT_EQ(terms.reaches(std::nanf("")), 0.0f);
      EXPECT_FALSE(terms.bound(std::nanf("")) >= -std::numeric_limits<float>::infinity());
    }
  }
}

}  // namespace
}  // namespace riffle::test::coarse_terms_test
