// Shuffles of rows, and of packs.

#include <Kokkos_Core.hpp>
#include <riffle/published/bijective_shuffle/bijective_shuffle.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/view_pack.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/sigma_table.hpp"
#include "support/views.hpp"

namespace riffle::test::shuffle_rows_test {
namespace {

/// The default algorithm for few rows, without BucketShuffle, which would be compiled with it; bucket_shuffle_rows_test.cpp
/// tests that.
constexpr riffle::PermutationGather by_gather;

template <class Exec>
class ShuffleRowsTest : public ::testing::Test {
 protected:
  Exec exec;
};
TYPED_TEST_SUITE(ShuffleRowsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ShuffleRowsTest, InterleavedBlocksOfColumnsAreApart) {
  std::size_t constexpr n = 50;
  using Columns = Kokkos::pair<int, int>;
  auto const matrix = make_matrix<TypeParam, int, Kokkos::LayoutRight>(n, 5);
  fill(matrix, iota<int>(5 * n));
  auto const left = Kokkos::subview(matrix, Kokkos::ALL, Columns(0, 2));
  auto const right = Kokkos::subview(matrix, Kokkos::ALL, Columns(3, 5));
  auto const rows = to_rows(left);
  riffle::shuffle_copy(this->exec, left, right, 6, by_gather);
  EXPECT_EQ(to_rows(left), rows);
  EXPECT_TRUE(is_gather(rows, to_rows(right), table(n, 6)));
}

template <class InLayout, class OutLayout, class Exec, class Algorithm>
void expect_shuffles_rows(Exec const& exec, std::size_t n, std::size_t columns,
                          Algorithm algorithm) {
  auto const in = make_matrix<Exec, int, InLayout>(n, columns);
  auto const out = make_matrix<Exec, int, OutLayout>(n, columns);
  fill(in, iota<int>(n * columns));
  auto const rows = to_rows(in);
  riffle::shuffle_copy(exec, in, out, 6, algorithm);
  EXPECT_TRUE(is_gather(rows, to_rows(out), table(n, 6))) << n << " x " << columns;
  EXPECT_EQ(to_rows(in), rows);
  riffle::shuffle(exec, in, 6, algorithm);
  EXPECT_EQ(to_rows(in), to_rows(out)) << n << " x " << columns;
}

template <class InLayout, class OutLayout, class Exec, class Algorithm = riffle::PermutationGather>
void expect_shuffles_rows(Exec const& exec, Algorithm algorithm = {}) {
  for (std::size_t const n : {0, 1, 2, 5, 64, 333})
    for (std::size_t const columns : {0, 1, 3, 17})
      expect_shuffles_rows<InLayout, OutLayout>(exec, n, columns, algorithm);
}

TYPED_TEST(ShuffleRowsTest, RowsOfLayoutLeft) {
  expect_shuffles_rows<Kokkos::LayoutLeft, Kokkos::LayoutLeft>(this->exec);
}
TYPED_TEST(ShuffleRowsTest, RowsOfLayoutRight) {
  expect_shuffles_rows<Kokkos::LayoutRight, Kokkos::LayoutRight>(this->exec,
                                                                 riffle::DefaultShuffle{});
}
TYPED_TEST(ShuffleRowsTest, RowsFromLeftToRight) {
  expect_shuffles_rows<Kokkos::LayoutLeft, Kokkos::LayoutRight>(this->exec);
}
TYPED_TEST(ShuffleRowsTest, RowsFromStrideToLeft) {
  expect_shuffles_rows<Kokkos::LayoutStride, Kokkos::LayoutLeft>(this->exec);
}
TYPED_TEST(ShuffleRowsTest, RowsFromRightToStride) {
  expect_shuffles_rows<Kokkos::LayoutRight, Kokkos::LayoutStride>(this->exec);
}

TYPED_TEST(ShuffleRowsTest, RowsOfStaticWidth) {
  using Space = typename TypeParam::memory_space;
  Kokkos::View<int* [3], Kokkos::LayoutRight, Space> const in("in", 100);
  Kokkos::View<int* [3], Kokkos::LayoutRight, Space> const out("out", 100);
  fill(in, iota<int>(300));
  auto const rows = to_rows(in);
  riffle::shuffle_copy(this->exec, in, out, 6, by_gather);
  riffle::shuffle(this->exec, in, 6, by_gather);
  EXPECT_TRUE(is_gather(rows, to_rows(out), table(100, 6)));
  EXPECT_EQ(to_rows(in), to_rows(out));
}

/// Keys, their positions, and a flag for each: three types, two ranks, two layouts.
template <class Exec>
struct Records {
  using Space = typename Exec::memory_space;

  explicit Records(std::size_t n)
      : keys("keys", n),
        positions(make_matrix<Exec, double, Kokkos::LayoutLeft>(n, 3)),
        flags(make_strided<Exec, char>(n)) {}

  auto pack() const { return riffle::pack(keys, positions, flags); }

  Kokkos::View<std::uint32_t*, Space> keys;
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> positions;
  Kokkos::View<char*, Kokkos::LayoutStride, Space> flags;
};

template <class Algorithm, class Exec>
void expect_moves_packs(Exec const& exec, std::size_t n) {
  Records<Exec> const in(n);
  Records<Exec> const out(n);
  fill(in.keys, iota<std::uint32_t>(n));
  fill(in.positions, iota<double>(3 * n));
  fill(in.flags, iota<char>(n));
  auto const keys = to_vector(in.keys);
  auto const positions = to_rows(in.positions);
  auto const flags = to_vector(in.flags);
  riffle::shuffle_copy(exec, in.pack(), out.pack(), 6, Algorithm{});

  // The permutation of the keys, which all Views have to follow.
  auto const sigma = to_vector(out.keys);
  Kokkos::View<std::uint32_t*, typename Exec::memory_space> const alone("alone", n);
  riffle::shuffle_copy(exec, in.keys, alone, 6, Algorithm{});
  EXPECT_EQ(sigma, to_vector(alone));
  EXPECT_TRUE(is_permutation_of_iota(sigma));
  EXPECT_TRUE(is_gather(positions, to_rows(out.positions), sigma));
  EXPECT_TRUE(is_gather(flags, to_vector(out.flags), sigma));
  EXPECT_EQ(to_vector(in.keys), keys);

  riffle::shuffle(exec, in.pack(), 6, Algorithm{});
  EXPECT_EQ(to_vector(in.keys), to_vector(out.keys));
  EXPECT_EQ(to_rows(in.positions), to_rows(out.positions));
  EXPECT_EQ(to_vector(in.flags), to_vector(out.flags));
}

TYPED_TEST(ShuffleRowsTest, PacksMoveByOnePermutation) {
  for (std::size_t const n : {0, 1, 2, 20, 100, 1025})
    expect_moves_packs<riffle::PermutationGather>(this->exec, n);
}

TYPED_TEST(ShuffleRowsTest, PacksMoveByOneBijectiveShuffle) {
  for (std::size_t const n : {0, 1, 2, 20, 100, 1025})
    expect_moves_packs<riffle::Bijective0<>>(this->exec, n);
}

TYPED_TEST(ShuffleRowsTest, PackOfConstInputs) {
  using Space = typename TypeParam::memory_space;
  auto const values = iota<int>(100);
  Kokkos::View<int const*, Space> const in = to_view<TypeParam>(values);
  Kokkos::View<int*, Space> const a("a", 100);
  Kokkos::View<int*, Space> const b("b", 100);
  // A View that is read twice does not overlap with a View that is written.
  riffle::shuffle_copy(this->exec, riffle::pack(in, in), riffle::pack(a, b), 6, by_gather);
  EXPECT_TRUE(is_gather(values, to_vector(a), table(100, 6)));
  EXPECT_EQ(to_vector(a), to_vector(b));
}

}  // namespace
}  // namespace riffle::test::shuffle_rows_test
