// BucketShuffle with more levels than its n has by definition: two levels begin beyond 2^30 points, which takes too long for a
// test.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/shuffle/shuffle.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstdint>

#include "support/bucket_shuffle_oracle.hpp"
#include "support/execution_spaces.hpp"
#include "support/permutations.hpp"
#include "support/views.hpp"

namespace riffle::test::bucket_shuffle_levels_test {
namespace {

namespace bucket_shuffle = riffle::detail::bucket_shuffle;

using Images = BucketShuffleOracle::Images;

TEST(BucketShuffleDefinitionTest, LevelsKeepLeavesBelow2To22) {
  auto const power = [](int exponent) { return std::uint64_t{1} << exponent; };
  EXPECT_EQ(bucket_shuffle::level_count(0), 0);
  EXPECT_EQ(bucket_shuffle::level_count(bucket_shuffle_fewest_split - 1), 0);
  EXPECT_EQ(bucket_shuffle::level_count(bucket_shuffle_fewest_split), 1);
  EXPECT_EQ(bucket_shuffle::level_count(power(30)), 1);
  EXPECT_EQ(bucket_shuffle::level_count(power(30) + 1), 2);
  EXPECT_EQ(bucket_shuffle::level_count(power(38)), 2);
  EXPECT_EQ(bucket_shuffle::level_count(power(38) + 1), 3);
  EXPECT_EQ(bucket_shuffle::level_count(power(40)), 3);
}

template <class Exec>
class BucketShuffleLevelsTest : public ::testing::Test {
 protected:
  using Vector = Kokkos::View<std::uint32_t*, typename Exec::memory_space>;

  template <bool InPlace, class Source>
  void permute(int levels, std::uint64_t seed, Source const& source, Vector const& out) {
    std::uint64_t const n = out.extent(0);
    if constexpr (riffle::backend::is_cpu<Exec>) {
      bucket_shuffle::shuffle_on_cpu<InPlace>(Context(exec, "riffle::test", workspace), n, levels,
                                              source, out, seed);
    } else {
      bucket_shuffle::shuffle_on_gpu<InPlace>(Context(exec, "riffle::test", workspace), n, levels,
                                              source, out, seed);
    }
  }

  /// Tests indices that are computed on the fly, and shuffles in place.
  void expect_follows_oracle(std::uint32_t n, int levels) {
    Images const expected = BucketShuffleOracle(n).images(n, levels);
    EXPECT_TRUE(is_permutation_of_iota(expected)) << n;
    Vector const out("out", n);
    permute<false>(levels, n, bucket_shuffle::IndexSource<std::uint32_t>{}, out);
    EXPECT_TRUE(to_vector(out) == expected) << n << " points, " << levels << " levels";
    auto const data = to_view<Exec>(iota<std::uint32_t>(n));
    permute<true>(levels, n, bucket_shuffle::ReadView<Vector, std::uint32_t>{data}, data);
    EXPECT_TRUE(to_vector(data) == expected) << n << " points, " << levels << " levels, in place";
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(BucketShuffleLevelsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(BucketShuffleLevelsTest, OneLevelOfFewPoints) {
  for (std::uint32_t const n : {1u, 2u, 16u, 17u, 255u, 256u, 257u, 4095u, 4096u, 4097u, 100000u}) {
    this->expect_follows_oracle(n, 1);
  }
}

TYPED_TEST(BucketShuffleLevelsTest, TwoLevels) {
  for (std::uint32_t const n : {1u, 257u, 5000u, 65537u, 1300003u}) {
    this->expect_follows_oracle(n, 2);
  }
}

}  // namespace
}  // namespace riffle::test::bucket_shuffle_levels_test
