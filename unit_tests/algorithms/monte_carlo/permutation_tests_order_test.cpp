// The counts of enumerated arrangements of many variables compared with rational arithmetic, for data in which rounding
// would decide: large offsets, outliers, mixed magnitudes, ties.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/hostile_data.hpp"
#include "support/rational_order.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_tests_order_test {
namespace {

template <class Exec>
class PermutationTestsOrder : public ::testing::Test {
 protected:
  using Data = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;

  /// Returns the variables of seeds 0, 1, ..., with `few` values each.
  std::vector<HostileData> variables(std::size_t few) const {
    std::vector<HostileData> all;
    for (std::uint64_t seed = 0; seed < count; ++seed) all.push_back(hostile_data(seed, few));
    return all;
  }

  Data to_data(std::vector<HostileData> const& variables) const {
    Data const data("data", variables.size(), variables[0].values.size());
    auto const host = HostElements(data);
    for (std::size_t g = 0; g < variables.size(); ++g) {
      for (std::size_t i = 0; i < variables[g].values.size(); ++i) {
        host(g, i) = variables[g].values[i];
      }
    }
    host.store();
    return data;
  }

  PermutationTestsOptions options() const {
    PermutationTestsOptions options;
    options.replicates = 100'000;
    return options;
  }

  /// count_right(variable) returns the correct counts; select() returns the count of extreme ones. Variables whose
  /// range has at most this number of bits must have no uncertain arrangements.
  template <class Count, class Select>
  void expect_extreme(PermutationTestsResult const& result,
                      std::vector<HostileData> const& variables, Count const& count_right,
                      Select const& select, int bits = 63) {
    EXPECT_TRUE(result.exact);
    for (std::size_t g = 0; g < variables.size(); ++g) {
      if (is_constant(variables[g].wholes)) continue;
      // Arrangements that are equal for the design are enumerated once.
      OrderCounts const counts = count_right(variables[g]);
      std::uint64_t const right = select(counts) * result.replicates / counts.all;
      SCOPED_TRACE(::testing::Message() << variables[g].kind << ", variable " << g);
      if (variables[g].bits <= bits) {
        EXPECT_EQ(result.uncertain(g), 0u);
      }
      EXPECT_LE(right, result.extreme(g));
      EXPECT_GE(right + result.uncertain(g), result.extreme(g));
    }
  }

  static std::uint64_t as_far(OrderCounts const& counts) { return counts.as_far; }
  static std::uint64_t greater(OrderCounts const& counts) { return counts.greater_equal; }

  static constexpr std::uint64_t count = 48;
  Exec exec;
};
TYPED_TEST_SUITE(PermutationTestsOrder, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermutationTestsOrder, MatchesRationalArithmeticForGroups) {
  auto const variables = this->variables(8);
  auto const data = this->to_data(variables);
  std::vector<int> const two{0, 1, 1, 0, 0, 1, 0, 0};
  std::vector<int> const three{0, 1, 1, 2, 2, 1, 0, 2};
  auto const by_two = to_view<TypeParam>(two);
  auto const by_three = to_view<TypeParam>(three);
  for (auto const alternative : {Alternative::two_sided, Alternative::less, Alternative::greater}) {
    auto options = this->options();
    options.alternative = alternative;
    // The oracle subtracts label 1 from label 0, the tests label 0 from label 1.
    auto const side = [&](OrderCounts const& counts) {
      return alternative == Alternative::two_sided ? counts.as_far
             : alternative == Alternative::less    ? counts.greater_equal
                                                   : counts.less_equal;
    };
    this->expect_extreme(
        riffle::permutation_tests(this->exec, StudentT{}, data, by_two, options), variables,
        [&](auto const& own) { return order_of_sums(own.wholes, two); }, side);
    this->expect_extreme(
        riffle::permutation_tests(this->exec, WelchT{}, data, by_two, options), variables,
        [&](auto const& own) { return order_of_welch(own.wholes, two); }, side, 50);
    this->expect_extreme(
        riffle::permutation_tests(this->exec, MannWhitneyU{}, data, by_two, options), variables,
        [&](auto const& own) { return order_of_sums(ranks_of(own.wholes), two); }, side);
  }
  this->expect_extreme(
      riffle::permutation_tests(this->exec, FStatistic{}, data, by_three, this->options()),
      variables, [&](auto const& own) { return order_of_f(own.wholes, three); }, this->greater);
  this->expect_extreme(
      riffle::permutation_tests(this->exec, KruskalWallisH{}, data, by_three, this->options()),
      variables, [&](auto const& own) { return order_of_f(ranks_of(own.wholes), three); },
      this->greater);
}

TYPED_TEST(PermutationTestsOrder, MatchesRationalArithmeticForOneSample) {
  auto const variables = this->variables(6);
  auto const result = riffle::permutation_tests(this->exec, OneSampleT{}, this->to_data(variables),
                                                this->options());
  this->expect_extreme(
      result, variables, [](auto const& own) { return order_of_signs(own.wholes); }, this->as_far);
}

TYPED_TEST(PermutationTestsOrder, MatchesRationalArithmeticForCovariates) {
  auto const variables = this->variables(5);
  auto const data = this->to_data(variables);
  for (std::uint64_t seed : {1, 2, 3, 4, 5, 13, 21, 29, 7}) {
    auto const covariate = hostile_data(seed, 5);
    SCOPED_TRACE(::testing::Message() << "covariate: " << covariate.kind);
    auto const by = to_view<TypeParam>(covariate.values);
    this->expect_extreme(
        riffle::permutation_tests(this->exec, PearsonCorrelation{}, data, by, this->options()),
        variables, [&](auto const& own) { return order_of_products(own.wholes, covariate.wholes); },
        this->as_far);
  }
}

// Values with sum 0 after multiplication by n: from n = 63 on, their squares have more than 128 bits.
TYPED_TEST(PermutationTestsOrder, SixtyThreeObservations) {
  HostileData data{"nanometres at 35,000 km", {}, {}, 57};
  std::vector<int> labels(63, 0);
  for (std::int64_t i = 0; i < 60; ++i) {
    data.values.push_back(i % 2 == 0 ? 35'000'000 : -35'000'000);
    data.wholes.push_back((i % 2 == 0 ? 1 : -1) * 35'000'000'000'000'000);
  }
  for (int const billionths : {1, 2, 4}) {
    data.values.push_back(billionths / 1e9);
    data.wholes.push_back(billionths);
  }
  labels[0] = labels[61] = 1;
  auto const right = order_of_sums(data.wholes, labels);
  EXPECT_EQ(right.all, 63u * 31u);
  auto const result = riffle::permutation_tests(this->exec, StudentT{}, this->to_data({data}),
                                                to_view<TypeParam>(labels), this->options());
  EXPECT_TRUE(result.exact);
  EXPECT_EQ(result.extreme(0), right.as_far);
  EXPECT_EQ(result.uncertain(0), 0u);
  EXPECT_DOUBLE_EQ(result.p(0), static_cast<double>(right.as_far) / 1953.);
}

// Multiples of 2^-20 with more than 15 digits are not short decimals, but their sums are exact.
TYPED_TEST(PermutationTestsOrder, BinaryFractionsAreCertain) {
  std::vector<int> const two{0, 1, 1, 0, 0, 1, 0, 0};
  std::vector<int> const three{0, 1, 1, 2, 2, 1, 0, 2};
  for (std::int64_t const unit : {3, 1'000'003}) {
    HostileData fractions{"binary fractions", {}, {}, 50};
    for (std::int64_t const x : {1, 4, 5, 0, 2, 7, 8, 3}) {
      fractions.values.push_back(std::ldexp(static_cast<double>(x * unit), -20));
      fractions.wholes.push_back(x);
    }
    auto const data = this->to_data({fractions});
    this->expect_extreme(
        riffle::permutation_tests(this->exec, StudentT{}, data, to_view<TypeParam>(two),
                                  this->options()),
        {fractions}, [&](auto const& own) { return order_of_sums(own.wholes, two); }, this->as_far);
    this->expect_extreme(
        riffle::permutation_tests(this->exec, FStatistic{}, data, to_view<TypeParam>(three),
                                  this->options()),
        {fractions}, [&](auto const& own) { return order_of_f(own.wholes, three); }, this->greater);
    this->expect_extreme(
        riffle::permutation_tests(this->exec, OneSampleT{}, data, this->options()), {fractions},
        [](auto const& own) { return order_of_signs(own.wholes); }, this->as_far);
  }
}

// Swapping groups of one size does not change the statistic, whatever the rounding.
TYPED_TEST(PermutationTestsOrder, RealNumbersAreCertain) {
  HostileData const reals{"reals",
                          {0.53749021938470123, 0.18273645091827364, 1.4142135623730951,
                           2.7182818284590451, 3.1415926535897931, 1.6180339887498949},
                          {},
                          0};
  auto const data = this->to_data({reals});
  auto const two = to_view<TypeParam>(std::vector<int>{0, 1, 1, 0, 0, 1});
  auto const three = to_view<TypeParam>(std::vector<int>{0, 1, 2, 0, 1, 2});
  for (auto const& result :
       {riffle::permutation_tests(this->exec, StudentT{}, data, two, this->options()),
        riffle::permutation_tests(this->exec, WelchT{}, data, two, this->options()),
        riffle::permutation_tests(this->exec, FStatistic{}, data, three, this->options()),
        riffle::permutation_tests(this->exec, OneSampleT{}, data, this->options())}) {
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.uncertain(0), 0u);
  }
}

// Rounded to 26 bits, only the outlier of the column differs from 0: all arrangements that keep its place would tie.
TYPED_TEST(PermutationTestsOrder, OutlierInDataOrCovariateGivesTheSame) {
  std::vector<double> const with_outlier{63.0, 33.1, 97.3, 54.2, 47.0, 38.4, 5e9};
  HostileData const reals{
      "reals",
      {53.89314969390831, 38.62296301837606, 36.9027948149285, 53.30586234525971,
       52.060207670437514, 51.59727199994864, 30.628992583906516},
      {},
      0};
  HostileData const outlier{"outlier", with_outlier, {}, 0};
  auto const of_reals =
      riffle::permutation_tests(this->exec, PearsonCorrelation{}, this->to_data({outlier}),
                                to_view<TypeParam>(reals.values), this->options());
  auto const of_outlier =
      riffle::permutation_tests(this->exec, PearsonCorrelation{}, this->to_data({reals}),
                                to_view<TypeParam>(with_outlier), this->options());
  for (auto const& result : {of_reals, of_outlier}) {
    EXPECT_EQ(result.extreme(0), 206u);  // of 5040, counted in rational arithmetic
    EXPECT_EQ(result.uncertain(0), 0u);
    EXPECT_DOUBLE_EQ(result.p_single_step(0), 206 / 5040.);
    EXPECT_DOUBLE_EQ(result.p_step_down(0), 206 / 5040.);
  }
  auto random = this->options();
  random.enumerate = false;
  random.replicates = 20'000;
  auto const result =
      riffle::permutation_tests(this->exec, PearsonCorrelation{}, this->to_data({reals}),
                                to_view<TypeParam>(with_outlier), random);
  double const p = 206 / 5040.;
  EXPECT_NEAR(result.p(0), p, 5 * std::sqrt(p * (1 - p) / 2e4));
}

}  // namespace
}  // namespace riffle::test::permutation_tests_order_test
