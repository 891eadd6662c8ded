// The errors of permutation tests, and their messages.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_test_errors_test {
namespace {

using Values = std::vector<double>;
using Labels = std::vector<int>;

double const nan_value = std::numeric_limits<double>::quiet_NaN();
double const infinity = std::numeric_limits<double>::infinity();

/// Returns the message after the name of the function, which must be the called one.
std::string words_of(std::string const& function, std::string const& message) {
  std::string const name = "riffle::" + function + ": ";
  EXPECT_EQ(message.substr(0, name.size()), name);
  return message.substr(std::min(name.size(), message.size()));
}

template <class Exec>
class PermutationTestErrorsTest : public ::testing::Test {
 protected:
  /// Returns the message of both functions for the same input, which must be equal except for their names; `progress`
  /// must not have been called.
  template <class Statistic, class Y>
  std::string message(Statistic statistic, Values const& x, std::vector<Y> const& y,
                      PermutationTestOptions options = {}) {
    options.progress = [](std::uint64_t, std::uint64_t) { ADD_FAILURE() << "a replicate was run"; };
    auto const x_view = to_view<Exec>(x);
    auto const y_view = to_view<Exec>(y);
    auto const out = to_view<Exec>(Values(100, -12345));
    std::string const of_test = thrown_message(
        [&] { riffle::permutation_test(Exec(), statistic, x_view, y_view, options); });
    std::string const of_distribution = thrown_message(
        [&] { riffle::null_distribution(Exec(), statistic, x_view, y_view, out, options); });
    EXPECT_EQ(words_of("null_distribution", of_distribution),
              words_of("permutation_test", of_test));
    EXPECT_EQ(to_vector(out), Values(100, -12345)) << "nothing is written";
    return of_test;
  }

  template <class Statistic>
  void expect_names_what_is_not_finite(Statistic statistic) {
    Values const fine{1, 2, 4, 8, 16};
    for (double const bad : {nan_value, infinity, -infinity}) {
      Values values = fine;
      values[3] = bad;
      std::string const value = std::isnan(bad) ? "NaN" : bad > 0 ? "inf" : "-inf";
      EXPECT_EQ(message(statistic, values, fine),
                "riffle::permutation_test: x(3) = " + value + ": must be a finite number");
      EXPECT_EQ(message(statistic, fine, values),
                "riffle::permutation_test: y(3) = " + value + ": must be a finite number");
    }
  }
};
TYPED_TEST_SUITE(PermutationTestErrorsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermutationTestErrorsTest, NoReplicates) {
  PermutationTestOptions options;
  options.replicates = 0;
  std::string const expected =
      "riffle::permutation_test: options.replicates = 0: must be at least 1";
  Values const x{1, 2, 4};
  Values const y{3, 5, 6};
  EXPECT_EQ(this->message(riffle::DifferenceOfMeans{}, x, y, options), expected);
  EXPECT_EQ(this->message(riffle::WelchT{}, x, y, options), expected);
  EXPECT_EQ(this->message(riffle::PearsonCorrelation{}, x, y, options), expected);
  EXPECT_EQ(this->message(riffle::FStatistic{}, x, Labels{0, 1, 0}, options), expected);
  EXPECT_EQ(this->message(riffle::MannWhitneyU{}, x, y, options), expected);
  EXPECT_EQ(this->message(riffle::SpearmanCorrelation{}, x, y, options), expected);
  EXPECT_EQ(this->message(riffle::KruskalWallisH{}, x, Labels{0, 1, 0}, options), expected);
}

TYPED_TEST(PermutationTestErrorsTest, TooFewValues) {
  riffle::DifferenceOfMeans const means;
  EXPECT_EQ(this->message(means, Values{}, Values{1}),
            "riffle::permutation_test: x.extent(0) = 0: must be at least 1");
  EXPECT_EQ(this->message(means, Values{1}, Values{}),
            "riffle::permutation_test: y.extent(0) = 0: must be at least 1");
  EXPECT_EQ(this->message(means, Values{}, Values{}),
            "riffle::permutation_test: x.extent(0) = 0: must be at least 1");
  riffle::WelchT const welch;
  EXPECT_EQ(this->message(welch, Values{1}, Values{1, 2}),
            "riffle::permutation_test: x.extent(0) = 1: must be at least 2");
  EXPECT_EQ(this->message(welch, Values{1, 2}, Values{1}),
            "riffle::permutation_test: y.extent(0) = 1: must be at least 2");
  riffle::PearsonCorrelation const correlation;
  EXPECT_EQ(this->message(correlation, Values{1}, Values{2}),
            "riffle::permutation_test: x.extent(0) = 1: must be at least 2");
  EXPECT_EQ(this->message(correlation, Values{}, Values{}),
            "riffle::permutation_test: x.extent(0) = 0: must be at least 2");
  riffle::FStatistic const f;
  EXPECT_EQ(this->message(f, Values{}, Labels{}),
            "riffle::permutation_test: x.extent(0) = 0: must be at least 3");
  EXPECT_EQ(this->message(f, Values{1, 2}, Labels{0, 1}),
            "riffle::permutation_test: x.extent(0) = 2: must be at least 3");
  EXPECT_EQ(this->message(f, Values{1, 2, 4}, Labels{0, 1, 2}),
            "riffle::permutation_test: x.extent(0) = 3: must exceed the number of groups, 3");
}

TYPED_TEST(PermutationTestErrorsTest, TooFewValuesToRank) {
  riffle::MannWhitneyU const u;
  EXPECT_EQ(this->message(u, Values{}, Values{1}),
            "riffle::permutation_test: x.extent(0) = 0: must be at least 1");
  EXPECT_EQ(this->message(u, Values{1}, Values{}),
            "riffle::permutation_test: y.extent(0) = 0: must be at least 1");
  EXPECT_EQ(this->message(riffle::SpearmanCorrelation{}, Values{1}, Values{2}),
            "riffle::permutation_test: x.extent(0) = 1: must be at least 2");
  riffle::KruskalWallisH const h;
  EXPECT_EQ(this->message(h, Values{}, Labels{}),
            "riffle::permutation_test: x.extent(0) = 0: must be at least 2");
  EXPECT_EQ(this->message(h, Values{1}, Labels{0}),
            "riffle::permutation_test: x.extent(0) = 1: must be at least 2");
}

TYPED_TEST(PermutationTestErrorsTest, LengthsDiffer) {
  EXPECT_EQ(this->message(riffle::PearsonCorrelation{}, Values{1, 2, 3}, Values{1, 2}),
            "riffle::permutation_test: x.extent(0) = 3 and y.extent(0) = 2: must be equal");
  EXPECT_EQ(this->message(riffle::FStatistic{}, Values{1, 2, 3}, Labels{0, 1}),
            "riffle::permutation_test: x.extent(0) = 3 and labels.extent(0) = 2: must be equal");
  EXPECT_EQ(this->message(riffle::SpearmanCorrelation{}, Values{1, 2, 3}, Values{1, 2}),
            "riffle::permutation_test: x.extent(0) = 3 and y.extent(0) = 2: must be equal");
  EXPECT_EQ(this->message(riffle::KruskalWallisH{}, Values{1, 2, 3}, Labels{0, 1}),
            "riffle::permutation_test: x.extent(0) = 3 and labels.extent(0) = 2: must be equal");
}

TYPED_TEST(PermutationTestErrorsTest, ConstantData) {
  EXPECT_EQ(this->message(riffle::WelchT{}, Values{4, 4}, Values{4, 4, 4}),
            "riffle::permutation_test: x and y: all values are equal, so the statistic is not "
            "defined");
  EXPECT_EQ(this->message(riffle::PearsonCorrelation{}, Values{4, 4, 4}, Values{1, 2, 3}),
            "riffle::permutation_test: x: all values are equal, so the statistic is not defined");
  EXPECT_EQ(this->message(riffle::PearsonCorrelation{}, Values{1, 2, 3}, Values{4, 4, 4}),
            "riffle::permutation_test: y: all values are equal, so the statistic is not defined");
  for (auto const& text :
       {this->message(riffle::FStatistic{}, Values{4, 4, 4}, Labels{0, 1, 0}),
        this->message(riffle::KruskalWallisH{}, Values{4, 4}, Labels{0, 1}),
        this->message(riffle::SpearmanCorrelation{}, Values{4, 4}, Values{1, 2})}) {
    EXPECT_EQ(text,
              "riffle::permutation_test: x: all values are equal, so the statistic is not defined");
  }
  EXPECT_EQ(this->message(riffle::SpearmanCorrelation{}, Values{1, 2, 3}, Values{4, 4, 4}),
            "riffle::permutation_test: y: all values are equal, so the statistic is not defined");
}

TYPED_TEST(PermutationTestErrorsTest, NotFinite) {
  this->expect_names_what_is_not_finite(riffle::DifferenceOfMeans{});
  this->expect_names_what_is_not_finite(riffle::WelchT{});
  this->expect_names_what_is_not_finite(riffle::PearsonCorrelation{});
  this->expect_names_what_is_not_finite(riffle::MannWhitneyU{});
  this->expect_names_what_is_not_finite(riffle::SpearmanCorrelation{});
  Values const values{1, 2, nan_value, nan_value};
  Labels const labels{0, 1, 0, 1};
  std::string const expected = "riffle::permutation_test: x(2) = NaN: must be a finite number";
  EXPECT_EQ(this->message(riffle::FStatistic{}, values, labels), expected);
  EXPECT_EQ(this->message(riffle::KruskalWallisH{}, values, labels), expected);
}

TYPED_TEST(PermutationTestErrorsTest, DifferencesNotFinite) {
  Values const far{-1e308, 1, 1e308};
  std::string const range = " from -1e+308 to 1e+308: their differences must be finite";
  for (auto const& text : {this->message(riffle::DifferenceOfMeans{}, far, Values{1, 2, 3}),
                           this->message(riffle::WelchT{}, Values{1, 2, 3}, far),
                           this->message(riffle::PearsonCorrelation{}, far, Values{1, 2, 3}),
                           this->message(riffle::PearsonCorrelation{}, Values{1, 2, 3}, far),
                           this->message(riffle::FStatistic{}, far, Labels{0, 1, 0})}) {
    EXPECT_EQ(text.rfind("riffle::permutation_test: ", 0), 0u) << text;
    EXPECT_NE(text.find(range), std::string::npos) << text;
  }
}

TYPED_TEST(PermutationTestErrorsTest, LabelsOutOfRange) {
  Values const x{1, 2, 4, 8};
  EXPECT_EQ(this->message(riffle::FStatistic{}, x, Labels{0, 1, -1, 0}),
            "riffle::permutation_test: labels range from -1 to 1: must lie between 0 and 63");
  EXPECT_EQ(this->message(riffle::FStatistic{}, x, Labels{0, 1, 64, 0}),
            "riffle::permutation_test: labels range from 0 to 64: must lie between 0 and 63");
  EXPECT_EQ(this->message(riffle::KruskalWallisH{}, x, Labels{0, 1, 64, 0}),
            "riffle::permutation_test: labels range from 0 to 64: must lie between 0 and 63");
  // Only the test: null_distribution checks in the same way, and has no code of its own for wider labels.
  auto const message_of_test = [&](auto const& labels) {
    return thrown_message([&] {
      riffle::permutation_test(TypeParam(), riffle::FStatistic{}, to_view<TypeParam>(x),
                               to_view<TypeParam>(labels));
    });
  };
  EXPECT_NE(message_of_test(std::vector<std::uint64_t>{0, 1, ~std::uint64_t{0}, 0})
                .find("riffle::permutation_test: labels range from 0 to "),
            std::string::npos);
  EXPECT_NE(
      message_of_test(std::vector<std::int64_t>{0, 1, std::numeric_limits<std::int64_t>::min(), 0})
          .find("riffle::permutation_test: labels range from "),
      std::string::npos);
}

TYPED_TEST(PermutationTestErrorsTest, GroupsMissing) {
  Values const x{1, 2, 4, 8};
  EXPECT_EQ(this->message(riffle::FStatistic{}, x, Labels{0, 0, 0, 0}),
            "riffle::permutation_test: labels: one group only, there must be at least two");
  EXPECT_EQ(this->message(riffle::FStatistic{}, x, Labels{1, 1, 1, 1}),
            "riffle::permutation_test: labels: group 0 is empty");
  EXPECT_EQ(this->message(riffle::FStatistic{}, x, Labels{0, 2, 2, 0}),
            "riffle::permutation_test: labels: group 1 is empty");
  EXPECT_EQ(this->message(riffle::KruskalWallisH{}, x, Labels{0, 2, 2, 0}),
            "riffle::permutation_test: labels: group 1 is empty");
  EXPECT_EQ(this->message(riffle::KruskalWallisH{}, x, Labels{0, 0, 0, 0}),
            "riffle::permutation_test: labels: one group only, there must be at least two");
}

// At most 64 groups are allowed.
TYPED_TEST(PermutationTestErrorsTest, TooManyGroups) {
  Values x;
  Labels labels;
  for (int i = 0; i < 130; ++i) {
    x.push_back(i % 7);
    labels.push_back(i % 65);
  }
  EXPECT_EQ(this->message(riffle::FStatistic{}, x, labels),
            "riffle::permutation_test: labels range from 0 to 64: must lie between 0 and 63");
}

}  // namespace
}  // namespace riffle::test::permutation_test_errors_test
