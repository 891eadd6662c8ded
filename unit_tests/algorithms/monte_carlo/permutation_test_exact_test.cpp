// Enumerated arrangements compared with brute force on the host.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/null_distributions.hpp"
#include "support/statistics.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_test_exact_test {
namespace {

using Values = std::vector<double>;

/// Compares two null distributions after sorting, since their numbering differs.
void expect_same_values(Values actual, Values expected, double rounding) {
  ASSERT_EQ(actual.size(), expected.size());
  std::sort(actual.begin(), actual.end());
  std::sort(expected.begin(), expected.end());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i]) continue;  // also infinities
    double const tolerance = 1e-12 * std::max(1.0, std::abs(expected[i])) + rounding;
    EXPECT_NEAR(actual[i], expected[i], tolerance) << i;
  }
}

template <class Exec>
class ExactPermutationTest : public ::testing::Test {
 protected:
  static constexpr double untouched = -12345;

  /// Compares the test and its null distribution with all values.
  template <class Statistic, class Y>
  void expect_enumerates(Statistic statistic, Values const& x, std::vector<Y> const& y,
                         Values const& expected, double observed) {
    auto const x_view = to_view<Exec>(x);
    auto const y_view = to_view<Exec>(y);
    auto const result = riffle::permutation_test(exec, statistic, x_view, y_view);
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.replicates, expected.size());
    Sides const sides = count_sides(expected, observed);
    EXPECT_EQ(result.less_equal, sides.less_equal);
    EXPECT_EQ(result.greater_equal, sides.greater_equal);
    EXPECT_EQ(result.as_far, sides.as_far);

    auto const out = to_view<Exec>(Values(expected.size() + 3, untouched));
    EXPECT_EQ(riffle::null_distribution(exec, statistic, x_view, y_view, out), expected.size());
    Values values = to_vector(out);
    EXPECT_EQ(Values(values.end() - 3, values.end()), Values(3, untouched));
    values.resize(expected.size());
    // Decimals are tested exactly, not as doubles round them.
    double rounding = 0;
    for (double const value : x) rounding = std::max(rounding, 4e-16 * std::abs(value));
    expect_same_values(values, expected, rounding);
  }

  Exec exec;
};
TYPED_TEST_SUITE(ExactPermutationTest, ExecutionSpaces, SpaceNames);

struct Samples {
  Values x;
  Values y;
};

std::vector<Samples> two_samples() {
  return {
      {{3}, {1.5}},
      {{2}, {1, 3, 5, 4}},
      {{1, 3, 5, 4}, {2}},
      {{1.5, 2.25}, {0.5, 3.75, 4}},
      {{4.1, 5.0, 6.2}, {7.3, 6.8, 8.1, 5.9, 9.4}},
      // Ties, and arrangements of different values with equal sums.
      {{1, 2, 2}, {2, 3, 1, 4}},
      {{0, 0, 1}, {1, 1, 0}},
      {{1, 2, 3, 4}, {5, 6, 7, 8}},
      {{5, 5, 5}, {5, 5, 6}},
      // Tenths, which doubles round, so that they tie only in exact arithmetic.
      {{0.1, 0.2, 0.7}, {0.3, 0.4, 0.5, 0.6}},
      {{1000000.1, 1000000.2, 1000000.7}, {1000000.3, 1000000.4, 1000000.5, 1000000.6}},
      {{-1e-7, 3e-7, 2e-7}, {4e-7, -5e-7, 6e-7}},
  };
}

TYPED_TEST(ExactPermutationTest, DifferenceOfMeans) {
  for (auto const& [x, y] : two_samples()) {
    // Scaled to numbers with few digits, for count_sides.
    double const scale = std::abs(x[0]) < 1e-3 ? 1e7 : 1;
    auto const statistic = [&](Values const& a, Values const& b) {
      return scale * difference_of_means(a, b);
    };
    Values expected = all_splits(x, y, statistic);
    Sides const sides = count_sides(expected, statistic(x, y));
    auto const result = riffle::permutation_test(this->exec, riffle::DifferenceOfMeans{},
                                                 to_view<TypeParam>(x), to_view<TypeParam>(y));
    EXPECT_EQ(result.less_equal, sides.less_equal);
    EXPECT_EQ(result.greater_equal, sides.greater_equal);
    EXPECT_EQ(result.as_far, sides.as_far);
    if (scale == 1) {
      this->expect_enumerates(riffle::DifferenceOfMeans{}, x, y, expected, statistic(x, y));
    }
  }
}

TYPED_TEST(ExactPermutationTest, WelchT) {
  for (auto const& [x, y] :
       {Samples{{1, 3}, {2, 7}}, Samples{{1.5, 2.25}, {0.5, 3.75, 4}},
        Samples{{4.1, 5.0, 6.2}, {7.3, 6.8, 8.1, 5.9, 9.4}}, Samples{{1, 2, 2}, {2, 3, 1, 4}},
        Samples{{0.1, 0.2, 0.7}, {0.3, 0.4, 0.5, 0.6}}, Samples{{1, 2, 3, 4}, {5, 6, 7, 8}},
        Samples{{-4, 0, 1, 9}, {5, 2, -3}}}) {
    this->expect_enumerates(riffle::WelchT{}, x, y, all_splits(x, y, welch_t), welch_t(x, y));
  }
}

// Some arrangements of four zeros and ones have samples without variance.
TYPED_TEST(ExactPermutationTest, WelchTWithInfiniteValues) {
  Samples const extreme{{0, 0}, {1, 1}};
  this->expect_enumerates(riffle::WelchT{}, extreme.x, extreme.y,
                          all_splits(extreme.x, extreme.y, welch_t), welch_t(extreme.x, extreme.y));
  Samples const middle{{0, 1}, {1, 0}};
  this->expect_enumerates(riffle::WelchT{}, middle.x, middle.y,
                          all_splits(middle.x, middle.y, welch_t), 0);
}

TYPED_TEST(ExactPermutationTest, FStatistic) {
  struct Case {
    Values values;
    std::vector<int> labels;
    int groups;
  };
  for (auto const& [values, labels, groups] :
       {Case{{1, 2, 4}, {0, 0, 1}, 2}, Case{{1, 2, 4, 8, 7}, {0, 1, 0, 1, 1}, 2},
        Case{{6.9, 5.4, 5.8, 8.3, 6.8, 7.8}, {2, 0, 1, 1, 2, 0}, 3},
        Case{{1, 2, 3, 4, 5, 6, 7}, {0, 0, 0, 1, 1, 2, 2}, 3},
        Case{{1, 2, 2, 3, 1, 4, 2}, {3, 2, 1, 0, 0, 1, 2}, 4},
        Case{{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9}, {0, 0, 1, 1, 2, 2, 3, 4}, 5}}) {
    auto const statistic = [&, &values = values,
                            groups = groups](std::vector<int> const& arranged) {
      return f_statistic(values, arranged, groups);
    };
    this->expect_enumerates(riffle::FStatistic{}, values, labels, all_labellings(labels, statistic),
                            statistic(labels));
  }
}

TYPED_TEST(ExactPermutationTest, PearsonCorrelation) {
  for (auto const& [x, y] :
       {Samples{{1, 2}, {5, 3}}, Samples{{1, 2, 4}, {3, 1, 2}}, Samples{{1, 2, 3, 4}, {2, 1, 4, 3}},
        Samples{{0.1, 0.2, 0.4, 0.8, 1.6}, {3, -1, 4, -1, 5}},
        Samples{{1, 1, 2, 2, 3, 3}, {1, 2, 1, 2, 1, 2}},
        Samples{{2.5, 0.1, 7.7, 3.1, 4.4, 5.0, 1.2}, {1, 0, 6, 2, 2, 8, 3}}}) {
    auto const statistic = [&, &x = x, &y = y](std::vector<std::size_t> const& sigma) {
      return pearson_correlation(x, permuted(y, sigma));
    };
    this->expect_enumerates(riffle::PearsonCorrelation{}, x, y,
                            all_permutations(x.size(), statistic), pearson_correlation(x, y));
  }
}

// Whole numbers tie exactly. Tenths with offsets that round them tie only in exact arithmetic, and must be counted
// alike.
TYPED_TEST(ExactPermutationTest, TiesSurviveRounding) {
  std::mt19937 generator(1);
  auto const draw = [&](std::size_t n, unsigned range) {
    Values values(n);
    for (double& value : values) value = generator() % range;
    values[0] = 0;
    values[1] = 1;  // so that no sample is constant
    return values;
  };
  auto const tenths = [](Values values, double offset) {
    for (double& value : values) value = offset + 0.1 * value;
    return values;
  };
  auto const sides = [&](auto const statistic, Values const& x, auto const& y) {
    auto const result = riffle::permutation_test(this->exec, statistic, to_view<TypeParam>(x),
                                                 to_view<TypeParam>(y));
    EXPECT_TRUE(result.exact);
    return Sides{result.less_equal, result.greater_equal, result.as_far};
  };
  for (unsigned const range : {2, 3, 5, 9, 20, 40}) {
    Values const x = draw(5, range);
    Values const y = draw(5, range);
    std::vector<int> const labels{0, 1, 1, 2, 0};
    auto const means = sides(riffle::DifferenceOfMeans{}, x, y);
    auto const welch = sides(riffle::WelchT{}, x, y);
    auto const f = sides(riffle::FStatistic{}, x, labels);
    auto const correlation = sides(riffle::PearsonCorrelation{}, x, y);
    for (double const offset : {0.0, 1.0, -1000.0, 123456.789, 1e6, -1e8}) {
      SCOPED_TRACE(offset);
      Values const x_tenths = tenths(x, offset);
      Values const y_tenths = tenths(y, offset);
      EXPECT_TRUE(sides(riffle::DifferenceOfMeans{}, x_tenths, y_tenths) == means);
      EXPECT_TRUE(sides(riffle::WelchT{}, x_tenths, y_tenths) == welch);
      EXPECT_TRUE(sides(riffle::FStatistic{}, x_tenths, labels) == f);
      EXPECT_TRUE(sides(riffle::PearsonCorrelation{}, x_tenths, y_tenths) == correlation);
    }
  }
}

// `out` may be shorter than the distribution.
TYPED_TEST(ExactPermutationTest, StoresValuesUpToTheExtent) {
  auto const x = to_view<TypeParam>(Values{1, 2, 4});
  auto const y = to_view<TypeParam>(Values{3, 9, 5, 7});
  auto const all = to_view<TypeParam>(Values(35, this->untouched));
  ASSERT_EQ(riffle::null_distribution(this->exec, riffle::DifferenceOfMeans{}, x, y, all), 35u);
  for (std::size_t const room : {0, 1, 7, 34}) {
    auto const out = to_view<TypeParam>(Values(room, this->untouched));
    EXPECT_EQ(riffle::null_distribution(Context(this->exec, "user::label"),
                                        riffle::DifferenceOfMeans{}, x, y, out),
              room);
    Values expected = to_vector(all);
    expected.resize(room);
    EXPECT_EQ(to_vector(out), expected);
  }
}

}  // namespace
}  // namespace riffle::test::permutation_test_exact_test
