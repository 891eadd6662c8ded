// The caller's own statistics.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/random/random_permutation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/null_distributions.hpp"
#include "support/samples.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_test_user_statistic_test {
namespace {

using Values = std::vector<double>;

/// Returns the sum of products x_i y_sigma(i), on one lane.
template <class View>
struct SumOfProducts {
  View x;
  View y;

  KOKKOS_FUNCTION double operator()(riffle::RandomPermutation const& sigma) const {
    double sum = 0;
    for (std::uint64_t i = 0; i < x.extent(0); ++i) sum += x(i) * y(sigma(i));
    return sum;
  }
};

/// Returns the same sum, computed by a team.
template <class View>
struct TeamSumOfProducts {
  View x;
  View y;

  template <class Member>
  KOKKOS_FUNCTION double operator()(Member const& member,
                                    riffle::RandomPermutation const& sigma) const {
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, static_cast<int>(x.extent(0))),
        [&](int i, double& partial) { partial += x(i) * y(sigma(static_cast<std::uint64_t>(i))); },
        sum);
    return sum;
  }
};

/// Returns a number whose digits are sigma(0), sigma(1), ...
struct Code {
  KOKKOS_FUNCTION double operator()(riffle::RandomPermutation const& sigma) const {
    double code = 0;
    for (std::uint64_t i = 0; i < sigma.size(); ++i)
      code = 10 * code + static_cast<double>(sigma(i));
    return code;
  }
};

/// Returns infinity for some permutations.
struct Infinite {
  KOKKOS_FUNCTION double operator()(riffle::RandomPermutation const& sigma) const {
    return sigma(0) == 0 ? Kokkos::Experimental::infinity_v<double> : static_cast<double>(sigma(0));
  }
};

template <class Exec>
class UserStatisticTest : public ::testing::Test {
 protected:
  using View = Kokkos::View<double*, typename Exec::memory_space>;

  template <class Statistic>
  Values distribution(std::size_t n, Statistic const& statistic,
                      PermutationTestOptions const& options, std::size_t room) {
    View const out("out", room);
    auto const stored = riffle::null_distribution(exec, n, statistic, out, options);
    Values values = to_vector(out);
    values.resize(stored);
    return values;
  }

  /// Returns the statistics of permutations that the host computes.
  static Values host_values(Values const& x, Values const& y, std::uint64_t seed,
                            std::size_t replicates) {
    Values values;
    for (std::size_t r = 0; r < replicates; ++r) {
      riffle::RandomPermutation const sigma(x.size(), seed, r);
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[sigma(i)];
      values.push_back(sum);
    }
    return values;
  }

  Exec exec;
};
TYPED_TEST_SUITE(UserStatisticTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(UserStatisticTest, LanesAndTeamsGiveTheValuesOfTheHost) {
  for (std::size_t const n : {1, 2, 20, 21, 300, 2000}) {
    Values const x = pattern(n, 7919);
    Values const y = pattern(n, 31);
    auto const x_view = to_view<TypeParam>(x);
    auto const y_view = to_view<TypeParam>(y);
    SumOfProducts<decltype(x_view)> const per_lane{x_view, y_view};
    TeamSumOfProducts<decltype(x_view)> const per_team{x_view, y_view};

    PermutationTestOptions options;
    options.replicates = 200;
    options.seed = 9;
    options.enumerate = false;
    Values const expected = this->host_values(x, y, 9, 200);
    EXPECT_EQ(this->distribution(n, per_lane, options, 200), expected) << n;
    EXPECT_EQ(this->distribution(n, per_team, options, 200), expected) << n;

    double observed = 0;
    for (std::size_t i = 0; i < n; ++i) observed += x[i] * y[i];
    Sides const sides = count_sides(expected, observed);
    for (std::uint64_t const batch : {0, 1, 7, 32, 1000}) {
      options.batch = batch;
      auto const lane_result = riffle::permutation_test(this->exec, n, per_lane, options);
      auto const team_result =
          riffle::permutation_test(Context(this->exec, "user::label"), n, per_team, options);
      for (auto const& result : {lane_result, team_result}) {
        EXPECT_EQ(result.statistic, observed);
        EXPECT_EQ(result.less_equal, sides.less_equal);
        EXPECT_EQ(result.greater_equal, sides.greater_equal);
        EXPECT_EQ(result.as_far, sides.as_far);
        EXPECT_EQ(result.replicates, 200u);
        EXPECT_FALSE(result.exact);
      }
    }
  }
}

// Correlation is the sum of products, shifted and scaled: the same replicates have the same counts.
TYPED_TEST(UserStatisticTest, SeesTheReplicatesOfTheCorrelation) {
  for (std::size_t const n : {7, 30, 1200}) {
    auto const x = to_view<TypeParam>(pattern(n, 7919));
    auto const y = to_view<TypeParam>(pattern(n, 31));
    SumOfProducts<decltype(x)> const statistic{x, y};
    for (bool const enumerate : {true, false}) {
      PermutationTestOptions options;
      options.seed = 5;
      options.enumerate = enumerate;
      options.replicates = n == 7 ? 6000 : 500;
      auto const own = riffle::permutation_test(this->exec, n, statistic, options);
      auto const named =
          riffle::permutation_test(this->exec, riffle::PearsonCorrelation{}, x, y, options);
      EXPECT_EQ(own.exact, named.exact);
      EXPECT_EQ(own.less_equal, named.less_equal);
      EXPECT_EQ(own.greater_equal, named.greater_equal);
    }
  }
}

TYPED_TEST(UserStatisticTest, EveryPermutationIsEnumeratedOnce) {
  for (std::size_t const n : {1, 2, 3, 5, 7}) {
    Values expected = all_permutations(n, [](std::vector<std::size_t> const& sigma) {
      double code = 0;
      for (auto const image : sigma) code = 10 * code + static_cast<double>(image);
      return code;
    });
    Values actual = this->distribution(n, Code{}, PermutationTestOptions(), 6000);
    std::sort(actual.begin(), actual.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(actual, expected) << n;

    auto const result = riffle::permutation_test(this->exec, n, Code{});
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.replicates, expected.size());
    EXPECT_EQ(result.statistic, expected.front()) << "the identity comes first in order";
    EXPECT_EQ(result.less_equal, 1u);
    EXPECT_EQ(result.greater_equal, expected.size());
  }
}

TYPED_TEST(UserStatisticTest, EnumeratesUpTo20AndAtMostAsManyAsReplicates) {
  PermutationTestOptions options;
  options.replicates = 719;
  EXPECT_FALSE(riffle::permutation_test(this->exec, 6, Code{}, options).exact);
  options.replicates = 720;
  EXPECT_TRUE(riffle::permutation_test(this->exec, 6, Code{}, options).exact);
  options.enumerate = false;
  EXPECT_FALSE(riffle::permutation_test(this->exec, 6, Code{}, options).exact);
  options = {};
  EXPECT_FALSE(riffle::permutation_test(this->exec, 21, Code{}, options).exact);
}

TYPED_TEST(UserStatisticTest, TiesAreRelativeToTheStatistic) {
  for (double const scale : {1e-200, 1.0, 1e200}) {
    Values x = pattern(5, 7919);
    for (double& value : x) value *= scale / 3;
    auto const x_view = to_view<TypeParam>(x);
    // The sum of all x in another order: equal up to rounding.
    auto const ones = to_view<TypeParam>(Values(5, 1.0));
    SumOfProducts<decltype(x_view)> const statistic{ones, x_view};
    auto const result = riffle::permutation_test(this->exec, 5, statistic);
    EXPECT_EQ(result.less_equal, 120u) << scale;
    EXPECT_EQ(result.greater_equal, 120u) << scale;
  }
}

TYPED_TEST(UserStatisticTest, InfiniteValues) {
  auto const result = riffle::permutation_test(this->exec, 4, Infinite{});
  EXPECT_EQ(result.statistic, std::numeric_limits<double>::infinity());
  EXPECT_EQ(result.replicates, 24u);
  EXPECT_EQ(result.less_equal, 24u);
  EXPECT_EQ(result.greater_equal, 6u);
}

// From a model in Python of the permutations with integers.
TYPED_TEST(UserStatisticTest, GoldenValues) {
  auto const x = to_view<TypeParam>(pattern(30, 7919));
  auto const y = to_view<TypeParam>(pattern(30, 31));
  PermutationTestOptions options;
  options.replicates = 500;
  options.seed = 5;
  SumOfProducts<decltype(x)> const per_lane{x, y};
  TeamSumOfProducts<decltype(x)> const per_team{x, y};
  for (auto const& result : {riffle::permutation_test(this->exec, 30, per_lane, options),
                             riffle::permutation_test(this->exec, 30, per_team, options)}) {
    EXPECT_EQ(result.less_equal, 282u);
    EXPECT_EQ(result.greater_equal, 218u);
  }
}

TYPED_TEST(UserStatisticTest, RejectsInvalidArguments) {
  auto const message = [&](std::uint64_t n, PermutationTestOptions const& options) {
    return thrown_message([&] { riffle::permutation_test(this->exec, n, Code{}, options); });
  };
  PermutationTestOptions none;
  none.replicates = 0;
  EXPECT_EQ(message(0, {}), "riffle::permutation_test: n = 0: must be at least 1");
  EXPECT_EQ(message(5, none),
            "riffle::permutation_test: options.replicates = 0: must be at least 1");
  EXPECT_EQ(message(std::uint64_t{1} << 31, {}),
            "riffle::permutation_test: n = 2147483648 values: must be less than 2^31");
}

}  // namespace
}  // namespace riffle::test::permutation_test_user_statistic_test
