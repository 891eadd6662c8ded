// BucketShuffle of rows, and of packs.

#include <Kokkos_Core.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/bucket_shuffle_oracle.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/views.hpp"

namespace riffle::test::bucket_shuffle_rows_test {
namespace {

constexpr std::uint32_t n = bucket_shuffle_fewest_split + 257;
constexpr std::uint64_t seed = 6;

BucketShuffleOracle::Images const& sigma() { return bucket_shuffle_images(n, seed); }

/// Whether row i of `out` is row sigma()[i] of `in`, for every i.
template <class T>
bool is_gather_of_rows(std::vector<T> const& in, std::vector<T> const& out, std::size_t columns) {
  if (in.size() != n * columns || out.size() != n * columns) return false;
  auto const& images = sigma();
  for (std::size_t i = 0; i < n; ++i) {
    T const* const row = in.data() + images[i] * columns;
    if (!std::equal(row, row + columns, out.data() + i * columns)) return false;
  }
  return true;
}

template <class InLayout, class OutLayout, class Exec>
void expect_shuffles_rows(Exec const& exec, std::size_t columns) {
  auto const in = make_matrix<Exec, int, InLayout>(n, columns);
  auto const out = make_matrix<Exec, int, OutLayout>(n, columns);
  auto const values = iota<int>(n * columns);
  fill(in, values);
  riffle::shuffle_copy(exec, in, out, seed, riffle::BucketShuffle{});
  EXPECT_TRUE(is_gather_of_rows(values, row_major(out), columns)) << columns;
  EXPECT_TRUE(row_major(in) == values) << columns;
  riffle::shuffle(exec, in, seed, riffle::BucketShuffle{});
  EXPECT_TRUE(row_major(in) == row_major(out)) << columns;
}

template <class Exec>
class BucketShuffleRowsTest : public ::testing::Test {
 protected:
  Exec exec;
};
TYPED_TEST_SUITE(BucketShuffleRowsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(BucketShuffleRowsTest, RowsOfLayoutRight) {
  expect_shuffles_rows<Kokkos::LayoutRight, Kokkos::LayoutRight>(this->exec, 1);
  expect_shuffles_rows<Kokkos::LayoutRight, Kokkos::LayoutRight>(this->exec, 3);
}
TYPED_TEST(BucketShuffleRowsTest, RowsFromLeftToStride) {
  expect_shuffles_rows<Kokkos::LayoutLeft, Kokkos::LayoutStride>(this->exec, 2);
}
TYPED_TEST(BucketShuffleRowsTest, RowsFromStrideToLeft) {
  expect_shuffles_rows<Kokkos::LayoutStride, Kokkos::LayoutLeft>(this->exec, 2);
}
TYPED_TEST(BucketShuffleRowsTest, RowsWithoutColumns) {
  expect_shuffles_rows<Kokkos::LayoutRight, Kokkos::LayoutRight>(this->exec, 0);
}

/// A value that is too large to be moved by two passes.
struct Large {
  std::uint32_t numbers[9];

  friend bool operator==(Large const&, Large const&) = default;
};

std::vector<Large> large_values() {
  std::vector<Large> values(n);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < 9; ++k) values[i].numbers[k] = i + k * 1000003;
  return values;
}

TYPED_TEST(BucketShuffleRowsTest, LargeValues) {
  auto const data = to_view<TypeParam>(large_values());
  Kokkos::View<Large*, typename TypeParam::memory_space> const out("out", n);
  riffle::shuffle_copy(this->exec, data, out, seed, riffle::BucketShuffle{});
  riffle::shuffle(this->exec, data, seed, riffle::BucketShuffle{});
  EXPECT_TRUE(is_gather(large_values(), to_vector(out), sigma()));
  EXPECT_TRUE(is_gather(large_values(), to_vector(data), sigma()));
}

// --- packs ---

/// Keys, their positions, and a flag for each: three types, two ranks, two layouts.
template <class Exec>
struct Records {
  using Space = typename Exec::memory_space;

  auto pack() const { return riffle::pack(keys, positions, flags); }

  void expect_shuffled() const {
    EXPECT_TRUE(is_gather(iota<std::uint32_t>(n), to_vector(keys), sigma()));
    EXPECT_TRUE(is_gather_of_rows(iota<double>(2 * n), row_major(positions), 2));
    EXPECT_TRUE(is_gather(iota<std::uint8_t>(n), to_vector(flags), sigma()));
  }

  Kokkos::View<std::uint32_t*, Space> keys{"keys", n};
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> positions{"positions", n, 2};
  Kokkos::View<std::uint8_t*, Kokkos::LayoutStride, Space> flags =
      make_strided<Exec, std::uint8_t>(n);
};

TYPED_TEST(BucketShuffleRowsTest, PacksMoveByOnePermutation) {
  Records<TypeParam> const in;
  Records<TypeParam> const out;
  fill(in.keys, iota<std::uint32_t>(n));
  fill(in.positions, iota<double>(2 * n));
  fill(in.flags, iota<std::uint8_t>(n));
  riffle::shuffle_copy(this->exec, in.pack(), out.pack(), seed, riffle::BucketShuffle{});
  out.expect_shuffled();
  riffle::Workspace<TypeParam> workspace(this->exec);
  riffle::shuffle(Context(this->exec, workspace), in.pack(), seed, riffle::BucketShuffle{});
  in.expect_shuffled();
}

TYPED_TEST(BucketShuffleRowsTest, PacksOfRows) {
  auto const rows = make_matrix<TypeParam, int, Kokkos::LayoutRight>(n, 2);
  auto const out_rows = make_matrix<TypeParam, int, Kokkos::LayoutRight>(n, 2);
  fill(rows, iota<int>(2 * n));
  auto const data = to_view<TypeParam>(large_values());
  Kokkos::View<Large*, typename TypeParam::memory_space> const out("out", n);
  riffle::shuffle_copy(this->exec, riffle::pack(rows, data), riffle::pack(out_rows, out), seed,
                       riffle::BucketShuffle{});
  riffle::shuffle(this->exec, riffle::pack(rows, data), seed, riffle::BucketShuffle{});
  EXPECT_TRUE(is_gather_of_rows(iota<int>(2 * n), row_major(out_rows), 2));
  EXPECT_TRUE(is_gather(large_values(), to_vector(out), sigma()));
  EXPECT_TRUE(row_major(rows) == row_major(out_rows));
  EXPECT_TRUE(to_vector(data) == to_vector(out));
}

TYPED_TEST(BucketShuffleRowsTest, PackOfOne) {
  auto const data = to_view<TypeParam>(iota<double>(n));
  Kokkos::View<double*, typename TypeParam::memory_space> const out("out", n);
  riffle::shuffle_copy(this->exec, riffle::pack(data), riffle::pack(out), seed,
                       riffle::BucketShuffle{});
  EXPECT_TRUE(is_gather(iota<double>(n), to_vector(out), sigma()));
}

// The same Views with fewer elements than are split.
TYPED_TEST(BucketShuffleRowsTest, FewRowsAndPacks) {
  std::size_t constexpr few = 333;
  auto const in = make_matrix<TypeParam, int, Kokkos::LayoutLeft>(few, 3);
  auto const out = make_matrix<TypeParam, int, Kokkos::LayoutRight>(few, 3);
  fill(in, iota<int>(3 * few));
  auto const keys = to_view<TypeParam>(iota<std::uint32_t>(few));
  auto const rows = to_rows(in);
  riffle::shuffle_copy(this->exec, in, out, seed, riffle::BucketShuffle{});
  riffle::shuffle(this->exec, riffle::pack(keys, in), seed, riffle::BucketShuffle{});
  auto const& images = bucket_shuffle_images(few, seed);
  EXPECT_TRUE(is_gather(rows, to_rows(out), images));
  EXPECT_TRUE(is_gather(rows, to_rows(in), images));
  EXPECT_EQ(to_vector(keys), images);
}

}  // namespace
}  // namespace riffle::test::bucket_shuffle_rows_test
