#include <riffle/uniformity/detail/nulls/descents.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/detail/nulls/inversions.hpp>
#include <riffle/uniformity/detail/nulls/longest_increasing.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "support/thrown_message.hpp"
#include "support/uniformity_oracle.hpp"

namespace riffle::test::uniformity_orders_test {
namespace {

using namespace detail::uniformity;
using oracle::expect_exact;
using oracle::expect_moments;
using oracle::Permutation;

// `tolerance` is relative.
void expect_close(double actual, double expected, double tolerance) {
  EXPECT_NEAR(actual, expected, tolerance * expected);
}

TEST(UniformityInversions, MatchEnumeration) {
  for (std::size_t n = 0; n <= 8; ++n)
    expect_exact(inversion_distribution(n), n, oracle::inversions);
}

TEST(UniformityInversions, HaveTheirMoments) {
  for (std::uint64_t const n : {1u, 2u, 3u, 50u, 256u, 1024u})
    expect_moments(inversion_distribution(n), inversion_moments(n));
  EXPECT_EQ(inversion_moments(0).mean, 0);
  EXPECT_EQ(inversion_moments(0).variance, 0);
}

// Computed with Python's integers by plain convolution: Mahonian numbers / n!.
TEST(UniformityInversions, AreExactInBothTails) {
  auto const of_40 = inversion_distribution(40);
  expect_close(of_40.probability(200), 2.5018127411889743e-07, 1e-13);
  expect_close(of_40.probability(780 - 200), 2.5018127411889743e-07, 1e-13);
  expect_close(of_40.lower_tail(200), 2.047763772349137e-06, 1e-13);
  expect_close(of_40.upper_tail(780 - 200), 2.047763772349137e-06, 1e-13);
  auto const of_100 = inversion_distribution(100);
  expect_close(of_100.probability(1000), 5.645977408243366e-23, 1e-12);
  expect_close(of_100.upper_tail(4950 - 1000), 7.779446157176218e-22, 1e-12);
}

TEST(UniformityDescents, MatchEnumeration) {
  for (std::size_t n = 0; n <= 8; ++n) expect_exact(descent_distribution(n), n, oracle::descents);
}

TEST(UniformityDescents, HaveTheirMoments) {
  for (std::uint64_t const n : {0u, 1u, 2u, 3u, 100u, 2000u, 8192u})
    expect_moments(descent_distribution(n), descent_moments(n));
}

// Computed with Python's integers by the recurrence of Eulerian numbers.
TEST(UniformityDescents, AreExactInBothTails) {
  auto const distribution = descent_distribution(100);
  expect_close(distribution.probability(10), 1.4657989050415775e-54, 1e-13);
  expect_close(distribution.probability(30), 8.067694718779688e-12, 1e-13);
  expect_close(distribution.probability(69), 8.067694718779688e-12, 1e-13);
  expect_close(distribution.probability(99), 1.071510288125467e-158, 1e-13);
}

TEST(UniformityLongestIncreasing, MatchesEnumeration) {
  for (std::size_t n = 0; n <= 8; ++n)
    expect_exact(longest_increasing_distribution(n), n, oracle::longest_increasing);
}

// P(L <= 2) is a Catalan number over n!; the other values are n! times the coefficient of r^n in
// Gessel's determinant of I_|i-j|(2 sqrt(r)), by Cauchy's integral over |r| = n at 400 points with
// 60 digits of Python's mpmath.
TEST(UniformityLongestIncreasing, AgreesWithGesselsDeterminant) {
  auto const distribution = longest_increasing_distribution(64);
  EXPECT_NEAR(distribution.lower_tail(64), 1, 1e-12);
  expect_close(distribution.lower_tail(2), 2.9039962077104185e-54, 1e-12);
  expect_close(distribution.lower_tail(8), 4.9013392796998196e-05, 1e-12);
  expect_close(distribution.lower_tail(12), 0.37996520066055893, 1e-12);
  expect_close(distribution.lower_tail(14), 0.8467825376336697, 1e-12);
  // One permutation has a sequence of length 64, and 63^2 permutations have 63.
  expect_close(distribution.probability(63) / distribution.probability(64), 63 * 63, 1e-12);
}

TEST(UniformityOrders, ParityAndDigitsMatchEnumeration) {
  for (std::size_t n = 0; n <= 8; ++n) {
    expect_exact(parity_distribution(n), n, oracle::parity);
    for (std::size_t i = 0; i < n; ++i) {
      expect_exact(uniform_distribution(n - i), n,
                   [&](Permutation const& sigma) { return oracle::lehmer_digit(sigma, i); });
    }
  }
}

TEST(UniformityOrders, LehmerDigitsAreIndependent) {
  std::map<std::vector<std::int64_t>, int> seen;
  oracle::visit_all(5, [&](Permutation const& sigma) {
    std::vector<std::int64_t> digits;
    for (std::size_t i = 0; i < 5; ++i) digits.push_back(oracle::lehmer_digit(sigma, i));
    ++seen[digits];
  });
  EXPECT_EQ(seen.size(), 120u);
}

TEST(UniformityOrders, OfABlockMatchEnumeration) {
  // The order of the outputs at positions 2, 3 and 4, as a Lehmer code.
  auto const order = [](Permutation const& sigma) {
    Permutation const block(sigma.begin() + 2, sigma.begin() + 5);
    return 2 * oracle::lehmer_digit(block, 0) + oracle::lehmer_digit(block, 1);
  };
  expect_exact(block_order_distribution(3), 6, order);
  EXPECT_EQ(block_order_distribution(1).probabilities, std::vector<double>{1.0});
  EXPECT_EQ(block_order_distribution(10).probabilities.size(), 3628800u);
}

TEST(UniformityOrders, RejectTooLargeN) {
  EXPECT_EQ(thrown_message([] { inversion_distribution(1025); }),
            "riffle::inversion_distribution: n = 1025: must be at most 1024");
  EXPECT_EQ(thrown_message([] { descent_distribution(8193); }),
            "riffle::descent_distribution: n = 8193: must be at most 8192");
  EXPECT_EQ(thrown_message([] { longest_increasing_distribution(65); }),
            "riffle::longest_increasing_distribution: n = 65: must be at most 64");
  EXPECT_EQ(thrown_message([] { block_order_distribution(0); }),
            "riffle::block_order_distribution: length = 0: must be at least 1 and at most 10");
  EXPECT_EQ(thrown_message([] { block_order_distribution(11); }),
            "riffle::block_order_distribution: length = 11: must be at least 1 and at most 10");
}

}  // namespace
}  // namespace riffle::test::uniformity_orders_test
