// Permutations of index bits: their values, and arrays of all small sizes permuted by them.

#include <Kokkos_Core.hpp>
#include <riffle/permute/bit_permutation.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_maps.hpp"
#include "support/kernels.hpp"
#include "support/thrown_message.hpp"
#include "support/tiles_by_teams.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::bit_permutation_test {
namespace {

Images images(BitPermutation const& sigma) {
  Images result;
  for (std::uint64_t u = 0; u < sigma.size(); ++u) result.push_back(sigma(u));
  return result;
}

// --- values ---

TEST(BitPermutation, NamedPermutationsOfThreeBits) {
  EXPECT_EQ(images(BitPermutation::identity(3)), (Images{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(images(BitPermutation::perfect_shuffle(3)), (Images{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(images(BitPermutation::unshuffle(3)), (Images{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(images(BitPermutation::bit_reversal(3)), (Images{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(images(BitPermutation::transpose(1, 2)), (Images{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(images(BitPermutation::transpose(2, 1)), (Images{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(BitPermutation, NamedPermutationsOfAllSizes) {
  for (int m = 0; m <= 10; ++m) {
    EXPECT_EQ(images(BitPermutation::bit_reversal(m)), images_of_bits(reversed_bits(m)));
    EXPECT_EQ(images(BitPermutation::perfect_shuffle(m)), images_of_bits(shuffled_bits(m)));
    for (int k = 0; k <= m; ++k) {
      EXPECT_EQ(images(BitPermutation::transpose(k, m - k)),
                images_of_transpose(std::size_t{1} << k, std::size_t{1} << (m - k)));
    }
  }
}

TEST(BitPermutation, InversesAndCompositions) {
  for (int m = 0; m <= 63; m += 9) {
    BitPermutation const a(random_bits(m, 1));
    BitPermutation const b(random_bits(m, 2));
    EXPECT_EQ(a.inverse().compose(a), BitPermutation::identity(m));
    EXPECT_EQ(BitPermutation::perfect_shuffle(m).inverse(), BitPermutation::unshuffle(m));
    for (std::uint64_t u = 1; m > 0 && u < a.size(); u = 5 * u + 3) {
      EXPECT_EQ(a.compose(b)(u), a(b(u)));
      EXPECT_EQ(a.inverse()(a(u)), u);
      if (u > a.size() / 6) break;
    }
  }
  EXPECT_FALSE(BitPermutation(random_bits(9, 1)) == BitPermutation(random_bits(9, 2)));
  // Equal destinations, but different numbers of bits.
  EXPECT_FALSE(BitPermutation::identity(3) == BitPermutation::identity(4));
  EXPECT_FALSE(BitPermutation::identity(4) == BitPermutation::identity(3));
}

TEST(BitPermutation, LargestNumberOfBits) {
  std::uint64_t const top = std::uint64_t{1} << 62;
  EXPECT_EQ(BitPermutation::bit_reversal(63)(1), top);
  EXPECT_EQ(BitPermutation::bit_reversal(63).size(), 2 * top);
  EXPECT_EQ(BitPermutation::perfect_shuffle(63)(top + 1), 3u);
}

TEST(BitPermutation, RejectsInvalidArguments) {
  EXPECT_EQ(thrown_message([] {
              BitPermutation({0, 3, 1});
            }),
            "riffle::BitPermutation: destinations[1] = 3: must be at least 0 and less than 3");
  EXPECT_EQ(thrown_message([] {
              BitPermutation({0, -1});
            }),
            "riffle::BitPermutation: destinations[1] = -1: must be at least 0 and less than 2");
  EXPECT_EQ(
      thrown_message([] {
        BitPermutation({2, 0, 2});
      }),
      "riffle::BitPermutation: destinations[2] = 2 for the second time: must be a permutation");
  EXPECT_EQ(thrown_message([] { BitPermutation::bit_reversal(64); }),
            "riffle::BitPermutation::bit_reversal: m = 64: must be at least 0 and at most 63");
  EXPECT_EQ(thrown_message([] { BitPermutation::transpose(32, 32); }),
            "riffle::BitPermutation::transpose: log_rows = 32, log_columns = 32: must not be "
            "negative, nor their sum above 63");
  EXPECT_EQ(
      thrown_message([] { BitPermutation::identity(3).compose(BitPermutation::identity(4)); }),
      "riffle::BitPermutation::compose: first has 4 bits, *this 3: must be equal");
}

// --- arrays ---

template <class Exec>
class PermuteBitsTest : public ::testing::Test {
 protected:
  void expect_permutes(std::vector<int> const& destinations) {
    auto const data = scrambled<float>(std::size_t{1} << destinations.size());
    auto const expected = moved(data, images_of_bits(destinations));
    auto const in = to_view<Exec>(data);
    auto const out = zeros<Exec, float>(data.size());
    permute_bits(Context(exec, "permute"), in, out, BitPermutation(destinations));
    exec.fence();
    EXPECT_EQ(to_vector(out), expected) << destinations.size() << " bits";
    auto const by_teams = zeros<Exec, float>(data.size());
    permute_bits_by_teams(exec, in, by_teams, BitPermutation(destinations));
    exec.fence();
    EXPECT_EQ(to_vector(by_teams), expected) << destinations.size() << " bits, by teams";
    EXPECT_EQ(to_vector(in), data);
  }

  Exec exec;
};
TYPED_TEST_SUITE(PermuteBitsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermuteBitsTest, BitReversalOfAllSizes) {
  for (int m = 0; m <= 17; ++m) this->expect_permutes(reversed_bits(m));
}

TYPED_TEST(PermuteBitsTest, PerfectShuffleOfAllSizes) {
  for (int m = 0; m <= 17; ++m) this->expect_permutes(shuffled_bits(m));
}

TYPED_TEST(PermuteBitsTest, RandomBits) {
  for (int m = 2; m <= 16; ++m) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      this->expect_permutes(random_bits(m, seed));
    }
  }
}

// Rotations and swaps of two bits: the runs of tiles in source and target overlap in every way.
TYPED_TEST(PermuteBitsTest, RotationsAndSwaps) {
  int const m = 14;
  for (int distance = 0; distance < m; ++distance) {
    std::vector<int> rotated;
    for (int k = 0; k < m; ++k) rotated.push_back((k + distance) % m);
    this->expect_permutes(rotated);
    auto exchanged = iota<int>(m);
    std::swap(exchanged[0], exchanged[static_cast<std::size_t>(distance)]);
    this->expect_permutes(exchanged);
  }
}

TYPED_TEST(PermuteBitsTest, ManyTiles) {
  for (auto const& bits : {reversed_bits(20), shuffled_bits(20), random_bits(20, 7)}) {
    this->expect_permutes(bits);
  }
}

TYPED_TEST(PermuteBitsTest, CallableInKernels) {
  auto const bits = random_bits(13, 3);
  auto const values =
      map_in_kernel<TypeParam>(BitPermutation(bits), iota<std::uint64_t>(std::size_t{1} << 13));
  EXPECT_EQ(values, images_of_bits(bits));
}

TYPED_TEST(PermuteBitsTest, RejectsInvalidArguments) {
  auto const in = to_view<TypeParam>(std::vector<int>(8, 1));
  auto const out = to_view<TypeParam>(std::vector<int>(9, 2));
  auto const sigma = BitPermutation::bit_reversal(3);
  EXPECT_EQ(thrown_message([&] { permute_bits(this->exec, in, out, sigma); }),
            "riffle::permute_bits: out.extent(0) = 9: must be 8, 2^m for m bits");
  EXPECT_EQ(thrown_message([&] { permute_bits(this->exec, out, in, sigma); }),
            "riffle::permute_bits: in.extent(0) = 9: must be 8, 2^m for m bits");
  auto const part = Kokkos::subview(out, Kokkos::pair(1, 9));
  auto const first = Kokkos::subview(out, Kokkos::pair(0, 8));
  auto const text = thrown_message([&] { permute_bits(this->exec, first, part, sigma); });
  EXPECT_EQ(text.rfind("riffle::permute_bits: in (\"values\") and out (\"values\") overlap", 0), 0u)
      << text;
  EXPECT_NE(text.find(" overlap: must share no element"), std::string::npos) << text;
  EXPECT_EQ(to_vector(out), std::vector<int>(9, 2));
}

TYPED_TEST(PermuteBitsTest, LabelsInstanceAndFences) {
  auto const in = zeros<TypeParam, float>(1 << 14);
  auto const out = zeros<TypeParam, float>(1 << 14);
  auto const call = [&](auto const& on) {
    permute_bits(on, in, out, BitPermutation::bit_reversal(14));
  };
  expect_labels_and_instance(this->exec, call);
  expect_no_fence(this->exec, call);
}

}  // namespace
}  // namespace riffle::test::bit_permutation_test
