#include <riffle/uniformity/detail/nulls/mallows_kernel.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "support/thrown_message.hpp"
#include "support/uniformity_oracle.hpp"

namespace riffle::test::uniformity_mallows_kernel_test {
namespace {

using detail::uniformity::mallows_kernel_moments;
using detail::uniformity::Moments;

struct Case {
  std::uint64_t n;
  double lambda;
  double mean;
  double variance;
};

// The product formula and the difference of its two values, computed with 60 digits by mpmath.
Case const cases[] = {
    {2, 5.0, 0.503368973499542734, 0.246642376482897888},
    {3, 5.0, 0.24263952322811899, 0.120115837472122255},
    {5, 5.0, 0.1355106870660059, 0.023451023915079715},
    {8, 5.0, 0.106182043160433612, 0.00698034061616662099},
    {100, 5.0, 0.0832738394941556763, 0.000202257455733372355},
    {1000, 5.0, 0.0821994846969671957, 0.0000188607299223265677},
    {1000000, 5.0, 0.0820851126313195251, 1.8716662935934185e-8},
    {10, 0.25, 0.882922584681400115, 0.000752154225505213691},
    {1000, 100.0, 3.36780840321393189e-22, 2.31926058553525366e-43},
    {1000, 0.001, 0.999500125034891597, 1.11388944639119004e-10},
    {2, 2000.0, 0.5, 0.25},
    {30, 3000.0, 3.88223983755186353e-33, 3.7700994375817726e-33},
    {1000000, 0.5, 0.778800793888120344, 1.68481335512314534e-8},
};

Moments by_enumeration(std::size_t n, double lambda) {
  Moments result{0, 0};
  auto const inversions = oracle::distribution_of(n, oracle::inversions);
  for (auto const& [d, p] : inversions)
    result.mean += p * oracle::mallows_kernel(n, lambda, static_cast<std::uint64_t>(d));
  for (auto const& [d, p] : inversions) {
    double const deviation =
        oracle::mallows_kernel(n, lambda, static_cast<std::uint64_t>(d)) - result.mean;
    result.variance += p * deviation * deviation;
  }
  return result;
}

TEST(UniformityMallowsKernel, HasTheMomentsOfMpmath) {
  for (auto const& [n, lambda, mean, variance] : cases) {
    auto const actual = mallows_kernel_moments(n, lambda);
    EXPECT_NEAR(actual.mean / mean, 1, 2e-14) << n << ", " << lambda;
    EXPECT_NEAR(actual.variance / variance, 1, 2e-13) << n << ", " << lambda;
  }
}

TEST(UniformityMallowsKernel, HasTheMomentsOfAllPermutations) {
  for (std::size_t n = 2; n <= 8; ++n) {
    for (double const lambda : {0.1, 0.7, 1.0, 2.0, 5.0, 20.0, 1000.0}) {
      auto const actual = mallows_kernel_moments(n, lambda);
      auto const expected = by_enumeration(n, lambda);
      EXPECT_NEAR(actual.mean / expected.mean, 1, 1e-13) << n << ", " << lambda;
      EXPECT_NEAR(actual.variance / expected.variance, 1, 1e-12) << n << ", " << lambda;
    }
  }
}

// The two branches of each function agree at their boundary, and each agrees with a reference that is exact there.
TEST(UniformityMallowsKernel, HasSmoothTerms) {
  using detail::uniformity::log_mean_decay;
  using detail::uniformity::log_x_coth_x;
  for (long double x = 1e-3L; x < 60; x *= 1.1L) {
    auto const decay = static_cast<double>(std::log(-std::expm1(-x) / x));
    auto const coth = static_cast<double>(std::log(x / std::tanh(x)));
    EXPECT_NEAR(log_mean_decay(static_cast<double>(x)) / decay, 1, 1e-14) << x;
    EXPECT_NEAR(log_x_coth_x(static_cast<double>(x)) / coth, 1, 1e-12) << x;
  }
  EXPECT_EQ(log_mean_decay(0), 0);
  EXPECT_EQ(log_x_coth_x(0), 0);
  EXPECT_NEAR(log_x_coth_x(1e-9) / (1e-18 / 3), 1, 1e-14);
}

TEST(UniformityMallowsKernel, IsConstantWithoutLambda) {
  EXPECT_EQ(mallows_kernel_moments(10, 0).mean, 1.0);
  EXPECT_EQ(mallows_kernel_moments(10, 0).variance, 0.0);
}

TEST(UniformityMallowsKernel, UnderflowsQuietly) {
  auto const moments = mallows_kernel_moments(1000, 1e9);
  EXPECT_EQ(moments.mean, 0.0);
  EXPECT_EQ(moments.variance, 0.0);
}

TEST(UniformityMallowsKernel, RejectsInvalidArguments) {
  EXPECT_EQ(thrown_message([] { mallows_kernel_moments(0, 5); }),
            "riffle::mallows_kernel_moments: n = 0: must be at least 2");
  EXPECT_EQ(thrown_message([] { mallows_kernel_moments(5, -1); }),
            "riffle::mallows_kernel_moments: lambda = -1: must be finite and not negative");
  EXPECT_EQ(
      thrown_message([] { mallows_kernel_moments(5, std::numeric_limits<double>::quiet_NaN()); }),
      "riffle::mallows_kernel_moments: lambda = nan: must be finite and not negative");
}

}  // namespace
}  // namespace riffle::test::uniformity_mallows_kernel_test
