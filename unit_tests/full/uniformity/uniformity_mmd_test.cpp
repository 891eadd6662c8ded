#include <riffle/uniformity/detail/nulls/mmd.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>

#include "support/thrown_message.hpp"
#include "support/uniformity_oracle.hpp"

namespace riffle::test::uniformity_mmd_test {
namespace {

using namespace detail::uniformity;
using oracle::Permutation;

TEST(UniformityMmd, CountsItsTerms) {
  auto const kernel = mallows_kernel_moments(5, 5);
  auto const one = one_sample_mmd(5, 5, 100);
  EXPECT_EQ(one.terms, 100u);
  EXPECT_DOUBLE_EQ(one.kernel_mean, kernel.mean);
  EXPECT_DOUBLE_EQ(one.deviation, std::sqrt(kernel.variance / 100));
  auto const paired = paired_mmd(5, 5, 100);
  EXPECT_EQ(paired.terms, 50u);
  EXPECT_DOUBLE_EQ(paired.deviation, std::sqrt(2 * kernel.variance / 100));
  EXPECT_DOUBLE_EQ(paired.statistic(kernel.mean + 0.25), 0.25);
}

// The formulas of the papers as printed.
TEST(UniformityMmd, HasThePapersThresholds) {
  double const m = 100000;
  auto const one = one_sample_mmd(100, 5, 100000);
  auto const paired = paired_mmd(100, 5, 100000);
  for (double const alpha : {0.5, 0.05, 0.01, 1e-6}) {
    EXPECT_NEAR(hoeffding_threshold(one, alpha), std::sqrt(std::log(2 / alpha) / (2 * m)), 1e-15);
    EXPECT_NEAR(hoeffding_threshold(paired, alpha), std::sqrt(std::log(2 / alpha) / m), 1e-15);
    EXPECT_NEAR(hoeffding_p(one, hoeffding_threshold(one, alpha)) / alpha, 1, 1e-12);
    for (auto const& null : {one, paired}) {
      double const t = normal_threshold(null, alpha);
      EXPECT_NEAR((1 - std::erf(t / (std::sqrt(2.0) * null.deviation))) / alpha, 1, 1e-9);
      EXPECT_NEAR(mmd_normal_p(null, t) / alpha, 1, 1e-12);
      EXPECT_NEAR(mmd_normal_p(null, -t) / alpha, 1, 1e-12);
    }
  }
}

TEST(UniformityMmd, NeverExceedsAProbability) {
  EXPECT_EQ(hoeffding_p(one_sample_mmd(5, 5, 10), 0), 1.0);
  EXPECT_EQ(mmd_normal_p(one_sample_mmd(5, 5, 10), 0), 1.0);
  EXPECT_EQ(mmd_normal_p(one_sample_mmd(5, 0, 10), 0), 1.0);
}

// The kernel of two permutations, from the number of discordant pairs of positions.
double kernel_between(Permutation const& a, Permutation const& b, double lambda) {
  std::uint64_t discordant = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j)
      if ((a[i] < a[j]) != (b[i] < b[j])) ++discordant;
  return oracle::mallows_kernel(a.size(), lambda, discordant);
}

// One term: mean and standard deviation over all pairs of permutations.
TEST(UniformityMmd, HasItsMomentsOverAllPermutations) {
  for (std::size_t n = 2; n <= 5; ++n) {
    auto const null = paired_mmd(n, 5, 2);
    double sum = 0, squares = 0, count = 0;
    oracle::visit_all(n, [&](Permutation const& a) {
      oracle::visit_all(n, [&](Permutation const& b) {
        double const statistic = null.statistic(kernel_between(a, b, 5));
        sum += statistic;
        squares += statistic * statistic;
        ++count;
      });
    });
    EXPECT_NEAR(sum / count, 0, 1e-14);
    EXPECT_NEAR(std::sqrt(squares / count), null.deviation, 1e-14);
  }
}

// For each number of inversions only one permutation occurs, with the total probability of that number. The kernel with the
// identity cannot distinguish that from uniform, but kernels between draws are too large.
TEST(UniformityMmd, PairedTestFindsFaultsThatOneSampleMisses) {
  std::map<std::int64_t, Permutation> only;
  oracle::visit_all(4, [&](Permutation const& sigma) { only[oracle::inversions(sigma)] = sigma; });
  auto const probabilities = oracle::distribution_of(4, oracle::inversions);
  double with_identity = 0, among_themselves = 0;
  for (auto const& [i, a] : only) {
    with_identity += probabilities.at(i) * kernel_between(a, oracle::identity(4), 5);
    for (auto const& [j, b] : only)
      among_themselves += probabilities.at(i) * probabilities.at(j) * kernel_between(a, b, 5);
  }
  EXPECT_NEAR(one_sample_mmd(4, 5, 2).statistic(with_identity), 0, 1e-15);
  EXPECT_GT(paired_mmd(4, 5, 2).statistic(among_themselves), 0.05);
}

double paired_statistic(MmdNull const& null, std::size_t fixed, std::mt19937_64& generator) {
  Permutation a = oracle::identity(10);
  Permutation b = a;
  double sum = 0;
  for (std::uint64_t term = 0; term < null.terms; ++term) {
    std::shuffle(a.begin() + static_cast<std::ptrdiff_t>(fixed), a.end(), generator);
    std::shuffle(b.begin() + static_cast<std::ptrdiff_t>(fixed), b.end(), generator);
    sum += kernel_between(a, b, 5);
  }
  return null.statistic(sum / static_cast<double>(null.terms));
}

TEST(UniformityMmd, AcceptsATrueShuffleAndFindsAnElementThatStays) {
  std::mt19937_64 generator(6);
  auto const null = paired_mmd(10, 5, 20000);
  EXPECT_GT(mmd_normal_p(null, paired_statistic(null, 0, generator)), 1e-4);
  EXPECT_LT(mmd_normal_p(null, paired_statistic(null, 1, generator)), 1e-10);
}

TEST(UniformityMmd, RejectsInvalidArguments) {
  EXPECT_EQ(thrown_message([] { one_sample_mmd(1, 5, 10); }),
            "riffle::one_sample_mmd: n = 1: must be at least 2");
  EXPECT_EQ(thrown_message([] { one_sample_mmd(5, -2, 10); }),
            "riffle::one_sample_mmd: lambda = -2: must be finite and not negative");
  EXPECT_EQ(thrown_message([] { one_sample_mmd(5, 5, 0); }),
            "riffle::one_sample_mmd: samples = 0: must be at least 1");
  EXPECT_EQ(thrown_message([] { paired_mmd(1, 5, 10); }),
            "riffle::paired_mmd: n = 1: must be at least 2");
  EXPECT_EQ(thrown_message([] { paired_mmd(5, 5, 11); }),
            "riffle::paired_mmd: samples = 11: must be even and at least 2");
  EXPECT_EQ(thrown_message([] { paired_mmd(5, 5, 0); }),
            "riffle::paired_mmd: samples = 0: must be even and at least 2");
  auto const null = paired_mmd(5, 5, 10);
  EXPECT_EQ(thrown_message([&] { hoeffding_threshold(null, 0); }),
            "riffle::hoeffding_threshold: alpha = 0: must lie between 0 and 1");
  EXPECT_EQ(thrown_message([&] { normal_threshold(null, 1); }),
            "riffle::normal_threshold: alpha = 1: must lie between 0 and 1");
}

}  // namespace
}  // namespace riffle::test::uniformity_mmd_test
