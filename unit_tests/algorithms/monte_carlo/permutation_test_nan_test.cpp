// Statistics that are NaN, and invalid options.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/random/random_permutation.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_test_nan_test {
namespace {

using Values = std::vector<double>;

/// Returns NaN for all permutations with sigma(0) = `nan_at`, otherwise sigma(0).
struct NanWhere {
  std::uint64_t nan_at;

  KOKKOS_FUNCTION double operator()(riffle::RandomPermutation const& sigma) const {
    return sigma(0) == nan_at ? Kokkos::Experimental::quiet_NaN_v<double>
                              : static_cast<double>(sigma(0));
  }
};

/// Returns inf - inf unless sigma(0) = 0.
struct InfinityMinusInfinity {
  KOKKOS_FUNCTION double operator()(riffle::RandomPermutation const& sigma) const {
    double const infinity = sigma(0) == 0 ? 0.0 : Kokkos::Experimental::infinity_v<double>;
    return 1 + (infinity - infinity);
  }
};

/// Returns NaN for every permutation, by a team.
struct TeamNan {
  template <class Member>
  KOKKOS_FUNCTION double operator()(Member const&, riffle::RandomPermutation const&) const {
    return Kokkos::Experimental::quiet_NaN_v<double>;
  }
};

PermutationTestOptions with(Alternative alternative, std::uint64_t replicates = 9999) {
  PermutationTestOptions options;
  options.alternative = alternative;
  options.replicates = replicates;
  return options;
}

template <class Exec>
class PermutationTestNanTest : public ::testing::Test {
 protected:
  Exec exec;
};
TYPED_TEST_SUITE(PermutationTestNanTest, ExecutionSpaces, SpaceNames);

std::string const observed_nan =
    ": the statistic of the data as they are is NaN: no replicate can be compared with it";

TYPED_TEST(PermutationTestNanTest, RejectsNaNsInTheData) {
  Kokkos::View<double*, typename TypeParam::memory_space> const out("out", 10);
  for (std::uint64_t const n : {1, 5, 30}) {
    EXPECT_EQ(thrown_message([&] { riffle::permutation_test(this->exec, n, NanWhere{0}); }),
              "riffle::permutation_test" + observed_nan);
    EXPECT_EQ(thrown_message([&] { riffle::permutation_test(this->exec, n, TeamNan{}); }),
              "riffle::permutation_test" + observed_nan);
    EXPECT_EQ(thrown_message([&] { riffle::null_distribution(this->exec, n, NanWhere{0}, out); }),
              "riffle::null_distribution" + observed_nan);
  }
  EXPECT_EQ(to_vector(out), Values(10, 0)) << "nothing is written";
}

// 24 of 120 permutations have each value of sigma(0). The observed one, 0, is the least.
TYPED_TEST(PermutationTestNanTest, ReplicatesWithNanAreAtLeastAsExtreme) {
  for (auto const alternative : {Alternative::less, Alternative::greater, Alternative::two_sided}) {
    auto const result = riffle::permutation_test(this->exec, 5, NanWhere{3}, with(alternative));
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.less_equal, 48u);
    EXPECT_EQ(result.greater_equal, 120u);
  }
  auto const all_but_24 = riffle::permutation_test(this->exec, 5, InfinityMinusInfinity{});
  EXPECT_EQ(all_but_24.statistic, 1);
  EXPECT_EQ(all_but_24.less_equal, 120u);
  EXPECT_EQ(all_but_24.greater_equal, 120u);
  EXPECT_EQ(all_but_24.p_value(), 1);
}

TYPED_TEST(PermutationTestNanTest, OneSidedPIsAtLeastOneOverMPlusOne) {
  for (auto const alternative : {Alternative::less, Alternative::greater}) {
    for (std::uint64_t const m : {1, 99, 9999}) {
      auto const nan =
          riffle::permutation_test(this->exec, 30, InfinityMinusInfinity{}, with(alternative, m));
      EXPECT_EQ(nan.p_value(), 1) << m << ": but for some replicates all are NaN";
      auto const some = riffle::permutation_test(this->exec, 30, NanWhere{3}, with(alternative, m));
      EXPECT_GE(some.p_value(), 1.0 / (static_cast<double>(m) + 1));
    }
  }
}

TYPED_TEST(PermutationTestNanTest, DistributionHoldsNaNs) {
  Kokkos::View<double*, typename TypeParam::memory_space> const out("out", 120);
  ASSERT_EQ(riffle::null_distribution(this->exec, 5, NanWhere{3}, out), 120u);
  int nans = 0;
  for (double const value : to_vector(out)) nans += std::isnan(value);
  EXPECT_EQ(nans, 24);
}

// A batch size that exceeds the number of replicates means one batch; rounding it up must not overflow.
TYPED_TEST(PermutationTestNanTest, BatchesOfAnySize) {
  auto const x = to_view<TypeParam>(Values{4.1, 5.0, 6.2, 5.5});
  auto const y = to_view<TypeParam>(Values{7.3, 6.8, 8.1, 5.9, 9.4, 7.7, 6.1});
  auto options = with(Alternative::less, 300);
  auto const expected =
      riffle::permutation_test(this->exec, riffle::DifferenceOfMeans{}, x, y, options);
  for (std::uint64_t const less : {0, 1, 29, 30, 31, 32, 33}) {
    options.batch = ~std::uint64_t{0} - less;
    auto const result =
        riffle::permutation_test(this->exec, riffle::DifferenceOfMeans{}, x, y, options);
    EXPECT_EQ(result.less_equal, expected.less_equal) << less;
    EXPECT_EQ(result.greater_equal, expected.greater_equal) << less;
  }
}

// 2^64 replicates would take too long, so the test stops after the first batch.
TYPED_TEST(PermutationTestNanTest, LargestNumberOfReplicates) {
  struct Stop {};
  auto const x = to_view<TypeParam>(Values{4.1, 5.0, 6.2, 5.5});
  auto const y = to_view<TypeParam>(Values{7.3, 6.8, 8.1, 5.9, 9.4, 7.7, 6.1});
  auto options = with(Alternative::less, ~std::uint64_t{0});
  options.enumerate = false;
  options.batch = 1;
  std::uint64_t first = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, ~std::uint64_t{0});
    first = done;
    throw Stop();
  };
  EXPECT_THROW(riffle::permutation_test(this->exec, riffle::DifferenceOfMeans{}, x, y, options),
               Stop);
  EXPECT_EQ(first, 32u);
  options.enumerate = true;
  options.progress = {};
  EXPECT_EQ(
      riffle::permutation_test(this->exec, riffle::DifferenceOfMeans{}, x, y, options).replicates,
      330u);
}

TYPED_TEST(PermutationTestNanTest, RejectsInvalidAlternatives) {
  auto const x = to_view<TypeParam>(Values{1, 2, 4});
  auto const y = to_view<TypeParam>(Values{3, 5, 6});
  auto const out = to_view<TypeParam>(Values(20, -1));
  auto const options = with(static_cast<Alternative>(7));
  std::string const expected =
      ": options.alternative = 7: must be less, greater, two_sided or two_sided_doubled";
  EXPECT_EQ(thrown_message([&] {
              riffle::permutation_test(this->exec, riffle::DifferenceOfMeans{}, x, y, options);
            }),
            "riffle::permutation_test" + expected);
  EXPECT_EQ(thrown_message([&] {
              riffle::null_distribution(this->exec, riffle::DifferenceOfMeans{}, x, y, out,
                                        options);
            }),
            "riffle::null_distribution" + expected);
  EXPECT_EQ(thrown_message(
                [&] { riffle::permutation_test(this->exec, 5, InfinityMinusInfinity{}, options); }),
            "riffle::permutation_test" + expected);
  EXPECT_EQ(to_vector(out), Values(20, -1));
}

// F and H grow in whichever way the groups differ.
TYPED_TEST(PermutationTestNanTest, RejectsLessForStatisticsWithOneTail) {
  auto const x = to_view<TypeParam>(Values{1, 2, 4, 3});
  auto const labels = to_view<TypeParam>(std::vector<int>{0, 1, 0, 1});
  std::string const expected =
      "riffle::permutation_test: options.alternative = less: the statistic has one tail, greater";
  auto const message = [&](auto statistic) {
    return thrown_message([&] {
      riffle::permutation_test(this->exec, statistic, x, labels, with(Alternative::less));
    });
  };
  EXPECT_EQ(message(riffle::FStatistic{}), expected);
  EXPECT_EQ(message(riffle::KruskalWallisH{}), expected);
}

template <class Exec, class Statistic, class X, class Y, class Out>
void expect_overlap(Statistic statistic, X const& x, Y const& y, Out const& out, char const* name) {
  auto const message =
      thrown_message([&] { riffle::null_distribution(Exec(), statistic, x, y, out); });
  EXPECT_EQ(message.rfind(std::string("riffle::null_distribution: ") + name + " (\"", 0), 0u)
      << message;
  EXPECT_NE(message.find(" overlap: must share no element"), std::string::npos) << message;
}

TYPED_TEST(PermutationTestNanTest, RejectsADistributionThatOverlapsTheData) {
  Values const values{1, 2, 4, 8, 16, 32};
  auto const all = to_view<TypeParam>(values);
  decltype(all) x = Kokkos::subview(all, Kokkos::pair<int, int>(0, 3));
  decltype(all) y = Kokkos::subview(all, Kokkos::pair<int, int>(3, 6));
  expect_overlap<TypeParam>(riffle::DifferenceOfMeans{}, x, y, x, "x");
  expect_overlap<TypeParam>(riffle::SpearmanCorrelation{}, x, y, y, "y");
  expect_overlap<TypeParam>(riffle::PearsonCorrelation{}, x, y, all, "x");
  EXPECT_EQ(to_vector(all), values);
}

}  // namespace
}  // namespace riffle::test::permutation_test_nan_test
