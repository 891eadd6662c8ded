#include <riffle/uniformity/detail/nulls/position_matrix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "support/thrown_message.hpp"
#include "support/uniformity_oracle.hpp"

namespace riffle::test::uniformity_position_matrix_test {
namespace {

using detail::uniformity::position_blocks_test;
using oracle::Permutation;
using Counts = std::vector<std::uint64_t>;
using Lengths = std::vector<std::uint64_t>;

/// The test with blocks of one position each.
detail::uniformity::ChiSquare position_matrix_test(Counts const& counts, std::size_t n,
                                                   std::uint64_t samples) {
  return position_blocks_test(counts, Lengths(n, 1), samples);
}

void count(Permutation const& sigma, Counts& counts) {
  for (std::size_t i = 0; i < sigma.size(); ++i)
    ++counts[i * sigma.size() + oracle::image(sigma, i)];
}

struct Moments {
  double mean;
  double variance;
};

/// The moments in the header's comment, for any number of samples.
Moments expected_moments(std::size_t n, double samples) {
  double const degrees = static_cast<double>((n - 1) * (n - 1));
  return {degrees, 2 * degrees * (samples - 1) / samples};
}

Moments moments_of(std::vector<double> const& values) {
  double sum = 0;
  double squares = 0;
  for (double const x : values) sum += x;
  double const mean = sum / static_cast<double>(values.size());
  for (double const x : values) squares += (x - mean) * (x - mean);
  return {mean, squares / static_cast<double>(values.size())};
}

TEST(UniformityPositionMatrix, OfOnePermutationIsConstant) {
  for (std::size_t n = 2; n <= 6; ++n) {
    oracle::visit_all(n, [&](Permutation const& sigma) {
      Counts counts(n * n);
      count(sigma, counts);
      auto const result = position_matrix_test(counts, n, 1);
      ASSERT_NEAR(result.statistic, static_cast<double>((n - 1) * (n - 1)), 1e-12);
    });
  }
}

// All pairs and all triples of permutations.
TEST(UniformityPositionMatrix, HasItsMomentsOverAllSamples) {
  for (std::size_t n = 2; n <= 4; ++n) {
    std::vector<double> of_pairs, of_triples;
    oracle::visit_all(n, [&](Permutation const& first) {
      oracle::visit_all(n, [&](Permutation const& second) {
        Counts two(n * n);
        count(first, two);
        count(second, two);
        of_pairs.push_back(position_matrix_test(two, n, 2).statistic);
        oracle::visit_all(n, [&](Permutation const& third) {
          Counts three = two;
          count(third, three);
          of_triples.push_back(position_matrix_test(three, n, 3).statistic);
        });
      });
    });
    EXPECT_NEAR(moments_of(of_pairs).mean, expected_moments(n, 2).mean, 1e-10);
    EXPECT_NEAR(moments_of(of_pairs).variance, expected_moments(n, 2).variance, 1e-10);
    EXPECT_NEAR(moments_of(of_triples).mean, expected_moments(n, 3).mean, 1e-10);
    EXPECT_NEAR(moments_of(of_triples).variance, expected_moments(n, 3).variance, 1e-10);
  }
}

TEST(UniformityPositionMatrix, IsChiSquareForATrueShuffle) {
  std::size_t const n = 5;
  std::mt19937_64 generator(20);
  std::vector<std::uint64_t> by_decile(10);
  for (int repeat = 0; repeat < 4000; ++repeat) {
    Counts counts(n * n);
    auto sigma = oracle::identity(n);
    for (int sample = 0; sample < 200; ++sample) {
      std::shuffle(sigma.begin(), sigma.end(), generator);
      count(sigma, counts);
    }
    double const p = position_matrix_test(counts, n, 200).p;
    ++by_decile[std::min<std::size_t>(9, static_cast<std::size_t>(10 * p))];
  }
  // Without the factor (n - 1) / n, or with n^2 - 1 degrees of freedom, this p-value would be almost 0.
  std::vector<double> const tenths(10, 0.1);
  EXPECT_GT(detail::uniformity::chi_square_p(by_decile, tenths).p, 1e-4);
}

TEST(UniformityPositionMatrix, FindsAnElementThatStays) {
  std::size_t const n = 5;
  std::mt19937_64 generator(20);
  Counts counts(n * n);
  auto sigma = oracle::identity(n);
  for (int sample = 0; sample < 200; ++sample) {
    std::shuffle(sigma.begin() + 1, sigma.end(), generator);
    count(sigma, counts);
  }
  auto const result = position_matrix_test(counts, n, 200);
  EXPECT_EQ(result.degrees, 16);
  EXPECT_LT(result.p, 1e-30);
}

std::size_t block_of(std::size_t i, Lengths const& lengths) {
  std::size_t block = 0;
  for (std::size_t end = lengths[0]; i >= end; end += lengths[block]) ++block;
  return block;
}

void count_blocks(Permutation const& sigma, Lengths const& lengths, Counts& counts) {
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    std::size_t const to = block_of(oracle::image(sigma, i), lengths);
    ++counts[block_of(i, lengths) * lengths.size() + to];
  }
}

TEST(UniformityPositionBlocks, HaveTheirMeanOverAllPermutations) {
  for (Lengths const& lengths : std::vector<Lengths>{
           {2, 2}, {1, 3}, {1, 1, 2}, {2, 3}, {1, 4}, {2, 2, 1}, {3, 3}, {1, 5}, {1, 2, 3}}) {
    auto const n = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
    std::vector<double> values;
    oracle::visit_all(n, [&](Permutation const& sigma) {
      Counts counts(lengths.size() * lengths.size());
      count_blocks(sigma, lengths, counts);
      values.push_back(position_blocks_test(counts, lengths, 1).statistic);
    });
    auto const freedom = static_cast<double>(lengths.size() - 1);
    EXPECT_NEAR(moments_of(values).mean, freedom * freedom, 1e-12) << "n = " << n;
  }
}

// With blocks of such different lengths, the p-value would be almost 0 if all cells had the same expectation.
TEST(UniformityPositionBlocks, AreChiSquareForATrueShuffle) {
  Lengths const lengths{1, 2, 4};
  std::mt19937_64 generator(21);
  std::vector<std::uint64_t> by_decile(10);
  auto sigma = oracle::identity(7);
  for (int repeat = 0; repeat < 4000; ++repeat) {
    Counts counts(9);
    for (int sample = 0; sample < 200; ++sample) {
      std::shuffle(sigma.begin(), sigma.end(), generator);
      count_blocks(sigma, lengths, counts);
    }
    double const p = position_blocks_test(counts, lengths, 200).p;
    ++by_decile[std::min<std::size_t>(9, static_cast<std::size_t>(10 * p))];
  }
  std::vector<double> const tenths(10, 0.1);
  EXPECT_GT(detail::uniformity::chi_square_p(by_decile, tenths).p, 1e-4);
}

TEST(UniformityPositionBlocks, RejectInvalidTables) {
  EXPECT_EQ(thrown_message([] { position_blocks_test({1}, {1}, 1); }),
            "riffle::position_blocks_test: n = 1: must be at least 2");
  EXPECT_EQ(thrown_message([] {
              position_blocks_test({1, 0, 0, 1}, {1, 1}, 0);
            }),
            "riffle::position_blocks_test: samples = 0: must be at least 1");
  EXPECT_EQ(thrown_message([] {
              position_blocks_test({}, {2, 0}, 1);
            }),
            "riffle::position_blocks_test: lengths: must be positive");
  EXPECT_EQ(thrown_message([] {
              position_blocks_test({1, 2, 3}, {1, 2}, 2);
            }),
            "riffle::position_blocks_test: counts.size() = 3: must be K * K with K = 2");
  EXPECT_EQ(thrown_message([] {
              position_blocks_test({1, 1, 2, 3}, {1, 2}, 2);
            }),
            "riffle::position_blocks_test: counts sum to 7: must be n * samples = 6");
}

}  // namespace
}  // namespace riffle::test::uniformity_position_matrix_test
