// Variables as whole numbers: decimals exactly, others with a small error, both short enough that sums are exact.
// Variables for labels have sum 0.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace riffle::test::whole_values_test {
namespace {

using detail::variables::is_multiple;
using detail::variables::WholeForm;
using detail::variables::WholeValues;

using Values = std::vector<double>;

struct Reference {
  double* values;
  KOKKOS_FUNCTION double& operator()(std::uint64_t i) const { return values[i]; }
};

struct Converted {
  Values values;
  bool is_exact;
  bool is_constant;
  double sum;
  double squares;
};

Converted convert_to(WholeForm const& form, Values values) {
  WholeValues<Reference> whole(Reference{values.data()}, values.size());
  whole.convert(form);
  return {values, whole.is_exact(), whole.is_constant(), whole.sum(), whole.squares()};
}

Converted convert(Values const& values, double column_length, bool centres = true,
                  bool may_be_decimal = true) {
  return convert_to({centres, may_be_decimal, false, column_length}, values);
}

/// Converts values for labels, of which n_1 are 1.
Converted convert_for_labels(Values const& values, std::size_t n_1) {
  return convert_to({true, true, true, std::sqrt(static_cast<double>(n_1))}, values);
}

/// Returns the values minus the first, over the largest of these differences.
Values shape(Values values) {
  double const first = values[0];
  for (double& x : values) x -= first;
  double largest = 0;
  for (double const x : values) largest = std::max(largest, std::abs(x));
  for (double& x : values) x /= largest;
  return values;
}

void expect_short(Converted const& found, double column_length) {
  double const length = std::sqrt(found.squares);
  EXPECT_LE(length * column_length, 0x1p52 * (1 + 1e-15));
  for (double const x : found.values) EXPECT_EQ(x, std::floor(x));
}

TEST(WholeValues, Multiples) {
  for (double const x : {0.0, 0.1, 0.3, 2.7, -13.2, 1e9 + 0.1, 4503599627.3}) {
    EXPECT_TRUE(is_multiple(x, 10)) << x;
  }
  EXPECT_TRUE(is_multiple(0.1 * 3, 10)) << "0.30000000000000004";
  EXPECT_TRUE(is_multiple(123456789.0, 1));
  EXPECT_TRUE(is_multiple(0x1p51, 1));
  EXPECT_FALSE(is_multiple(0x1p53, 1)) << "of larger numbers sums are not exact";
  EXPECT_FALSE(is_multiple(0.15, 10));
  EXPECT_FALSE(is_multiple(1e-300, 1e9));
  EXPECT_FALSE(is_multiple(std::sqrt(2.0), 1e9));
  EXPECT_FALSE(is_multiple(1e9 + std::sqrt(2.0), 1e6)) << "within the rounding of 1e15, and yet";
  EXPECT_FALSE(is_multiple(1e300, 1e9));
}

TEST(WholeValues, DecimalsAreKept) {
  for (int decimals = 0; decimals <= 9; ++decimals) {
    double const unit = std::pow(10.0, decimals);
    Values const whole{-1234, 17, 0, 991, 3};
    Values values;
    for (double const x : whole) values.push_back(x / unit);
    auto const found = convert(values, 100);
    EXPECT_TRUE(found.is_exact);
    for (std::size_t i = 1; i < whole.size(); ++i) {
      EXPECT_EQ(found.values[i] - found.values[0], whole[i] - whole[0]) << decimals;
    }
    expect_short(found, 100);
  }
  EXPECT_EQ(convert({0.5, 1.5, -2}, 3, false).values, (Values{5, 15, -20}));
}

TEST(WholeValues, OffsetsTakeNoBits) {
  auto const found = convert({1e9 + 0.1, 1e9 + 0.4, 1e9 - 3}, 0x1p26);
  EXPECT_TRUE(found.is_exact);
  EXPECT_EQ(found.values[1] - found.values[0], 3);
  EXPECT_EQ(found.values[2] - found.values[0], -31);
  // Not exact if nothing is subtracted: the values are too long then.
  EXPECT_FALSE(convert({1e9 + 0.1, 1e9 + 0.4, 1e9 - 3}, 0x1p26, false).is_exact);
}

TEST(WholeValues, DecimalsThatAreTooLongAreRounded) {
  for (double const column_length : {0x1p10, 0x1p20, 0x1p26, 0x1p40}) {
    Values values{1234567.891, -7654321.125, 99999.5, 0.001};
    auto const found = convert(values, column_length);
    expect_short(found, column_length);
    EXPECT_EQ(found.is_exact, column_length == 0x1p10) << column_length;
  }
}

TEST(WholeValues, OthersAreWithinTheirUnit) {
  std::mt19937_64 generator(1);
  for (double const scale : {1.0, 1e-300, 1e300, 1.7e308, 1e-310, 3e-5}) {
    for (std::size_t const n : {3u, 10u, 1000u}) {
      Values values(n);
      for (double& x : values) {
        x = scale * (static_cast<double>(generator() >> 11) * 0x1p-52 - 1);
      }
      for (double const column_length : {3.0, 0x1p26}) {
        auto const found = convert(values, column_length);
        expect_short(found, column_length);
        // At least an eighth of the available length is used.
        EXPECT_GE(std::sqrt(found.squares) * column_length, 0x1p49) << scale;
        Values quarters = values;
        for (double& x : quarters) x /= 4;  // whose differences do not overflow
        auto const expected = shape(quarters);
        auto const shape_found = shape(found.values);
        double const bound = column_length * std::sqrt(static_cast<double>(n)) * 0x1p-48 +
                             (scale < 1e-308 ? 1e-11 : 1e-15);
        for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(shape_found[i], expected[i], bound);
        EXPECT_FALSE(found.is_exact);
        EXPECT_FALSE(found.is_constant);
      }
    }
  }
}

TEST(WholeValues, Constants) {
  for (double const x : {0.0, -0.0, 0.1, std::sqrt(2.0), 1e300, 5e-324, -1e9 / 7}) {
    auto const found = convert({x, x, x, x}, 100);
    EXPECT_TRUE(found.is_constant);
    EXPECT_EQ(found.squares, 0) << x;
  }
  // In the last bit decimals differ by rounding, other numbers by their value.
  EXPECT_EQ(convert({1, 1, 1 + 0x1p-52}, 100).squares, 0);
  double const root = std::sqrt(2.0);
  EXPECT_GT(convert({root, root, root + 0x1p-52}, 100).squares, 0);
}

// Sums of whole columns and values are the same in any order.
TEST(WholeValues, SumsAreExact) {
  std::mt19937_64 generator(2);
  std::size_t const n = 200;
  Values values(n);
  Values column(n);
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = std::sin(static_cast<double>(i * i)) * 1e5;
    column[i] = static_cast<double>(generator() % 2001) - 1000;
    squares += column[i] * column[i];
  }
  auto const found = convert(values, std::sqrt(squares));
  auto const sum = [&] {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += found.values[i] * column[i];
    return total;
  };
  double const forwards = sum();
  auto backwards = 0.0;
  for (std::size_t i = n; i-- > 0;) backwards = std::fma(found.values[i], column[i], backwards);
  long double exact = 0;
  for (std::size_t i = 0; i < n; ++i) {
    exact += static_cast<long double>(found.values[i]) * static_cast<long double>(column[i]);
  }
  EXPECT_EQ(forwards, backwards);
  EXPECT_EQ(static_cast<long double>(forwards), exact);
}

// --- for labels ---

/// Returns the value that the farthest value from the mean gets, a power of two, except for a rounding and a change by
/// 1.
double unit_of(Values const& values) {
  double largest = 0;
  for (double const x : values) largest = std::max(largest, std::abs(x));
  double const unit = std::exp2(std::round(std::log2(largest)));
  EXPECT_LE(std::abs(unit - largest), 2);
  return unit;
}

TEST(WholeValuesForLabels, DecimalsAreNTimesThemselvesLessTheirSum) {
  auto const found = convert_for_labels({1, 0, 0, 5}, 2);
  EXPECT_EQ(found.values, (Values{-2, -6, -6, 14}));
  EXPECT_TRUE(found.is_exact);
  EXPECT_EQ(found.sum, 0);
  EXPECT_EQ(convert_for_labels({0.1, 0, 0, 0.5}, 2).values, found.values);
  EXPECT_EQ(convert_for_labels({1e9 + 0.1, 1e9, 1e9, 1e9 + 0.5}, 2).values, found.values);
}

TEST(WholeValuesForLabels, DecimalsOfSum0AreKept) {
  EXPECT_EQ(convert_for_labels({-3, 1, 2}, 1).values, (Values{-3, 1, 2}));
  EXPECT_EQ(convert_for_labels({0, 0.4, 0.2}, 1).values, (Values{-2, 2, 0}));
}

// Bits are available for n times the values, or for values with sum 0.
TEST(WholeValuesForLabels, DecimalsUseAllBits) {
  double const large = 0x1p50;
  EXPECT_EQ(convert_for_labels({-large, 0, large}, 4).values, (Values{-large, 0, large}));
  auto const off = convert_for_labels({-large, 1, large}, 4);
  EXPECT_FALSE(off.is_exact);
  EXPECT_EQ(off.values, (Values{-large / 2, 0, large / 2}));
  EXPECT_TRUE(convert_for_labels({-large / 4, 1, large / 4}, 4).is_exact);
}

TEST(WholeValuesForLabels, OneValueAndConstantsAreZero) {
  double const root = std::sqrt(2.0);
  for (double const x : {0.0, 3.5, root, 1e300, 5e-324}) {
    for (std::size_t const n : {1u, 2u, 5u}) {
      auto const found = convert_for_labels(Values(n, x), 1);
      EXPECT_EQ(found.values, Values(n, 0)) << x;
      EXPECT_TRUE(found.is_exact);
    }
  }
  EXPECT_EQ(convert_for_labels({root, -3 * root}, 1).values, (Values{0x1p49, -0x1p49}));
  EXPECT_EQ(convert_for_labels({7, 4}, 1).values, (Values{3, -3})) << "twice 2 and -1, less 1";
}

/// Data that are not decimals: about 0, far from it, with few bits or few values, and with a few outliers.
std::vector<Values> reals(std::size_t n) {
  std::mt19937_64 generator(n);
  auto const uniform = [&] { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1; };
  std::vector<Values> all;
  for (double const scale : {1.0, 1e-300, 1.7e308}) {
    Values values(n);
    for (double& x : values) x = scale * uniform();
    all.push_back(values);
  }
  Values far(n);
  Values farther(n);
  Values least(n);
  Values two(n);
  Values outliers(n);
  Values steep(n);
  for (std::size_t i = 0; i < n; ++i) {
    far[i] = 1e9 + uniform();
    farther[i] = 1e15 + 0.125 * static_cast<double>((i * i) % 7);
    least[i] = 5e-324 * static_cast<double>((i * i) % 5);
    two[i] = i % 3 == 0 ? std::sqrt(2.0) : std::sqrt(3.0);
    outliers[i] = i < 3 ? static_cast<double>(i + 1) * std::sqrt(2.0) : 1e-9 * uniform();
    steep[i] = std::exp(-static_cast<double>(i));
  }
  for (auto const& values : {far, farther, least, two, outliers, steep}) all.push_back(values);
  return all;
}

/// Returns the values about their mean, over the value farthest from it.
std::vector<long double> shape_about_mean(Values const& values) {
  std::vector<long double> shape;
  for (double const x : values) {
    shape.push_back(static_cast<long double>(x) - static_cast<long double>(values[0]));
  }
  long double const mean =
      std::accumulate(shape.begin(), shape.end(), 0.0L) / static_cast<long double>(shape.size());
  long double farthest = 0;
  for (auto& x : shape) {
    x -= mean;
    farthest = std::max(farthest, std::abs(x));
  }
  for (auto& x : shape) x /= farthest;
  return shape;
}

// Each value is rounded to the nearest whole number, except for at most half of them, which are changed by 1.
TEST(WholeValuesForLabels, RealsAreRoundedAndHaveSum0) {
  for (std::size_t const n : {2u, 3u, 4u, 7u, 20u, 101u, 1000u}) {
    int number = 0;
    for (auto const& values : reals(n)) {
      SCOPED_TRACE(std::to_string(n) + " of data " + std::to_string(number++));
      auto const found = convert_for_labels(values, n / 2);
      if (found.is_exact) continue;  // of small n the last are decimals
      EXPECT_EQ(found.sum, 0);
      auto const shape = shape_about_mean(values);
      double const unit = unit_of(found.values);
      // A bound for a value that is computed in doubles from the mean of the others.
      double const rounding = 8 * unit * 0x1p-53 * std::sqrt(static_cast<double>(n));
      std::size_t moved = 0;
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(found.values[i], std::floor(found.values[i]));
        auto const error = static_cast<double>(
            std::abs(found.values[i] - shape[i] * static_cast<long double>(unit)));
        EXPECT_LT(error, 1.51 + rounding) << i;
        moved += error > 0.51 + rounding ? 1u : 0u;
      }
      EXPECT_LE(2 * moved, n);
      double const length = std::sqrt(found.squares * static_cast<double>(n));
      EXPECT_LT(length, 0x1p52);
      EXPECT_GE(length, 0x1p49);
    }
  }
}

// More values round alike than there are greater ones to subtract from.
TEST(WholeValuesForLabels, OutliersAreKept) {
  double const root = std::sqrt(2.0);
  Values values(100, -root * 2.6 / 95);
  values[0] = -root;
  for (std::size_t i = 1; i < 5; ++i) values[i] = 0.9 * root;
  auto const found = convert_for_labels(values, 50);
  EXPECT_EQ(found.sum, 0);
  double const unit = unit_of(found.values);
  EXPECT_EQ(found.values[0], -unit);
  EXPECT_NEAR(found.values[1], 0.9 * unit, 2);
}

/// Returns the correlation of values with labels.
long double correlation(std::vector<long double> const& shape, std::vector<bool> const& labels) {
  long double squares = 0;
  long double sum = 0;
  long double n_1 = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    squares += shape[i] * shape[i];
    if (labels[i]) sum += shape[i];
    if (labels[i]) ++n_1;
  }
  auto const n = static_cast<long double>(shape.size());
  return sum / std::sqrt(squares * n_1 * (n - n_1) / n);
}

// The worst data have a few outliers: the other values round alike, and many of them are changed by 1.
TEST(WholeValuesForLabels, RealsKeepCorrelations) {
  for (std::size_t const n : {20u, 101u, 1000u}) {
    int number = 0;
    for (auto const& values : reals(n)) {
      SCOPED_TRACE(std::to_string(n) + " of data " + std::to_string(number++));
      auto const found = convert_for_labels(values, n / 2).values;
      std::vector<long double> const whole(found.begin(), found.end());
      auto const shape = shape_about_mean(values);
      std::mt19937_64 generator(n);
      for (int replicate = 0; replicate < 100; ++replicate) {
        std::vector<bool> labels(n);
        for (std::size_t i = 0; i < n; ++i) labels[i] = i < n / 2;
        std::shuffle(labels.begin(), labels.end(), generator);
        auto const error = std::abs(correlation(whole, labels) - correlation(shape, labels));
        EXPECT_LT(static_cast<double>(error), 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace riffle::test::whole_values_test
