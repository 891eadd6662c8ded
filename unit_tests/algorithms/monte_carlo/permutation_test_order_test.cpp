// The counts of enumerated arrangements compared with rational arithmetic, for data in which rounding would decide:
// large offsets, outliers, mixed magnitudes, ties.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/hostile_data.hpp"
#include "support/rational_order.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_test_order_test {
namespace {

template <class Exec>
class PermutationTestOrder : public ::testing::Test {
 protected:
  /// Expects correct counts if nothing is uncertain, otherwise counts within the reported uncertainty.
  template <class Statistic, class X, class Y>
  void expect_counts(Statistic statistic, std::vector<X> const& x, std::vector<Y> const& y,
                     OrderCounts const& right, bool is_decided = true) {
    PermutationTestOptions options;
    options.replicates = 100'000;
    auto const result =
        riffle::permutation_test(exec, statistic, to_view<Exec>(x), to_view<Exec>(y), options);
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.replicates, right.all);
    if (is_decided) {
      EXPECT_EQ(result.uncertain, 0u);
    }
    EXPECT_LE(right.less_equal, result.less_equal);
    EXPECT_GE(right.less_equal + result.uncertain, result.less_equal);
    EXPECT_LE(right.greater_equal, result.greater_equal);
    EXPECT_GE(right.greater_equal + result.uncertain, result.greater_equal);
    if (result.alternative != Alternative::two_sided) return;
    EXPECT_LE(right.as_far, result.as_far);
    if (is_decided) {
      EXPECT_EQ(result.as_far, right.as_far);
    }
  }

  void expect_all(HostileData const& data, std::uint64_t seed) {
    SCOPED_TRACE(::testing::Message() << data.kind << ", seed " << seed);
    auto const n = data.values.size();
    std::size_t const first = n / 2 - seed % 2;
    std::vector<double> const x(data.values.begin(),
                                data.values.begin() + static_cast<long>(first));
    std::vector<double> const y(data.values.begin() + static_cast<long>(first), data.values.end());
    std::vector<int> labels(n, 1);
    std::fill_n(labels.begin(), first, 0);
    bool const is_short = data.bits <= 50;
    expect_counts(DifferenceOfMeans{}, x, y, order_of_sums(data.wholes, labels));
    expect_counts(WelchT{}, x, y, order_of_welch(data.wholes, labels), is_short);
    expect_counts(MannWhitneyU{}, x, y, order_of_sums(ranks_of(data.wholes), labels));
    labels.back() = 2;
    labels[0] = 2;
    expect_counts(FStatistic{}, data.values, labels, order_of_f(data.wholes, labels));
    expect_counts(KruskalWallisH{}, data.values, labels, order_of_f(ranks_of(data.wholes), labels));

    std::size_t const few = 5;
    Wholes const a(data.wholes.begin(), data.wholes.begin() + few);
    Wholes const b(data.wholes.end() - few, data.wholes.end());
    std::vector<double> const u(data.values.begin(), data.values.begin() + few);
    std::vector<double> const v(data.values.end() - few, data.values.end());
    Wholes differences;
    for (std::size_t i = 0; i < few; ++i) differences.push_back(a[i] - b[i]);
    expect_counts(PairedDifference{}, u, v, order_of_signs(differences));
    if (!is_constant(a) && !is_constant(b)) {
      expect_counts(PearsonCorrelation{}, u, v, order_of_products(a, b));
      expect_counts(SpearmanCorrelation{}, u, v, order_of_products(ranks_of(a), ranks_of(b)));
    }
  }

  Exec exec;
};
TYPED_TEST_SUITE(PermutationTestOrder, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermutationTestOrder, MatchesRationalArithmetic) {
  constexpr std::uint64_t sets = 64;
  for (std::uint64_t seed = 0; seed < sets; ++seed) this->expect_all(hostile_data(seed, 8), seed);
}

TYPED_TEST(PermutationTestOrder, SupportsIntegersOf64Bits) {
  std::int64_t const large = std::int64_t{1} << 62;
  std::vector<std::int64_t> const x{large, large + 1, large + 2, large + 3};
  std::vector<std::int64_t> const y{large + 2, large + 3, large + 4, large + 5};
  Wholes const wholes{0, 1, 2, 3, 2, 3, 4, 5};
  std::vector<int> const labels{0, 0, 0, 0, 1, 1, 1, 1};
  this->expect_counts(DifferenceOfMeans{}, x, y, order_of_sums(wholes, labels));
  this->expect_counts(WelchT{}, x, y, order_of_welch(wholes, labels));
  auto all = x;
  all.insert(all.end(), y.begin(), y.end());
  this->expect_counts(FStatistic{}, all, labels, order_of_f(wholes, labels));
  this->expect_counts(PairedDifference{}, x, y, order_of_signs({-2, -2, -2, -2}));
  this->expect_counts(PearsonCorrelation{}, x, y, order_of_products({0, 1, 2, 3}, {2, 3, 4, 5}));
  std::vector<std::uint64_t> const unsigned_x{~0ull, ~0ull - 1};
  std::vector<std::uint64_t> const unsigned_y{~0ull - 3, ~0ull - 2};
  this->expect_counts(DifferenceOfMeans{}, unsigned_x, unsigned_y,
                      order_of_sums({3, 2, 0, 1}, {0, 0, 1, 1}));
}

TYPED_TEST(PermutationTestOrder, ReportsUncertainReplicates) {
  PermutationTestOptions options;
  options.replicates = 100'000;
  // A third has no finite decimal: sums that tie in exact arithmetic differ as doubles.
  std::vector<double> const x{1 / 3., 4 / 3., 5 / 3.};
  std::vector<double> const y{0 / 3., 2 / 3., 7 / 3., 8 / 3.};
  auto const thirds = riffle::permutation_test(
      this->exec, DifferenceOfMeans{}, to_view<TypeParam>(x), to_view<TypeParam>(y), options);
  auto const right = order_of_sums({1, 4, 5, 0, 2, 7, 8}, {0, 0, 0, 1, 1, 1, 1});
  EXPECT_EQ(thirds.less_equal, right.less_equal);
  EXPECT_EQ(thirds.greater_equal, right.greater_equal);
  EXPECT_EQ(thirds.uncertain, right.less_equal + right.greater_equal - right.all - 1);
  EXPECT_GT(thirds.uncertain, 0u);
  // Other real numbers have no uncertain arrangements.
  std::vector<double> const a{0.53749021938470123, 0.18273645091827364, 1.4142135623730951};
  std::vector<double> const b{0.53749021938470123, 2.7182818284590451, 3.1415926535897931};
  auto const others = riffle::permutation_test(
      this->exec, DifferenceOfMeans{}, to_view<TypeParam>(a), to_view<TypeParam>(b), options);
  EXPECT_EQ(others.uncertain, 0u);
  EXPECT_EQ(others.less_equal + others.greater_equal, others.replicates + 2);
}

// The difference of the observed sum and its negative exceeds the whole numbers that doubles hold.
TYPED_TEST(PermutationTestOrder, ComparesMagnitudesOfLargeSums) {
  using Integers = std::vector<std::int64_t>;
  constexpr std::int64_t large = 10'000'000'000'000'000;
  auto const as_far = [&](auto statistic, Integers const& x, Integers const& y) {
    auto const result = riffle::permutation_test(this->exec, statistic, to_view<TypeParam>(x),
                                                 to_view<TypeParam>(y));
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.uncertain, 0u);
    return result.as_far;
  };
  EXPECT_EQ(as_far(PairedDifference{}, {3 * large, 1}, {0, 0}), 2u);
  EXPECT_EQ(as_far(PairedDifference{}, {-3 * large, -1}, {0, 0}), 2u);
  EXPECT_EQ(as_far(DifferenceOfMeans{}, {large, 3}, {-large, -3, -1, -3}), 1u);
  EXPECT_EQ(as_far(DifferenceOfMeans{}, {-large, -3}, {large, 3, 1, 3}), 1u);
  Integers const x{-1'000'000'000, -1, 1, 1'000'000'000};
  EXPECT_EQ(as_far(PearsonCorrelation{}, x, x), 2u);
  EXPECT_EQ(as_far(PearsonCorrelation{}, x, {x[3], x[2], x[1], x[0]}), 2u);
}

/// Compares Welch's t of all but the last two values, and of these two. No pair has an infinite t.
OrderCounts order_of_last_two(std::vector<std::int64_t> const& values) {
  Whole const n_1 = values.size() - 2;
  Whole sum = 0;
  Whole squares = 0;
  for (std::int64_t const x : values) {
    sum += x;
    squares += Whole(x) * x;
  }
  struct Fraction {
    Whole x;
    Whole y;
  };
  // t^2 = (s_1 / n_1 - s_2 / 2)^2 / (v_1 / (n_1^2 (n_1 - 1)) + v_2 / 4), where v = n q - s^2 and t has the sign of x.
  auto const statistic = [&](std::int64_t a, std::int64_t b) {
    Whole const s_2 = Whole(a) + b;
    Whole const q_2 = Whole(a) * a + Whole(b) * b;
    Whole const s_1 = sum - s_2;
    Whole const v_1 = n_1 * (squares - q_2) - s_1 * s_1;
    Whole const v_2 = 2 * q_2 - s_2 * s_2;
    return Fraction{2 * s_1 - n_1 * s_2, 4 * v_1 + v_2 * n_1 * n_1 * (n_1 - 1)};
  };
  auto const observed = statistic(values[values.size() - 1], values[values.size() - 2]);
  OrderCounts counts;
  for (std::size_t j = 1; j < values.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      auto const own = statistic(values[i], values[j]);
      int const size = side_of(own.x * own.x * observed.y, observed.x * observed.x * own.y);
      int const difference = own.x.sign() - observed.x.sign();
      counts.add(difference != 0 ? difference : own.x.sign() * size, size);
    }
  }
  return counts;
}

// Pairs about a middle that is not a whole number, so that t of a pair and of its mirror image are rounded differently:
// the variance of the two values has the rounding error of all squares.
TYPED_TEST(PermutationTestOrder, WelchTOfUnequalSizes) {
  constexpr std::int64_t middle = 1'000'000;
  constexpr std::int64_t far = 128'051'187;
  std::vector<std::int64_t> const y{middle + 1 + far, middle + 2 + far};
  std::vector<std::int64_t> x{middle - far, middle - far - 1};
  std::mt19937_64 random(9);
  random();
  for (int pair = 2; pair < 90; ++pair) {
    auto const own = static_cast<std::int64_t>(random() % (std::uint64_t{1} << 32));
    x.insert(x.end(), {middle + 1 + own, middle - own});
  }
  auto all = x;
  all.insert(all.end(), y.begin(), y.end());
  this->expect_counts(WelchT{}, x, y, order_of_last_two(all));
}

// Swapping groups with equal values is one of the ways to divide equal values.
TYPED_TEST(PermutationTestOrder, CountsGroupsOfTheSameValuesOnce) {
  constexpr double pi = 3.1415926535897931;
  std::vector<double> const x{pi, 4 * pi, pi, 4 * pi, 2 * pi, 3 * pi, 7 * pi};
  std::vector<int> const labels{0, 0, 1, 1, 2, 2, 2};
  auto const result = riffle::permutation_test(this->exec, FStatistic{}, to_view<TypeParam>(x),
                                               to_view<TypeParam>(labels));
  auto const right = order_of_f({1, 4, 1, 4, 2, 3, 7}, labels);
  // Four ways to divide 1, 1, 4 and 4 between both groups are certain.
  EXPECT_EQ(result.uncertain, right.less_equal + right.greater_equal - right.all - 4);
}

}  // namespace
}  // namespace riffle::test::permutation_test_order_test
