// Shuffles of Views: value types, layouts, memory traits. shuffle_rows_test.cpp tests rows and packs.

#include <Kokkos_Core.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/view_pack.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/sigma_table.hpp"
#include "support/views.hpp"

namespace riffle::test::shuffle_views_test {
namespace {

/// N bytes that are aligned to 1.
template <int N>
struct Bytes {
  unsigned char byte[N];

  friend bool operator==(Bytes const& a, Bytes const& b) {
    return std::memcmp(a.byte, b.byte, N) == 0;
  }
};

/// A particle.
struct Particle {
  double position[2];
  int id;

  friend bool operator==(Particle const& a, Particle const& b) {
    return a.position[0] == b.position[0] && a.position[1] == b.position[1] && a.id == b.id;
  }
};
static_assert(sizeof(Particle) == 24);

/// Distinct values for i < 256.
template <class T>
T make_value(std::size_t i) {
  if constexpr (std::is_same_v<T, Particle>) {
    auto const x = static_cast<double>(i);
    return {{x / 2, -x}, static_cast<int>(i)};
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(i);
  } else {
    T value;
    for (std::size_t k = 0; k < sizeof(T); ++k)
      value.byte[k] = static_cast<unsigned char>(i + 31 * k);
    return value;
  }
}

template <class T>
std::vector<T> make_values(std::size_t n) {
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(make_value<T>(i));
  return values;
}

/// The default algorithm for few elements, without BucketShuffle, which would be compiled with it;
/// bucket_shuffle_views_test.cpp tests Views of these kinds with that.
constexpr riffle::PermutationGather by_gather;

template <class T, class Exec, class Algorithm = riffle::PermutationGather>
void expect_shuffles(Exec const& exec, Algorithm algorithm = {}) {
  std::size_t constexpr n = 201;
  auto const values = make_values<T>(n);
  auto const in = to_view<Exec>(values);
  auto const out = to_view<Exec>(values);
  riffle::shuffle_copy(exec, in, out, 6, algorithm);
  EXPECT_TRUE(is_gather(values, to_vector(out), table(n, 6))) << sizeof(T) << " bytes";
  riffle::shuffle(exec, in, 6, algorithm);
  EXPECT_TRUE(is_gather(values, to_vector(in), table(n, 6))) << sizeof(T) << " bytes, in place";
}

template <class Exec>
class ShuffleViewsTest : public ::testing::Test {
 protected:
  Exec exec;
};
TYPED_TEST_SUITE(ShuffleViewsTest, ExecutionSpaces, SpaceNames);

// Words of two sizes; structs that are moved by 1, 4 and 16 bytes, of a size without a word or aligned for smaller words;
// and an aligned struct. gather_rows_test.cpp has others.
TYPED_TEST(ShuffleViewsTest, ValueTypesOf1To24Bytes) {
  expect_shuffles<std::uint8_t>(this->exec);
  expect_shuffles<double>(this->exec);
  expect_shuffles<Bytes<3>>(this->exec, riffle::DefaultShuffle{});
  expect_shuffles<Bytes<12>>(this->exec);
  expect_shuffles<Bytes<16>>(this->exec);
  expect_shuffles<Particle>(this->exec);
}

TYPED_TEST(ShuffleViewsTest, ValueTypeOfOutMayDiffer) {
  auto const in = to_view<TypeParam>(make_values<std::uint8_t>(100));
  Kokkos::View<double*, typename TypeParam::memory_space> const out("out", 100);
  riffle::shuffle_copy(this->exec, in, out, 6, by_gather);
  EXPECT_TRUE(is_gather(make_values<double>(100), to_vector(out), table(100, 6)));
}

TYPED_TEST(ShuffleViewsTest, ConstInput) {
  auto const values = make_values<int>(100);
  Kokkos::View<int const*, typename TypeParam::memory_space> const in = to_view<TypeParam>(values);
  Kokkos::View<int*, typename TypeParam::memory_space> const out("out", 100);
  riffle::shuffle_copy(this->exec, in, out, 6);
  EXPECT_TRUE(is_gather(values, to_vector(out), table(100, 6)));
}

TYPED_TEST(ShuffleViewsTest, UnmanagedAndTraits) {
  using Space = typename TypeParam::memory_space;
  auto const values = make_values<int>(100);
  auto const owner = to_view<TypeParam>(values);
  Kokkos::View<int*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const unmanaged(owner.data(),
                                                                                     100);
  Kokkos::View<int const*, Space, Kokkos::MemoryTraits<Kokkos::RandomAccess>> const in = owner;
  Kokkos::View<int*, Space> const out("out", 100);
  riffle::shuffle_copy(this->exec, in, out, 6, by_gather);
  riffle::shuffle(this->exec, unmanaged, 6, by_gather);
  EXPECT_TRUE(is_gather(values, to_vector(out), table(100, 6)));
  EXPECT_EQ(to_vector(owner), to_vector(out));
}

TYPED_TEST(ShuffleViewsTest, StridedVectors) {
  auto const values = make_values<int>(150);
  auto const in = make_strided<TypeParam, int>(150);
  auto const out = make_strided<TypeParam, int>(150);
  fill(in, values);
  riffle::shuffle_copy(this->exec, in, out, 6, by_gather);
  EXPECT_TRUE(is_gather(values, to_vector(out), table(150, 6)));
  riffle::shuffle(this->exec, in, 6, by_gather);
  EXPECT_EQ(to_vector(in), to_vector(out));

  auto const places = make_strided<TypeParam, int>(150);
  riffle::random_permutation(this->exec, places, 6, by_gather);
  EXPECT_TRUE(is_gather(make_values<int>(150), to_vector(places), table(150, 6)));
  riffle::sample(this->exec, 150, places, 6);
  EXPECT_TRUE(is_gather(make_values<int>(150), to_vector(places), table(150, 6)));
}

// A shuffle of a column does not change the columns next to it.
TYPED_TEST(ShuffleViewsTest, InterleavedColumnsAreApart) {
  std::size_t constexpr n = 50;
  auto const matrix = make_matrix<TypeParam, int, Kokkos::LayoutRight>(n, 3);
  fill(matrix, iota<int>(3 * n));
  using Column = decltype(make_strided<TypeParam, int>(n));
  auto const column = [&](int j) { return Column(Kokkos::subview(matrix, Kokkos::ALL, j)); };
  auto const first = to_vector(column(0));
  auto const middle = to_vector(column(1));
  riffle::shuffle_copy(this->exec, column(0), column(2), 6, by_gather);
  EXPECT_EQ(to_vector(column(0)), first);
  EXPECT_EQ(to_vector(column(1)), middle);
  EXPECT_TRUE(is_gather(first, to_vector(column(2)), table(n, 6)));
  riffle::shuffle(this->exec, column(1), 6, by_gather);
  EXPECT_EQ(to_vector(column(0)), first);
  EXPECT_TRUE(is_gather(middle, to_vector(column(1)), table(n, 6)));
  EXPECT_TRUE(is_gather(first, to_vector(column(2)), table(n, 6)));
}

template <class Exec, class In, class Out>
concept ShuffleCopies = requires(Exec exec, In in, Out out) {
  { riffle::shuffle_copy(exec, in, out, std::uint64_t{0}) } -> std::same_as<void>;
};
template <class Exec, class Data>
concept Shuffles = requires(Exec exec, Data data) {
  { riffle::shuffle(exec, data, std::uint64_t{0}) } -> std::same_as<void>;
};
template <class Exec, class Out>
concept Permutes = requires(Exec exec, Out out) {
  { riffle::random_permutation(exec, out, std::uint64_t{0}) } -> std::same_as<void>;
  { riffle::sample(exec, std::uint64_t{1}, out, std::uint64_t{0}) } -> std::same_as<void>;
};

// Wrong arguments give diagnostics of the call, not an error inside of it: such a call does not return void.
TYPED_TEST(ShuffleViewsTest, OtherArgumentsAreRefusedByTheCompiler) {
  using Space = typename TypeParam::memory_space;
  using Out = Kokkos::View<int*, Space>;
  using Const = Kokkos::View<int const*, Space>;
  using Cube = Kokkos::View<int***, Space>;
  static_assert(ShuffleCopies<TypeParam, Const, Out>);
  static_assert(!ShuffleCopies<TypeParam, Out, Const>);
  static_assert(!ShuffleCopies<TypeParam, Cube, Cube>);
  static_assert(!ShuffleCopies<TypeParam, int*, int*>);
  static_assert(!ShuffleCopies<int, Out, Out>);
  static_assert(!ShuffleCopies<TypeParam, riffle::ViewPack<>, riffle::ViewPack<>>);
  static_assert(ShuffleCopies<TypeParam, riffle::ViewPack<Const>, riffle::ViewPack<Out>>);
  static_assert(!ShuffleCopies<TypeParam, riffle::ViewPack<Out>, riffle::ViewPack<Const>>);
  static_assert(Shuffles<TypeParam, Out>);
  static_assert(!Shuffles<TypeParam, Const>);
  static_assert(!Shuffles<TypeParam, Cube>);
  static_assert(!Shuffles<TypeParam, riffle::ViewPack<Out, Const>>);
  static_assert(Permutes<TypeParam, Out>);
  static_assert(!Permutes<TypeParam, Const>);
  static_assert(!Permutes<TypeParam, Kokkos::View<int**, Space>>);
}

}  // namespace
}  // namespace riffle::test::shuffle_views_test
