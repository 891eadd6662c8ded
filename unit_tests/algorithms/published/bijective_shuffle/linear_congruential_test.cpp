#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/published/bijective_shuffle/linear_congruential.hpp>
#include <riffle/random/philox.hpp>

#include "support/bijections.hpp"
#include "support/exceptions.hpp"
#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace linear_congruential_test {
namespace {

using riffle::LinearCongruential;
using riffle::test::iota;
using riffle::test::is_bijection_on;
using riffle::test::points_below;

static_assert(std::is_trivially_copyable_v<LinearCongruential>);

TEST(LinearCongruential, IsABijectionOfEverySmallSize) {
  for (int bits = 0; bits <= 16; ++bits) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      LinearCongruential const f(bits, seed, 100 * seed);
      ASSERT_EQ(f.size(), std::uint64_t{1} << bits);
      ASSERT_TRUE(is_bijection_on(iota<std::uint64_t>(f.size()), f)) << bits << " bits, " << seed;
    }
  }
}

TEST(LinearCongruential, IsInvertibleAtEveryLargeSize) {
  for (int bits = 17; bits <= 63; ++bits) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      LinearCongruential const f(bits, seed);
      ASSERT_EQ(f.size(), std::uint64_t{1} << bits);
      ASSERT_TRUE(is_bijection_on(points_below(f.size(), 500), f)) << bits << " bits, " << seed;
    }
  }
}

TEST(LinearCongruential, IsTheFormulaOfThePaper) {
  for (int bits = 0; bits <= 20; ++bits) {
    std::uint64_t const n = std::uint64_t{1} << bits;
    std::uint64_t const a = 1664525, c = 1013904223;
    auto const f = LinearCongruential::with_parameters(bits, a, c);
    for (auto const x : points_below(n, 300)) ASSERT_EQ(f(x), (a * x + c) % n) << bits << " bits";
  }
}

TEST(LinearCongruential, TakesItsParametersModuloTheSize) {
  auto const f = LinearCongruential::with_parameters(4, 16 * 1000 + 5, 16 * 77 + 3);
  auto const g = LinearCongruential::with_parameters(4, 5, 3);
  for (std::uint64_t x = 0; x < 16; ++x) {
    EXPECT_EQ(f(x), g(x));
    EXPECT_EQ(f.inverse(x), g.inverse(x));
  }
}

TEST(LinearCongruential, DrawsItsParametersFromPhilox) {
  for (std::uint64_t stream = 0; stream < 20; ++stream) {
    auto const words = riffle::detail::random_block(5, stream, riffle::detail::Purpose::keys, 0);
    std::uint64_t const a = words[1] * 0x100000000u + words[0];
    std::uint64_t const c = words[3] * 0x100000000u + words[2];
    LinearCongruential const f(63, 5, stream);
    auto const g = LinearCongruential::with_parameters(63, a % 2 == 1 ? a : a + 1, c);
    for (std::uint64_t x : {0, 1, 2, 1000}) EXPECT_EQ(f(x), g(x));
  }
}

TEST(LinearCongruential, RejectsBadParameters) {
  using riffle::test::expect_invalid_argument;
  for (auto const& [bits, argument] : {std::pair{-1, "bits = -1"}, std::pair{64, "bits = 64"}}) {
    auto const size = bits;
    expect_invalid_argument([=] { LinearCongruential(size, 0); }, "LinearCongruential", argument);
    expect_invalid_argument([=] { LinearCongruential::with_parameters(size, 1, 0); },
                            "LinearCongruential::with_parameters", argument);
  }
  expect_invalid_argument([] { LinearCongruential::with_parameters(8, 0, 1); },
                          "LinearCongruential::with_parameters", "a = 0");
  expect_invalid_argument([] { LinearCongruential::with_parameters(8, 6, 1); },
                          "LinearCongruential::with_parameters", "a = 6");
}

template <class Exec>
class LinearCongruentialInKernels : public ::testing::Test {};
TYPED_TEST_SUITE(LinearCongruentialInKernels, riffle::test::ExecutionSpaces,
                 riffle::test::SpaceNames);

TYPED_TEST(LinearCongruentialInKernels, MatchesTheHost) {
  for (int bits : {0, 1, 2, 7, 16, 31, 32, 33, 63}) {
    LinearCongruential const f(bits, 2, 3);
    riffle::test::expect_same_in_kernel<TypeParam>(f, points_below(f.size(), 300));
  }
}

TYPED_TEST(LinearCongruentialInKernels, IsConstructedThereAsOnTheHost) {
  riffle::test::expect_same_constructed_in_kernel<TypeParam, LinearCongruential, int>(
      iota<std::uint64_t>(64));
}

TYPED_TEST(LinearCongruentialInKernels, HasItsGoldenValues) {
  std::vector<std::pair<int, riffle::test::Golden>> const table{
      {3, {{1, 0, 7, 6, 5, 4, 3, 2}, 8, 0xFC1AE3CB83B1A075u, 0xFC1AE3CB83B1A075u}},
      {9, {{9, 456, 391, 326, 261, 196, 131, 66}, 512, 0x08AD69404DA09325u, 0xDCB3A405DF2F7325u}},
      {16,
       {{17929, 44488, 5511, 32070, 58629, 19652, 46211, 7234},
        65536,
        0x00B36786B6AC2325u,
        0x5912B722F75E2325u}},
      {33,
       {{420365833, 5663993288u, 2317686151u, 7561313606u, 4215006469u, 868699332, 6112326787u,
         2766019650u},
        1000,
        0xC2290D87CA45C155u,
        0xF4394FAAA788FD55u}},
      {63,
       {{8371552814136968713u, 7894856246033493448u, 7418159677930018183u, 6941463109826542918u,
         6464766541723067653u, 5988069973619592388u, 5511373405516117123u, 5034676837412641858u},
        1000,
        0xF5AB4379CA45C155u,
        0x8A983F8CA788FD55u}},
  };
  for (auto const& [bits, golden] : table) {
    SCOPED_TRACE(bits);
    riffle::test::expect_golden<TypeParam>(LinearCongruential(bits, 0x243F6A8885A308D3u, 7),
                                           golden);
  }
}

}  // namespace
}  // namespace linear_congruential_test
