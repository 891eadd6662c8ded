#include <riffle/uniformity/detail/nulls/serial_correlation.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/uniformity_oracle.hpp"

namespace riffle::test::uniformity_serial_correlation_test {
namespace {

using detail::uniformity::Moments;
using detail::uniformity::serial_correlation_moments;
using oracle::Permutation;

Moments moments_of_all(std::size_t n) {
  auto const last = static_cast<std::int64_t>(n) - 1;
  std::int64_t sum = 0, squares = 0, count = 0;
  oracle::visit_all(n, [&](Permutation const& sigma) {
    std::int64_t product = 0;
    for (std::size_t i = 0; i < n; ++i)
      product += (2 * sigma[i] - last) * (2 * sigma[(i + 1) % n] - last);
    sum += product;
    squares += product * product;
    ++count;
  });
  double const mean = static_cast<double>(sum) / static_cast<double>(count);
  return {mean, static_cast<double>(squares) / static_cast<double>(count) - mean * mean};
}

TEST(UniformitySerialCorrelation, HasTheMomentsOfAllPermutations) {
  for (std::size_t n = 2; n <= 8; ++n) {
    auto const expected = moments_of_all(n);
    EXPECT_NEAR(serial_correlation_moments(n).mean, expected.mean, 1e-12);
    EXPECT_NEAR(serial_correlation_moments(n).variance, expected.variance, 1e-9);
  }
  EXPECT_EQ(serial_correlation_moments(0).mean, 0);
  EXPECT_EQ(serial_correlation_moments(3).variance, 0);
}

// The formula of Wald and Wolfowitz, with sums over all elements.
TEST(UniformitySerialCorrelation, HasTheMomentsOfWaldAndWolfowitz) {
  for (double const n : {4.0, 100.0, 10000.0}) {
    double s2 = 0, s4 = 0;
    for (double c = 1 - n; c <= n - 1; c += 2) {
      s2 += c * c;
      s4 += c * c * c * c;
    }
    double const variance = (s2 * s2 - s4) / (n - 1) + (s2 * s2 - 2 * s4) / ((n - 1) * (n - 2)) -
                            s2 * s2 / ((n - 1) * (n - 1));
    auto const moments = serial_correlation_moments(static_cast<std::uint64_t>(n));
    EXPECT_NEAR(moments.mean * (1 - n) / s2, 1, 1e-13);
    EXPECT_NEAR(moments.variance / variance, 1, 1e-11);
  }
}

}  // namespace
}  // namespace riffle::test::uniformity_serial_correlation_test
