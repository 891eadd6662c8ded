// Random replicates: golden counts, and changes that must not affect them.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/random/random_permutation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/null_distributions.hpp"
#include "support/samples.hpp"
#include "support/statistics.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_test_random_test {
namespace {

using Values = std::vector<double>;

Values part(Values const& values, std::size_t begin, std::size_t end) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::vector<int> labels_in_turn(std::size_t n, int groups) {
  std::vector<int> labels;
  for (std::size_t i = 0; i < n; ++i) labels.push_back(static_cast<int>(i) % groups);
  return labels;
}

/// Calls visit(statistic, x, y) for samples of each kind of test.
template <class Visit>
void for_each_kind(Visit const& visit) {
  Values const pool = pattern(203, 7919);
  visit(riffle::DifferenceOfMeans{}, part(pool, 0, 91), part(pool, 91, 203));
  visit(riffle::WelchT{}, part(pool, 0, 91), part(pool, 91, 203));
  visit(riffle::FStatistic{}, part(pool, 0, 65), labels_in_turn(65, 20));
  visit(riffle::PearsonCorrelation{}, pattern(30, 7919), pattern(30, 31));
  visit(riffle::MannWhitneyU{}, part(pool, 0, 91), part(pool, 91, 203));
  visit(riffle::KruskalWallisH{}, part(pool, 0, 65), labels_in_turn(65, 20));
  visit(riffle::SpearmanCorrelation{}, pattern(30, 7919), pattern(30, 31));
}

template <class Exec>
class RandomPermutationTest : public ::testing::Test {
 protected:
  template <class Statistic, class Y>
  PermutationTestResult run(Statistic statistic, Values const& x, std::vector<Y> const& y,
                            PermutationTestOptions const& options) {
    return riffle::permutation_test(exec, statistic, to_view<Exec>(x), to_view<Exec>(y), options);
  }

  template <class Statistic, class Y>
  Values distribution(Statistic statistic, Values const& x, std::vector<Y> const& y,
                      PermutationTestOptions const& options, std::size_t room) {
    auto const out = to_view<Exec>(Values(room, -12345));
    auto const stored = riffle::null_distribution(exec, statistic, to_view<Exec>(x),
                                                  to_view<Exec>(y), out, options);
    EXPECT_EQ(stored, std::min<std::uint64_t>(room, options.replicates));
    Values values = to_vector(out);
    for (std::size_t i = stored; i < room; ++i) EXPECT_EQ(values[i], -12345) << i;
    values.resize(stored);
    return values;
  }

  Exec exec;
};
TYPED_TEST_SUITE(RandomPermutationTest, ExecutionSpaces, SpaceNames);

PermutationTestOptions random_options(std::uint64_t replicates, std::uint64_t seed) {
  PermutationTestOptions options;
  options.replicates = replicates;
  options.seed = seed;
  options.enumerate = false;
  return options;
}

struct Golden {
  std::uint64_t seed;
  std::uint64_t replicates;
  std::uint64_t less_equal;
  std::uint64_t greater_equal;
  Values first;  // statistics of the first replicates
};

// From a model in Python of the labels, the permutations and the textbook formulas, which shares no code with Riffle.
TYPED_TEST(RandomPermutationTest, GoldenValues) {
  auto const expect = [&](auto const statistic, Values const& x, auto const& y,
                          Golden const& golden) {
    SCOPED_TRACE(x.size());
    auto const options = random_options(golden.replicates, golden.seed);
    auto const result = this->run(statistic, x, y, options);
    EXPECT_EQ(result.less_equal, golden.less_equal);
    EXPECT_EQ(result.greater_equal, golden.greater_equal);
    Values const values = this->distribution(statistic, x, y, options, golden.first.size());
    for (std::size_t r = 0; r < golden.first.size(); ++r)
      EXPECT_NEAR(values[r], golden.first[r], 1e-12 * std::max(1.0, std::abs(golden.first[r])));
  };
  expect(riffle::DifferenceOfMeans{}, sleep_x, sleep_y, {1, 3000, 126, 2885, {0.96, 1.46, 1.48}});
  expect(riffle::WelchT{}, sleep_x, sleep_y,
         {1, 3000, 126, 2885, {1.067692378376525, 1.6958156550821164, 1.7228466076904376}});
  Values const short_x{4.1, 5.0, 6.2, 5.5};
  Values const long_y{7.3, 6.8, 8.1, 5.9, 9.4, 7.7, 6.1};
  expect(riffle::DifferenceOfMeans{}, short_x, long_y,
         {7, 3000, 20, 2987, {1.0535714285714288, 0.18928571428571317, -0.5964285714285715}});
  expect(riffle::WelchT{}, short_x, long_y,
         {7, 3000, 20, 2987, {1.016486244933162, 0.19679770286226841, -0.49073305841884707}});
  Values const pool = pattern(203, 7919);
  std::uint64_t const large_seed = 12345678901234567890u;
  expect(
      riffle::DifferenceOfMeans{}, part(pool, 0, 91), part(pool, 91, 203),
      {large_seed, 500, 450, 50, {-42.181318681318714, -61.262362637362685, 15.201236263736291}});
  expect(riffle::WelchT{}, part(pool, 0, 91), part(pool, 91, 203),
         {large_seed, 500, 448, 52, {-1.0631862417892433, -1.548832941424134, 0.3819931183841076}});

  expect(riffle::FStatistic{}, Values{6.9, 5.4, 5.8, 8.3, 6.8, 7.8, 8.0, 10.5, 8.1},
         std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2},
         {5, 3000, 2936, 79, {0.4252778921366811, 0.2717263075108131, 0.1622957050551118}});
  expect(riffle::FStatistic{}, pattern(11, 7919), labels_in_turn(11, 2),
         {5, 400, 243, 159, {1.8214921376599849, 0.0011345343308188053, 0.4997363578680313}});
  expect(riffle::FStatistic{}, pattern(20, 7919), labels_in_turn(20, 5),
         {5, 400, 251, 149, {4.178376205911803, 1.1547389868330196, 0.325612379117308}});
  expect(riffle::FStatistic{}, pattern(65, 7919), labels_in_turn(65, 20),
         {5, 400, 91, 309, {0.6635570036580788, 1.0440227256517935, 1.7946313182702842}});
  expect(riffle::FStatistic{}, pattern(197, 7919), labels_in_turn(197, 64),
         {5, 400, 340, 60, {1.047417457692658, 0.9214171204836559, 0.7684136848197738}});

  expect(riffle::PearsonCorrelation{}, Values{1.0, 2.5, 3.1, 4.7, 5.2, 6.6, 7.9},
         Values{2.1, 1.9, 4.4, 3.9, 6.1, 5.2, 5.8},
         {5, 3000, 2972, 28, {0.2862573075948628, 0.6540670567779026, 0.5758096633347024}});
  expect(riffle::PearsonCorrelation{}, pattern(30, 7919), pattern(30, 31),
         {5, 500, 282, 218, {0.12347197722787953, 0.019184089392179787, -0.16353129097356364}});
  // From this number of pairs on, a team computes a replicate.
  expect(riffle::PearsonCorrelation{}, pattern(1030, 7919), pattern(1030, 31),
         {5, 60, 11, 49, {-0.00483766372694376, -0.043939019561473176, 0.026318633391322916}});
}

// Welch's t of the data, and of a third of the arrangements, is infinite. These are the arrangements whose means differ most.
TYPED_TEST(RandomPermutationTest, InfiniteWelchTTies) {
  Values const x{0, 0};
  Values const y{1, 1};
  PermutationTestOptions const options = random_options(600, 1);
  auto const welch = this->run(riffle::WelchT{}, x, y, options);
  auto const means = this->run(riffle::DifferenceOfMeans{}, x, y, options);
  EXPECT_GT(means.as_far, 100);
  EXPECT_EQ(welch.as_far, means.as_far);
  EXPECT_EQ(welch.less_equal, means.less_equal);
  EXPECT_EQ(welch.greater_equal, means.greater_equal);
}

TYPED_TEST(RandomPermutationTest, PairsArePermutedByRandomPermutation) {
  for (std::size_t const n : {5, 20, 21, 1023, 1024, 1500}) {
    Values const x = pattern(n, 7919);
    Values const y = pattern(n, 31);
    std::size_t constexpr replicates = 40;
    Values const values = this->distribution(riffle::PearsonCorrelation{}, x, y,
                                             random_options(replicates, 77), replicates);
    for (std::size_t r = 0; r < replicates; ++r) {
      riffle::RandomPermutation const sigma(n, 77, r);
      std::vector<std::size_t> images;
      for (std::size_t i = 0; i < n; ++i) images.push_back(sigma(i));
      EXPECT_NEAR(values[r], pearson_correlation(x, permuted(y, images)), 1e-12) << n << ", " << r;
    }
  }
}

TYPED_TEST(RandomPermutationTest, DistributionReproducesTheCounts) {
  for_each_kind([&](auto const statistic, Values const& x, auto const& y) {
    auto const options = random_options(2000, 3);
    auto const result = this->run(statistic, x, y, options);
    Values const values = this->distribution(statistic, x, y, options, 2000);
    Sides const sides = count_sides(values, result.statistic);
    EXPECT_EQ(sides.less_equal, result.less_equal);
    EXPECT_EQ(sides.greater_equal, result.greater_equal);
    EXPECT_GE(result.less_equal + result.greater_equal, 2000u);
  });
}

TYPED_TEST(RandomPermutationTest, DistributionHasAsManyValuesAsAreAskedForOrFit) {
  Values const x = pattern(20, 7919);
  Values const y = pattern(30, 31);
  Values const all =
      this->distribution(riffle::DifferenceOfMeans{}, x, y, random_options(100, 3), 100);
  for (std::size_t const room : {0, 1, 7, 99, 150}) {
    EXPECT_EQ(this->distribution(riffle::DifferenceOfMeans{}, x, y, random_options(100, 3), room),
              part(all, 0, std::min<std::size_t>(room, 100)))
        << room;
  }
  auto const out = make_strided<TypeParam, double>(100);
  riffle::null_distribution(this->exec, riffle::DifferenceOfMeans{}, to_view<TypeParam>(x),
                            to_view<TypeParam>(y), out, random_options(100, 3));
  EXPECT_EQ(to_vector(out), all);
}

// Replicate r does not depend on the number of replicates.
TYPED_TEST(RandomPermutationTest, MoreReplicatesBeginWithTheSameOnes) {
  for_each_kind([&](auto const statistic, Values const& x, auto const& y) {
    Values const many = this->distribution(statistic, x, y, random_options(300, 3), 300);
    for (std::size_t const few : {1, 5, 33, 299}) {
      EXPECT_EQ(this->distribution(statistic, x, y, random_options(few, 3), few),
                part(many, 0, few));
    }
  });
}

TYPED_TEST(RandomPermutationTest, BatchesAndProgressDoNotChangeResults) {
  for_each_kind([&](auto const statistic, Values const& x, auto const& y) {
    auto const expect_same = [&](std::uint64_t replicates,
                                 std::vector<std::uint64_t> const& batches) {
      auto options = random_options(replicates, 3);
      auto const expected = this->run(statistic, x, y, options);
      Values const values = this->distribution(statistic, x, y, options, replicates);
      for (std::uint64_t const batch : batches) {
        for (bool const shows_progress : {false, true}) {
          options.batch = batch;
          options.progress = nullptr;
          if (shows_progress) options.progress = [](std::uint64_t, std::uint64_t) {};
          auto const result = this->run(statistic, x, y, options);
          EXPECT_EQ(result.less_equal, expected.less_equal) << batch;
          EXPECT_EQ(result.greater_equal, expected.greater_equal) << batch;
          EXPECT_EQ(result.replicates, replicates) << batch;
          EXPECT_EQ(this->distribution(statistic, x, y, options, replicates), values) << batch;
        }
      }
    };
    // Each batch is a launch, so small batches are only used with few replicates.
    expect_same(100, {1, 7, 32, 33});
    expect_same(1500, {0, 33, 1000, 5000});
  });
}

TYPED_TEST(RandomPermutationTest, BatchesOfEnumeratedArrangementsDoNotChangeResults) {
  Values const x = pattern(4, 7919);
  Values const y = pattern(7, 31);
  PermutationTestOptions options;
  auto const expected = this->run(riffle::WelchT{}, x, y, options);
  ASSERT_TRUE(expected.exact);
  for (std::uint64_t const batch : {1, 7, 32, 1000}) {
    options.batch = batch;
    auto const result = this->run(riffle::WelchT{}, x, y, options);
    EXPECT_EQ(result.less_equal, expected.less_equal) << batch;
    EXPECT_EQ(result.greater_equal, expected.greater_equal) << batch;
  }
}

// Instances with half of the threads each, if the space supports them.
TYPED_TEST(RandomPermutationTest, InstancesAndThreadsDoNotChangeResults) {
  auto const instances = Kokkos::Experimental::partition_space(this->exec, 1, 1);
  for_each_kind([&](auto const statistic, Values const& x, auto const& y) {
    auto const options = random_options(1000, 3);
    auto const expected = this->run(statistic, x, y, options);
    for (auto const& instance : instances) {
      auto const result = riffle::permutation_test(instance, statistic, to_view<TypeParam>(x),
                                                   to_view<TypeParam>(y), options);
      EXPECT_EQ(result.statistic, expected.statistic);
      EXPECT_EQ(result.less_equal, expected.less_equal);
      EXPECT_EQ(result.greater_equal, expected.greater_equal);
    }
  });
}

TYPED_TEST(RandomPermutationTest, SeedsChangeTheReplicates) {
  for_each_kind([&](auto const statistic, Values const& x, auto const& y) {
    EXPECT_NE(this->distribution(statistic, x, y, random_options(10, 3), 10),
              this->distribution(statistic, x, y, random_options(10, 4), 10));
  });
}

TYPED_TEST(RandomPermutationTest, ProgressRisesToTheTotal) {
  for (std::uint64_t const batch : {0, 1, 100, 1000000}) {
    auto options = random_options(2500, 3);
    options.batch = batch;
    std::uint64_t last = 0;
    int calls = 0;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      EXPECT_GT(done, last);
      EXPECT_EQ(total, 2500u);
      last = done;
      ++calls;
    };
    this->run(riffle::DifferenceOfMeans{}, pattern(20, 7919), pattern(30, 31), options);
    EXPECT_EQ(last, 2500u) << batch;
    EXPECT_EQ(calls == 1, batch == 1000000) << batch;
  }
}

TYPED_TEST(RandomPermutationTest, ProgressOfAnExactTestEndsAtTheArrangements) {
  PermutationTestOptions options;
  std::uint64_t last = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GT(done, last);
    EXPECT_EQ(total, 330u);
    last = done;
  };
  this->run(riffle::DifferenceOfMeans{}, pattern(4, 7919), pattern(7, 31), options);
  EXPECT_EQ(last, 330u);
  last = 0;
  auto const out = to_view<TypeParam>(Values(400));
  riffle::null_distribution(this->exec, riffle::DifferenceOfMeans{},
                            to_view<TypeParam>(pattern(4, 7919)),
                            to_view<TypeParam>(pattern(7, 31)), out, options);
  EXPECT_EQ(last, 330u);
}

TYPED_TEST(RandomPermutationTest, ExceptionsOfProgressStopTheTest) {
  auto options = random_options(2500, 3);
  options.batch = 100;
  int calls = 0;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (++calls == 3) throw std::runtime_error("cancelled");
  };
  EXPECT_THROW(this->run(riffle::DifferenceOfMeans{}, pattern(20, 7919), pattern(30, 31), options),
               std::runtime_error);
  EXPECT_EQ(calls, 3);
}

// Random labels give every arrangement with equal probability: each of the ten sums of two of five values.
TYPED_TEST(RandomPermutationTest, ArrangementsAreEquallyLikely) {
  std::size_t constexpr replicates = 20000;
  Values const values =
      this->distribution(riffle::DifferenceOfMeans{}, Values{1, 2}, Values{4, 8, 16},
                         random_options(replicates, 3), replicates);
  for (double const expected : all_splits({1, 2}, {4, 8, 16}, difference_of_means)) {
    int count = 0;
    for (double const value : values) count += std::abs(value - expected) < 1e-9;
    // Five standard deviations of a binomial count.
    EXPECT_NEAR(count, replicates / 10, 5 * std::sqrt(replicates * 0.1 * 0.9)) << expected;
  }
}

}  // namespace
}  // namespace riffle::test::permutation_test_random_test
