// The rank statistics: values of textbooks and SciPy, all arrangements by brute force, and random ones compared with
// statistics that they are special cases of.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/null_distributions.hpp"
#include "support/rank_statistics.hpp"
#include "support/samples.hpp"
#include "support/scipy_results.hpp"
#include "support/statistics.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_test_ranks_test {
namespace {

using Values = std::vector<double>;
using Labels = std::vector<int>;

template <class Exec>
class RankStatisticsTest : public ::testing::Test {
 protected:
  template <class Statistic, class X, class Y>
  PermutationTestResult run(Statistic statistic, std::vector<X> const& x, std::vector<Y> const& y,
                            PermutationTestOptions const& options = {}) {
    return riffle::permutation_test(exec, statistic, to_view<Exec>(x), to_view<Exec>(y), options);
  }

  template <class Statistic, class X, class Y>
  double observed(Statistic statistic, std::vector<X> const& x, std::vector<Y> const& y) {
    PermutationTestOptions options;
    options.replicates = 1;
    options.enumerate = false;
    return run(statistic, x, y, options).statistic;
  }

  template <class Statistic, class Y>
  Values distribution(Statistic statistic, Values const& x, std::vector<Y> const& y,
                      PermutationTestOptions const& options = {}) {
    auto const out = zeros<Exec, double>(options.replicates);
    auto const stored = riffle::null_distribution(exec, statistic, to_view<Exec>(x),
                                                  to_view<Exec>(y), out, options);
    Values values = to_vector(out);
    values.resize(stored);
    return values;
  }

  /// Compares the test and its null distribution with all values.
  template <class Statistic, class Y>
  void expect_enumerates(Statistic statistic, Values const& x, std::vector<Y> const& y,
                         Values expected, double observed, double error) {
    auto const result = run(statistic, x, y);
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.replicates, expected.size());
    EXPECT_NEAR(result.statistic, observed, error);
    double const middle = std::is_same_v<Statistic, MannWhitneyU>
                              ? 0.5 * static_cast<double>(x.size() * y.size())
                              : 0;
    Sides const sides = count_sides(expected, observed, middle);
    EXPECT_EQ(result.less_equal, sides.less_equal);
    EXPECT_EQ(result.greater_equal, sides.greater_equal);
    EXPECT_EQ(result.as_far, sides.as_far);

    Values values = distribution(statistic, x, y);
    ASSERT_EQ(values.size(), expected.size());
    std::sort(values.begin(), values.end());
    std::sort(expected.begin(), expected.end());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], error);
  }

  Exec exec;
};
TYPED_TEST_SUITE(RankStatisticsTest, ExecutionSpaces, SpaceNames);

TEST(RankStatisticTagsTest, AreEmpty) {
  static_assert(std::is_empty_v<riffle::MannWhitneyU>);
  static_assert(std::is_empty_v<riffle::KruskalWallisH>);
  static_assert(std::is_empty_v<riffle::SpearmanCorrelation>);
}

struct Samples {
  Values x;
  Values y;
};

// --- textbooks and SciPy ---

// M. Hollander, D. A. Wolfe, Nonparametric Statistical Methods, 1973, p. 69: permeability of the human chorioamnion at
// term, and at 12 to 26 weeks. R's wilcox.test(x, y, alternative = "greater"): W = 35, p-value = 0.1272.
Samples const permeability{{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46},
                           {1.15, 0.88, 0.90, 0.74, 1.21}};
Samples const tied_samples{{1, 2, 2, 5, 3, 2, 4}, {2, 3, 1, 4, 4, 6, 5, 5}};

// W. H. Kruskal, W. A. Wallis (1952), table 1.1: the output of three bottle-cap machines. H = 5.656, and a true
// probability of .049.
Values const bottle_caps{340, 345, 330, 342, 338, 339, 333, 344, 347, 343, 349, 355};
Labels const machines{0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2};
Values const tied_values{1, 2, 2, 3, 3, 3, 4, 4, 2, 5, 5};
Labels const tied_labels{0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2};

// Hollander and Wolfe, p. 187: lightness and quality of canned tuna. R's cor.test(x, y, method = "spearman"): S = 48,
// rho = 0.6, p-value = 0.0968.
Samples const tuna{{44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1},
                   {2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8}};
Samples const tied_pairs{{1, 2, 2, 3, 3, 3, 4}, {2, 1, 2, 2, 5, 4, 4}};

// scipy.stats.permutation_test((x, y), lambda x, y, axis: scipy.stats.mannwhitneyu(x, y, axis=axis,
//   method='asymptotic').statistic, permutation_type='independent', n_resamples=numpy.inf, alternative=...,
//   vectorized=True), SciPy 1.10.1
TYPED_TEST(RankStatisticsTest, MannWhitneyUAgreesWithSciPy) {
  auto const expect = [&](Samples const& samples, SciPyResult const& expected) {
    expect_as_scipy(
        [&](auto const& options) {
          return this->run(riffle::MannWhitneyU{}, samples.x, samples.y, options);
        },
        expected, 1e-14);
  };
  expect(permeability, {35, 3003, 0.8967698967698968, 0.1272061272061272, 0.2544122544122544});
  expect(tied_samples, {17.5, 6435, 0.13892773892773894, 0.9020979020979021, 0.2778554778554779});
}

// scipy.stats.permutation_test((a, b, c), lambda a, b, c: scipy.stats.kruskal(a, b, c).statistic,
//   permutation_type='independent', n_resamples=numpy.inf, alternative='greater')
TYPED_TEST(RankStatisticsTest, KruskalWallisHAgreesWithSciPy) {
  auto const expect = [&](Values const& values, Labels const& labels, SciPyResult const& expected) {
    expect_as_scipy(
        [&](auto options) {
          options.alternative = Alternative::two_sided;  // which means greater for H
          auto const result = this->run(riffle::KruskalWallisH{}, values, labels, options);
          EXPECT_EQ(result.alternative, Alternative::greater);
          return result;
        },
        expected, 1e-14);
  };
  double const p_bottles = 0.048629148629148626;
  expect(bottle_caps, machines, {5.656410256410254, 27720, p_bottles, p_bottles, p_bottles});
  double const p_tied = 0.10424242424242425;
  expect(tied_values, tied_labels, {4.799603174603178, 11550, p_tied, p_tied, p_tied});
}

// scipy.stats.permutation_test((x,), statistic, permutation_type='pairings', n_resamples=numpy.inf,
//   alternative=..., vectorized=True), where statistic is scipy.stats.spearmanr(x, y).correlation along an axis
TYPED_TEST(RankStatisticsTest, SpearmanCorrelationAgreesWithSciPy) {
  auto const expect = [&](Samples const& samples, SciPyResult const& expected) {
    expect_as_scipy(
        [&](auto const& options) {
          return this->run(riffle::SpearmanCorrelation{}, samples.x, samples.y, options);
        },
        expected, 1e-14);
  };
  expect(tuna, {0.6, 362880, 0.9571373456790123, 0.04839891975308642, 0.09679783950617284});
  expect(tied_pairs,
         {0.6666666666666665, 5040, 0.9642857142857143, 0.06428571428571428, 0.12857142857142856});
}

// --- the observed statistic ---

TYPED_TEST(RankStatisticsTest, MannWhitneyUCountsPairs) {
  riffle::MannWhitneyU const u;
  for (auto const& [x, y] :
       {permeability, tied_samples, Samples{{1}, {2}}, Samples{{2}, {1}}, Samples{{2}, {2}},
        Samples{{4, 4}, {4, 4, 4}}, Samples{{-0.0, 0.0}, {0.0, 1}},
        Samples{{-1e308, 1e308}, {0, 5e-324}}, Samples{pattern(1500, 7919), pattern(1100, 31)}}) {
    EXPECT_EQ(this->observed(u, x, y), mann_whitney_u(x, y));
    EXPECT_EQ(this->observed(u, y, x), mann_whitney_u(y, x));
  }
}

TYPED_TEST(RankStatisticsTest, KruskalWallisHByItsFormula) {
  auto const expect = [&](Values const& values, Labels const& labels, int groups) {
    double const expected = kruskal_wallis_h(values, labels, groups);
    EXPECT_NEAR(this->observed(riffle::KruskalWallisH{}, values, labels), expected,
                1e-13 * std::max(1.0, expected));
  };
  expect({2, 1}, {0, 1}, 2);
  expect({3, 3, 1}, {0, 1, 2}, 3);
  expect({-1e308, 1e308, 0}, {1, 0, 1}, 2);
  expect(tied_values, tied_labels, 3);
  for (int const groups : {2, 4, 5, 16, 17, 64}) {
    Values const values = pattern(static_cast<std::size_t>(31 * groups), 7919);
    Labels labels;
    for (std::size_t i = 0; i < values.size(); ++i)
      labels.push_back(static_cast<int>(i * i) % groups);
    for (int g = 0; g < groups; ++g) labels[static_cast<std::size_t>(g)] = g;
    expect(values, labels, groups);
  }
}

// Pearson's correlation of the ranks, and exactly 1 if both orders are equal.
TYPED_TEST(RankStatisticsTest, SpearmanCorrelationOfRanks) {
  riffle::SpearmanCorrelation const spearman;
  for (auto const& [x, y] :
       {tuna, tied_pairs, Samples{{1, 2}, {5, 3}}, Samples{{1, 2, 2}, {0, 0, 7}},
        Samples{{-1e308, 1e308, 3}, {0, 5e-324, 1}},
        Samples{pattern(1500, 7919), pattern(1500, 31)}}) {
    double const expected = spearman_correlation(x, y);
    EXPECT_NEAR(this->observed(spearman, x, y), expected, 1e-14);
    EXPECT_EQ(this->observed(spearman, x, y), this->observed(spearman, y, x));
    Values cubes = x;
    Values negative = x;
    for (double& value : cubes) value = std::cbrt(value);
    for (double& value : negative) value = -value;
    EXPECT_EQ(this->observed(spearman, x, cubes), 1);
    EXPECT_EQ(this->observed(spearman, negative, x), -1);
  }
  // IQ and hours of television of ten people: -29/165.
  EXPECT_DOUBLE_EQ(this->observed(spearman, Values{106, 100, 86, 101, 99, 103, 97, 113, 112, 110},
                                  Values{7, 27, 2, 50, 28, 29, 20, 12, 6, 17}),
                   -29.0 / 165.0);
}

// --- all arrangements ---

TYPED_TEST(RankStatisticsTest, MannWhitneyUOfAllSplits) {
  for (auto const& [x, y] :
       {Samples{{3}, {1.5}}, Samples{{2}, {1, 3, 5, 4}}, Samples{{1, 3, 5, 4}, {2}},
        Samples{{4.1, 5.0, 6.2}, {7.3, 6.8, 8.1, 5.9, 9.4}}, Samples{{1, 2, 2}, {2, 3, 1, 4}},
        Samples{{0, 0, 1}, {1, 1, 0}}, Samples{{5, 5, 5}, {5, 5, 6}}, Samples{{4, 4}, {4, 4, 4}}}) {
    this->expect_enumerates(riffle::MannWhitneyU{}, x, y, all_splits(x, y, mann_whitney_u<double>),
                            mann_whitney_u(x, y), 0);
  }
}

TYPED_TEST(RankStatisticsTest, KruskalWallisHOfAllLabellings) {
  struct Case {
    Values values;
    Labels labels;
    int groups;
  };
  for (auto const& [values, labels, groups] :
       {Case{{1, 2}, {0, 1}, 2}, Case{{1, 2, 4, 8, 7}, {0, 1, 0, 1, 1}, 2},
        Case{{6.9, 5.4, 5.8, 8.3, 6.8, 7.8}, {2, 0, 1, 1, 2, 0}, 3},
        Case{{1, 2, 2, 3, 1, 4, 2}, {3, 2, 1, 0, 0, 1, 2}, 4},
        Case{{1, 1, 1, 1, 2, 2, 2, 3}, {0, 0, 1, 1, 2, 2, 3, 4}, 5}}) {
    auto const statistic = [&, &values = values, groups = groups](Labels const& arranged) {
      return kruskal_wallis_h(values, arranged, groups);
    };
    this->expect_enumerates(riffle::KruskalWallisH{}, values, labels,
                            all_labellings(labels, statistic), statistic(labels), 1e-13);
  }
}

TYPED_TEST(RankStatisticsTest, SpearmanCorrelationOfAllPairings) {
  for (auto const& [x, y] : {Samples{{1, 2}, {5, 3}}, Samples{{1, 2, 4}, {3, 1, 2}},
                             Samples{{0.1, 0.2, 0.4, 0.8, 1.6}, {3, -1, 4, -1, 5}},
                             Samples{{1, 1, 2, 2, 3, 3}, {1, 2, 1, 2, 1, 2}},
                             Samples{{2.5, 0.1, 7.7, 3.1, 4.4, 5.0, 1.2}, {1, 0, 6, 2, 2, 8, 3}}}) {
    auto const statistic = [&, &x = x, &y = y](std::vector<std::size_t> const& sigma) {
      return spearman_correlation(x, permuted(y, sigma));
    };
    this->expect_enumerates(riffle::SpearmanCorrelation{}, x, y,
                            all_permutations(x.size(), statistic), spearman_correlation(x, y),
                            1e-14);
  }
}

// --- random arrangements ---

PermutationTestOptions random_options(std::uint64_t replicates, std::uint64_t seed) {
  PermutationTestOptions options;
  options.replicates = replicates;
  options.seed = seed;
  options.enumerate = false;
  return options;
}

struct RankedParts {
  Values x;
  Values y;
};

RankedParts ranked_parts(Values const& x, Values const& y) {
  Values const ranks = fractional_ranks(concatenated(x, y));
  auto const middle = ranks.begin() + static_cast<std::ptrdiff_t>(x.size());
  return {{ranks.begin(), middle}, {middle, ranks.end()}};
}

// Replicate r divides ranks as DifferenceOfMeans divides values: R_x / n_x - R_y / n_y = U (1 / n_x + 1 / n_y) - n / 2.
TYPED_TEST(RankStatisticsTest, MannWhitneyUIsADifferenceOfMeanRanks) {
  for (auto const& [x, y] :
       {tied_samples, permeability, Samples{pattern(91, 7919), pattern(112, 31)}}) {
    auto const options = random_options(700, 5);
    auto const ranks = ranked_parts(x, y);
    auto const u = this->run(riffle::MannWhitneyU{}, x, y, options);
    auto const means = this->run(riffle::DifferenceOfMeans{}, ranks.x, ranks.y, options);
    EXPECT_EQ(u.less_equal, means.less_equal);
    EXPECT_EQ(u.greater_equal, means.greater_equal);
    Values const of_u = this->distribution(riffle::MannWhitneyU{}, x, y, options);
    Values const of_means =
        this->distribution(riffle::DifferenceOfMeans{}, ranks.x, ranks.y, options);
    auto const n_x = static_cast<double>(x.size());
    auto const n_y = static_cast<double>(y.size());
    for (std::size_t r = 0; r < of_u.size(); ++r) {
      EXPECT_EQ(of_u[r], std::round(2 * of_u[r]) / 2);
      EXPECT_NEAR(of_u[r] * (1 / n_x + 1 / n_y) - (n_x + n_y) / 2, of_means[r], 1e-11);
    }
  }
}

// H = (n - 1) (k - 1) F / (n - k + (k - 1) F), with F of the ranks.
TYPED_TEST(RankStatisticsTest, KruskalWallisHGrowsWithFOfTheRanks) {
  for (int const groups : {2, 3, 5, 20}) {
    Values const values = pattern(65, 7919 + static_cast<std::size_t>(groups));
    Labels labels;
    for (int i = 0; i < 65; ++i) labels.push_back(i % groups);
    auto const options = random_options(500, 6);
    Values const ranks = fractional_ranks(values);
    auto const h = this->run(riffle::KruskalWallisH{}, values, labels, options);
    auto const f = this->run(riffle::FStatistic{}, ranks, labels, options);
    EXPECT_EQ(h.less_equal, f.less_equal);
    EXPECT_EQ(h.greater_equal, f.greater_equal);
    Values const of_h = this->distribution(riffle::KruskalWallisH{}, values, labels, options);
    Values const of_f = this->distribution(riffle::FStatistic{}, ranks, labels, options);
    double const within = 65 - groups;
    for (std::size_t r = 0; r < of_h.size(); ++r) {
      double const between = (groups - 1) * of_f[r];
      EXPECT_NEAR(of_h[r], 64 * between / (within + between), 1e-11);
    }
  }
}

// From 1024 pairs on, a team computes a replicate.
TYPED_TEST(RankStatisticsTest, SpearmanCorrelationIsPearsonsOfTheRanks) {
  for (std::size_t const n : {5, 21, 1023, 1024, 1500}) {
    Values const x = pattern(n, 7919);
    Values const y = pattern(n, 31);
    auto const options = random_options(60, 77);
    Values const ranks_x = fractional_ranks(x);
    Values const ranks_y = fractional_ranks(y);
    auto const spearman = this->run(riffle::SpearmanCorrelation{}, x, y, options);
    auto const pearson = this->run(riffle::PearsonCorrelation{}, ranks_x, ranks_y, options);
    EXPECT_EQ(spearman.less_equal, pearson.less_equal);
    EXPECT_EQ(spearman.greater_equal, pearson.greater_equal);
    Values const of_spearman = this->distribution(riffle::SpearmanCorrelation{}, x, y, options);
    Values const of_pearson =
        this->distribution(riffle::PearsonCorrelation{}, ranks_x, ranks_y, options);
    for (std::size_t r = 0; r < of_spearman.size(); ++r) {
      EXPECT_NEAR(of_spearman[r], of_pearson[r], 1e-13);
    }
  }
}

// A transformation that keeps the order and the ties changes no bit.
TYPED_TEST(RankStatisticsTest, OnlyTheOrderCounts) {
  auto const options = random_options(300, 8);
  Values const x = pattern(60, 7919);
  Values const y = pattern(60, 31);
  auto const stretched = [](Values values) {
    for (double& value : values)
      value = std::ldexp(1.0 + value / 1024, static_cast<int>(value) - 500);
    return values;
  };
  Labels labels;
  for (int i = 0; i < 60; ++i) labels.push_back(i % 3);
  EXPECT_EQ(this->distribution(riffle::MannWhitneyU{}, stretched(x), stretched(y), options),
            this->distribution(riffle::MannWhitneyU{}, x, y, options));
  EXPECT_EQ(this->distribution(riffle::KruskalWallisH{}, stretched(x), labels, options),
            this->distribution(riffle::KruskalWallisH{}, x, labels, options));
  EXPECT_EQ(this->distribution(riffle::SpearmanCorrelation{}, stretched(x), y, options),
            this->distribution(riffle::SpearmanCorrelation{}, x, y, options));
}

// --- types ---

// 2^53 and 2^53 + 1 are the same double.
TYPED_TEST(RankStatisticsTest, IntegersOf64BitsAreNotRounded) {
  riffle::MannWhitneyU const u;
  std::int64_t const large = std::int64_t{1} << 53;
  using Signed = std::vector<std::int64_t>;
  using Unsigned = std::vector<std::uint64_t>;
  EXPECT_EQ(this->observed(u, Signed{large + 1}, Signed{large}), 1);
  EXPECT_EQ(this->observed(u, Signed{large + 1, -large - 1}, Signed{large, -large}), 2);
  EXPECT_EQ(this->observed(u, Signed{large + 1, 0}, std::vector<int>{-1, 1}), 3);
  EXPECT_EQ(this->observed(u, Signed{-1, -1}, std::vector<unsigned>{1, ~0u}), 0);
  Unsigned const top{~std::uint64_t{0}, ~std::uint64_t{0} - 2};
  EXPECT_EQ(this->observed(u, top, Unsigned{~std::uint64_t{0} - 1}), 1);
  EXPECT_EQ(this->observed(riffle::SpearmanCorrelation{}, Signed{large, large + 1, large + 2},
                           Values{1, 2, 3}),
            1);
  EXPECT_DOUBLE_EQ(this->observed(riffle::KruskalWallisH{}, Signed{large, large + 1, large + 2},
                                  Labels{0, 1, 2}),
                   2);
}

TYPED_TEST(RankStatisticsTest, ReadsValuesOfAnyTypeAndLayout) {
  using Space = typename TypeParam::memory_space;
  auto const bytes = to_view<TypeParam>(std::vector<std::int8_t>{1, 2, 2, 5, 3, 2, 4});
  auto const strided = make_strided<TypeParam, float>(8);
  fill(strided, std::vector<float>{2, 3, 1, 4, 4, 6, 5, 5});
  Kokkos::View<std::int8_t const*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const read_only(
      bytes.data(), 7);
  auto const u = riffle::permutation_test(Context(this->exec, "user::label"),
                                          riffle::MannWhitneyU{}, read_only, strided);
  EXPECT_EQ(u.statistic, 17.5);
  EXPECT_EQ(u.replicates, 6435u);
  auto const labels = to_view<TypeParam>(std::vector<std::uint8_t>{0, 0, 0, 0, 1, 1, 1, 1});
  auto const h = riffle::permutation_test(this->exec, riffle::KruskalWallisH{}, strided, labels);
  EXPECT_NEAR(h.statistic,
              kruskal_wallis_h(Values{2, 3, 1, 4, 4, 6, 5, 5}, {0, 0, 0, 0, 1, 1, 1, 1}, 2), 1e-14);
  auto const seven = Kokkos::subview(strided, Kokkos::pair<int, int>(0, 7));
  auto const rho =
      riffle::permutation_test(this->exec, riffle::SpearmanCorrelation{}, read_only, seven);
  EXPECT_NEAR(rho.statistic,
              spearman_correlation(Values{1, 2, 2, 5, 3, 2, 4}, Values{2, 3, 1, 4, 4, 6, 5}),
              1e-14);
}

}  // namespace
}  // namespace riffle::test::permutation_test_ranks_test
