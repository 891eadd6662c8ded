#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/random/philox.hpp>

#include "support/bijections.hpp"
#include "support/exceptions.hpp"
#include "support/execution_spaces.hpp"
#include "support/image_blocks.hpp"
#include "support/uniformity_checks.hpp"
#include "support/views.hpp"

namespace mixed_radix_feistel_test {
namespace {

using riffle::MixedRadixFeistel;
using riffle::test::iota;
using riffle::test::is_bijection_on;
using riffle::test::points_below;

static_assert(std::is_trivially_copyable_v<MixedRadixFeistel>);

constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

std::vector<std::uint64_t> small_sizes() {
  auto sizes = riffle::test::sizes_around_powers(2, 12);
  sizes.insert(sizes.end(),
               {1, 2, 6, 10, 20, 21, 97, 100, 101, 997, 1000, 10007, 65535, 65536, 65537});
  return sizes;
}

std::vector<std::uint64_t> large_sizes() {
  auto sizes = riffle::test::sizes_around_powers(17, 62);
  sizes.insert(sizes.end(), {1000003, two_to_32 - 5, two_to_32 + 15, 6700417u * 641u,
                             MixedRadixFeistel::max_size - 1, MixedRadixFeistel::max_size});
  return sizes;
}

// The network as its header defines it, by quotients and remainders instead of shifts, masks and
// conditional subtractions.
class ReferenceNetwork {
 public:
  ReferenceNetwork(std::uint64_t n, std::uint64_t seed, std::uint64_t stream, int rounds)
      : n_(n), keys_(static_cast<std::size_t>(rounds)) {
    b_ = std::uint64_t{1} << std::bit_width(n - 1) / 2;
    a_ = n / b_ + (n % b_ == 0 ? 0 : 1);
    auto* const keys = keys_.data();
    riffle::detail::random_keys(seed, stream, rounds, keys);
  }

  std::uint64_t operator()(std::uint64_t x) const {
    x = once(x);
    while (x >= n_) x = once(x);
    return x;
  }

 private:
  std::uint64_t once(std::uint64_t x) const {
    std::uint64_t high = x / b_, low = x % b_;
    for (std::size_t round = 0; round < keys_.size(); ++round) {
      if (round % 2 == 0)
        low = (low + scaled_hash(high, keys_[round], b_)) % b_;
      else
        high = (high + scaled_hash(low, keys_[round], a_)) % a_;
    }
    return high * b_ + low;
  }

  std::uint64_t scaled_hash(std::uint64_t half, std::uint64_t key, std::uint64_t bound) const {
    if (n_ <= two_to_32) {
      std::uint64_t h = (half ^ key) * 0x7FEB352Du % two_to_32;
      h = (h ^ h / (1 << 15)) * 0x846CA68Bu % two_to_32;
      return h * bound / two_to_32;
    }
    std::uint64_t h = (half ^ key * 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h / (std::uint64_t{1} << 31)) * 0x94D049BB133111EBu;
    // floor(h bound / 2^64) for bounds up to 2^32, in two steps
    return (h / two_to_32 * bound + h % two_to_32 * bound / two_to_32) / two_to_32;
  }

  std::uint64_t n_;
  std::uint64_t a_;
  std::uint64_t b_;
  std::vector<std::uint32_t> keys_;
};

TEST(MixedRadixFeistel, IsABijectionOfEverySmallSize) {
  for (auto const n : small_sizes()) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      MixedRadixFeistel const f(n, seed, 10 * seed);
      ASSERT_EQ(f.size(), n);
      ASSERT_TRUE(is_bijection_on(iota<std::uint64_t>(n), f)) << "n = " << n << ", seed " << seed;
    }
  }
}

TEST(MixedRadixFeistel, IsABijectionOfEverySizeUpTo300) {
  for (std::uint64_t n = 1; n <= 300; ++n)
    ASSERT_TRUE(is_bijection_on(iota<std::uint64_t>(n), MixedRadixFeistel(n, n))) << "n = " << n;
}

TEST(MixedRadixFeistel, IsABijectionWithAnyNumberOfRounds) {
  for (int rounds = 0; rounds <= MixedRadixFeistel::max_rounds; ++rounds) {
    for (std::uint64_t n : {1, 2, 3, 5, 63, 64, 65, 1000}) {
      MixedRadixFeistel const f(n, 5, 6, rounds);
      ASSERT_TRUE(is_bijection_on(iota<std::uint64_t>(n), f)) << n << ", " << rounds << " rounds";
    }
  }
}

TEST(MixedRadixFeistel, IsInvertibleAtLargeSizes) {
  for (auto const n : large_sizes()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      MixedRadixFeistel const f(n, seed, 10 * seed);
      ASSERT_EQ(f.size(), n);
      ASSERT_TRUE(is_bijection_on(points_below(n, 400), f)) << "n = " << n << ", seed " << seed;
    }
  }
}

void expect_reference_network(std::uint64_t n, int rounds) {
  MixedRadixFeistel const f(n, n / 3, 4, rounds);
  ReferenceNetwork const reference(n, n / 3, 4, rounds);
  for (auto const x : points_below(n, 100))
    ASSERT_EQ(f(x), reference(x)) << "n = " << n << ", " << rounds << " rounds";
}

// One round moves a point within its row only. In a large range the walk that leaves the points
// beyond n could then take a step for each point of the row, so large ranges have at least 3
// rounds.
TEST(MixedRadixFeistel, IsTheNetworkInQuotientsAndRemainders) {
  for (auto const n : small_sizes()) {
    for (int rounds : {1, 2, 5, 24}) expect_reference_network(n, rounds);
  }
  for (auto const n : large_sizes()) {
    for (int rounds : {3, 4, 12, 32}) expect_reference_network(n, rounds);
  }
}

TEST(MixedRadixFeistel, MayHaveNoPoints) { EXPECT_EQ(MixedRadixFeistel(0, 1, 2).size(), 0u); }

TEST(MixedRadixFeistel, IsTheIdentityWithoutRounds) {
  for (std::uint64_t const n :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000}, two_to_32 - 1, two_to_32,
        two_to_32 + 1, MixedRadixFeistel::max_size}) {
    MixedRadixFeistel const identity(n, 12345, 6, 0);
    for (auto const x : points_below(n, 500)) {
      ASSERT_EQ(identity(x), x);
      ASSERT_EQ(identity.inverse(x), x);
    }
  }
}

TEST(MixedRadixFeistel, HasTheDefaultRounds) {
  for (std::uint64_t const n : {std::uint64_t{2}, std::uint64_t{256}, std::uint64_t{257},
                                std::uint64_t{4096}, std::uint64_t{4097}, two_to_32 + 1}) {
    MixedRadixFeistel const f(n, 3, 4);
    MixedRadixFeistel const g(n, 3, 4, MixedRadixFeistel::default_rounds(n));
    for (auto const x : points_below(n, 50)) EXPECT_EQ(f(x), g(x));
  }
}

TEST(MixedRadixFeistel, DependsOnSeedStreamAndRounds) {
  auto const images = [](std::uint64_t seed, std::uint64_t stream, int rounds) {
    return riffle::test::arrangement(MixedRadixFeistel(100, seed, stream, rounds));
  };
  EXPECT_EQ(images(1, 2, 12), images(1, 2, 12));
  EXPECT_NE(images(1, 2, 12), images(2, 2, 12));
  EXPECT_NE(images(1, 2, 12), images(1, 3, 12));
  EXPECT_NE(images(1, 2, 12), images(2, 1, 12));
  EXPECT_NE(images(1, 2, 12), images(1, 2, 13));
  EXPECT_NE(images(1, 2, 12), images(1 + two_to_32, 2, 12));
  EXPECT_NE(images(1, 2, 12), images(1, 2 + two_to_32, 12));
}

TEST(MixedRadixFeistel, RejectsBadSizesAndRounds) {
  using riffle::test::expect_invalid_argument;
  expect_invalid_argument([] { MixedRadixFeistel(MixedRadixFeistel::max_size + 1, 0); },
                          "MixedRadixFeistel", "n = 9223372036854775809");
  expect_invalid_argument([] { MixedRadixFeistel(~std::uint64_t{0}, 0, 0, 4); },
                          "MixedRadixFeistel", "n = 18446744073709551615");
  // Read at run time: if g++ knows the numbers, it warns about accesses beyond the end of the keys.
  int volatile const wrong[2] = {-1, 33};
  expect_invalid_argument([&] { MixedRadixFeistel(5, 0, 0, wrong[0]); }, "MixedRadixFeistel",
                          "rounds = -1");
  expect_invalid_argument([&] { MixedRadixFeistel(5, 0, 0, wrong[1]); }, "MixedRadixFeistel",
                          "rounds = 33");
}

TEST(MixedRadixFeistel, IsOddHalfOfTheTime) {
  for (std::uint64_t const n : {2, 3, 4, 8, 16, 20, 21, 32, 64, 100, 128, 256}) {
    double const z =
        riffle::test::sign_z(4000, [n](std::uint64_t seed) { return MixedRadixFeistel(n, seed); });
    EXPECT_LT(std::abs(z), 4.5) << "n = " << n;
  }
}

// RandomPermutation uses LehmerPermutation for 5 points, so this tests the network directly.
TEST(MixedRadixFeistel, ReachesAllArrangementsOfFivePointsEquallyOften) {
  auto const make = [](std::uint64_t seed) { return MixedRadixFeistel(5, seed, 0, 24); };
  EXPECT_LT(std::abs(riffle::test::arrangements_z(5, 60000, make)), 4.5);
}

// In ranges that are too large to count every position, the upper and the lower bits of positions
// are counted.
TEST(MixedRadixFeistel, SendsAPointToEveryPartOfALargeRange) {
  for (std::uint64_t const n : {std::uint64_t{1} << 20, (std::uint64_t{1} << 20) + 7, two_to_32,
                                two_to_32 + 1, MixedRadixFeistel::max_size}) {
    std::vector<std::uint64_t> lowest_bits(64);
    auto const make = [&](std::uint64_t seed) {
      MixedRadixFeistel const f(n, 77, seed);
      ++lowest_bits[f(1) % 64];
      return f;
    };
    EXPECT_LT(std::abs(riffle::test::coarse_positions_z(n, 64, 6400, make)), 4.5) << "n = " << n;
    EXPECT_LT(std::abs(riffle::test::cells_z(lowest_bits)), 4.5) << "n = " << n;
  }
}

TEST(MixedRadixFeistel, HasItsImagesInBlocks) {
  for (std::uint64_t const n :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{5}, std::uint64_t{20},
        std::uint64_t{21}, std::uint64_t{100}, std::uint64_t{256}, std::uint64_t{257},
        std::uint64_t{4096}, std::uint64_t{4097}, std::uint64_t{1} << 16,
        (std::uint64_t{1} << 20) + 7, (std::uint64_t{1} << 31) + 11, two_to_32 - 1, two_to_32,
        two_to_32 + 1, std::uint64_t{1} << 50})
    riffle::test::expect_blocks(MixedRadixFeistel(n, 4, 5));
  for (int rounds : {0, 2, 5, 32})
    riffle::test::expect_blocks(MixedRadixFeistel(1000, 4, 5, rounds));
}

template <class Exec>
class MixedRadixFeistelInKernels : public ::testing::Test {};
TYPED_TEST_SUITE(MixedRadixFeistelInKernels, riffle::test::ExecutionSpaces,
                 riffle::test::SpaceNames);

TYPED_TEST(MixedRadixFeistelInKernels, MatchesTheHost) {
  for (std::uint64_t const n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{5},
        std::uint64_t{1000}, two_to_32 - 1, two_to_32, two_to_32 + 1, two_to_32 * 1000 + 3,
        MixedRadixFeistel::max_size}) {
    riffle::test::expect_same_in_kernel<TypeParam>(MixedRadixFeistel(n, 2, 3),
                                                   points_below(n, 1000));
  }
}

TYPED_TEST(MixedRadixFeistelInKernels, IsConstructedThereAsOnTheHost) {
  auto sizes = large_sizes();
  for (std::uint64_t n = 0; n < 70; ++n) sizes.push_back(n);
  riffle::test::expect_same_constructed_in_kernel<TypeParam, MixedRadixFeistel, std::uint64_t>(
      sizes);
}

TYPED_TEST(MixedRadixFeistelInKernels, IsItsSpecializedForm) {
  for (std::uint64_t const n :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{5}, std::uint64_t{20},
        std::uint64_t{21}, std::uint64_t{100}, std::uint64_t{256}, std::uint64_t{257},
        std::uint64_t{4096}, std::uint64_t{4097}, std::uint64_t{1} << 16,
        (std::uint64_t{1} << 20) + 7, (std::uint64_t{1} << 31) + 11, two_to_32 - 1, two_to_32,
        two_to_32 + 1, std::uint64_t{1} << 50})
    riffle::test::expect_same_forms<TypeParam>(MixedRadixFeistel(n, 4, 5), points_below(n, 300));
  for (int rounds : {0, 2, 5, 32})
    riffle::test::expect_same_forms<TypeParam>(MixedRadixFeistel(1000, 4, 5, rounds),
                                               points_below(1000, 1000));
}

TYPED_TEST(MixedRadixFeistelInKernels, HasItsGoldenValues) {
  std::uint64_t const seed = 0x243F6A8885A308D3u, stream = 7;
  std::vector<std::pair<std::uint64_t, riffle::test::Golden>> const table{
      {5, {{4, 2, 1, 0, 3}, 5, 0x6961EF1E7E9AC643u, 0xBA2CEDF2FB0365DFu}},
      {20, {{15, 17, 16, 2, 14, 11, 8, 13}, 20, 0xF0B79C6D1CEA015Bu, 0x10D588F8F863A7F7u}},
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
    riffle::test::expect_golden<TypeParam>(MixedRadixFeistel(n, seed, stream), golden);
  }
  riffle::test::expect_golden<TypeParam>(
      MixedRadixFeistel(1000, seed, stream, 3),
      {{440, 500, 914, 698, 247, 917, 635, 563}, 1000, 0xFF2DBD4E423A9109u, 0xE4B5DC4D6F9C16C1u});
}

}  // namespace
}  // namespace mixed_radix_feistel_test
