#include <riffle/uniformity/detail/mallows_test.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/uniformity.hpp>

#include "support/execution_spaces.hpp"
#include "support/lehmer_sampler.hpp"
#include "support/uniformity_oracle.hpp"
#include "support/workers.hpp"

namespace riffle::test::uniformity_mallows_test {
namespace {

using namespace detail::uniformity;
using Exec = Kokkos::DefaultExecutionSpace;
using Sigma = std::vector<std::uint32_t>;

std::int64_t discordant(Sigma const& a, Sigma const& b) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j) count += (a[i] < a[j]) != (b[i] < b[j]) ? 1 : 0;
  return count;
}

std::int64_t inversions(Sigma const& a) {
  Sigma identity(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) identity[i] = static_cast<std::uint32_t>(i);
  return discordant(identity, a);
}

struct InversionsOfFirst {
  template <class Worker>
  KOKKOS_FUNCTION std::int64_t operator()(Worker const& worker, Sample const& a,
                                          Sample const&) const {
    return count_inversions(worker, a.n, a.sigma, a.work);
  }
};

struct DiscordantPairs {
  template <class Worker>
  KOKKOS_FUNCTION std::int64_t operator()(Worker const& worker, Sample const& a,
                                          Sample const& b) const {
    return discordant_pairs(worker, a, b);
  }
};

/// The order with the largest number of inversions.
struct Reversal {
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t, Row const& row) const {
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(n - 1 - i);
  }
};

template <class Exec>
class UniformityMallowsInKernels : public ::testing::Test {};
TYPED_TEST_SUITE(UniformityMallowsInKernels, ExecutionSpaces, SpaceNames);

/// Compares each worker's result, for all ways in which workers run.
template <class Exec, class Sampler, class Function>
void expect_results(std::uint64_t n, Sampler const& sampler, Function const& function,
                    std::vector<std::int64_t> const& expected) {
  std::uint64_t const pairs = expected.size();
  EXPECT_EQ(by_lone_threads<Exec>(n, pairs, false, sampler, function), expected) << "n = " << n;
  EXPECT_EQ(by_lone_threads<Exec>(n, pairs, true, sampler, function), expected) << "n = " << n;
  EXPECT_EQ(by_teams<Exec>(n, pairs, sampler, function), expected) << "n = " << n;
}

TYPED_TEST(UniformityMallowsInKernels, CountsInversions) {
  FisherYates const sampler{7};
  for (std::uint64_t const n : {0, 1, 2, 3, 15, 16, 17, 31, 33, 100, 257, 1000}) {
    std::vector<std::int64_t> expected;
    for (std::uint64_t k = 0; k < 3; ++k)
      expected.push_back(inversions(permutation_of(sampler, n, 2 * k)));
    expect_results<TypeParam>(n, sampler, InversionsOfFirst{}, expected);
  }
}

TYPED_TEST(UniformityMallowsInKernels, CountsInversionsOfTheReversal) {
  for (std::int64_t const n : {2, 16, 17, 100, 1000})
    expect_results<TypeParam>(static_cast<std::uint64_t>(n), Reversal{}, InversionsOfFirst{},
                              {n * (n - 1) / 2});
}

TYPED_TEST(UniformityMallowsInKernels, CountsDiscordantPairs) {
  FisherYates const sampler{8};
  for (std::uint64_t const n : {2, 3, 17, 64, 100}) {
    std::vector<std::int64_t> expected;
    for (std::uint64_t k = 0; k < 5; ++k)
      expected.push_back(
          discordant(permutation_of(sampler, n, 2 * k), permutation_of(sampler, n, 2 * k + 1)));
    expect_results<TypeParam>(n, sampler, DiscordantPairs{}, expected);
  }
}

/// In units of 2^-40.
std::uint64_t fixed_point_kernel(std::uint64_t n, std::int64_t pairs) {
  double const kernel = oracle::mallows_kernel(n, 5, static_cast<std::uint64_t>(pairs));
  return static_cast<std::uint64_t>(std::round(kernel * kernel_units));
}

/// Compares the sums that single threads (or the device's default) and teams find.
template <class Exec, class Test>
void expect_sum(Test const& test, FisherYates const& sampler, Draws const& draws,
                std::uint64_t expected) {
  Exec const exec;
  auto const plan = test.plan(draws.n, draws.samples);
  auto const alone = plan.observer(exec);
  auto const teams = plan.observer(exec);
  observe_draws(Context(exec, "test"), "test", draws, sampler, observer_list(alone));
  observe_by_teams<Exec>(draws, sampler, teams);
  for (auto const& observer : {alone, teams}) {
    auto const sum = counts_of<Exec>(exec, observer.counters)[0];
    EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(expected), 30) << "n = " << draws.n;
  }
}

// A device's exp may differ from the host's in the last bit.
TYPED_TEST(UniformityMallowsInKernels, SumsKernels) {
  FisherYates const sampler{9};
  for (std::uint64_t const n : {2, 5, 40}) {
    std::uint64_t const samples = 30;
    std::uint64_t one = 0;
    std::uint64_t paired = 0;
    for (std::uint64_t r = 0; r < samples; r += 2) {
      auto const a = permutation_of(sampler, n, r);
      auto const b = permutation_of(sampler, n, r + 1);
      one += fixed_point_kernel(n, inversions(a)) + fixed_point_kernel(n, inversions(b));
      paired += fixed_point_kernel(n, discordant(a, b));
    }
    expect_sum<TypeParam>(MallowsOneSampleTest{}, sampler, {n, samples}, one);
    expect_sum<TypeParam>(MallowsPairedTest{}, sampler, {n, samples}, paired);
  }
}

/// Approximately the model of C. L. Mallows, "Non-null ranking models", Biometrika 44 (1957): small digits are more probable.
struct NearlySorted {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t, std::uint64_t digit,
                                           std::uint64_t chance) const {
    return chance % 8 == 0 ? digit / 2 : digit;
  }
};

template <class Test, class Sampler>
TestResult examine(Test const& test, Sampler const& sampler, std::uint64_t n,
                   std::uint64_t samples) {
  return uniformity::test(Exec(), test, sampler, n, samples);
}

TEST(UniformityMallows, AcceptsUniformPermutations) {
  for (std::uint64_t const n : {2, 5, 100, 500}) {
    auto const one = examine(MallowsOneSampleTest{}, FisherYates{1}, n, 2000);
    auto const paired = examine(MallowsPairedTest{}, FisherYates{1}, n, 2000);
    for (auto const& result : {one, paired}) {
      EXPECT_GT(result.p_value, 0.001) << result.test << ", n = " << n;
      EXPECT_LT(result.p_value, 0.999) << result.test << ", n = " << n;
      EXPECT_EQ(result.null.rfind("normal", 0), 0u) << result.null;
    }
  }
}

TEST(UniformityMallows, RejectsNearlySortedPermutations) {
  LehmerSampler<NearlySorted> const sampler;
  EXPECT_LT(examine(MallowsOneSampleTest{}, sampler, 50, 10000).p_value, 1e-6);
  EXPECT_LT(examine(MallowsPairedTest{}, sampler, 50, 100000).p_value, 1e-6);
}

TEST(UniformityMallows, PairsShowRepetition) {
  Repeated<FisherYates> const sampler{2, {}};
  EXPECT_LT(examine(MallowsPairedTest{}, sampler, 50, 1000).p_value, 1e-6);
  EXPECT_GT(examine(MallowsOneSampleTest{}, sampler, 50, 1000).p_value, 1e-3);
}

TEST(UniformityMallows, HasThePapersThresholds) {
  auto const plan = MallowsPairedTest{}.plan(50, 1000);
  EXPECT_NEAR(plan.hoeffding_threshold(0.01), std::sqrt(std::log(2 / 0.01) / 1000), 1e-15);
  double const deviation = paired_mmd(50, 5, 1000).deviation;
  EXPECT_NEAR(plan.normal_threshold(0.01), 2.5758293035489004 * deviation, 1e-12);
}

TEST(UniformityMallows, UsesTheNormalDistribution) {
  auto const plan = MallowsOneSampleTest{}.plan(5, 1000);
  auto const null = one_sample_mmd(5, 5, 1000);
  auto const sum = (null.kernel_mean + null.deviation) * 1000 * kernel_units;
  auto const result = plan.evaluate({static_cast<std::uint64_t>(sum)});
  EXPECT_NEAR(result.statistic, null.deviation, 1e-11);
  EXPECT_NEAR(result.p_value, std::erfc(1 / std::sqrt(2.0)), 1e-8);
}

TEST(UniformityMallows, UsesHoeffdingsBoundForFewKernels) {
  auto const few = MallowsOneSampleTest{}.plan(5, 20).evaluate({0});
  EXPECT_EQ(few.null, "Hoeffding's bound");
  EXPECT_NEAR(few.p_value, 2 * std::exp(-2 * 20 * few.statistic * few.statistic), 1e-12);
  // The kernel is almost an indicator of one permutation in 120.
  EXPECT_EQ(MallowsOneSampleTest{100}.plan(5, 2000).evaluate({0}).null, "Hoeffding's bound");
}

TEST(UniformityMallows, UsesTheNormalDistributionFrom100KernelsOfThePapersLambda) {
  for (std::uint64_t const n : {2, 3, 4, 5, 8, 100, 10000}) {
    auto const result = MallowsOneSampleTest{}.plan(n, 100).evaluate({0});
    EXPECT_EQ(result.null.rfind("normal", 0), 0u) << result.null << ", n = " << n;
  }
}

TEST(UniformityMallows, RejectsInvalidArguments) {
  EXPECT_EQ(MallowsOneSampleTest{}.plan(1, 100).refusal, "n must be at least 2");
  EXPECT_EQ(MallowsOneSampleTest{-1}.plan(5, 100).refusal,
            "lambda = -1: must be finite and not negative");
  EXPECT_EQ(MallowsOneSampleTest{INFINITY}.plan(5, 100).refusal,
            "lambda = inf: must be finite and not negative");
  EXPECT_NE(MallowsOneSampleTest{NAN}.plan(5, 100).refusal, "");
  EXPECT_EQ(MallowsOneSampleTest{0}.plan(5, 100).refusal, "lambda = 0: the kernel hardly varies");
  EXPECT_NE(MallowsOneSampleTest{1e5}.plan(100, 100).refusal, "");
  EXPECT_EQ(MallowsOneSampleTest{}.plan(5, 0).refusal, "samples must be at least 1");
  EXPECT_EQ(MallowsPairedTest{}.plan(5, 0).refusal, "samples must be at least 2");
  EXPECT_EQ(MallowsPairedTest{}.plan(5, 101).refusal, "samples must be even");
  EXPECT_EQ(MallowsOneSampleTest{}.plan(5, max_kernels + 1).refusal,
            "samples must be at most 8388608");
  EXPECT_EQ(MallowsPairedTest{}.plan(5, 2 * max_kernels).refusal, "");
  EXPECT_EQ(MallowsOneSampleTest{}.plan(1000000, 100).refusal, "");
}

}  // namespace
}  // namespace riffle::test::uniformity_mallows_test
