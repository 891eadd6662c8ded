// Permutations with several levels, and of more than 2^32 elements: every image occurs once, and is in the part of the input that
// its place's digit names. The rest of the definition is tested for small n.
// On a CPU the tests run only if RIFFLE_TEST_HUGE is set in the environment.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/shuffle.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <exception>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::bucket_shuffle_huge_test {
namespace {

constexpr std::uint64_t two_to_30 = std::uint64_t{1} << 30;
constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;
constexpr std::uint64_t seed = 7;

/// The digit of place i in the root, by the definition.
KOKKOS_INLINE_FUNCTION int root_digit(std::uint64_t i) {
  std::uint64_t const index = i / 256 * 16 + i % 16;
  std::uint32_t const purpose = 4;
  auto const block =
      riffle::Philox4x32(seed)({static_cast<std::uint32_t>(index),
                                static_cast<std::uint32_t>(index >> 32) | purpose << 24, 1, 0});
  std::uint64_t const byte = i / 16 % 16;
  return static_cast<int>(block[byte / 4] >> 8 * (byte % 4) & 255u);
}

template <class Exec>
struct CountRootDigits {
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    Kokkos::atomic_inc(&counts(root_digit(i)));
  }
};

/// Marks each image; counts the images that are out of range or already marked.
template <class Images, class Exec>
struct CountRepeated {
  Images images;
  Kokkos::View<std::uint32_t*, typename Exec::memory_space> marks;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    std::uint64_t const image = images(i);
    if (image >= images.extent(0)) {
      ++wrong;
      return;
    }
    std::uint32_t const bit = std::uint32_t{1} << image % 32;
    if (Kokkos::atomic_fetch_or(&marks(image / 32), bit) & bit) ++wrong;
  }
};

/// Counts the images outside of the part that their digit names.
template <class Images, class Exec>
struct CountMisplaced {
  Images images;
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> bounds;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    int const digit = root_digit(i);
    if (images(i) < bounds(digit) || images(i) >= bounds(digit + 1)) ++wrong;
  }
};

template <class Exec>
class BucketShuffleHugeTest : public ::testing::Test {
 protected:
  template <class Index>
  using Images = Kokkos::View<Index*, typename Exec::memory_space>;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;

  /// The beginning of each part, and the end of the last one.
  auto part_bounds(std::uint64_t n) {
    auto const counts = zeros<Exec, std::uint64_t>(256);
    Kokkos::parallel_for("digits", Policy(exec, 0, n), CountRootDigits<Exec>{counts});
    exec.fence();
    std::vector<std::uint64_t> bounds{0};
    for (std::uint64_t const count : to_vector(counts)) bounds.push_back(bounds.back() + count);
    EXPECT_EQ(bounds.back(), n);
    return to_view<Exec>(bounds, "bounds");
  }

  template <class Index>
  std::uint64_t repeated(Images<Index> const& images) {
    auto const marks = zeros<Exec, std::uint32_t>(images.extent(0) / 32 + 1);
    std::uint64_t wrong = 1;
    Kokkos::parallel_reduce("repeated", Policy(exec, 0, images.extent(0)),
                            CountRepeated<Images<Index>, Exec>{images, marks}, wrong);
    return wrong;
  }

  template <class Index>
  std::uint64_t astray(Images<Index> const& images) {
    std::uint64_t wrong = 1;
    Kokkos::parallel_reduce(
        "astray", Policy(exec, 0, images.extent(0)),
        CountMisplaced<Images<Index>, Exec>{images, part_bounds(images.extent(0))}, wrong);
    return wrong;
  }

  template <class Index>
  void expect_permutation(std::uint64_t n) {
    if (backend::is_cpu<Exec> && std::getenv("RIFFLE_TEST_HUGE") == nullptr) {
      GTEST_SKIP() << "takes long on a CPU: set RIFFLE_TEST_HUGE to run it";
    }
    try {
      Images<Index> const images(Kokkos::view_alloc(Kokkos::WithoutInitializing, "images"), n);
      riffle::random_permutation(exec, images, seed, riffle::BucketShuffle{});
      EXPECT_EQ(repeated<Index>(images), 0u);
      EXPECT_EQ(astray<Index>(images), 0u);
    } catch (std::exception const& failure) {
      GTEST_SKIP() << "too little memory: " << failure.what();
    }
  }

  Exec exec;
};
TYPED_TEST_SUITE(BucketShuffleHugeTest, ExecutionSpaces, SpaceNames);

// Tests the checks themselves with a size for every machine.
TYPED_TEST(BucketShuffleHugeTest, ChecksWork) {
  typename TestFixture::template Images<std::uint32_t> const images("images", 1u << 20);
  riffle::random_permutation(this->exec, images, seed, riffle::BucketShuffle{});
  EXPECT_EQ(this->template repeated<std::uint32_t>(images), 0u);
  EXPECT_EQ(this->template astray<std::uint32_t>(images), 0u);
  riffle::random_permutation(this->exec, images, seed + 1, riffle::BucketShuffle{});
  EXPECT_GT(this->template astray<std::uint32_t>(images), 1000000u);
  Kokkos::deep_copy(images, 3);
  EXPECT_EQ(this->template repeated<std::uint32_t>(images), (1u << 20) - 1);
}

TYPED_TEST(BucketShuffleHugeTest, TwoLevels) {
  this->template expect_permutation<std::uint32_t>(two_to_30 + 1);
}

TYPED_TEST(BucketShuffleHugeTest, MoreThan32BitsCount) {
  this->template expect_permutation<std::uint64_t>(two_to_32 + 4101);
}

}  // namespace
}  // namespace riffle::test::bucket_shuffle_huge_test
