#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/random/lehmer.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/random/random_permutation.hpp>

#include "support/bijections.hpp"
#include "support/exceptions.hpp"
#include "support/execution_spaces.hpp"
#include "support/image_blocks.hpp"
#include "support/kernels.hpp"
#include "support/permutations.hpp"
#include "support/uniformity_checks.hpp"
#include "support/views.hpp"

namespace random_permutation_test {
namespace {

using riffle::RandomPermutation;
using riffle::test::arrangement;
using riffle::test::iota;
using riffle::test::is_bijection_on;
using riffle::test::points_below;

static_assert(std::is_trivially_copyable_v<RandomPermutation>);
static_assert(RandomPermutation::max_size == std::uint64_t{1} << 63);

constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

std::vector<std::uint64_t> small_sizes() {
  auto sizes = iota<std::uint64_t>(40);
  for (auto const n : riffle::test::sizes_around_powers(6, 12)) sizes.push_back(n);
  sizes.insert(sizes.end(), {97, 101, 997, 1000, 10007, 65536, 65537});
  return sizes;
}

std::vector<std::uint64_t> large_sizes() {
  auto sizes = riffle::test::sizes_around_powers(17, 62);
  sizes.insert(sizes.end(), {1000003, two_to_32 - 5, two_to_32 + 15,
                             RandomPermutation::max_size - 1, RandomPermutation::max_size});
  return sizes;
}

// Independent permutations of n points: by consecutive seeds, or by consecutive streams of one seed.
auto by_seed(std::uint64_t n) {
  return [n](std::uint64_t sample) { return RandomPermutation(n, sample); };
}
auto by_stream(std::uint64_t n) {
  return [n](std::uint64_t sample) { return RandomPermutation(n, 2718281828u, sample); };
}

TEST(RandomPermutation, IsABijectionOfEverySmallSize) {
  for (auto const n : small_sizes()) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      RandomPermutation const sigma(n, seed, 10 * seed);
      ASSERT_EQ(sigma.size(), n);
      ASSERT_TRUE(is_bijection_on(iota<std::uint64_t>(n), sigma)) << n << " points, " << seed;
    }
  }
}

TEST(RandomPermutation, IsInvertibleAtLargeSizes) {
  for (auto const n : large_sizes()) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      RandomPermutation const sigma(n, seed, 10 * seed);
      ASSERT_EQ(sigma.size(), n);
      ASSERT_TRUE(is_bijection_on(points_below(n, 300), sigma)) << n << " points, " << seed;
    }
  }
}

TEST(RandomPermutation, IdentityKeepsAllPoints) {
  auto sizes = large_sizes();
  for (auto const n : small_sizes()) sizes.push_back(n);
  for (auto const n : sizes) {
    auto const identity = RandomPermutation::identity(n);
    ASSERT_EQ(identity.size(), n);
    for (auto const i : points_below(n, 100)) {
      ASSERT_EQ(identity(i), i);
      ASSERT_EQ(identity.inverse(i), i);
    }
  }
}

TEST(RandomPermutation, FromRankFollowsLexicographicOrder) {
  for (std::uint64_t n = 0; n <= 6; ++n) {
    auto expected = iota<std::uint64_t>(n);
    std::uint64_t rank = 0;
    do {
      auto const sigma = RandomPermutation::from_rank(n, rank);
      ASSERT_EQ(sigma.size(), n);
      ASSERT_EQ(arrangement(sigma), expected) << "rank " << rank;
      ASSERT_TRUE(is_bijection_on(iota<std::uint64_t>(n), sigma)) << "rank " << rank;
      ++rank;
    } while (std::next_permutation(expected.begin(), expected.end()));
  }
}

TEST(RandomPermutation, FromRankReachesTheLastRankOfTwenty) {
  auto expected = iota<std::uint64_t>(20);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(arrangement(RandomPermutation::from_rank(20, riffle::factorial(20) - 1)), expected);
}

TEST(RandomPermutation, HasAUniformRankUpToTwentyPoints) {
  for (std::uint64_t n = 0; n <= 20; ++n) {
    auto const rank = riffle::uniform_below(riffle::factorial(static_cast<int>(n)), 6, n);
    EXPECT_EQ(riffle::test::rank_of(arrangement(RandomPermutation(n, 6, n))), rank);
  }
}

TEST(RandomPermutation, IsTheMixedRadixNetworkBeyond) {
  for (std::uint64_t const n : {std::uint64_t{21}, std::uint64_t{1000}, two_to_32 + 1}) {
    RandomPermutation const sigma(n, 6, 7);
    riffle::MixedRadixFeistel const network(n, 6, 7);
    for (auto const i : points_below(n, 1000)) ASSERT_EQ(sigma(i), network(i));
  }
}

TEST(RandomPermutation, DependsOnSeedAndStream) {
  for (std::uint64_t const n : {20, 21}) {
    auto const images = [n](std::uint64_t seed, std::uint64_t stream) {
      return arrangement(RandomPermutation(n, seed, stream));
    };
    EXPECT_EQ(images(1, 2), images(1, 2));
    EXPECT_EQ(images(1, 0), arrangement(RandomPermutation(n, 1)));
    EXPECT_NE(images(1, 2), images(2, 2));
    EXPECT_NE(images(1, 2), images(1, 3));
    EXPECT_NE(images(1, 2), images(2, 1));
    EXPECT_NE(images(1, 2), images(1 + two_to_32, 2));
    EXPECT_NE(images(1, 2), images(1, 2 + two_to_32));
  }
}

TEST(RandomPermutation, RejectsBadSizesAndRanks) {
  using riffle::test::expect_invalid_argument;
  auto const too_many = RandomPermutation::max_size + 1;
  expect_invalid_argument([=] { RandomPermutation(too_many, 0); }, "RandomPermutation",
                          "n = 9223372036854775809");
  expect_invalid_argument([=] { RandomPermutation::identity(too_many); },
                          "RandomPermutation::identity", "n = 9223372036854775809");
  expect_invalid_argument([] { RandomPermutation::from_rank(21, 0); },
                          "RandomPermutation::from_rank", "n = 21");
  expect_invalid_argument([] { RandomPermutation::from_rank(0, 1); },
                          "RandomPermutation::from_rank", "rank = 1");
  expect_invalid_argument([] { RandomPermutation::from_rank(3, 6); },
                          "RandomPermutation::from_rank", "rank = 6");
}

TEST(RandomPermutation, IsOddHalfOfTheTime) {
  for (std::uint64_t const n : {2, 3, 4, 8, 16, 20, 21, 32, 100, 128, 256}) {
    EXPECT_LT(std::abs(riffle::test::sign_z(4000, by_stream(n))), 4.5) << "n = " << n;
  }
}

TEST(RandomPermutation, ReachesAllArrangementsEquallyOften) {
  for (std::uint64_t n = 2; n <= 6; ++n) {
    std::uint64_t const samples = n < 6 ? 6000 : 18000;
    EXPECT_LT(std::abs(riffle::test::arrangements_z(n, samples, by_seed(n))), 4.5) << "n = " << n;
    EXPECT_LT(std::abs(riffle::test::arrangements_z(n, samples, by_stream(n))), 4.5) << "n = " << n;
  }
}

TEST(RandomPermutation, SendsEveryPointEverywhereEquallyOften) {
  for (std::uint64_t const n : {3, 20, 21, 33, 100}) {
    std::uint64_t const samples = 60 * n;
    EXPECT_LT(std::abs(riffle::test::positions_z(n, samples, by_seed(n))), 5) << "n = " << n;
    EXPECT_LT(std::abs(riffle::test::positions_z(n, samples, by_stream(n))), 5) << "n = " << n;
  }
}

TEST(RandomPermutation, SeparatesNeighboursByEveryDistanceEquallyOften) {
  for (std::uint64_t const n : {3, 20, 21, 33, 64, 100}) {
    std::uint64_t const samples = 200 * n;
    EXPECT_LT(std::abs(riffle::test::distances_z(n, samples, by_seed(n))), 5) << "n = " << n;
    EXPECT_LT(std::abs(riffle::test::distances_z(n, samples, by_stream(n))), 5) << "n = " << n;
  }
}

TEST(RandomPermutation, ConsecutiveSeedsAndStreamsAgreeNoMoreThanByChance) {
  for (std::uint64_t const n : {2, 20, 21, 100, 257}) {
    EXPECT_LT(std::abs(riffle::test::agreements_z(n, 1000, by_seed(n))), 5) << "n = " << n;
    EXPECT_LT(std::abs(riffle::test::agreements_z(n, 1000, by_stream(n))), 5) << "n = " << n;
  }
}

TEST(RandomPermutation, HasItsImagesInBlocks) {
  for (std::uint64_t const n :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{5}, std::uint64_t{20},
        std::uint64_t{21}, std::uint64_t{100}, std::uint64_t{256}, std::uint64_t{257},
        std::uint64_t{4096}, std::uint64_t{4097}, std::uint64_t{1} << 16,
        (std::uint64_t{1} << 20) + 7, (std::uint64_t{1} << 31) + 11, two_to_32 - 1, two_to_32,
        two_to_32 + 1, std::uint64_t{1} << 50})
    riffle::test::expect_blocks(RandomPermutation(n, 4, 5));
  riffle::test::expect_blocks(RandomPermutation::identity(1000));
}

template <class Exec>
class RandomPermutationInKernels : public ::testing::Test {};
TYPED_TEST_SUITE(RandomPermutationInKernels, riffle::test::ExecutionSpaces,
                 riffle::test::SpaceNames);

TYPED_TEST(RandomPermutationInKernels, MatchesTheHost) {
  for (std::uint64_t const n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{5},
        std::uint64_t{20}, std::uint64_t{21}, std::uint64_t{1000}, two_to_32 - 1, two_to_32,
        two_to_32 + 1, RandomPermutation::max_size}) {
    riffle::test::expect_same_in_kernel<TypeParam>(RandomPermutation(n, 2, 3),
                                                   points_below(n, 1000));
    riffle::test::expect_same_in_kernel<TypeParam>(RandomPermutation::identity(n),
                                                   points_below(n, 100));
  }
  riffle::test::expect_same_in_kernel<TypeParam>(RandomPermutation::from_rank(20, 1234567890123),
                                                 iota<std::uint64_t>(20));
}

TYPED_TEST(RandomPermutationInKernels, IsConstructedThereAsOnTheHost) {
  auto sizes = large_sizes();
  for (std::uint64_t n = 0; n < 70; ++n) sizes.push_back(n);
  riffle::test::expect_same_constructed_in_kernel<TypeParam, RandomPermutation, std::uint64_t>(
      sizes);
}

TYPED_TEST(RandomPermutationInKernels, IsItsSpecializedForm) {
  for (std::uint64_t const n :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{5}, std::uint64_t{20},
        std::uint64_t{21}, std::uint64_t{100}, std::uint64_t{256}, std::uint64_t{257},
        std::uint64_t{4096}, std::uint64_t{4097}, std::uint64_t{1} << 16,
        (std::uint64_t{1} << 20) + 7, (std::uint64_t{1} << 31) + 11, two_to_32 - 1, two_to_32,
        two_to_32 + 1, std::uint64_t{1} << 50})
    riffle::test::expect_same_forms<TypeParam>(RandomPermutation(n, 4, 5), points_below(n, 300));
}

struct AddVisit {
  std::uint64_t& digest;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t image) const {
    digest = 0x9E3779B97F4A7C15u * (digest + 3 * i + image + 1);
  }
};

/// The visits to the last `count` points, or to `count` points that begin after a third of the others, in order.
struct VisitPoints {
  RandomPermutation sigma;
  bool to_the_last;

  KOKKOS_FUNCTION std::uint64_t first(std::uint64_t count) const {
    std::uint64_t const before = sigma.size() - count;
    return to_the_last ? before : before / 3;
  }

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t count) const {
    std::uint64_t digest = 0;
    sigma.for_each_image(first(count), count, AddVisit{digest});
    return digest;
  }
};

/// The same visits, with images that are evaluated one by one on the host.
std::uint64_t visited_one_by_one(VisitPoints const& visits, std::uint64_t count) {
  std::uint64_t digest = 0;
  std::uint64_t const first = visits.first(count);
  for (std::uint64_t i = first; i < first + count; ++i) AddVisit{digest}(i, visits.sigma(i));
  return digest;
}

TYPED_TEST(RandomPermutationInKernels, VisitsItsImagesInOrder) {
  for (std::uint64_t const n :
       {std::uint64_t{0},    std::uint64_t{1},    std::uint64_t{2},    std::uint64_t{3},
        std::uint64_t{20},   std::uint64_t{21},   std::uint64_t{27},   std::uint64_t{32},
        std::uint64_t{33},   std::uint64_t{40},   std::uint64_t{50},   std::uint64_t{63},
        std::uint64_t{64},   std::uint64_t{65},   std::uint64_t{257},  std::uint64_t{400},
        std::uint64_t{1089}, std::uint64_t{4000}, std::uint64_t{4097}, (std::uint64_t{1} << 16) + 1,
        two_to_32 + 1}) {
    std::vector<std::uint64_t> counts;
    for (std::uint64_t const count :
         {0, 1, 3, 4, 5, 8, 17, 20, 25, 33, 40, 50, 64, 257, 1088, 1089, 1500, 3000}) {
      if (count <= n) counts.push_back(count);
    }
    for (bool const to_the_last : {false, true}) {
      VisitPoints const visits{RandomPermutation(n, 8, 9), to_the_last};
      auto const digests = riffle::test::map_in_kernel<TypeParam>(visits, counts);
      for (std::size_t k = 0; k < counts.size(); ++k) {
        EXPECT_EQ(digests[k], visited_one_by_one(visits, counts[k]))
            << counts[k] << " of n = " << n << (to_the_last ? ", the last" : "");
      }
    }
  }
}

TYPED_TEST(RandomPermutationInKernels, HasItsGoldenValues) {
  std::vector<std::pair<std::uint64_t, riffle::test::Golden>> const table{
      {5, {{1, 2, 4, 0, 3}, 5, 0x3AA8AFBF67E7F107u, 0xFA071403A757C253u}},
      {20, {{5, 15, 0, 2, 6, 17, 14, 18}, 20, 0xA40D1BFED61C2F1Du, 0xCACF54349CF2CEC5u}},
      {21, {{10, 2, 16, 14, 6, 5, 0, 20}, 21, 0x0146F5925DB741E9u, 0x491DF4B3A3DBDD51u}},
      {100, {{45, 37, 33, 96, 3, 42, 43, 75}, 100, 0x72A8331357526287u, 0x01A3F930BF724137u}},
      {1000,
       {{308, 577, 7, 618, 997, 550, 330, 165}, 1000, 0xEE10E1A81B791251u, 0xF8A9702E18498BADu}},
      {65537,
       {{3023, 557, 24058, 23563, 17893, 14572, 59223, 65015},
        65537,
        0x2C3500F83B855A83u,
        0x79A6EDDCAD5BEE4Fu}},
      {4294967295u,
       {{1714254047, 147166224, 3282453819u, 383749300, 3217691493u, 397773307, 3756064756u,
         1533607743},
        1000,
        0xE9DD1DAA41CC20BDu,
        0xBDAB399061FE800Du}},
      {4294967296u,
       {{1714254047, 147166224, 3282453819u, 383749300, 3217691493u, 397773307, 3756064756u,
         1533607743},
        1000,
        0xE9DD1DAA41CC20BDu,
        0xBDAB399061FE800Du}},
      {4294967301u,
       {{1852236107, 3584915174u, 2114949796, 2988494065u, 2238945978u, 1275104556, 341760357,
         3033608955u},
        1000,
        0xC133A6870FBA5003u,
        0xDC41A7DACF19A062u}},
      {9223372036854775808u,
       {{3794712118197728669u, 835933960234729209u, 6269737350687192117u, 3887210202126355008u,
         4983589840414771839u, 517377560719161411u, 7963087161335584168u, 9096489619802438463u},
        1000,
        0x225E222C0F017B12u,
        0xAEDFC7EDCDAE1101u}},
  };
  for (auto const& [n, golden] : table) {
    SCOPED_TRACE(n);
    riffle::test::expect_golden<TypeParam>(RandomPermutation(n, 0x243F6A8885A308D3u, 7), golden);
  }
}

TYPED_TEST(RandomPermutationInKernels, HasItsGoldenValuesOfSeedZero) {
  std::vector<std::pair<std::uint64_t, riffle::test::Golden>> const table{
      {3, {{1, 2, 0}, 3, 0xD0AA6318672CF75Eu, 0xEAA0071875DF2B5Au}},
      {8, {{4, 5, 6, 3, 7, 0, 2, 1}, 8, 0x7C16F17943035B1Bu, 0xCF55DB91D49234D7u}},
      {64, {{55, 39, 8, 51, 28, 24, 17, 0}, 64, 0x9F4D37569A6BFF17u, 0x44CB14494A78C7F7u}},
  };
  for (auto const& [n, golden] : table) {
    SCOPED_TRACE(n);
    riffle::test::expect_golden<TypeParam>(RandomPermutation(n, 0), golden);
  }
}

}  // namespace
}  // namespace random_permutation_test
