// BucketShuffle of Views of rank 1: value types of 1 to 64 bytes, layouts, memory traits. bucket_shuffle_rows_test.cpp
// tests rows and packs.

#include <Kokkos_Core.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/bucket_shuffle_oracle.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/views.hpp"

namespace riffle::test::bucket_shuffle_views_test {
namespace {

constexpr std::uint32_t n = bucket_shuffle_fewest_split + 257;
constexpr std::uint64_t seed = 6;

BucketShuffleOracle::Images const& sigma() { return bucket_shuffle_images(n, seed); }

/// A value of `count` words.
template <class Word, int Count>
struct Words {
  Word word[Count];

  friend bool operator==(Words const& a, Words const& b) {
    for (int k = 0; k < Count; ++k)
      if (a.word[k] != b.word[k]) return false;
    return true;
  }
};
static_assert(sizeof(Words<std::uint32_t, 3>) == 12 && sizeof(Words<std::uint64_t, 8>) == 64);

/// Values that differ as far as the type can represent them.
template <class T>
T make_value(std::uint32_t i) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(i);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(i * 0x9E3779B97F4A7C15u >> 40);
  } else {
    T value;
    std::uint64_t k = 0;
    for (auto& word : value.word) word = static_cast<std::decay_t<decltype(word)>>(i + 7 * k++);
    return value;
  }
}

template <class T>
std::vector<T> make_values(std::size_t count = n) {
  std::vector<T> values;
  for (std::uint32_t i = 0; i < count; ++i) values.push_back(make_value<T>(i));
  return values;
}

template <class Exec>
class BucketShuffleViewsTest : public ::testing::Test {
 protected:
  using Space = typename Exec::memory_space;

  // Kernels depend on the size of a value only: the smallest and the largest size of each kind are tested.

  /// Tests a shuffle from `in` to `out`, and one in place in `in`.
  template <class In, class Out, class... Memory>
  void expect_shuffles(In const& in, Out const& out, Memory&... memory) const {
    auto const values = to_vector(in);
    riffle::shuffle_copy(Context(exec, memory...), in, out, seed, riffle::BucketShuffle{});
    EXPECT_TRUE(is_gather(values, to_vector(out), sigma()));
    EXPECT_TRUE(to_vector(in) == values) << "the input has changed";
    riffle::shuffle(Context(exec, memory...), in, seed, riffle::BucketShuffle{});
    EXPECT_TRUE(is_gather(values, to_vector(in), sigma())) << "in place";
  }

  /// Tests contiguous Views, with a workspace. Strided Views and parts of Views are tested without one.
  template <class T>
  void expect_shuffles() {
    SCOPED_TRACE(std::to_string(sizeof(T)) + " bytes");
    Kokkos::View<T*, Space> const out("out", n);
    expect_shuffles(to_view<Exec>(make_values<T>()), out, workspace);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(BucketShuffleViewsTest, ExecutionSpaces, SpaceNames);

// Other tests have numbers of 2 and 4 bytes.
TYPED_TEST(BucketShuffleViewsTest, Numbers) {
  this->template expect_shuffles<std::uint8_t>();
  this->template expect_shuffles<double>();
}

TYPED_TEST(BucketShuffleViewsTest, StructsThatMoveThemselves) {
  this->template expect_shuffles<Words<std::uint32_t, 3>>();
  this->template expect_shuffles<Words<std::uint64_t, 2>>();
}

// A GPU moves these structs as words of 16 bytes if all Views are aligned as these are, and otherwise as structs.
TYPED_TEST(BucketShuffleViewsTest, StructsWithAndWithoutPadding) {
  using Pair = Words<std::uint64_t, 2>;
  using Space = typename TypeParam::memory_space;
  using Unmanaged = Kokkos::View<Pair*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  this->template expect_shuffles<Words<std::uint8_t, 16>>();
  Kokkos::View<std::uint64_t*, Space> const memory("memory", 2 * n + 1);
  Unmanaged const shifted(reinterpret_cast<Pair*>(memory.data() + 1), n);
  fill(shifted, make_values<Pair>());
  this->expect_shuffles(shifted, Kokkos::View<Pair*, Space>("out", n));
  auto const strided = make_strided<TypeParam, Pair>(n);
  fill(strided, make_values<Pair>());
  this->expect_shuffles(strided, Kokkos::View<Pair*, Space>("out", n));
}

// Larger structs are gathered by indices.
TYPED_TEST(BucketShuffleViewsTest, LargerStructs) {
  this->template expect_shuffles<Words<std::uint64_t, 3>>();
  auto const values = to_view<TypeParam>(make_values<Words<std::uint64_t, 3>>());
  this->expect_shuffles(values, to_view<TypeParam>(to_vector(values)));
  this->template expect_shuffles<Words<std::uint64_t, 8>>();
}

TYPED_TEST(BucketShuffleViewsTest, ValueTypeOfOutMayDiffer) {
  Kokkos::View<double*, typename TypeParam::memory_space> const wider("wider", n);
  auto const integers = to_view<TypeParam>(make_values<std::uint32_t>());
  riffle::shuffle_copy(this->exec, integers, wider, seed, riffle::BucketShuffle{});
  auto const values = make_values<std::uint32_t>();
  EXPECT_TRUE(
      is_gather(std::vector<double>(values.begin(), values.end()), to_vector(wider), sigma()));
}

TYPED_TEST(BucketShuffleViewsTest, ConstInputWithTraits) {
  using Space = typename TypeParam::memory_space;
  auto const values = make_values<int>();
  auto const owner = to_view<TypeParam>(values);
  Kokkos::View<int const*, Space, Kokkos::MemoryTraits<Kokkos::RandomAccess>> const fetched = owner;
  Kokkos::View<int*, Space> const out("out", n);
  Kokkos::View<int*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const unmanaged(out.data(), n);
  riffle::shuffle_copy(this->exec, fetched, unmanaged, seed, riffle::BucketShuffle{});
  EXPECT_TRUE(is_gather(values, to_vector(out), sigma()));
}

TYPED_TEST(BucketShuffleViewsTest, StridedVectors) {
  auto const in = make_strided<TypeParam, std::uint32_t>(n);
  auto const out = make_strided<TypeParam, std::uint32_t>(n);
  fill(in, make_values<std::uint32_t>());
  this->expect_shuffles(in, out);

  auto const places = make_strided<TypeParam, std::uint32_t>(n);
  riffle::random_permutation(this->exec, places, seed, riffle::BucketShuffle{});
  EXPECT_TRUE(to_vector(places) == sigma());
}

// A part of a View, whose address is not aligned for vector loads; the elements around it do not change.
TYPED_TEST(BucketShuffleViewsTest, PartsOfViews) {
  std::size_t constexpr skipped = 3;
  auto const values = make_values<std::uint16_t>(n + 2 * skipped);
  auto const whole = to_view<TypeParam>(values);
  Kokkos::View<std::uint16_t*, typename TypeParam::memory_space> const out("out", n);
  decltype(out) const part =
      Kokkos::subview(whole, Kokkos::pair<std::size_t, std::size_t>(skipped, skipped + n));
  this->expect_shuffles(part, out);
  auto const after = to_vector(whole);
  for (std::size_t i = 0; i < skipped; ++i) {
    EXPECT_EQ(after[i], values[i]) << i;
    EXPECT_EQ(after[n + skipped + i], values[n + skipped + i]) << i;
  }
}

TYPED_TEST(BucketShuffleViewsTest, IndicesOfEveryType) {
  using Space = typename TypeParam::memory_space;
  Kokkos::View<std::uint64_t*, Space> const wide("wide", n);
  riffle::random_permutation(this->exec, wide, seed, riffle::BucketShuffle{});
  EXPECT_TRUE(is_gather(iota<std::uint64_t>(n), to_vector(wide), sigma()));
  Kokkos::View<std::int32_t*, Space> const narrow("narrow", n);
  riffle::random_permutation(this->exec, narrow, seed, riffle::BucketShuffle{});
  EXPECT_TRUE(is_gather(iota<std::int32_t>(n), to_vector(narrow), sigma()));
}

}  // namespace
}  // namespace riffle::test::bucket_shuffle_views_test
