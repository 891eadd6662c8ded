// Compares the permutations of the paper with their definitions, on the host and in kernels.

#include <Kokkos_Core.hpp>
#include <riffle/permute/named_permutations.hpp>
#include <riffle/random/random_permutation.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_types.hpp"
#include "support/permutations.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::named_permutations_test {
namespace {

using Images = std::vector<std::uint64_t>;

/// The m bits of u, the lowest first.
std::vector<bool> bits_of(std::uint64_t u, int m) {
  std::vector<bool> bits;
  for (int b = 0; b < m; ++b) bits.push_back((u >> b & 1) != 0);
  return bits;
}
std::uint64_t of_bits(std::vector<bool> const& bits) {
  std::uint64_t u = 0;
  for (std::size_t b = 0; b < bits.size(); ++b) u |= std::uint64_t{bits[b]} << b;
  return u;
}

template <class Sigma>
Images images(Sigma const& sigma) {
  Images result;
  for (std::uint64_t u = 0; u < sigma.size(); ++u) result.push_back(sigma(u));
  return result;
}

/// Expects these images, which are a permutation, and the inverse of each.
template <class Sigma>
void expect_images(Sigma const& sigma, Images const& expected) {
  static_assert(std::is_trivially_copyable_v<Sigma>);
  static_assert(PermutationFunction<Sigma>);
  ASSERT_EQ(sigma.size(), expected.size());
  EXPECT_EQ(images(sigma), expected);
  EXPECT_TRUE(is_permutation_of_iota(expected));
  for (std::uint64_t u = 0; u < sigma.size(); ++u) ASSERT_EQ(sigma.inverse(expected[u]), u);
}

TEST(NamedPermutations, Identity) {
  for (std::size_t const n : {0, 1, 2, 17}) {
    expect_images(IdentityPermutation(n), iota<std::uint64_t>(n));
  }
}

TEST(NamedPermutations, ShuffleRotatesBits) {
  for (int m = 1; m <= 10; ++m) {
    Images expected;
    for (std::uint64_t u = 0; u < std::uint64_t{1} << m; ++u) {
      auto const bits = bits_of(u, m);
      std::vector<bool> rotated{bits.back()};
      rotated.insert(rotated.end(), bits.begin(), bits.end() - 1);
      expected.push_back(of_bits(rotated));
    }
    expect_images(PerfectShuffle(std::uint64_t{1} << m), expected);
  }
}

// The definition by a deck of cards: two halves, a card from each in turn.
TEST(NamedPermutations, ShuffleOfAnyEvenSize) {
  expect_images(PerfectShuffle(0), {});
  expect_images(PerfectShuffle(1), {0});
  expect_images(PerfectShuffle(6), {0, 2, 4, 1, 3, 5});
  for (std::size_t const n : {2, 10, 52, 1006}) {
    Images expected(n);
    for (std::size_t k = 0; k < n / 2; ++k) {
      expected[k] = 2 * k;
      expected[n / 2 + k] = 2 * k + 1;
    }
    expect_images(PerfectShuffle(n), expected);
  }
}

TEST(NamedPermutations, BitReversalReversesBits) {
  expect_images(BitReversal(0), {});
  for (int m = 0; m <= 10; ++m) {
    Images expected;
    for (std::uint64_t u = 0; u < std::uint64_t{1} << m; ++u) {
      auto const bits = bits_of(u, m);
      expected.push_back(of_bits({bits.rbegin(), bits.rend()}));
    }
    expect_images(BitReversal(std::uint64_t{1} << m), expected);
  }
}

// A sample of the indices.
TEST(NamedPermutations, BitReversalOfLargeSizes) {
  for (int m = 11; m < 64; ++m) {
    BitReversal const sigma(std::uint64_t{1} << m);
    for (std::uint64_t k = 0; k < 200; ++k) {
      std::uint64_t const u = k * 0x9E3779B97F4A7C15u >> (64 - m);
      auto const bits = bits_of(u, m);
      ASSERT_EQ(sigma(u), of_bits({bits.rbegin(), bits.rend()})) << u << " of " << m << " bits";
    }
  }
}

TEST(NamedPermutations, TransposeMovesRowsToColumns) {
  for (std::uint64_t const rows : {0, 1, 2, 3, 8, 31}) {
    for (std::uint64_t const columns : {0, 1, 2, 5, 8, 33}) {
      Images expected;
      for (std::uint64_t i = 0; i < rows; ++i) {
        for (std::uint64_t j = 0; j < columns; ++j) expected.push_back(j * rows + i);
      }
      expect_images(TransposePermutation(rows, columns), expected);
    }
  }
}

// u_m ... u_1 -> u_(m/2) ... u_1 u_m ... u_(m/2 + 1).
TEST(NamedPermutations, TransposeOfASquareSwapsHalvesOfBits) {
  TransposePermutation const sigma(64, 64);
  for (std::uint64_t u = 0; u < 4096; ++u) ASSERT_EQ(sigma(u), u % 64 << 6 | u >> 6);
}

TEST(NamedPermutations, RejectsInvalidSizes) {
  std::string const odd = ": must be even, or 1";
  EXPECT_EQ(thrown_message([] { PerfectShuffle(3); }), "riffle::PerfectShuffle: n = 3" + odd);
  for (std::uint64_t const n : {3, 6, 1023}) {
    EXPECT_EQ(thrown_message([&] { BitReversal sigma(n); }),
              "riffle::BitReversal: n = " + std::to_string(n) + ": must be a power of two, or 0");
  }
  EXPECT_EQ(
      thrown_message([] { TransposePermutation(std::uint64_t{1} << 32, std::uint64_t{1} << 32); }),
      "riffle::TransposePermutation: rows = 4294967296 and columns = 4294967296: their "
      "product must be less than 2^64");
  EXPECT_EQ(TransposePermutation(std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1).size(),
            ((std::uint64_t{1} << 32) - 1) << 32);
}

// --- stored ---

template <class Exec>
class FillPermutationTest : public ::testing::Test {
 protected:
  template <class Index, class Sigma>
  void expect_filled(Sigma const& sigma) {
    auto const out = zeros<Exec, Index>(sigma.size());
    riffle::fill_permutation(exec, sigma, out);
    exec.fence();
    EXPECT_EQ(to_vector(out), converted<Index>(images(sigma)));
  }

  Exec exec;
};
TYPED_TEST_SUITE(FillPermutationTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(FillPermutationTest, EveryPermutation) {
  this->template expect_filled<int>(IdentityPermutation(1000));
  this->template expect_filled<int>(PerfectShuffle(4098));
  this->template expect_filled<std::uint16_t>(BitReversal(65536));
  this->template expect_filled<std::int64_t>(TransposePermutation(37, 101));
  this->template expect_filled<std::uint32_t>(RandomPermutation(10'007, 3));
  this->template expect_filled<std::uint8_t>(RandomPermutation(15, 3));
  this->template expect_filled<int>(IdentityPermutation(0));
  this->template expect_filled<int>(BitReversal(1));
}

TYPED_TEST(FillPermutationTest, AllTypes) {
  for_each_index_type(
      128, [&](auto index) { this->template expect_filled<decltype(index)>(BitReversal(128)); });
}

TYPED_TEST(FillPermutationTest, RejectsInvalidArguments) {
  auto const out = to_view<TypeParam>(std::vector<std::int8_t>(256, 77));
  EXPECT_EQ(thrown_message([&] { riffle::fill_permutation(this->exec, PerfectShuffle(128), out); }),
            "riffle::fill_permutation: sigma.size() = 128 and out.extent(0) = 256: must be equal");
  EXPECT_EQ(thrown_message([&] { riffle::fill_permutation(this->exec, BitReversal(256), out); }),
            "riffle::fill_permutation: n = 256: the value type of out holds no index above 127");
  EXPECT_EQ(to_vector(out), std::vector<std::int8_t>(256, 77));
}

TYPED_TEST(FillPermutationTest, KernelsRunOnTheCallersInstanceWithoutFence) {
  BitReversal const sigma(32768);
  auto const out = zeros<TypeParam, int>(sigma.size());
  expect_labels_and_instance(this->exec,
                             [&](auto const& on) { riffle::fill_permutation(on, sigma, out); });
  expect_no_fence(this->exec, [&] { riffle::fill_permutation(this->exec, sigma, out); });
}

}  // namespace
}  // namespace riffle::test::named_permutations_test
