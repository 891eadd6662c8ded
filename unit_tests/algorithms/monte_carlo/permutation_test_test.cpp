// The results of a permutation test, and their agreement with SciPy. Other tests are in permutation_test_*_test.cpp.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/samples.hpp"
#include "support/scipy_results.hpp"
#include "support/test_results.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_test_test {
namespace {

using Values = std::vector<double>;

Values const short_x{4.1, 5.0, 6.2, 5.5};
Values const long_y{7.3, 6.8, 8.1, 5.9, 9.4, 7.7, 6.1};
Values const three_groups{6.9, 5.4, 5.8, 8.3, 6.8, 7.8, 8.0, 10.5, 8.1};
std::vector<int> const three_labels{0, 0, 0, 1, 1, 1, 2, 2, 2};
Values const paired_x{1.0, 2.5, 3.1, 4.7, 5.2, 6.6, 7.9};
Values const paired_y{2.1, 1.9, 4.4, 3.9, 6.1, 5.2, 5.8};

TEST(PermutationTestResultTest, ExtremeFollowsTheAlternative) {
  EXPECT_EQ(random_result(99, 7, 93, Alternative::less).extreme(), 7u);
  EXPECT_EQ(random_result(99, 7, 93, Alternative::greater).extreme(), 93u);
  EXPECT_EQ(random_result(99, 7, 93, Alternative::two_sided_doubled).extreme(), 7u);
  EXPECT_EQ(random_result(99, 93, 7, Alternative::two_sided_doubled).extreme(), 7u);
  EXPECT_EQ(random_result(99, 93, 7, Alternative::two_sided, 21).extreme(), 21u);
  EXPECT_DOUBLE_EQ(random_result(99, 93, 7, Alternative::two_sided, 21).p_value(), 0.22);
  EXPECT_DOUBLE_EQ(exact_result(100, 93, 7, Alternative::two_sided, 21).p_value(), 0.21);
}

TEST(PermutationTestResultTest, RandomReplicatesCountTheObservedOne) {
  EXPECT_DOUBLE_EQ(random_result(99, 7, 93, Alternative::less).p_value(), 0.08);
  EXPECT_DOUBLE_EQ(random_result(99, 7, 93, Alternative::greater).p_value(), 0.94);
  EXPECT_DOUBLE_EQ(random_result(99, 7, 93, Alternative::two_sided_doubled).p_value(), 0.16);
  EXPECT_DOUBLE_EQ(random_result(99, 0, 99, Alternative::less).p_value(), 0.01);
  EXPECT_DOUBLE_EQ(random_result(99, 99, 0, Alternative::less).p_value(), 1);
  EXPECT_DOUBLE_EQ(random_result(9999, 0, 9999, Alternative::two_sided_doubled).p_value(), 2e-4);
}

TEST(PermutationTestResultTest, EnumeratedArrangementsHoldTheObservedOne) {
  EXPECT_DOUBLE_EQ(exact_result(20, 1, 20, Alternative::less).p_value(), 0.05);
  EXPECT_DOUBLE_EQ(exact_result(20, 1, 20, Alternative::greater).p_value(), 1);
  EXPECT_DOUBLE_EQ(exact_result(20, 1, 20, Alternative::two_sided_doubled).p_value(), 0.1);
}

TEST(PermutationTestResultTest, TwiceTheSmallerTailIsAtMostOne) {
  EXPECT_EQ(random_result(99, 60, 55, Alternative::two_sided_doubled).p_value(), 1);
  EXPECT_EQ(random_result(99, 99, 99, Alternative::two_sided_doubled).p_value(), 1);
  EXPECT_EQ(exact_result(20, 12, 14, Alternative::two_sided_doubled).p_value(), 1);
}

template <class Exec>
class PermutationTestTest : public ::testing::Test {
 protected:
  template <class Statistic, class Y>
  PermutationTestResult run(Statistic statistic, Values const& x, std::vector<Y> const& y,
                            PermutationTestOptions const& options) {
    return riffle::permutation_test(exec, statistic, to_view<Exec>(x), to_view<Exec>(y), options);
  }

  template <class Statistic>
  void expect_agrees(Statistic statistic, Values const& x, Values const& y,
                     SciPyResult const& expected) {
    expect_as_scipy([&](auto const& options) { return run(statistic, x, y, options); }, expected,
                    1e-13);
  }

  Exec exec;
};
TYPED_TEST_SUITE(PermutationTestTest, ExecutionSpaces, SpaceNames);

// scipy.stats.permutation_test((x, y), statistic, permutation_type='independent',
//   n_resamples=numpy.inf, alternative=..., vectorized=True), SciPy 1.10.1, with
//   statistic = lambda x, y, axis: numpy.mean(x, axis=axis) - numpy.mean(y, axis=axis)
TYPED_TEST(PermutationTestTest, DifferenceOfMeansAgreesWithSciPy) {
  this->expect_agrees(
      riffle::DifferenceOfMeans{}, sleep_x, sleep_y,
      {-1.58, 184756, 0.04072398190045249, 0.9613814977592068, 0.08144796380090498});
  this->expect_agrees(
      riffle::DifferenceOfMeans{}, short_x, long_y,
      {-2.128571428571429, 330, 0.00909090909090909, 0.9939393939393939, 0.01818181818181818});
}

// statistic = lambda x, y, axis: scipy.stats.ttest_ind(x, y, equal_var=False, axis=axis).statistic
TYPED_TEST(PermutationTestTest, WelchTAgreesWithSciPy) {
  this->expect_agrees(
      riffle::WelchT{}, sleep_x, sleep_y,
      {-1.8608134674868526, 184756, 0.04072398190045249, 0.9613814977592068, 0.08144796380090498});
  this->expect_agrees(
      riffle::WelchT{}, short_x, long_y,
      {-3.3413615499964715, 330, 0.00909090909090909, 0.9939393939393939, 0.01818181818181818});
}

// scipy.stats.permutation_test((a, b, c), lambda a, b, c, axis: scipy.stats.f_oneway(a, b, c,
//   axis=axis).statistic, permutation_type='independent', n_resamples=numpy.inf,
//   alternative='greater', vectorized=True)
TYPED_TEST(PermutationTestTest, FStatisticAgreesWithSciPy) {
  for (auto const alternative : {Alternative::greater, Alternative::two_sided}) {
    PermutationTestOptions options;
    options.alternative = alternative;
    auto const result = this->run(riffle::FStatistic{}, three_groups, three_labels, options);
    EXPECT_NEAR(result.statistic, 5.693834900731447, 1e-13);
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.replicates, 1680u);
    EXPECT_EQ(result.less_equal, 1644u);
    EXPECT_EQ(result.greater_equal, 48u);
    EXPECT_EQ(result.alternative, Alternative::greater) << "which is what two_sided means of F";
    EXPECT_NEAR(result.p_value(), 0.02857142857142857, 1e-14);
  }
}

// scipy.stats.permutation_test((x,), lambda x, axis: correlation of x with y along axis,
//   permutation_type='pairings', n_resamples=numpy.inf, alternative=..., vectorized=True)
TYPED_TEST(PermutationTestTest, PearsonCorrelationAgreesWithSciPy) {
  this->expect_agrees(
      riffle::PearsonCorrelation{}, paired_x, paired_y,
      {0.8435323251140706, 5040, 0.9896825396825397, 0.010515873015873017, 0.021031746031746033});
}

// Five standard deviations of a binomial count about the p-value of the enumeration.
TYPED_TEST(PermutationTestTest, RandomReplicatesAgreeWithEnumeration) {
  auto const compare = [&](auto const statistic, auto const& x, auto const& y) {
    PermutationTestOptions options;
    options.replicates = 200000;
    auto const exact = this->run(statistic, x, y, options);
    ASSERT_TRUE(exact.exact);
    options.enumerate = false;
    options.replicates = 20000;
    options.seed = 31;
    auto const random = this->run(statistic, x, y, options);
    EXPECT_FALSE(random.exact);
    EXPECT_EQ(random.replicates, 20000u);
    EXPECT_EQ(random.statistic, exact.statistic);
    auto const near = [&](std::uint64_t found, std::uint64_t all) {
      double const m = 20000;
      double const p = static_cast<double>(all) / static_cast<double>(exact.replicates);
      EXPECT_NEAR(static_cast<double>(found), m * p, 5 * std::sqrt(m * p * (1 - p)));
    };
    near(random.less_equal, exact.less_equal);
    near(random.greater_equal, exact.greater_equal);
  };
  compare(riffle::DifferenceOfMeans{}, sleep_x, sleep_y);
  compare(riffle::DifferenceOfMeans{}, short_x, long_y);
  compare(riffle::WelchT{}, sleep_x, sleep_y);
  compare(riffle::WelchT{}, short_x, long_y);
  compare(riffle::FStatistic{}, three_groups, three_labels);
  compare(riffle::PearsonCorrelation{}, paired_x, paired_y);
}

TYPED_TEST(PermutationTestTest, EnumeratesIfArrangementsDoNotExceedReplicates) {
  auto const is_exact = [&](std::uint64_t replicates, bool enumerate) {
    PermutationTestOptions options;
    options.replicates = replicates;
    options.enumerate = enumerate;
    auto const result = this->run(riffle::DifferenceOfMeans{}, short_x, long_y, options);
    EXPECT_EQ(result.replicates, result.exact ? 330u : replicates);
    return result.exact;
  };
  EXPECT_FALSE(is_exact(1, true));
  EXPECT_FALSE(is_exact(329, true));
  EXPECT_TRUE(is_exact(330, true));
  EXPECT_TRUE(is_exact(1u << 20, true));
  EXPECT_FALSE(is_exact(330, false));
  EXPECT_FALSE(is_exact(1000, false));
}

TYPED_TEST(PermutationTestTest, DefaultsAre9999TwoSidedReplicatesOfSeed0) {
  auto const x = to_view<TypeParam>(sleep_x);
  auto const y = to_view<TypeParam>(sleep_y);
  auto const by_default = riffle::permutation_test(this->exec, riffle::DifferenceOfMeans{}, x, y);
  EXPECT_EQ(by_default.replicates, 9999u);
  EXPECT_FALSE(by_default.exact);
  EXPECT_EQ(by_default.alternative, Alternative::two_sided);
  PermutationTestOptions options;
  options.seed = 0;
  auto const labelled = riffle::permutation_test(Context(this->exec, "user::label"),
                                                 riffle::DifferenceOfMeans{}, x, y, options);
  EXPECT_EQ(labelled.less_equal, by_default.less_equal);
  EXPECT_EQ(labelled.greater_equal, by_default.greater_equal);
  options.seed = 1;
  EXPECT_NE(
      riffle::permutation_test(this->exec, riffle::DifferenceOfMeans{}, x, y, options).less_equal,
      by_default.less_equal);
}

// Counted in rational arithmetic over all arrangements: 3, 328 and 5 of 330 arrangements of short_x and long_y have a
// statistic of at most, of at least, and in magnitude at least the observed one.
TYPED_TEST(PermutationTestTest, TwoSidedComparesMagnitudes) {
  auto const p_of = [&](Values const& x, Values const& y, Alternative alternative) {
    PermutationTestOptions options;
    options.alternative = alternative;
    auto const result = this->run(riffle::DifferenceOfMeans{}, x, y, options);
    EXPECT_EQ(result.alternative, alternative);
    return result.p_value();
  };
  EXPECT_DOUBLE_EQ(p_of(short_x, long_y, Alternative::two_sided), 5 / 330.0);
  EXPECT_DOUBLE_EQ(p_of(short_x, long_y, Alternative::two_sided_doubled), 6 / 330.0);
  PermutationTestOptions options;
  auto const found =
      this->run(riffle::DifferenceOfMeans{}, Values{1, 2, 9}, Values{2, 3, 4, 5}, options);
  EXPECT_EQ(found.less_equal, 22u);
  EXPECT_EQ(found.greater_equal, 16u);
  EXPECT_EQ(found.as_far, 33u);
  // U is taken about its mean: from the range 0 to 6, 0 and 6 are as far as 0; all are as far as 3.
  EXPECT_EQ(this->run(riffle::MannWhitneyU{}, Values{1, 2}, Values{3, 4, 5}, options).as_far, 2u);
  EXPECT_EQ(this->run(riffle::MannWhitneyU{}, Values{1, 5}, Values{2, 3, 4}, options).as_far, 10u);
}

TYPED_TEST(PermutationTestTest, ConstantDataTieEverywhere) {
  auto const result = this->run(riffle::DifferenceOfMeans{}, Values{4, 4}, Values{4, 4, 4},
                                PermutationTestOptions());
  EXPECT_EQ(result.statistic, 0);
  EXPECT_EQ(result.replicates, 10u);
  EXPECT_EQ(result.less_equal, 10u);
  EXPECT_EQ(result.greater_equal, 10u);
  EXPECT_EQ(result.as_far, 10u);
  EXPECT_EQ(result.p_value(), 1);
}

template <class Exec, class Statistic, class X, class Y>
void expect_sides(Statistic statistic, X const& x, Y const& y, std::uint64_t less_equal,
                  std::uint64_t greater_equal) {
  auto const result = riffle::permutation_test(Exec(), statistic, x, y);
  EXPECT_TRUE(result.exact);
  EXPECT_EQ(result.less_equal, less_equal);
  EXPECT_EQ(result.greater_equal, greater_equal);
}

TYPED_TEST(PermutationTestTest, ReadsValuesOfAnyTypeAndLayout) {
  using Space = typename TypeParam::memory_space;
  // The tenths of short_x and long_y, as whole numbers.
  auto const x = to_view<TypeParam>(std::vector<int>{41, 50, 62, 55});
  auto const y = to_view<TypeParam>(std::vector<std::int8_t>{73, 68, 81, 59, 94, 77, 61});
  expect_sides<TypeParam>(riffle::DifferenceOfMeans{}, x, y, 3, 328);
  Kokkos::View<int const*, Space> const read_only = x;
  auto const strided = make_strided<TypeParam, float>(7);
  fill(strided, std::vector<float>{73, 68, 81, 59, 94, 77, 61});
  expect_sides<TypeParam>(riffle::WelchT{}, read_only, strided, 3, 328);
  Kokkos::View<int*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const unmanaged(x.data(), 4);
  expect_sides<TypeParam>(riffle::DifferenceOfMeans{}, unmanaged, strided, 3, 328);
}

template <class Exec, class Label>
void expect_reads_labels() {
  auto const values = to_view<Exec>(three_groups);
  auto const labels = to_view<Exec>(std::vector<Label>(three_labels.begin(), three_labels.end()));
  expect_sides<Exec>(riffle::FStatistic{}, values, labels, 1644, 48);
}

TYPED_TEST(PermutationTestTest, ReadsLabelsOfAnyIntegerType) {
  expect_reads_labels<TypeParam, char>();
  expect_reads_labels<TypeParam, std::int8_t>();
  expect_reads_labels<TypeParam, std::uint16_t>();
  expect_reads_labels<TypeParam, unsigned>();
  expect_reads_labels<TypeParam, std::int64_t>();
  expect_reads_labels<TypeParam, std::uint64_t>();
  auto const strided = make_strided<TypeParam, int>(9);
  fill(strided, three_labels);
  expect_sides<TypeParam>(riffle::FStatistic{}, to_view<TypeParam>(three_groups), strided, 1644,
                          48);
}

// Views in a memory space that the host and the device share, and that is the default of neither.
TYPED_TEST(PermutationTestTest, ReadsSharedMemory) {
  if constexpr (Kokkos::has_shared_space) {
    Kokkos::View<double*, Kokkos::SharedSpace> const x("x", 4);
    Kokkos::View<double*, Kokkos::SharedSpace> const y("y", 7);
    for (std::size_t i = 0; i < 4; ++i) x(i) = short_x[i];
    for (std::size_t i = 0; i < 7; ++i) y(i) = long_y[i];
    expect_sides<TypeParam>(riffle::DifferenceOfMeans{}, x, y, 3, 328);
  }
}

// Swapping the samples swaps less and greater.
TYPED_TEST(PermutationTestTest, SwappedSamplesSwapTheSides) {
  PermutationTestOptions options;
  options.replicates = 400;
  for (auto const& [x, y] :
       {std::pair{short_x, long_y}, std::pair{Values{1, 2, 2}, Values{2, 3}}}) {
    auto const forth = this->run(riffle::WelchT{}, x, y, options);
    auto const back = this->run(riffle::WelchT{}, y, x, options);
    EXPECT_EQ(forth.less_equal, back.greater_equal);
    EXPECT_EQ(forth.greater_equal, back.less_equal);
    EXPECT_EQ(forth.as_far, back.as_far);
    EXPECT_NEAR(forth.statistic, -back.statistic, 1e-13);
  }
}

}  // namespace
}  // namespace riffle::test::permutation_test_test
