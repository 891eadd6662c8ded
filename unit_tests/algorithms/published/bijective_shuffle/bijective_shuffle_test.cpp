#include <Kokkos_Core.hpp>
#include <riffle/published/bijective_shuffle/bijective_shuffle.hpp>
#include <riffle/published/bijective_shuffle/linear_congruential.hpp>
#include <riffle/published/bijective_shuffle/variable_philox.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/chi_square.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/views.hpp"

namespace riffle::test::bijective_shuffle_test {
namespace {

using Images = std::vector<std::uint64_t>;

/// A user-defined bijection: reverses the bits, then shifts.
class BitReversal {
 public:
  BitReversal(int bits, std::uint64_t seed) : bits_(bits), seed_(seed) {}

  KOKKOS_FUNCTION std::uint64_t size() const { return std::uint64_t{1} << bits_; }

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t x) const {
    std::uint64_t reversed = 0;
    for (int i = 0; i < bits_; ++i) reversed |= (x >> i & 1) << (bits_ - 1 - i);
    return (reversed + seed_) % size();
  }

 private:
  int bits_;
  std::uint64_t seed_;
};

/// Algorithm 1 of Mitchell, Stokes, Frank and Holmes (2022) as printed, one point at a time.
template <class Bijection, class T>
std::vector<T> serial_bijective_shuffle(std::vector<T> const& in, std::uint64_t seed) {
  int bits = 0;
  while ((std::size_t{1} << bits) < in.size()) ++bits;
  Bijection const bijection(bits, seed);
  std::vector<T> out;
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) {
    auto const j = bijection(i);
    if (j < in.size()) out.push_back(in[j]);
  }
  return out;
}

template <class Bijection, class Exec, class T>
std::vector<T> shuffled(Exec const& exec, std::vector<T> const& values, std::uint64_t seed) {
  auto const in = to_view<Exec>(values);
  Kokkos::View<T*, typename Exec::memory_space> const out("out", values.size());
  riffle::shuffle_copy(exec, in, out, seed, riffle::Bijective0<Bijection>{});
  return to_vector(out);
}

template <class Exec>
class BijectiveShuffleTest : public ::testing::Test {
 protected:
  template <class Bijection>
  void expect_algorithm_1() {
    for (auto const n : edge_sizes()) {
      for (std::uint64_t const seed : {0, 1, 12345}) {
        auto const values = iota<std::uint64_t>(n);
        auto const actual = shuffled<Bijection>(exec, values, seed);
        EXPECT_EQ(actual, serial_bijective_shuffle<Bijection>(values, seed)) << n << ", " << seed;
        EXPECT_TRUE(is_permutation_of_iota(actual)) << n << ", " << seed;

        EXPECT_EQ(shuffled_by(riffle::Bijective1<Bijection>{}, values, seed), actual)
            << n << ", " << seed << ", Bijective1";
        EXPECT_EQ(shuffled_by(riffle::Bijective2<Bijection>{}, values, seed), actual)
            << n << ", " << seed << ", Bijective2";

        auto const data = to_view<Exec>(values);
        riffle::shuffle(exec, data, seed, riffle::Bijective0<Bijection>{});
        EXPECT_EQ(to_vector(data), actual) << n << ", " << seed << ", in place";
      }
    }
  }

  /// Shuffles with a workspace that all sizes share.
  template <class Algorithm>
  std::vector<std::uint64_t> shuffled_by(Algorithm algorithm,
                                         std::vector<std::uint64_t> const& values,
                                         std::uint64_t seed) {
    auto const in = to_view<Exec>(values);
    Kokkos::View<std::uint64_t*, typename Exec::memory_space> const out("out", values.size());
    riffle::shuffle_copy(Context(exec, workspace), in, out, seed, algorithm);
    return to_vector(out);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(BijectiveShuffleTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(BijectiveShuffleTest, VariablePhiloxFollowsAlgorithm1) {
  this->template expect_algorithm_1<riffle::VariablePhilox<>>();
}
TYPED_TEST(BijectiveShuffleTest, FewerRoundsFollowAlgorithm1) {
  this->template expect_algorithm_1<riffle::VariablePhilox<3>>();
}
TYPED_TEST(BijectiveShuffleTest, LinearCongruentialFollowsAlgorithm1) {
  this->template expect_algorithm_1<riffle::LinearCongruential>();
}
TYPED_TEST(BijectiveShuffleTest, ABijectionOfTheUsersOwnFollowsAlgorithm1) {
  this->template expect_algorithm_1<BitReversal>();
}

TYPED_TEST(BijectiveShuffleTest, DefaultIsVariablePhiloxOf24Rounds) {
  auto const in = to_view<TypeParam>(iota<std::uint64_t>(100));
  auto const out = to_view<TypeParam>(iota<std::uint64_t>(100));
  riffle::shuffle_copy(this->exec, in, out, 5, riffle::Bijective0{});
  EXPECT_EQ(to_vector(out),
            shuffled<riffle::VariablePhilox<24>>(this->exec, iota<std::uint64_t>(100), 5));
}

TYPED_TEST(BijectiveShuffleTest, Rows) {
  std::size_t constexpr n = 77;
  auto const in = make_matrix<TypeParam, int, Kokkos::LayoutLeft>(n, 4);
  auto const out = make_matrix<TypeParam, int, Kokkos::LayoutStride>(n, 4);
  fill(in, iota<int>(4 * n));
  auto const rows = to_rows(in);
  riffle::shuffle_copy(Context(this->exec, "user::rows"), in, out, 9, riffle::Bijective0<>{});
  EXPECT_EQ(to_rows(out), serial_bijective_shuffle<riffle::VariablePhilox<>>(rows, 9));
}

// Several tiles of the scan, several groups of tiles, and both parities of the number of bits.
TYPED_TEST(BijectiveShuffleTest, FormsAgreeOnManyTiles) {
  for (std::size_t const n : {8193, 16384, 40000, 131073, 300000}) {
    auto const values = iota<std::uint64_t>(n);
    auto const expected = serial_bijective_shuffle<riffle::VariablePhilox<>>(values, n);
    EXPECT_TRUE(this->shuffled_by(riffle::Bijective0<>{}, values, n) == expected) << n;
    EXPECT_TRUE(this->shuffled_by(riffle::Bijective1<>{}, values, n) == expected) << n;
    EXPECT_TRUE(this->shuffled_by(riffle::Bijective2<>{}, values, n) == expected) << n;
  }
}

TYPED_TEST(BijectiveShuffleTest, RowsOfBijective1And2) {
  std::size_t constexpr n = 5000;
  auto const in = make_matrix<TypeParam, int, Kokkos::LayoutLeft>(n, 3);
  auto const out = make_matrix<TypeParam, int, Kokkos::LayoutStride>(n, 3);
  fill(in, iota<int>(3 * n));
  auto const expected = serial_bijective_shuffle<riffle::VariablePhilox<>>(to_rows(in), 9);
  riffle::shuffle_copy(Context(this->exec, "user::rows"), in, out, 9, riffle::Bijective1<>{});
  EXPECT_TRUE(to_rows(out) == expected);
  fill(out, iota<int>(3 * n));
  riffle::shuffle_copy(Context(this->exec, "user::rows"), in, out, 9, riffle::Bijective2<>{});
  EXPECT_TRUE(to_rows(out) == expected);
}

// Computed by a model of the paper's ciphers with Python's integers.
TYPED_TEST(BijectiveShuffleTest, GoldenValues) {
  auto const philox = [&](std::size_t n, std::uint64_t seed) {
    return shuffled<riffle::VariablePhilox<>>(this->exec, iota<std::uint64_t>(n), seed);
  };
  EXPECT_EQ(philox(5, 42), (Images{3, 4, 2, 0, 1}));
  EXPECT_EQ(philox(8, 42), (Images{3, 4, 5, 2, 0, 7, 6, 1}));
  EXPECT_EQ(philox(10, 42), (Images{1, 0, 8, 9, 7, 2, 3, 6, 5, 4}));
  EXPECT_EQ(philox(16, 7), (Images{8, 2, 13, 5, 6, 11, 1, 4, 14, 9, 10, 12, 7, 0, 3, 15}));
  EXPECT_EQ(philox(33, 2024),
            (Images{26, 23, 12, 29, 20, 3, 21, 18, 28, 24, 11, 27, 8,  2,  16, 17, 25,
                    10, 9,  13, 22, 0,  7, 15, 19, 4,  31, 5,  6,  32, 30, 1,  14}));
  EXPECT_EQ(checksum(philox(100, 5)), 0x519EE41D744A72AFu);
  EXPECT_EQ(checksum(philox(256, 5)), 0x0F5EEA4B3791FC43u);
  EXPECT_EQ(checksum(philox(257, 5)), 0xCE7C10288E962105u);
  EXPECT_EQ(checksum(philox(1000, 0x123456789ABCDEF0u)), 0x3B1812F51A55F1FBu);
  EXPECT_EQ(checksum(philox(4097, 9)), 0xF30531723E1B2DEFu);
  EXPECT_EQ(checksum(philox(65536, 3)), 0x0544969134B9CAFDu);

  auto const congruential = [&](std::size_t n, std::uint64_t seed) {
    return shuffled<riffle::LinearCongruential>(this->exec, iota<std::uint64_t>(n), seed);
  };
  EXPECT_EQ(congruential(5, 42), (Images{0, 3, 1, 4, 2}));
  EXPECT_EQ(congruential(10, 42), (Images{0, 3, 6, 9, 2, 5, 8, 1, 4, 7}));
  EXPECT_EQ(checksum(congruential(257, 5)), 0x6B9DAB4AD495CE0Bu);
  EXPECT_EQ(checksum(congruential(4097, 9)), 0x4C37E4A2084F4D25u);
}

// The published cipher has this documented defect, which is kept; the default algorithm does not have it (shuffle_test.cpp).
TYPED_TEST(BijectiveShuffleTest, VariablePhiloxIsAlwaysEvenAtPowersOfTwo) {
  for (std::size_t const n : {2, 4, 8, 16, 32, 64, 256, 1024}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      EXPECT_FALSE(is_odd(shuffled<riffle::VariablePhilox<>>(this->exec, iota<int>(n), seed)))
          << n << ", " << seed;
    }
  }
}

TYPED_TEST(BijectiveShuffleTest, CompactionBalancesTheSignElsewhere) {
  for (std::size_t const n : {3, 20, 250, 257}) {
    int odd = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
      odd += is_odd(shuffled<riffle::VariablePhilox<>>(this->exec, iota<int>(n), seed));
    // The expectation is 50, the standard deviation 5.
    EXPECT_GT(odd, 27) << n;
    EXPECT_LT(odd, 73) << n;
  }
}

/// VariablePhilox on at least 16 points, as in the authors' code.
class VariablePhiloxOf4Bits : public riffle::VariablePhilox<> {
 public:
  VariablePhiloxOf4Bits(int bits, std::uint64_t seed)
      : riffle::VariablePhilox<>(bits < 4 ? 4 : bits, seed) {}
};

/// The count of each permutation of five, by rank.
template <class Bijection, class Exec>
std::vector<std::uint64_t> count_permutations_of_five(Exec const& exec, std::size_t trials) {
  using Space = typename Exec::memory_space;
  auto const in = to_view<Exec>(iota<int>(5));
  Kokkos::View<int**, Kokkos::LayoutRight, Space> const out("out", trials, 5);
  for (std::size_t seed = 0; seed < trials; ++seed) {
    riffle::shuffle_copy(exec, in, Kokkos::subview(out, seed, Kokkos::ALL), seed,
                         riffle::Bijective0<Bijection>{});
  }
  std::vector<std::uint64_t> counts(120);
  for (auto const& sigma : to_rows(out)) ++counts[rank_of(sigma)];
  return counts;
}

// A bijection may have more points than the next power of two.
TYPED_TEST(BijectiveShuffleTest, OnSixteenPointsAllPermutationsOfFiveAreEquallyLikely) {
  auto const counts = count_permutations_of_five<VariablePhiloxOf4Bits>(this->exec, 1200);
  EXPECT_LT(chi_square(counts), 185.08);  // scipy.stats.chi2.isf(1e-4, 119)
}

// On at most 8 points the left half is one bit, whose product with the multiplier is linear: all keys share one linear map of
// the bits, and differ by a constant.
TYPED_TEST(BijectiveShuffleTest, OnEightPointsVariablePhiloxReachesEightPermutations) {
  auto const counts = count_permutations_of_five<riffle::VariablePhilox<>>(this->exec, 300);
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0u), 120 - 8);
}

}  // namespace
}  // namespace riffle::test::bijective_shuffle_test
