// The errors of permutation tests of many variables, and their messages.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_tests_errors_test {
namespace {

using Values = std::vector<double>;

double const nan_value = std::numeric_limits<double>::quiet_NaN();
double const infinity = std::numeric_limits<double>::infinity();

Values const two_samples{0, 1, 0, 1, 0};

template <class Exec>
class PermutationTestsErrorsTest : public ::testing::Test {
 protected:
  /// Three variables of small numbers.
  static auto data(std::size_t n, std::vector<double> values = {}) {
    auto const matrix = make_matrix<Exec, double, Kokkos::LayoutRight>(3, n);
    for (std::size_t i = values.size(); i < 3 * n; ++i) {
      values.push_back(static_cast<double>(i * i % 7));
    }
    fill(matrix, values);
    return matrix;
  }

  /// Returns the message after the name of the function, which must come first; no replicate may be run.
  template <class Statistic, class Data>
  static std::string message(Statistic statistic, Data const& matrix, Values const& by,
                             PermutationTestsOptions options = {}) {
    options.progress = [](std::uint64_t, std::uint64_t) { ADD_FAILURE() << "a replicate was run"; };
    return without_name(thrown_message(
        [&] { permutation_tests(Exec(), statistic, matrix, to_view<Exec>(by), options); }));
  }

  template <class Statistic>
  static std::string message(Statistic statistic, Values const& by,
                             PermutationTestsOptions const& options = {}) {
    return message(statistic, data(by.size()), by, options);
  }

  static std::string of_one_sample(std::size_t n, PermutationTestsOptions const& options = {}) {
    return without_name(
        thrown_message([&] { permutation_tests(Exec(), OneSampleT{}, data(n), options); }));
  }

 private:
  static std::string without_name(std::string const& text) {
    std::string const name = "riffle::permutation_tests: ";
    EXPECT_EQ(text.rfind(name, 0), 0u) << text;
    return text.substr(std::min(name.size(), text.size()));
  }
};
TYPED_TEST_SUITE(PermutationTestsErrorsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermutationTestsErrorsTest, MaximaThatDoNotFitMemory) {
  PermutationTestsOptions options;
  options.enumerate = false;
  for (std::uint64_t const replicates : {std::uint64_t{1} << 61, (std::uint64_t{1} << 59) + 1}) {
    options.replicates = replicates;
    EXPECT_EQ(this->message(StudentT{}, two_samples, options),
              "options.replicates = " + std::to_string(replicates) +
                  " with options.keep_maxima: must be at most 576460752303423488");
  }
}

TYPED_TEST(PermutationTestsErrorsTest, LengthsDiffer) {
  std::string const expected = "data.extent(1) = 6: must be the number of observations, 5";
  auto const data = this->data(6);
  EXPECT_EQ(this->message(StudentT{}, data, two_samples), expected);
  EXPECT_EQ(this->message(WelchT{}, data, two_samples), expected);
  EXPECT_EQ(this->message(MannWhitneyU{}, data, two_samples), expected);
  EXPECT_EQ(this->message(FStatistic{}, data, two_samples), expected);
  EXPECT_EQ(this->message(KruskalWallisH{}, data, two_samples), expected);
  EXPECT_EQ(this->message(PearsonCorrelation{}, data, two_samples), expected);
  EXPECT_EQ(this->message(SpearmanCorrelation{}, data, two_samples), expected);
}

TYPED_TEST(PermutationTestsErrorsTest, InvalidLabels) {
  EXPECT_EQ(this->message(StudentT{}, {0, 1, 2, 1}),
            "labels(2) = 2: must be 0, 1, ... and below 2");
  EXPECT_EQ(this->message(WelchT{}, {0, 1, 0.5, 1}),
            "labels(2) = 0.5: must be 0, 1, ... and below 2");
  EXPECT_EQ(this->message(MannWhitneyU{}, {-1, 1, 0, 1}),
            "labels(0) = -1: must be 0, 1, ... and below 2");
  EXPECT_EQ(this->message(FStatistic{}, {0, 1, 0, 64}),
            "labels(3) = 64: must be 0, 1, ... and below 64");
  EXPECT_EQ(this->message(KruskalWallisH{}, {0, 1, nan_value, 0}),
            "labels(2) = nan: must be 0, 1, ... and below 64");
  EXPECT_EQ(this->message(FStatistic{}, {0, infinity, 1, 0}),
            "labels(1) = inf: must be 0, 1, ... and below 64");
}

TYPED_TEST(PermutationTestsErrorsTest, GroupsMissing) {
  EXPECT_EQ(this->message(StudentT{}, {0, 0, 0}), "labels: 1 groups: there must be at least two");
  EXPECT_EQ(this->message(StudentT{}, {1, 1, 1}), "labels: group 0 is empty");
  EXPECT_EQ(this->message(FStatistic{}, {0, 2, 2, 0}), "labels: group 1 is empty");
  EXPECT_EQ(this->message(KruskalWallisH{}, {0, 0, 0}),
            "labels: 1 groups: there must be at least two");
  EXPECT_EQ(this->message(FStatistic{}, Values{}), "labels: 0 groups: there must be at least two");
}

TYPED_TEST(PermutationTestsErrorsTest, TooFewObservations) {
  EXPECT_EQ(this->message(WelchT{}, {0, 1, 0}),
            "labels: group 1 has 1 observations: must be at least 2");
  EXPECT_EQ(this->message(WelchT{}, {1, 1, 0}),
            "labels: group 0 has 1 observations: must be at least 2");
  EXPECT_EQ(this->message(StudentT{}, {0, 1}),
            "labels.extent(0) = 2: there are no degrees of freedom, must be at least 3");
  EXPECT_EQ(this->message(MannWhitneyU{}, {0, 1}),
            "labels.extent(0) = 2: there are no degrees of freedom, must be at least 3");
  EXPECT_EQ(this->message(FStatistic{}, {0, 1, 2}),
            "labels.extent(0) = 3: must exceed the number of groups, 3");
  EXPECT_EQ(this->message(PearsonCorrelation{}, {0, 1}),
            "x.extent(0) = 2: there are no degrees of freedom, must be at least 3");
  EXPECT_EQ(this->of_one_sample(1),
            "data.extent(1) = 1: there are no degrees of freedom, must be at least 2");
}

TYPED_TEST(PermutationTestsErrorsTest, Covariates) {
  std::string const constant = "x: all values are equal, so the statistic is not defined";
  EXPECT_EQ(this->message(PearsonCorrelation{}, {4, 4, 4}), constant);
  EXPECT_EQ(this->message(SpearmanCorrelation{}, {4, 4, 4}), constant);
  EXPECT_EQ(this->message(PearsonCorrelation{}, {4, 1, nan_value}),
            "x(2) = nan: must be a finite number");
  EXPECT_EQ(this->message(PearsonCorrelation{}, {4, -infinity, 1}),
            "x(1) = -inf: must be a finite number");
  EXPECT_EQ(this->message(SpearmanCorrelation{}, {4, 1, nan_value}),
            "x(2) = nan: must be a finite number");
}

TYPED_TEST(PermutationTestsErrorsTest, InfiniteData) {
  auto const data = this->data(5, {1, 2, 3, 4, 5, 6, 7, nan_value, -infinity, 8, infinity});
  std::string const expected = "data(1, 3): must be no infinity";
  EXPECT_EQ(this->message(StudentT{}, data, two_samples), expected);
  EXPECT_EQ(this->message(MannWhitneyU{}, data, two_samples), expected);
}

TYPED_TEST(PermutationTestsErrorsTest, Options) {
  PermutationTestsOptions options;
  options.replicates = 0;
  EXPECT_EQ(this->message(StudentT{}, two_samples, options),
            "options.replicates = 0: must be at least 1");
  EXPECT_EQ(this->of_one_sample(4, options), "options.replicates = 0: must be at least 1");
  options.replicates = 10;
  options.alternative = Alternative::less;
  std::string const one_tail = "options.alternative = less: the statistic has one tail, greater";
  EXPECT_EQ(this->message(FStatistic{}, two_samples, options), one_tail);
  EXPECT_EQ(this->message(KruskalWallisH{}, two_samples, options), one_tail);
  options.alternative = Alternative::two_sided_doubled;
  EXPECT_EQ(this->message(FStatistic{}, two_samples, options),
            "options.alternative = two_sided_doubled: the statistic has one tail, greater");
  options.alternative = static_cast<Alternative>(77);
  EXPECT_EQ(this->message(StudentT{}, two_samples, options),
            "options.alternative = 77: must be less, greater, two_sided or two_sided_doubled");
  options.alternative = Alternative::two_sided;
  options.missing = static_cast<MissingValues>(2);
  std::string const missing = "options.missing = 2: must be leave_variable_out or leave_value_out";
  EXPECT_EQ(this->message(StudentT{}, two_samples, options), missing);
  EXPECT_EQ(this->of_one_sample(4, options), missing);
}

// Infinite values are also found in data with missing values.
TYPED_TEST(PermutationTestsErrorsTest, InfiniteValuesWithMissingValues) {
  PermutationTestsOptions options;
  options.missing = MissingValues::leave_value_out;
  auto const data = this->data(5, {1, 2, 3, 4, 5, 6, 7, nan_value, -infinity, 8});
  EXPECT_EQ(this->message(WelchT{}, data, two_samples, options), "data(1, 3): must be no infinity");
}

TYPED_TEST(PermutationTestsErrorsTest, SchemesThatDoNotFit) {
  PermutationTestsOptions options;
  options.scheme = PermutationScheme::free(6);
  EXPECT_EQ(this->message(StudentT{}, two_samples, options),
            "options.scheme.size() = 6: must be the number of observations, 5");
  EXPECT_EQ(this->of_one_sample(5, options),
            "options.scheme.size() = 6: must be the number of observations, 5");
  options.scheme = PermutationScheme::sign_flips(5);
  std::string const signs = "options.scheme changes signs: the statistic is not about 0";
  EXPECT_EQ(this->message(WelchT{}, two_samples, options), signs);
  EXPECT_EQ(this->message(SpearmanCorrelation{}, two_samples, options), signs);
}

// Labels that are equal for all observations that may change places, and groups between which no observation can move.
TYPED_TEST(PermutationTestsErrorsTest, RejectsSchemesThatKeepTheStatistic) {
  std::string const unchanged =
      "no permutation changes what is compared: it is equal for all observations that may change "
      "places";
  Values const labels{0, 0, 1, 1, 0, 0};
  Values const covariate{3, 3, 5, 5, 8, 8};
  std::vector<int> const pairs{1, 1, 2, 2, 3, 3};
  auto const message_of = [&](auto statistic, PermutationScheme const& scheme, Values const& by) {
    PermutationTestsOptions options;
    options.scheme = scheme;
    return this->message(statistic, by, options);
  };
  for (auto const& scheme :
       {PermutationScheme::within_blocks(pairs), PermutationScheme::pairs(pairs),
        PermutationScheme::nested({{-1, -1, -1, -1, -1, -1}, pairs})}) {
    EXPECT_EQ(message_of(StudentT{}, scheme, labels), unchanged);
    EXPECT_EQ(message_of(FStatistic{}, scheme, labels), unchanged);
    EXPECT_EQ(message_of(PearsonCorrelation{}, scheme, covariate), unchanged);
  }
  // Labels are equal in each block, member by member.
  EXPECT_EQ(message_of(MannWhitneyU{}, PermutationScheme::whole_blocks(pairs), {0, 1, 0, 1, 0, 1}),
            unchanged);
  EXPECT_EQ(
      message_of(SpearmanCorrelation{}, PermutationScheme::whole_blocks(pairs), {2, 7, 2, 7, 2, 7}),
      unchanged);
  EXPECT_EQ(
      message_of(KruskalWallisH{}, PermutationScheme::within_blocks(pairs), {0, 1, 0, 1, 2, 2}),
      "no permutation changes groups 0 and 2, not by way of other groups either: they say nothing "
      "of all groups at once");
  PermutationTestsOptions options;
  options.scheme = PermutationScheme::free(4);
  EXPECT_EQ(this->of_one_sample(4, options), unchanged);
}

// A covariate may be equal in some places, and observations of groups may change places by way of other groups.
TYPED_TEST(PermutationTestsErrorsTest, SchemesThatChangeEnough) {
  auto const p_of = [&](auto statistic, Values const& by) {
    PermutationTestsOptions options;
    options.scheme = PermutationScheme::within_blocks({1, 1, 2, 2, 3, 3});
    return permutation_tests(TypeParam(), statistic, this->data(6), to_view<TypeParam>(by), options)
        .p(0);
  };
  EXPECT_GT(p_of(PearsonCorrelation{}, {3, 3, 5, 5, 8, 9}), 0);
  EXPECT_GT(p_of(FStatistic{}, {0, 1, 1, 2, 0, 0}), 0);
}

TYPED_TEST(PermutationTestsErrorsTest, RejectsInvalidCounts) {
  PermutationTestsOptions options;
  options.replicates = 9;
  options.resume = PermutationCounts{2, {1, 1}, {1, 1, 1}, {0.5, 0.5}};
  EXPECT_EQ(this->message(StudentT{}, two_samples, options),
            "options.resume has the counts of 2 and 3 variables: must be those of 3");
  options.resume = PermutationCounts{2, {1, 1, 1}, {1, 1, 1}, {0.5}};
  EXPECT_EQ(this->message(StudentT{}, two_samples, options),
            "options.resume.done = 2 with 1 maxima: must be as many, and at most 9");
  options.resume = PermutationCounts{10, {1, 1, 1}, {1, 1, 1}, Values(10, 0.5)};
  EXPECT_EQ(this->message(StudentT{}, two_samples, options),
            "options.resume.done = 10 with 10 maxima: must be as many, and at most 9");
  options.resume = PermutationCounts{2, {1, 1, 1}, {1, 1, 1}, {}, {1, 1, 1}};
  EXPECT_EQ(this->message(StudentT{}, two_samples, options),
            "options.resume has no maxima of its 2 replicates: options.keep_maxima must be false");
  options.resume = PermutationCounts{2, {1, 3, 1}, {1, 1, 1}, {0.5, 0.5}};
  EXPECT_EQ(this->message(StudentT{}, two_samples, options),
            "options.resume counts 3 replicates of 2: must be at most as many");
  options.resume = PermutationCounts{2, {1, 1, 1}, {1, 1, 1}, {}, {1, 1, 1}};
  options.keep_maxima = false;
  options.resume->done = 10;
  EXPECT_EQ(this->message(StudentT{}, two_samples, options),
            "options.resume.done = 10 with 0 maxima: must be as many, and at most 9");
  options.resume = PermutationCounts{2, {1, 1, 1}, {1, 1, 1}, {}, {1, 1}};
  EXPECT_EQ(this->message(StudentT{}, two_samples, options),
            "options.resume.done = 2 with 0 maxima: must be as many, and at most 9");
  options.resume = PermutationCounts{2, {1, 1, 1}, {1, 1, 1}, {0.5}, {1, 1, 1}};
  EXPECT_EQ(this->message(StudentT{}, two_samples, options),
            "options.resume.done = 2 with 1 maxima: must be as many, and at most 9");
}

}  // namespace
}  // namespace riffle::test::permutation_tests_errors_test
