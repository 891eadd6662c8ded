#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/fixed_point.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/statistics.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::fixed_point_test {
namespace {

using Values = std::vector<double>;

/// A fixed-point sample on the host.
struct Sample {
  std::vector<std::int64_t> values;
  detail::FixedPointScale scale;
  double largest;
  double deviation;
  std::int64_t total;
  bool is_constant;
};

template <class Exec, class X, class Y>
Sample convert(int bits, X const& x, Y const& y) {
  auto const sample = detail::make_fixed_point("test", Context(Exec(), "riffle::test"), bits, x, y);
  EXPECT_EQ(sample.size(), x.extent(0) + y.extent(0));
  return {to_vector(sample.values), sample.scale, sample.largest,
          sample.deviation,         sample.total, sample.is_constant()};
}

template <class Exec>
Sample convert(int bits, Values const& x, Values const& y = {}) {
  return convert<Exec>(bits, to_view<Exec>(x), to_view<Exec>(y));
}

/// Checks the properties that any sample of at least two different values must have.
void expect_represents(Sample const& sample, Values const& data, int bits) {
  ASSERT_EQ(sample.values.size(), data.size());
  EXPECT_FALSE(sample.is_constant);
  long double const unit = 1 / static_cast<long double>(sample.scale.factor) /
                           static_cast<long double>(sample.scale.cofactor);
  long double const center = sample.scale.center;
  long double deviation = 0;
  double largest = 0;
  std::int64_t largest_value = 0;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    // Half a unit from the last rounding, and one rounding of a double before it.
    EXPECT_LE(std::abs(center + static_cast<long double>(sample.values[i]) * unit - data[i]),
              unit / 2 * (1 + 1e-15L) + 0x1p-53L * std::abs(data[i] - center))
        << i;
    deviation = std::max(deviation, std::abs(data[i] - center));
    largest = std::max(largest, std::abs(data[i]));
    largest_value = std::max(largest_value, std::abs(sample.values[i]));
    total += sample.values[i];
  }
  EXPECT_EQ(sample.total, total);
  EXPECT_EQ(sample.largest, largest);
  EXPECT_NEAR(static_cast<double>(sample.deviation / deviation), 1, 1e-15);
  // The centre is the mean to the precision of a double.
  EXPECT_LE(std::abs(center - mean(data)), deviation * 0x1p-50L + std::abs(center) * 0x1p-52L +
                                               std::numeric_limits<double>::denorm_min());
  // The scale uses all bits, and no value overflows.
  EXPECT_LE(largest_value, std::int64_t{1} << bits);
  EXPECT_GE(largest_value, (std::int64_t{1} << (bits - 1)) - 1);
}

Values small_sample() { return {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}; }

Values scaled(Values values, double factor, double offset = 0) {
  for (double& value : values) value = value * factor + offset;
  return values;
}

TEST(BitsForSumTest, SumsFitIn63Bits) {
  EXPECT_EQ(detail::bits_for_sum(1), 62);
  EXPECT_EQ(detail::bits_for_sum(2), 61);
  EXPECT_EQ(detail::bits_for_sum(3), 60);
  EXPECT_EQ(detail::bits_for_sum(4), 60);
  EXPECT_EQ(detail::bits_for_sum(5), 59);
  EXPECT_EQ(detail::bits_for_sum(512), 53);
  EXPECT_EQ(detail::bits_for_sum((1u << 31) - 1), 31);
  for (std::uint64_t n = 1; n < 3000; ++n)
    EXPECT_LE(n << detail::bits_for_sum(n), std::uint64_t{1} << 62) << n;
}

template <class Exec>
class FixedPointTest : public ::testing::Test {};
TYPED_TEST_SUITE(FixedPointTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(FixedPointTest, RepresentsSamplesOfEveryScale) {
  for (double const factor : {1.0, -1.0, 1e-5, 1e300, 1e-300, 3e307, 0x1p-1000, 1e-307, 1e-310}) {
    for (int const bits : {62, 58, 40, 31}) {
      if (bits > detail::bits_for_sum(10)) continue;
      Values const data = scaled(small_sample(), factor);
      SCOPED_TRACE(factor);
      expect_represents(convert<TypeParam>(bits, data), data, bits);
    }
  }
}

TYPED_TEST(FixedPointTest, RepresentsASmallSpreadOnALargeOffset) {
  for (double const offset : {1e3, -1e9, 1e15, 1e300}) {
    Values data;
    double value = offset;
    for (int i = 0; i < 8; ++i) {
      data.push_back(value);
      value = std::nextafter(value, 2 * offset);
    }
    SCOPED_TRACE(offset);
    expect_represents(convert<TypeParam>(59, data), data, 59);
  }
}

TYPED_TEST(FixedPointTest, RepresentsTheSmallestNumbers) {
  double const least = std::numeric_limits<double>::denorm_min();
  Values const data{0, least, 5 * least, 3 * least, 9 * least};
  expect_represents(convert<TypeParam>(59, data), data, 59);
}

TYPED_TEST(FixedPointTest, RepresentsTwoConsecutiveSamples) {
  Values const x = small_sample();
  Values const y{100, -50, 3};
  Values both = x;
  both.insert(both.end(), y.begin(), y.end());
  Sample const sample = convert<TypeParam>(58, x, y);
  expect_represents(sample, both, 58);
  EXPECT_EQ(sample.values, convert<TypeParam>(58, both).values);
  EXPECT_EQ(sample.values, convert<TypeParam>(58, {}, both).values);
}

TYPED_TEST(FixedPointTest, RepresentsManyValues) {
  Values data;
  for (std::int64_t i = 0; i < 100003; ++i)
    data.push_back(std::sin(static_cast<double>(i)) * static_cast<double>(i % 97));
  int const bits = detail::bits_for_sum(data.size());
  expect_represents(convert<TypeParam>(bits, data), data, bits);
}

TYPED_TEST(FixedPointTest, RepresentsAnOutlier) {
  Values data(1000, 1.0);
  data[500] = 1e12;
  int const bits = detail::bits_for_sum(data.size());
  expect_represents(convert<TypeParam>(bits, data), data, bits);
}

// All types and layouts give the same numbers.
TYPED_TEST(FixedPointTest, ReadsOtherTypesAndLayouts) {
  std::vector<int> const integers{3, -7, 12, 0, 5, 5, -1};
  Values const reals(integers.begin(), integers.end());
  std::vector<float> const floats(integers.begin(), integers.end());
  Sample const expected = convert<TypeParam>(50, reals);
  Kokkos::View<double*, typename TypeParam::memory_space> const none;
  EXPECT_EQ(convert<TypeParam>(50, to_view<TypeParam>(integers), none).values, expected.values);
  EXPECT_EQ(convert<TypeParam>(50, to_view<TypeParam>(floats), none).values, expected.values);
  auto const strided = make_strided<TypeParam, double>(reals.size());
  fill(strided, reals);
  EXPECT_EQ(convert<TypeParam>(50, strided, none).values, expected.values);
  Kokkos::View<int const*, typename TypeParam::memory_space> const read_only =
      to_view<TypeParam>(integers);
  EXPECT_EQ(convert<TypeParam>(50, none, read_only).values, expected.values);
}

TYPED_TEST(FixedPointTest, AConstantSampleIsZero) {
  for (double const value : {0.0, 1.5, -1e300, 5e-324}) {
    for (std::size_t const n : {1, 2, 100}) {
      Sample const sample = convert<TypeParam>(50, Values(n, value));
      EXPECT_TRUE(sample.is_constant);
      EXPECT_EQ(sample.values, std::vector<std::int64_t>(n, 0));
      EXPECT_EQ(sample.total, 0);
      EXPECT_EQ(sample.scale.center, value);
      EXPECT_EQ(sample.largest, std::abs(value));
    }
  }
}

TYPED_TEST(FixedPointTest, NamesTheFirstValueThatIsNotFinite) {
  double const infinity = std::numeric_limits<double>::infinity();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  Values const fine = small_sample();
  for (double const bad : {nan, infinity, -infinity}) {
    for (std::size_t const at : {0, 5, 9}) {
      Values data = fine;
      data[at] = bad;
      data[9] = bad;
      std::string const place = "(" + std::to_string(at) + ") = " +
                                (std::isnan(bad) ? "NaN"
                                 : bad > 0       ? "inf"
                                                 : "-inf");
      EXPECT_EQ(thrown_message([&] { convert<TypeParam>(50, data, fine); }),
                "riffle::test: x" + place + ": must be a finite number");
      EXPECT_EQ(thrown_message([&] { convert<TypeParam>(50, fine, data); }),
                "riffle::test: y" + place + ": must be a finite number");
    }
  }
  EXPECT_EQ(thrown_message([&] { convert<TypeParam>(50, Values{nan}); }),
            "riffle::test: x(0) = NaN: must be a finite number");
}

// Differences of values must be finite, as the distance of a value from the mean must be.
TYPED_TEST(FixedPointTest, RejectsASpreadBeyondTheLargestDouble) {
  EXPECT_EQ(thrown_message([&] {
              convert<TypeParam>(50, {-1e308, 0, 0.5e308}, {1e308});
            }),
            "riffle::test: values range from -1e+308 to 1e+308: their differences must "
            "be finite");
}

TYPED_TEST(FixedPointTest, SumsAreExact) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 5000; ++i)
    values.push_back((i % 2 == 0 ? 1 : -1) * ((std::int64_t{1} << 50) + i * i * 7919));
  auto const view = to_view<TypeParam>(values);
  for (std::size_t const begin : {0, 1, 2500, 5000}) {
    for (std::size_t const end : {begin, std::size_t{5000}}) {
      std::int64_t expected = 0;
      for (std::size_t i = begin; i < end; ++i) expected += values[i];
      EXPECT_EQ(detail::exact_sum(Context(TypeParam(), "riffle::test"), view, begin, end),
                expected);
    }
  }
}

}  // namespace
}  // namespace riffle::test::fixed_point_test
