// Permutations of bits with values of all sizes, Views with strides, and unaligned Views.

#include <Kokkos_Core.hpp>
#include <riffle/permute/bit_permutation.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_maps.hpp"
#include "support/matrices.hpp"
#include "support/tiles_by_teams.hpp"
#include "support/views.hpp"

namespace riffle::test::bit_permutation_types_test {
namespace {

template <class Exec>
class PermuteBitsTypesTest : public ::testing::Test {
 protected:
  template <class In, class Out>
  void expect_permutes(In const& in, Out const& out, std::vector<int> const& destinations) {
    using T = typename Out::value_type;
    auto const data = scrambled<T>(in.extent(0));
    auto const expected = moved(data, images_of_bits(destinations));
    fill(in, data);
    fill(out, std::vector<T>(data.size()));
    permute_bits(exec, in, out, BitPermutation(destinations));
    exec.fence();
    EXPECT_TRUE(to_vector(out) == expected) << sizeof(T) << " bytes";
    fill(out, std::vector<T>(data.size()));
    permute_bits_by_teams(exec, in, out, BitPermutation(destinations));
    exec.fence();
    EXPECT_TRUE(to_vector(out) == expected) << sizeof(T) << " bytes, by teams";
  }

  template <class T>
  void expect_permutes_type() {
    for (int const m : {3, 15, 16}) {
      std::size_t const n = std::size_t{1} << m;
      auto const in = zeros<Exec, T>(n);
      auto const out = zeros<Exec, T>(n);
      for (auto const& bits :
           {reversed_bits(m), shuffled_bits(m), random_bits(m, 1), random_bits(m, 2)}) {
        expect_permutes(in, out, bits);
      }
    }
  }

  Exec exec;
};
TYPED_TEST_SUITE(PermuteBitsTypesTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermuteBitsTypesTest, ValuesOfOneByte) {
  this->template expect_permutes_type<std::uint8_t>();
}
TYPED_TEST(PermuteBitsTypesTest, ValuesOf2Bytes) {
  this->template expect_permutes_type<std::uint16_t>();
}
TYPED_TEST(PermuteBitsTypesTest, ValuesOf8Bytes) { this->template expect_permutes_type<double>(); }
TYPED_TEST(PermuteBitsTypesTest, StructsOf8Bytes) {
  this->template expect_permutes_type<NumberStruct<2>>();
}
TYPED_TEST(PermuteBitsTypesTest, StructsOf12Bytes) {
  this->template expect_permutes_type<NumberStruct<3>>();
}
TYPED_TEST(PermuteBitsTypesTest, StructsOf16Bytes) {
  this->template expect_permutes_type<NumberStruct<4>>();
}
TYPED_TEST(PermuteBitsTypesTest, StructsOf20Bytes) {
  this->template expect_permutes_type<NumberStruct<5>>();
}
TYPED_TEST(PermuteBitsTypesTest, StructsOf48Bytes) {
  this->template expect_permutes_type<NumberStruct<12>>();
}

// Neither View is aligned for vectors.
TYPED_TEST(PermuteBitsTypesTest, PartsOfViews) {
  std::size_t const n = std::size_t{1} << 14;
  auto const whole_in = zeros<TypeParam, float>(n + 8);
  auto const whole_out = zeros<TypeParam, float>(n + 8);
  for (std::size_t const a : {0, 1, 3}) {
    for (std::size_t const b : {0, 2, 5}) {
      auto const in = Kokkos::subview(whole_in, Kokkos::pair(a, a + n));
      auto const out = Kokkos::subview(whole_out, Kokkos::pair(b, b + n));
      this->expect_permutes(in, out, reversed_bits(14));
    }
  }
}

/// A part that begins at element `begin` of a larger View.
template <class Exec, class T>
auto part(std::size_t begin, std::size_t n) {
  return Kokkos::subview(zeros<Exec, T>(begin + n), Kokkos::pair(begin, begin + n));
}

// All offsets within a memory block; a whole View is aligned to its beginning.
TYPED_TEST(PermuteBitsTypesTest, PartsAtAllDistancesFromBlocks) {
  std::size_t const n = std::size_t{1} << 14;
  for (std::size_t const begin : {1, 4, 12, 16, 31, 32, 33, 48, 60, 63}) {
    auto const in = part<TypeParam, float>(begin, n);
    this->expect_permutes(in, part<TypeParam, float>(begin, n), reversed_bits(14));
    this->expect_permutes(in, part<TypeParam, float>(64 - begin, n), random_bits(14, begin));
    this->expect_permutes(in, part<TypeParam, float>(0, n), random_swaps(14, begin));
  }
  for (std::size_t const begin : {2, 16, 30}) {
    this->expect_permutes(part<TypeParam, double>(begin, n), part<TypeParam, double>(16, n),
                          reversed_bits(14));
  }
}

TYPED_TEST(PermuteBitsTypesTest, ViewsWithStrides) {
  std::size_t const n = std::size_t{1} << 14;
  auto const contiguous = zeros<TypeParam, float>(n);
  auto const strided = make_strided<TypeParam, float>(n);
  for (auto const& bits : {reversed_bits(14), shuffled_bits(14)}) {
    this->expect_permutes(contiguous, strided, bits);
    this->expect_permutes(strided, contiguous, bits);
    this->expect_permutes(strided, make_strided<TypeParam, float>(n), bits);
  }
}

// Views that are aligned for vectors, but have a stride.
TYPED_TEST(PermuteBitsTypesTest, StridesFromWhereVectorsBegin) {
  std::size_t const n = std::size_t{1} << 14;
  Kokkos::View<float* [2], Kokkos::LayoutRight, typename TypeParam::memory_space> const in("in", n);
  Kokkos::View<float* [2], Kokkos::LayoutRight, typename TypeParam::memory_space> const out("out",
                                                                                            n);
  this->expect_permutes(Kokkos::subview(in, Kokkos::ALL, 0), Kokkos::subview(out, Kokkos::ALL, 0),
                        reversed_bits(14));
}

TYPED_TEST(PermuteBitsTypesTest, ConstantInput) {
  auto const data = scrambled<float>(1 << 13);
  Kokkos::View<float const*, typename TypeParam::memory_space> const in = to_view<TypeParam>(data);
  auto const out = zeros<TypeParam, float>(data.size());
  permute_bits(this->exec, in, out, BitPermutation::bit_reversal(13));
  this->exec.fence();
  EXPECT_EQ(to_vector(out), moved(data, images_of_bits(reversed_bits(13))));
}

}  // namespace
}  // namespace riffle::test::bit_permutation_types_test
