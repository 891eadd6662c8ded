// Affine maps of index bits: their values, and arrays permuted by them.

#include <Kokkos_Core.hpp>
#include <riffle/permute/affine_bit_permutation.hpp>

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

namespace riffle::test::affine_bit_permutation_test {
namespace {

Images images(AffineBitPermutation const& sigma) {
  Images result;
  for (std::uint64_t u = 0; u < sigma.size(); ++u) result.push_back(sigma(u));
  return result;
}

std::uint64_t some_constant(int m, std::uint64_t seed) {
  return 0x9E3779B97F4A7C15u * (seed + 1) >> 1 & ((std::uint64_t{1} << m) - 1);
}

// --- values ---

TEST(AffineBitPermutation, ThreeBits) {
  EXPECT_EQ(images(AffineBitPermutation({1, 2, 4}, 5)), (Images{5, 4, 7, 6, 1, 0, 3, 2}));
  EXPECT_EQ(images(AffineBitPermutation({3, 2, 5})), (Images{0, 3, 2, 1, 5, 6, 7, 4}));
  EXPECT_EQ(images(AffineBitPermutation::gray_code(3)), (Images{0, 1, 3, 2, 6, 7, 5, 4}));
}

TEST(AffineBitPermutation, AgreesWithParitiesOfRows) {
  for (int m = 0; m <= 10; ++m) {
    auto const columns = random_invertible(m, 4);
    auto const constant = some_constant(m, 4);
    EXPECT_EQ(images(AffineBitPermutation(columns, constant)), images_of_affine(columns, constant));
  }
}

TEST(AffineBitPermutation, FromBitPermutation) {
  auto const bits = random_bits(9, 8);
  EXPECT_EQ(images(AffineBitPermutation(BitPermutation(bits))), images_of_bits(bits));
}

TEST(AffineBitPermutation, InversesAndCompositions) {
  for (int m = 0; m <= 63; m += 7) {
    AffineBitPermutation const a(random_invertible(m, 1), some_constant(m, 1));
    AffineBitPermutation const b(random_invertible(m, 2), some_constant(m, 2));
    AffineBitPermutation const none(BitPermutation::identity(m));
    EXPECT_EQ(a.inverse().compose(a), none);
    EXPECT_EQ(a.compose(a.inverse()), none);
    std::uint64_t const u = some_constant(m, 3);
    EXPECT_EQ(a.compose(b)(u), a(b(u)));
    EXPECT_EQ(a.inverse()(a(u)), u);
  }
}

TEST(AffineBitPermutation, RejectsInvalidArguments) {
  EXPECT_EQ(thrown_message([] {
              AffineBitPermutation({1, 2, 3, 8});
            }),
            "riffle::AffineBitPermutation: the matrix has rank 3 of 4: must be invertible");
  EXPECT_EQ(thrown_message([] {
              AffineBitPermutation({0, 0});
            }),
            "riffle::AffineBitPermutation: the matrix has rank 0 of 2: must be invertible");
  EXPECT_EQ(thrown_message([] {
              AffineBitPermutation({1, 4});
            }),
            "riffle::AffineBitPermutation: columns[1] = 4: must be less than 2^2");
  EXPECT_EQ(thrown_message([] {
              AffineBitPermutation({1, 2}, 4);
            }),
            "riffle::AffineBitPermutation: constant = 4: must be less than 2^2");
  EXPECT_EQ(thrown_message([] { AffineBitPermutation(BitColumns(64, 1)); }),
            "riffle::AffineBitPermutation: 64 columns: must be at most 63");
  EXPECT_EQ(thrown_message([] {
              AffineBitPermutation({1}).compose(AffineBitPermutation({1, 2}));
            }),
            "riffle::AffineBitPermutation::compose: first has 2 bits, *this 1: must be equal");
}

// --- arrays ---

template <class Exec>
class PermuteAffineBitsTest : public ::testing::Test {
 protected:
  template <class T>
  void expect_permutes(BitColumns const& columns, std::uint64_t constant) {
    auto const data = scrambled<T>(std::size_t{1} << columns.size());
    auto const expected = moved(data, images_of_affine(columns, constant));
    auto const in = to_view<Exec>(data);
    AffineBitPermutation const sigma(columns, constant);
    auto const out = zeros<Exec, T>(data.size());
    permute_bits(Context(exec, "permute"), in, out, sigma);
    exec.fence();
    EXPECT_TRUE(to_vector(out) == expected) << columns.size() << " bits";
    auto const by_teams = zeros<Exec, T>(data.size());
    permute_bits_by_teams(exec, in, by_teams, sigma);
    exec.fence();
    EXPECT_TRUE(to_vector(by_teams) == expected) << columns.size() << " bits, by teams";
  }

  Exec exec;
};
TYPED_TEST_SUITE(PermuteAffineBitsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermuteAffineBitsTest, RandomMatricesOfAllSizes) {
  for (int m = 0; m <= 16; ++m) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      this->template expect_permutes<float>(random_invertible(m, seed), some_constant(m, seed));
    }
  }
}

TYPED_TEST(PermuteAffineBitsTest, Doubles) {
  for (int const m : {11, 12, 15}) {
    this->template expect_permutes<double>(random_invertible(m, 5), some_constant(m, 5));
  }
}

TYPED_TEST(PermuteAffineBitsTest, ManyTiles) {
  this->template expect_permutes<float>(random_invertible(19, 5), some_constant(19, 5));
}

// The Gray code, and the identity with constants that swap neighbours or reverse the order: runs stay mostly
// contiguous.
TYPED_TEST(PermuteAffineBitsTest, MapsThatKeepRunsTogether) {
  int const m = 15;
  BitColumns gray;
  BitColumns identity;
  for (int k = 0; k < m; ++k) {
    identity.push_back(std::uint64_t{1} << k);
    gray.push_back((std::uint64_t{3} << k) >> 1);
  }
  std::uint64_t const all = (std::uint64_t{1} << m) - 1;
  this->template expect_permutes<float>(gray, 0);
  for (std::uint64_t const constant : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{6}, all}) {
    this->template expect_permutes<float>(identity, constant);
  }
}

TYPED_TEST(PermuteAffineBitsTest, CallableInKernels) {
  auto const columns = random_invertible(13, 3);
  auto const values = map_in_kernel<TypeParam>(AffineBitPermutation(columns, 77),
                                               iota<std::uint64_t>(std::size_t{1} << 13));
  EXPECT_EQ(values, images_of_affine(columns, 77));
}

TYPED_TEST(PermuteAffineBitsTest, RejectsInvalidArguments) {
  auto const in = to_view<TypeParam>(std::vector<int>(8, 1));
  auto const out = to_view<TypeParam>(std::vector<int>(9, 2));
  EXPECT_EQ(thrown_message(
                [&] { permute_bits(this->exec, in, out, AffineBitPermutation::gray_code(3)); }),
            "riffle::permute_bits: out.extent(0) = 9: must be 8, 2^m for m bits");
  EXPECT_EQ(to_vector(out), std::vector<int>(9, 2));
}

TYPED_TEST(PermuteAffineBitsTest, LabelsInstanceAndFences) {
  auto const in = zeros<TypeParam, float>(1 << 14);
  auto const out = zeros<TypeParam, float>(1 << 14);
  auto const call = [&](auto const& on) {
    permute_bits(on, in, out, AffineBitPermutation::gray_code(14));
  };
  expect_labels_and_instance(this->exec, call);
  expect_no_fence(this->exec, call);
}

}  // namespace
}  // namespace riffle::test::affine_bit_permutation_test
