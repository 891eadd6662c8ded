// Arrays permuted in place by maps of index bits that are their own inverses.

#include <Kokkos_Core.hpp>
#include <riffle/permute/affine_bit_permutation.hpp>
#include <riffle/permute/bit_permutation.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_maps.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/tiles_by_teams.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::bit_permutation_in_place_test {
namespace {

template <class Exec>
class PermuteBitsInPlaceTest : public ::testing::Test {
 protected:
  /// Fills the view, permutes it, and compares; then again with the kernels of teams.
  template <class View, class Sigma>
  void expect_permutes(View const& view, Sigma const& sigma, Images const& images) {
    auto const data = scrambled<typename View::value_type>(images.size());
    auto const expected = moved(data, images);
    fill(view, data);
    permute_bits_in_place(Context(exec, "permute"), view, sigma);
    exec.fence();
    EXPECT_TRUE(to_vector(view) == expected) << sigma.bits() << " bits";
    fill(view, data);
    permute_bits_in_place_by_teams(exec, view, sigma);
    exec.fence();
    EXPECT_TRUE(to_vector(view) == expected) << sigma.bits() << " bits, by teams";
  }

  template <class T>
  void expect_permutes(std::vector<int> const& bits) {
    expect_permutes(zeros<Exec, T>(std::size_t{1} << bits.size()), BitPermutation(bits),
                    images_of_bits(bits));
  }

  Exec exec;
};
TYPED_TEST_SUITE(PermuteBitsInPlaceTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermuteBitsInPlaceTest, BitReversalOfAllSizes) {
  for (int m = 0; m <= 17; ++m) this->template expect_permutes<float>(reversed_bits(m));
}

// Tiles of doubles have an odd number of bits.
TYPED_TEST(PermuteBitsInPlaceTest, BitReversalOfDoubles) {
  for (int m = 9; m <= 16; ++m) this->template expect_permutes<double>(reversed_bits(m));
}

TYPED_TEST(PermuteBitsInPlaceTest, BitReversalOfBytesAndStructs) {
  this->template expect_permutes<std::uint8_t>(reversed_bits(17));
  this->template expect_permutes<NumberStruct<3>>(reversed_bits(13));
}

TYPED_TEST(PermuteBitsInPlaceTest, RandomSwapsOfBits) {
  for (int m = 2; m <= 16; ++m) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      this->template expect_permutes<float>(random_swaps(m, seed));
    }
  }
  for (int m = 11; m <= 14; ++m) this->template expect_permutes<double>(random_swaps(m, 9));
}

TYPED_TEST(PermuteBitsInPlaceTest, ManyTiles) {
  this->template expect_permutes<float>(reversed_bits(19));
  this->template expect_permutes<float>(random_swaps(19, 5));
}

TYPED_TEST(PermuteBitsInPlaceTest, AffineMaps) {
  for (int const m : {0, 1, 5, 11, 12, 13, 16}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      auto const columns = random_involution(m, seed);
      // c = x + A x satisfies A c = c for any x, because A A = 1.
      std::uint64_t const x = images_of_affine(columns, 0).size() / 3;
      std::uint64_t const constant = x ^ images_of_affine(columns, 0)[x];
      this->expect_permutes(zeros<TypeParam, float>(std::size_t{1} << m),
                            AffineBitPermutation(columns, constant),
                            images_of_affine(columns, constant));
    }
  }
}

// The identity with constants: swaps of neighbours, and the reversed order.
TYPED_TEST(PermuteBitsInPlaceTest, Constants) {
  BitColumns identity;
  for (int k = 0; k < 13; ++k) identity.push_back(std::uint64_t{1} << k);
  for (std::uint64_t const constant : {1, 3, 4096, 8191}) {
    this->expect_permutes(zeros<TypeParam, float>(8192), AffineBitPermutation(identity, constant),
                          images_of_affine(identity, constant));
  }
}

TYPED_TEST(PermuteBitsInPlaceTest, PartsOfViewsAndStrides) {
  auto const whole = zeros<TypeParam, float>(8195);
  auto const part = Kokkos::subview(whole, Kokkos::pair(3, 8195));
  auto const images = images_of_bits(reversed_bits(13));
  this->expect_permutes(part, BitPermutation::bit_reversal(13), images);
  this->expect_permutes(make_strided<TypeParam, float>(8192), BitPermutation::bit_reversal(13),
                        images);
}

TYPED_TEST(PermuteBitsInPlaceTest, RejectsInvalidArguments) {
  auto const data = to_view<TypeParam>(iota<int>(8));
  EXPECT_EQ(thrown_message([&] {
              permute_bits_in_place(this->exec, data, BitPermutation::perfect_shuffle(3));
            }),
            "riffle::permute_bits_in_place: the permutation takes 1 to 2, and that to 4: must be "
            "its own inverse");
  EXPECT_EQ(thrown_message([&] {
              permute_bits_in_place(this->exec, data, AffineBitPermutation({2, 1, 4}, 1));
            }),
            "riffle::permute_bits_in_place: the permutation takes 0 to 1, and that to 3: must be "
            "its own inverse");
  EXPECT_EQ(thrown_message(
                [&] { permute_bits_in_place(this->exec, data, BitPermutation::bit_reversal(4)); }),
            "riffle::permute_bits_in_place: data.extent(0) = 8: must be 16, 2^m for m bits");
  EXPECT_EQ(to_vector(data), iota<int>(8));
}

TYPED_TEST(PermuteBitsInPlaceTest, LabelsInstanceAndFences) {
  auto const data = zeros<TypeParam, float>(1 << 14);
  auto const call = [&](auto const& on) {
    permute_bits_in_place(on, data, BitPermutation::bit_reversal(14));
  };
  expect_labels_and_instance(this->exec, call);
  expect_no_fence(this->exec, call);
}

}  // namespace
}  // namespace riffle::test::bit_permutation_in_place_test
