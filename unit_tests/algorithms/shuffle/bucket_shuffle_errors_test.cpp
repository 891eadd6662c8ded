// Errors of each call with BucketShuffle, before which nothing is written.

#include <Kokkos_Core.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/bucket_shuffle_oracle.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::bucket_shuffle_errors_test {
namespace {

/// Tests a size that is not split, and one that is.
constexpr std::size_t sizes[] = {100, bucket_shuffle_fewest_split + 1};

template <class Exec>
class BucketShuffleErrorsTest : public ::testing::Test {
 protected:
  template <class T>
  using Vector = Kokkos::View<T*, typename Exec::memory_space>;

  template <class T = int>
  static Vector<T> full_of(std::size_t n, T value) {
    return to_view<Exec>(std::vector<T>(n, value));
  }

  template <class In, class Out>
  std::string copy_message(In const& in, Out const& out) {
    return thrown_message([&] {
      riffle::shuffle_copy(Context(exec, workspace), in, out, 1, riffle::BucketShuffle{});
    });
  }

  template <class Data>
  std::string in_place_message(Data const& data) {
    return thrown_message(
        [&] { riffle::shuffle(Context(exec, workspace), data, 1, riffle::BucketShuffle{}); });
  }

  template <class In, class Out>
  void expect_overlap(In const& in, Out const& out) {
    std::string const text = copy_message(in, out);
    EXPECT_EQ(text.rfind("riffle::shuffle_copy: ", 0), 0u) << text;
    EXPECT_NE(text.find("\") overlap: must share no element"), std::string::npos) << text;
  }

  ~BucketShuffleErrorsTest() override { EXPECT_EQ(workspace.bytes(), 0u) << "nothing was run"; }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(BucketShuffleErrorsTest, ExecutionSpaces, SpaceNames);

std::string unequal(std::string const& what, std::size_t a, std::string const& other,
                    std::size_t b) {
  return what + " = " + std::to_string(a) + " and " + other + " = " + std::to_string(b) +
         ": must be equal";
}

TYPED_TEST(BucketShuffleErrorsTest, ExtentsDiffer) {
  for (std::size_t const n : sizes) {
    auto const in = this->full_of(n, 1);
    auto const out = this->full_of(n + 1, 2);
    EXPECT_EQ(this->copy_message(in, out),
              "riffle::shuffle_copy: " + unequal("in.extent(0)", n, "out.extent(0)", n + 1));
    EXPECT_EQ(this->copy_message(out, in),
              "riffle::shuffle_copy: " + unequal("in.extent(0)", n + 1, "out.extent(0)", n));
    EXPECT_EQ(to_vector(in), std::vector<int>(n, 1));
    EXPECT_EQ(to_vector(out), std::vector<int>(n + 1, 2));
  }
}

TYPED_TEST(BucketShuffleErrorsTest, WidthsDiffer) {
  for (std::size_t const n : sizes) {
    auto const in = make_matrix<TypeParam, int, Kokkos::LayoutRight>(n, 2);
    auto const out = make_matrix<TypeParam, int, Kokkos::LayoutLeft>(n, 3);
    EXPECT_EQ(this->copy_message(in, out),
              "riffle::shuffle_copy: " + unequal("in.extent(1)", 2, "out.extent(1)", 3));
  }
}

TYPED_TEST(BucketShuffleErrorsTest, LengthsInAPackDiffer) {
  for (std::size_t const n : sizes) {
    auto const a = this->full_of(n, 1);
    auto const b = this->full_of(n + 1, 2);
    EXPECT_EQ(this->in_place_message(riffle::pack(a, b)),
              "riffle::shuffle: a View of the pack has extent(0) = " + std::to_string(n + 1) +
                  ", the first one " + std::to_string(n) + ": must be equal");
    EXPECT_EQ(to_vector(a), std::vector<int>(n, 1));
    EXPECT_EQ(to_vector(b), std::vector<int>(n + 1, 2));
  }
}

TYPED_TEST(BucketShuffleErrorsTest, InputIsOutput) {
  for (std::size_t const n : sizes) {
    auto const data = to_view<TypeParam>(iota<int>(n));
    Kokkos::View<int const*, typename TypeParam::memory_space> const in = data;
    this->expect_overlap(data, data);
    this->expect_overlap(in, data);
    EXPECT_TRUE(to_vector(data) == iota<int>(n));
  }
}

TYPED_TEST(BucketShuffleErrorsTest, InputReachesIntoOutput) {
  using Range = Kokkos::pair<std::size_t, std::size_t>;
  for (std::size_t const n : sizes) {
    auto const data = to_view<TypeParam>(iota<int>(2 * n - 1));
    auto const first = Kokkos::subview(data, Range(0, n));
    auto const second = Kokkos::subview(data, Range(n - 1, 2 * n - 1));
    this->expect_overlap(first, second);
    this->expect_overlap(second, first);
    EXPECT_TRUE(to_vector(data) == iota<int>(2 * n - 1));
  }
}

TYPED_TEST(BucketShuffleErrorsTest, PacksOverlap) {
  for (std::size_t const n : sizes) {
    auto const a = this->full_of(n, 1);
    auto const b = this->full_of(n, 2);
    auto const c = this->full_of(n, 3);
    this->expect_overlap(riffle::pack(a, b), riffle::pack(c, c));
    this->expect_overlap(riffle::pack(a, b), riffle::pack(b, c));
    EXPECT_NE(this->in_place_message(riffle::pack(a, b, a)).find(" overlap: "), std::string::npos);
    EXPECT_EQ(to_vector(a), std::vector<int>(n, 1));
    EXPECT_EQ(to_vector(b), std::vector<int>(n, 2));
    EXPECT_EQ(to_vector(c), std::vector<int>(n, 3));
  }
}

TYPED_TEST(BucketShuffleErrorsTest, IntegersTooSmallForThePermutation) {
  std::size_t constexpr n = bucket_shuffle_fewest_split;
  auto const out = this->template full_of<std::int16_t>(n, 77);
  EXPECT_EQ(
      thrown_message([&] {
        riffle::random_permutation(Context(this->exec, this->workspace), out, 1,
                                   riffle::BucketShuffle{});
      }),
      "riffle::random_permutation: n = 1048576: the value type of out holds no index above 32767");
  EXPECT_EQ(to_vector(out), std::vector<std::int16_t>(n, 77));
}

// Most machines have one device; a workspace of one of its instances can be used with others.
TYPED_TEST(BucketShuffleErrorsTest, WorkspaceOfAnotherInstanceIsNoFault) {
  std::uint32_t constexpr n = bucket_shuffle_fewest_split + 1;
  auto const instances = Kokkos::Experimental::partition_space(this->exec, 1, 1);
  riffle::Workspace<TypeParam> workspace(instances[0]);
  Kokkos::View<std::uint32_t*, typename TypeParam::memory_space> const out("out", n);
  riffle::random_permutation(Context(instances[1], workspace), out, 1, riffle::BucketShuffle{});
  instances[1].fence();
  EXPECT_TRUE(to_vector(out) == bucket_shuffle_images(n, 1));
}

template <class Exec, class Memory>
concept ShufflesWith = requires(Exec exec, Kokkos::View<int*, typename Exec::memory_space> in,
                                Kokkos::View<int*, typename Exec::memory_space> out,
                                Memory memory) {
  riffle::shuffle_copy(Context(exec, memory), in, out, 1, riffle::BucketShuffle{});
  riffle::shuffle(Context(exec, memory), in, 1, riffle::BucketShuffle{});
  riffle::random_permutation(Context(exec, memory), out, 1, riffle::BucketShuffle{});
};

TYPED_TEST(BucketShuffleErrorsTest, OtherWorkspacesAreRefusedByTheCompiler) {
  static_assert(ShufflesWith<TypeParam, riffle::Workspace<TypeParam>>);
  static_assert(!ShufflesWith<TypeParam, int>);
}

}  // namespace
}  // namespace riffle::test::bucket_shuffle_errors_test
