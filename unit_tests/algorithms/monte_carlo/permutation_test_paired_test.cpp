// The test of paired differences, compared with Fisher's results, SciPy's, brute force, and a model of its signs.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/null_distributions.hpp"
#include "support/samples.hpp"
#include "support/scipy_results.hpp"
#include "support/statistics.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_test_paired_test {
namespace {

using Values = std::vector<double>;

// Darwin (1876): heights of maize, inches.
Values const crossed{23.5,  12,     21,    22, 19.125, 21.5, 22.125, 20.375,
                     18.25, 21.625, 23.25, 21, 22.125, 23,   12};
Values const selfed{17.375, 20.375, 20,    20, 18.375, 18.625, 18.625, 15.25,
                    16.5,   18,     16.25, 18, 12.75,  15.5,   18};
Values const paired_x{1.0, 2.5, 3.1, 4.7, 5.2, 6.6, 7.9};
Values const paired_y{2.1, 1.9, 4.4, 3.9, 6.1, 5.2, 5.8};

/// Adds the difference of means for every way to swap members of pairs, from one pair on.
void add_differences_from(std::size_t pair, Values& x, Values& y, Values& differences) {
  if (pair == x.size()) {
    differences.push_back(difference_of_means(x, y));
    return;
  }
  add_differences_from(pair + 1, x, y, differences);
  std::swap(x[pair], y[pair]);
  add_differences_from(pair + 1, x, y, differences);
  std::swap(x[pair], y[pair]);
}

Values all_mean_differences(Values x, Values y) {
  Values differences;
  add_differences_from(0, x, y, differences);
  return differences;
}

PermutationTestOptions random_options(std::uint64_t replicates, std::uint64_t seed) {
  PermutationTestOptions options;
  options.replicates = replicates;
  options.seed = seed;
  options.enumerate = false;
  return options;
}

template <class Exec>
class PairedDifferenceTest : public ::testing::Test {
 protected:
  PermutationTestResult run(Values const& x, Values const& y,
                            PermutationTestOptions const& options = {}) {
    return riffle::permutation_test(exec, riffle::PairedDifference{}, to_view<Exec>(x),
                                    to_view<Exec>(y), options);
  }

  Values distribution(Values const& x, Values const& y, std::size_t room,
                      PermutationTestOptions const& options = {}) {
    auto const out = to_view<Exec>(Values(room, -12345));
    auto const stored = riffle::null_distribution(exec, riffle::PairedDifference{},
                                                  to_view<Exec>(x), to_view<Exec>(y), out, options);
    Values values = to_vector(out);
    for (std::size_t i = stored; i < room; ++i) EXPECT_EQ(values[i], -12345) << i;
    values.resize(stored);
    return values;
  }

  std::string message(Values const& x, Values const& y) {
    return thrown_message([&] { run(x, y); });
  }

  Exec exec;
};
TYPED_TEST_SUITE(PairedDifferenceTest, ExecutionSpaces, SpaceNames);

// Fisher (1935, section 21): 863 of 32,768 sums are at least as large as the observed one, and 863 are at most its
// negative.
TYPED_TEST(PairedDifferenceTest, FishersTestOfDarwinsPairs) {
  PermutationTestOptions options;
  options.replicates = 32768;
  auto const result = this->run(crossed, selfed, options);
  EXPECT_TRUE(result.exact);
  EXPECT_NEAR(result.statistic, 314.0 / 8 / 15, 1e-15);
  EXPECT_EQ(result.replicates, 32768u);
  EXPECT_EQ(result.greater_equal, 863u);
  EXPECT_EQ(result.less_equal, 31933u);
  EXPECT_EQ(result.p_value(), 1726.0 / 32768);
  options.alternative = Alternative::greater;
  EXPECT_EQ(this->run(crossed, selfed, options).p_value(), 863.0 / 32768);
  options.replicates = 32767;
  EXPECT_FALSE(this->run(crossed, selfed, options).exact);
}

// scipy.stats.permutation_test((x, y), statistic, permutation_type='samples', n_resamples=numpy.inf,
//   alternative=..., vectorized=True), SciPy 1.10.1, with
//   statistic = lambda x, y, axis: numpy.mean(x, axis=axis) - numpy.mean(y, axis=axis)
TYPED_TEST(PairedDifferenceTest, AgreesWithSciPy) {
  auto const expect = [&](Values const& x, Values const& y, SciPyResult const& expected) {
    expect_as_scipy([&](auto const& options) { return this->run(x, y, options); }, expected, 1e-14);
  };
  expect(crossed, selfed,
         {2.616666666666667, 32768, 0.974517822265625, 0.026336669921875, 0.05267333984375});
  expect(sleep_x, sleep_y, {-1.5799999999999996, 1024, 0.001953125, 1, 0.00390625});
  expect(paired_x, paired_y, {0.22857142857142865, 128, 0.6875, 0.3359375, 0.671875});
}

TYPED_TEST(PairedDifferenceTest, EnumeratesEachSwapOfPairsOnce) {
  struct Samples {
    Values x;
    Values y;
  };
  for (auto const& [x, y] :
       {Samples{{3}, {1.5}}, Samples{{3}, {3}}, Samples{{1, 2}, {5, 3}},
        Samples{{1, 2, 4}, {3, 1, 2}}, Samples{{1, 2, 3, 4}, {2, 1, 4, 3}},
        Samples{{1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}}, Samples{sleep_x, sleep_y},
        Samples{paired_x, paired_y}, Samples{{0.1, 0.2, 0.7}, {0.3, 0.4, 0.5}},
        Samples{{1000000.1, 1000000.2, 1000000.7}, {1000000.3, 1000000.4, 1000000.5}},
        Samples{crossed, selfed}}) {
    SCOPED_TRACE(x.size());
    Values expected = all_mean_differences(x, y);
    Sides const sides = count_sides(expected, difference_of_means(x, y));
    PermutationTestOptions options;
    options.replicates = 40000;
    auto const result = this->run(x, y, options);
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.replicates, expected.size());
    EXPECT_EQ(result.less_equal, sides.less_equal);
    EXPECT_EQ(result.greater_equal, sides.greater_equal);
    EXPECT_EQ(result.as_far, sides.as_far);

    Values actual = this->distribution(x, y, 40000, options);
    ASSERT_EQ(actual.size(), expected.size());
    EXPECT_NEAR(actual[0], result.statistic, 0) << "the data as they are come first";
    std::sort(actual.begin(), actual.end());
    std::sort(expected.begin(), expected.end());
    for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-9) << i;
  }
}

struct Golden {
  Values x;
  Values y;
  std::uint64_t seed;
  std::uint64_t replicates;
  std::uint64_t less_equal;
  std::uint64_t greater_equal;
  Values first;
};

// From a model in Python of Philox, the signs, and the differences as fractions, which shares no code with Riffle.
TYPED_TEST(PairedDifferenceTest, GoldenValues) {
  std::uint64_t const large_seed = 12345678901234567890u;
  auto const patterns = [&](std::size_t n, std::uint64_t less_equal, std::uint64_t greater_equal,
                            Values const& first) {
    return Golden{pattern(n, 7919), pattern(n, 31), large_seed, 500,
                  less_equal,       greater_equal,  first};
  };
  for (auto const& golden :
       {Golden{crossed,
               selfed,
               1,
               3000,
               2934,
               68,
               {-2.683333333333333, -0.2833333333333333, 1.3, -0.16666666666666666,
                -0.6166666666666667, 0.016666666666666666}},
        patterns(
            33, 495, 5,
            {-23.454545454545453, 23.636363636363637, 2.1818181818181817, -10.181818181818182}),
        patterns(64, 487, 13, {-26.53125, -55.75, 11.375, -10.1875}),
        patterns(65, 492, 8,
                 {-27.03076923076923, 12.107692307692307, 68.50769230769231, 3.4615384615384617}),
        patterns(129, 454, 46,
                 {-28.62015503875969, 42.248062015503876, 45.24031007751938, 15.612403100775193}),
        patterns(1000, 143, 357, {-0.846, 15.284, 1.266, 20.426})}) {
    SCOPED_TRACE(golden.x.size());
    auto const options = random_options(golden.replicates, golden.seed);
    auto const result = this->run(golden.x, golden.y, options);
    EXPECT_FALSE(result.exact);
    EXPECT_EQ(result.less_equal, golden.less_equal);
    EXPECT_EQ(result.greater_equal, golden.greater_equal);
    Values const values = this->distribution(golden.x, golden.y, golden.first.size(), options);
    for (std::size_t r = 0; r < golden.first.size(); ++r)
      EXPECT_NEAR(values[r], golden.first[r], 1e-12 * std::max(1.0, std::abs(golden.first[r])));
  }
}

TYPED_TEST(PairedDifferenceTest, BatchesAndProgressDoNotChangeResults) {
  for (bool const enumerate : {true, false}) {
    Values const x = enumerate ? sleep_x : pattern(77, 7919);
    Values const y = enumerate ? sleep_y : pattern(77, 31);
    auto options = random_options(1500, 3);
    options.enumerate = enumerate;
    auto const expected = this->run(x, y, options);
    EXPECT_EQ(expected.exact, enumerate);
    Values const values = this->distribution(x, y, 1500, options);
    Sides const sides = count_sides(values, expected.statistic);
    EXPECT_EQ(sides.less_equal, expected.less_equal);
    EXPECT_EQ(sides.greater_equal, expected.greater_equal);
    options.progress = [](std::uint64_t, std::uint64_t) {};
    for (std::uint64_t const batch : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{33},
                                      std::uint64_t{1000}, ~std::uint64_t{0}}) {
      options.batch = batch;
      auto const result = this->run(x, y, options);
      EXPECT_EQ(result.less_equal, expected.less_equal) << batch;
      EXPECT_EQ(result.greater_equal, expected.greater_equal) << batch;
      EXPECT_EQ(this->distribution(x, y, 1500, options), values) << batch;
    }
    Values few = values;
    few.resize(37);
    EXPECT_EQ(this->distribution(x, y, 37, options), few);
  }
}

// Each of the eight patterns of three signs, in replicates that share a block.
TYPED_TEST(PairedDifferenceTest, PatternsAreEquallyLikely) {
  std::size_t constexpr replicates = 20000;
  std::map<double, int> counts;
  for (double const value :
       this->distribution({1, 2, 4}, {0, 0, 0}, replicates, random_options(replicates, 3))) {
    ++counts[std::round(3 * value)];
  }
  ASSERT_EQ(counts.size(), 8u);
  for (auto const& [sum, count] : counts) {
    // Five standard deviations of a binomial count.
    EXPECT_NEAR(count, replicates / 8, 5 * std::sqrt(replicates * 7.0 / 64)) << sum;
  }
}

// Five standard deviations of a binomial count about Fisher's count.
TYPED_TEST(PairedDifferenceTest, RandomSignsAgreeWithEnumeration) {
  double const m = 100000;
  auto const result = this->run(crossed, selfed, random_options(100000, 31));
  double const p = 863.0 / 32768;
  EXPECT_NEAR(static_cast<double>(result.greater_equal), m * p, 5 * std::sqrt(m * p * (1 - p)));
  EXPECT_GE(result.p_value(), 1 / (m + 1));
}

// Tenths with offsets that round them tie only in exact arithmetic.
TYPED_TEST(PairedDifferenceTest, TiesSurviveRounding) {
  Values const x{0, 1, 3, 2, 5, 2, 8};
  Values const y{1, 0, 1, 4, 2, 2, 1};
  auto const whole = this->run(x, y);
  for (double const offset : {0.0, 1.0, -1000.0, 123456.789, 1e6, -1e8}) {
    Values tenths_x, tenths_y;
    for (double const value : x) tenths_x.push_back(offset + 0.1 * value);
    for (double const value : y) tenths_y.push_back(offset + 0.1 * value);
    auto const result = this->run(tenths_x, tenths_y);
    EXPECT_EQ(result.less_equal, whole.less_equal) << offset;
    EXPECT_EQ(result.greater_equal, whole.greater_equal) << offset;
  }
}

TYPED_TEST(PairedDifferenceTest, NumbersOfAnySize) {
  Values const x{0, 1, 3, 2, 5, 2, 8};
  Values const y{1, 0, 1, 4, 2, 2, 1};
  auto const whole = this->run(x, y);
  for (double const scale : {1e-320, 1e-300, 1e300, 2e307}) {
    Values scaled_x, scaled_y;
    for (double const value : x) scaled_x.push_back(scale * value);
    for (double const value : y) scaled_y.push_back(scale * value);
    auto const result = this->run(scaled_x, scaled_y);
    EXPECT_NEAR(result.statistic / scale, whole.statistic, 1e-3) << scale;
    EXPECT_EQ(result.less_equal, whole.less_equal) << scale;
    EXPECT_EQ(result.greater_equal, whole.greater_equal) << scale;
  }
  // The difference of two equal numbers is 0, whatever their size.
  auto const far = this->run({1e300, 1, 2, 3}, {1e300, 0, 0, 0});
  EXPECT_EQ(far.greater_equal, 2u);
  EXPECT_EQ(far.less_equal, 16u);
}

// The number of arrangements does not fit in 64 bits.
TYPED_TEST(PairedDifferenceTest, MoreThan64Pairs) {
  PermutationTestOptions options;
  options.replicates = 1000;
  for (std::size_t const n : {62, 63, 64, 65}) {
    Values x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i % 7);
    auto const result = this->run(x, Values(n, 1.5), options);
    EXPECT_FALSE(result.exact) << n;
    EXPECT_EQ(result.replicates, 1000u) << n;
  }
}

TYPED_TEST(PairedDifferenceTest, EqualPairsTieEverywhere) {
  auto const result = this->run({4, 5, 6}, {4, 5, 6});
  EXPECT_EQ(result.statistic, 0);
  EXPECT_EQ(result.less_equal, 8u);
  EXPECT_EQ(result.greater_equal, 8u);
  EXPECT_EQ(result.p_value(), 1);
}

TYPED_TEST(PairedDifferenceTest, ReadsValuesOfAnyTypeAndLayout) {
  auto const x = to_view<TypeParam>(std::vector<std::uint8_t>{1, 0, 3, 2, 5});
  auto const y = make_strided<TypeParam, float>(5);
  fill(y, std::vector<float>{2, 1, 1, 4, 1});
  auto const result = riffle::permutation_test(Context(this->exec, "user::label"),
                                               riffle::PairedDifference{}, x, y);
  Values const all = all_mean_differences({1, 0, 3, 2, 5}, {2, 1, 1, 4, 1});
  Sides const sides = count_sides(all, all.front());
  EXPECT_EQ(result.less_equal, sides.less_equal);
  EXPECT_EQ(result.greater_equal, sides.greater_equal);
  EXPECT_EQ(result.as_far, sides.as_far);
}

TYPED_TEST(PairedDifferenceTest, RejectsInvalidArguments) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(this->message({}, {}), "riffle::permutation_test: x.extent(0) = 0: must be at least 1");
  EXPECT_EQ(this->message({1, 2}, {1, 2, 3}),
            "riffle::permutation_test: x.extent(0) = 2 and y.extent(0) = 3: must be equal");
  EXPECT_EQ(this->message({1, nan}, {1, 2}),
            "riffle::permutation_test: x(1) = NaN: must be a finite number");
  EXPECT_EQ(this->message({infinity, 2}, {infinity, 2}),
            "riffle::permutation_test: x(0) = inf: must be a finite number");
  EXPECT_EQ(this->message({1, 2}, {1, -infinity}),
            "riffle::permutation_test: y(1) = -inf: must be a finite number");
  EXPECT_EQ(this->message({1, 1e308}, {2, -1e308}),
            "riffle::permutation_test: (x - y)(1) = inf: must be a finite number");
}

}  // namespace
}  // namespace riffle::test::permutation_test_paired_test
