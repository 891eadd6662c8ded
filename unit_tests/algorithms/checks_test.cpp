// Tests the checks that other tests rely on with wrong answers: each check must fail.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/published/bijective_shuffle/linear_congruential.hpp>
#include <riffle/published/bijective_shuffle/variable_philox.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/random/random_permutation.hpp>

#include "support/bijections.hpp"
#include "support/chi_square.hpp"
#include "support/permutations.hpp"
#include "support/uniformity_checks.hpp"
#include "support/views.hpp"

namespace checks_test {
namespace {

using riffle::MixedRadixFeistel;
using riffle::test::iota;
using riffle::test::is_bijection_on;

constexpr double certain = 8;  // in standard deviations

// A map, and a map that may or may not be its inverse.
struct Table {
  std::vector<std::uint64_t> images;
  std::vector<std::uint64_t> preimages;

  std::uint64_t size() const { return images.size(); }
  std::uint64_t operator()(std::uint64_t i) const { return images[i]; }
  std::uint64_t inverse(std::uint64_t j) const { return preimages[j]; }
};

Table right_table() { return {{2, 0, 3, 1}, {1, 3, 0, 2}}; }

TEST(BijectionCheck, TakesTheRightAnswer) {
  EXPECT_TRUE(is_bijection_on(iota<std::uint64_t>(4), right_table()));
}

TEST(BijectionCheck, RejectsWrongAnswers) {
  auto const points = iota<std::uint64_t>(4);
  auto table = right_table();
  table.images = {2, 0, 2, 1};
  EXPECT_FALSE(is_bijection_on(points, table)) << "two points with one image";
  table.images = {2, 0, 4, 1};
  EXPECT_FALSE(is_bijection_on(points, table)) << "an image out of range";
  table = right_table();
  table.preimages[1] = 4;
  EXPECT_FALSE(is_bijection_on(points, table)) << "a pre-image out of range";
  table = right_table();
  std::swap(table.preimages[0], table.preimages[3]);
  EXPECT_FALSE(is_bijection_on(points, table)) << "a transposition in the inverse";
  table = right_table();
  std::swap(table.images[0], table.images[1]);
  EXPECT_FALSE(is_bijection_on(points, table)) << "a transposition";
  table = right_table();
  table.preimages = table.images;
  EXPECT_FALSE(is_bijection_on(points, table)) << "the map in place of its inverse";
}

TEST(BijectionCheck, SamplesDistinctPointsWithBothEnds) {
  for (std::uint64_t const n : {std::uint64_t{1000}, (std::uint64_t{1} << 63) - 1}) {
    auto const points = riffle::test::points_below(n, 300);
    EXPECT_GT(points.size(), 200u);
    EXPECT_EQ(points.front(), 0u);
    EXPECT_EQ(points.back(), n - 1);
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
    EXPECT_EQ(std::adjacent_find(points.begin(), points.end()), points.end());
  }
}

TEST(Checksum, TellsTheRightAnswerFromItsInverseAndATransposition) {
  auto const right = right_table();
  auto swapped = right.images;
  std::swap(swapped[1], swapped[2]);
  EXPECT_NE(riffle::test::checksum(right.images), riffle::test::checksum(right.preimages));
  EXPECT_NE(riffle::test::checksum(right.images), riffle::test::checksum(swapped));
  EXPECT_NE(riffle::test::checksum(right.images), riffle::test::checksum(iota<std::uint64_t>(4)));
}

TEST(Checksum, IsTheSameInKernels) {
  riffle::test::Fingerprint fingerprint;
  for (auto const image : right_table().images) fingerprint.add(image);
  EXPECT_EQ(fingerprint.value(), riffle::test::checksum(right_table().images));
}

// The number of inversions.
std::uint64_t inversions(std::vector<std::uint64_t> const& values) {
  std::uint64_t count = 0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) count += values[i] > values[j] ? 1 : 0;
  }
  return count;
}

TEST(Oracles, SignIsTheParityOfInversions) {
  for (std::size_t n = 0; n <= 6; ++n) {
    auto values = iota<std::uint64_t>(n);
    do {
      ASSERT_EQ(riffle::test::is_odd(values), inversions(values) % 2 == 1);
    } while (std::next_permutation(values.begin(), values.end()));
  }
}

TEST(Oracles, RanksCountPermutationsInOrder) {
  for (std::size_t n = 0; n <= 6; ++n) {
    auto values = iota<std::uint64_t>(n);
    std::uint64_t rank = 0;
    do {
      ASSERT_EQ(riffle::test::rank_of(values), rank++);
    } while (std::next_permutation(values.begin(), values.end()));
  }
}

TEST(Oracles, ChiSquareIsTheOneOfTheTables) {
  EXPECT_DOUBLE_EQ(riffle::test::chi_square({8, 12, 10, 10}), 0.8);
  // The upper 5% and 0.1% quantiles of 10 and 100 degrees of freedom.
  EXPECT_NEAR(riffle::test::chi_square_to_z(18.307, 10), 1.645, 0.02);
  EXPECT_NEAR(riffle::test::chi_square_to_z(149.449, 100), 3.090, 0.02);
}

// --- generators with known faults ---

TEST(UniformityChecks, FailOnTheIdentity) {
  auto const make = [](std::uint64_t) { return riffle::RandomPermutation::identity(21); };
  auto const make_small = [](std::uint64_t) { return riffle::RandomPermutation::identity(5); };
  EXPECT_GT(riffle::test::positions_z(21, 2000, make), certain);
  EXPECT_GT(riffle::test::distances_z(21, 2000, make), certain);
  EXPECT_GT(riffle::test::agreements_z(21, 1000, make), certain);
  EXPECT_GT(riffle::test::arrangements_z(5, 12000, make_small), certain);
  EXPECT_LT(riffle::test::sign_z(4000, make), -certain);
}

// One permutation in twenty is the identity.
TEST(UniformityChecks, FailOnASmallBiasToTheIdentity) {
  auto const make = [](std::uint64_t n) {
    return [n](std::uint64_t seed) {
      return seed % 20 == 0 ? riffle::RandomPermutation::identity(n)
                            : riffle::RandomPermutation(n, seed);
    };
  };
  for (std::uint64_t n = 3; n <= 6; ++n)
    EXPECT_GT(riffle::test::arrangements_z(n, n < 6 ? 24000 : 72000, make(n)), certain);
  EXPECT_GT(riffle::test::positions_z(21, 60 * 21, make(21)), certain);
  EXPECT_GT(riffle::test::positions_z(100, 60 * 100, make(100)), certain);
}

// Each image is uniform, but the distances between neighbours are all odd.
TEST(UniformityChecks, FailOnLinearCongruential) {
  auto const make = [](int bits) {
    return [bits](std::uint64_t seed) { return riffle::LinearCongruential(bits, seed); };
  };
  EXPECT_GT(riffle::test::arrangements_z(4, 24000, make(2)), certain);
  EXPECT_GT(riffle::test::distances_z(64, 200 * 64, make(6)), certain);
}

TEST(UniformityChecks, FailOnTooFewRounds) {
  auto const make = [](std::uint64_t n, int rounds) {
    return [n, rounds](std::uint64_t seed) { return MixedRadixFeistel(n, seed, 0, rounds); };
  };
  EXPECT_GT(riffle::test::arrangements_z(5, 60000, make(5, 6)), certain);
  EXPECT_GT(riffle::test::positions_z(21, 60 * 21, make(21, 1)), certain);
  EXPECT_GT(riffle::test::positions_z(100, 60 * 100, make(100, 1)), certain);
  EXPECT_GT(riffle::test::distances_z(100, 200 * 100, make(100, 2)), certain);
  EXPECT_GT(riffle::test::coarse_positions_z(std::uint64_t{1} << 32, 64, 6400,
                                             make(std::uint64_t{1} << 32, 1)),
            certain);
}

TEST(UniformityChecks, FailOnSeedsThatRepeat) {
  auto const make = [](std::uint64_t seed) { return riffle::RandomPermutation(21, seed / 2); };
  EXPECT_GT(riffle::test::agreements_z(21, 1000, make), certain);
}

// The published cipher, with cycle walking if n is not a power of two.
struct WalkedVariablePhilox {
  riffle::VariablePhilox<> f;
  std::uint64_t n;

  std::uint64_t size() const { return n; }
  std::uint64_t operator()(std::uint64_t i) const {
    do i = f(i);
    while (i >= n);
    return i;
  }
};

TEST(UniformityChecks, FailOnTheSignOfVariablePhilox) {
  auto const make = [](std::uint64_t n) {
    return [n](std::uint64_t seed) {
      return WalkedVariablePhilox{riffle::VariablePhilox<>(8, seed), n};
    };
  };
  EXPECT_LT(riffle::test::sign_z(4000, make(256)), -certain);
  EXPECT_LT(riffle::test::sign_z(4000, make(250)), -certain);
}

}  // namespace
}  // namespace checks_test
