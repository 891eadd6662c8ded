// Each call with BucketShuffle computes the permutation of its definition. bucket_shuffle_views_test.cpp tests kinds of
// Views.

#include <Kokkos_Core.hpp>
#include <riffle/random/streams.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/bucket_shuffle_oracle.hpp"
#include "support/execution_spaces.hpp"
#include "support/kernel_log.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"
#include "support/watched_arena.hpp"

namespace riffle::test::bucket_shuffle_test {
namespace {

using Images = BucketShuffleOracle::Images;

constexpr std::uint32_t min_split = bucket_shuffle_fewest_split;
constexpr std::uint64_t other_seed = 0x123456789ABCDEF0u;

Images first_8(Images const& images) { return {images.begin(), images.begin() + 8}; }

/// The first values of a permutation, and a checksum of all values, from a model of the definition and of its ciphers in
/// Python integers.
struct Golden {
  std::uint32_t n;
  std::uint64_t seed;
  Images first;
  std::uint64_t sum;
};

std::vector<Golden> golden_values() {
  return {{min_split,
           other_seed,
           {276874, 138386, 470313, 908214, 970805, 143729, 109393, 719577},
           0x7D14A931423B3297u},
          {min_split + 257,
           1,
           {417134, 27715, 156502, 849903, 540176, 842510, 794753, 218581},
           0x720A0BC674494D27u}};
}

TEST(BucketShuffleOracleTest, GoldenValues) {
  for (auto const& golden : golden_values()) {
    auto const& images = bucket_shuffle_images(golden.n, golden.seed);
    EXPECT_EQ(first_8(images), golden.first);
    EXPECT_EQ(checksum(images), golden.sum);
  }
}

TEST(BucketShuffleOracleTest, GoldenValuesOfSmallTrees) {
  auto const one_level = BucketShuffleOracle(3).images(1000, 1);
  EXPECT_EQ(first_8(one_level), (Images{818, 635, 714, 278, 24, 728, 507, 141}));
  EXPECT_EQ(checksum(one_level), 0xF2B0FED8FE0A65F5u);
  auto const two_levels = BucketShuffleOracle(7).images(5000, 2);
  EXPECT_EQ(first_8(two_levels), (Images{1379, 275, 3874, 2813, 2278, 707, 562, 3932}));
  EXPECT_EQ(checksum(two_levels), 0x816CEBEA39420AC1u);
}

// The checker of the other tests must reject permutations that are nearly right.
TEST(BucketShuffleOracleTest, RejectsIdentityTranspositionAndInverse) {
  std::uint32_t constexpr n = min_split + 257;
  auto const& sigma = bucket_shuffle_images(n, 1);
  EXPECT_TRUE(is_permutation_of_iota(sigma));
  auto const identity = iota<std::uint32_t>(n);
  EXPECT_TRUE(is_gather(identity, sigma, sigma));
  EXPECT_FALSE(is_gather(identity, identity, sigma));
  EXPECT_FALSE(is_gather(identity, inverse_of(sigma), sigma));
  for (std::uint32_t const i : {0u, 255u, n / 2, n - 2}) {
    auto transposed = sigma;
    std::swap(transposed[i], transposed[i + 1]);
    EXPECT_FALSE(is_gather(identity, transposed, sigma)) << i;
  }
}

template <class Exec>
class BucketShuffleTest : public ::testing::Test {
 protected:
  using Vector = Kokkos::View<std::uint32_t*, typename Exec::memory_space>;

  template <class... Memory>
  Images permuted(std::uint32_t n, std::uint64_t seed, Memory&... memory) const {
    Vector const out("out", n);
    riffle::random_permutation(Context(exec, memory...), out, seed, riffle::BucketShuffle{});
    return to_vector(out);
  }

  template <class... Memory>
  Images copied(Images const& values, std::uint64_t seed, Memory&... memory) const {
    auto const in = to_view<Exec>(values);
    Vector const out("out", values.size());
    riffle::shuffle_copy(Context(exec, memory...), in, out, seed, riffle::BucketShuffle{});
    EXPECT_TRUE(to_vector(in) == values);
    return to_vector(out);
  }

  template <class... Memory>
  Images in_place(Images const& values, std::uint64_t seed, Memory&... memory) const {
    auto const data = to_view<Exec>(values);
    riffle::shuffle(Context(exec, memory...), data, seed, riffle::BucketShuffle{});
    return to_vector(data);
  }

  /// Tests all calls with one n and seed.
  template <class... Memory>
  void expect_follows_oracle(std::uint32_t n, std::uint64_t seed, Memory&... memory) const {
    auto const& expected = bucket_shuffle_images(n, seed);
    // EXPECT_TRUE, as EXPECT_EQ would print whole vectors.
    EXPECT_TRUE(permuted(n, seed, memory...) == expected) << "n = " << n << ", seed = " << seed;
    auto const indices = iota<std::uint32_t>(n);
    EXPECT_TRUE(copied(indices, seed, memory...) == expected)
        << "copy, n = " << n << ", seed = " << seed;
    EXPECT_TRUE(in_place(indices, seed, memory...) == expected)
        << "in place, n = " << n << ", seed = " << seed;
  }

  Exec exec;
};
TYPED_TEST_SUITE(BucketShuffleTest, ExecutionSpaces, SpaceNames);

// The definition has no tree for these n.
TYPED_TEST(BucketShuffleTest, IsRandomPermutationBelowTheFewestToSplit) {
  for (std::uint32_t const n : {0u, 1u, 2u, 5u, 1000u, min_split - 1}) {
    this->expect_follows_oracle(n, 1);
  }
}

// On both sides of the smallest n with a tree, of the edges of a unit of digits, and of a tile.
TYPED_TEST(BucketShuffleTest, FollowsTheOracleAtEveryEdge) {
  for (std::uint32_t const beyond : {0u, 1u, 16u, 17u, 256u, 257u, 4096u, 4097u}) {
    this->expect_follows_oracle(min_split + beyond, 1);
  }
}

TYPED_TEST(BucketShuffleTest, FollowsTheOracleAtLargerSizes) {
  this->expect_follows_oracle(1300003, 5);
  this->expect_follows_oracle((1u << 21) + 1, 6);
}

TYPED_TEST(BucketShuffleTest, FollowsTheOracleUnderOtherSeeds) {
  for (std::uint64_t const seed : {std::uint64_t{0}, ~std::uint64_t{0}, other_seed}) {
    this->expect_follows_oracle(min_split + 1, seed);
  }
}

TYPED_TEST(BucketShuffleTest, StreamsFollowTheOracleOfTheirSeeds) {
  std::uint32_t constexpr n = min_split + 1;
  std::uint64_t const seed = riffle::seed_of_stream(6, 7);
  auto const out = to_view<TypeParam>(iota<std::uint32_t>(n));
  riffle::shuffle(this->exec, out, 6, 7, riffle::BucketShuffle{});
  EXPECT_TRUE(to_vector(out) == bucket_shuffle_images(n, seed));
  riffle::random_permutation(this->exec, out, 6, 0, riffle::BucketShuffle{});
  EXPECT_TRUE(to_vector(out) == bucket_shuffle_images(n, 6)) << "stream 0";
}

TYPED_TEST(BucketShuffleTest, GoldenValues) {
  for (auto const& golden : golden_values()) {
    auto const images = this->permuted(golden.n, golden.seed);
    EXPECT_EQ(first_8(images), golden.first);
    EXPECT_EQ(checksum(images), golden.sum);
  }
}

// A workspace that grows, one that is larger than needed, and one that a smaller call has used.
TYPED_TEST(BucketShuffleTest, FollowsTheOracleWithAWorkspaceOfAllSizes) {
  riffle::Workspace<TypeParam> workspace(this->exec);
  for (std::uint32_t const n : {1000u, min_split + 1, 1300003u, 0u, min_split, 1300003u}) {
    this->expect_follows_oracle(n, 5, workspace);
  }
}

TYPED_TEST(BucketShuffleTest, TakesALabel) {
  std::uint32_t constexpr n = min_split + 1;
  auto const& expected = bucket_shuffle_images(n, 1);
  auto const in = to_view<TypeParam>(iota<std::uint32_t>(n));
  typename TestFixture::Vector const out("out", n);
  riffle::Workspace<TypeParam> workspace(this->exec);
  riffle::random_permutation(Context(this->exec, "user::table"), out, 1, riffle::BucketShuffle{});
  EXPECT_TRUE(to_vector(out) == expected);
  riffle::shuffle_copy(Context(this->exec, "user::copy", workspace), in, out, 1,
                       riffle::BucketShuffle{});
  EXPECT_TRUE(to_vector(out) == expected);
  riffle::shuffle(Context(this->exec, "user::in_place", workspace), in, 1, riffle::BucketShuffle{});
  EXPECT_TRUE(to_vector(in) == expected);
}

TYPED_TEST(BucketShuffleTest, TakesAnUnallocatedView) {
  typename TestFixture::Vector const nothing;
  riffle::shuffle_copy(this->exec, nothing, nothing, 1, riffle::BucketShuffle{});
  riffle::shuffle(this->exec, nothing, 1, riffle::BucketShuffle{});
  riffle::random_permutation(this->exec, nothing, 1, riffle::BucketShuffle{});
}

// --- callbacks of Kokkos Tools ---

/// An instance that is not the default one, if the space has several, and the data that it shuffles.
template <class Exec>
class BucketShuffleToolsTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t n = min_split + 257;

  BucketShuffleToolsTest() : exec(Kokkos::Experimental::partition_space(Exec(), 1, 1)[1]) {
    Kokkos::fence();
  }

  /// Calls use(call) for each of the three functions, where call(on) takes an instance or a context.
  template <class Use>
  void for_each_call(Use const& use) const {
    riffle::BucketShuffle const algorithm;
    use([&](auto const& on) { riffle::shuffle_copy(on, in, out, 1, algorithm); });
    use([&](auto const& on) { riffle::shuffle(on, in, 1, algorithm); });
    use([&](auto const& on) { riffle::random_permutation(on, out, 1, algorithm); });
  }

  Exec exec;
  Kokkos::View<std::uint32_t*, typename Exec::memory_space> in{"in", n};
  Kokkos::View<std::uint32_t*, typename Exec::memory_space> out{"out", n};
};
TYPED_TEST_SUITE(BucketShuffleToolsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(BucketShuffleToolsTest, LabelsAndInstance) {
  this->for_each_call([&](auto const& call) { expect_labels_and_instance(this->exec, call); });
  riffle::Workspace<TypeParam> workspace(this->exec);
  this->for_each_call(
      [&](auto const& call) { expect_labels_and_instance(this->exec, call, workspace); });
}

TYPED_TEST(BucketShuffleToolsTest, AllocatesNothingFromItsSecondCallWithAWorkspaceOn) {
  riffle::Workspace<TypeParam> workspace(this->exec);
  Context const context(this->exec, workspace);
  this->for_each_call([&](auto const& call) {
    call(context);
    auto const bytes = workspace.bytes();
    KernelLog const log;
    call(context);
    EXPECT_EQ(KernelLog::allocations(), std::vector<std::string>());
    EXPECT_FALSE(KernelLog::kernels().empty());
    EXPECT_EQ(workspace.bytes(), bytes);
  });
}

/// Runs `call` with a workspace of the bytes that it reports for `rows`, which do not include the messages of scans.
template <class Exec, class Rows, class Call>
void expect_enough_reserved(Exec const& exec, Rows const& rows, Call const& call) {
  UnwatchedArenas const unwatched;
  riffle::Workspace<Exec> workspace(exec);
  workspace.reserve(riffle::BucketShuffle::workspace_bytes(exec, rows));
  KernelLog const log;
  call(workspace);
  for (auto const& name : KernelLog::allocations()) {
    EXPECT_NE(name.find("::messages"), std::string::npos) << name;
  }
}

TYPED_TEST(BucketShuffleToolsTest, ReportsItsBytes) {
  riffle::BucketShuffle const algorithm;
  auto const expect_of_copy = [&](auto const& in, auto const& out) {
    expect_enough_reserved(this->exec, out, [&](auto& workspace) {
      riffle::shuffle_copy(Context(this->exec, workspace), in, out, 1, algorithm);
    });
  };
  expect_of_copy(this->in, this->out);
  auto const rows = make_matrix<TypeParam, int, Kokkos::LayoutLeft>(this->n, 2);
  auto const other_rows = make_matrix<TypeParam, int, Kokkos::LayoutRight>(this->n, 2);
  expect_of_copy(rows, other_rows);
  expect_of_copy(riffle::pack(this->in, rows), riffle::pack(this->out, other_rows));
  expect_enough_reserved(this->exec, this->in, [&](auto& workspace) {
    riffle::shuffle(Context(this->exec, workspace), this->in, 1, algorithm);
  });
  expect_enough_reserved(this->exec, this->out, [&](auto& workspace) {
    riffle::random_permutation(Context(this->exec, workspace), this->out, 1, algorithm);
  });
}

// Except on back ends where Kokkos fences at every kernel.
TYPED_TEST(BucketShuffleToolsTest, DoesNotFenceWithAWorkspace) {
  auto const plain = fences_of([&] {
    Kokkos::parallel_for("plain", Kokkos::RangePolicy<TypeParam>(this->exec, 0, 1), DoNothing());
  });
  riffle::Workspace<TypeParam> workspace(this->exec);
  Context const context(this->exec, workspace);
  this->for_each_call([&](auto const& call) {
    call(context);
    for (auto const& fence : fences_of([&] { call(context); })) {
      EXPECT_NE(std::find(plain.begin(), plain.end(), fence), plain.end()) << fence;
    }
  });
  this->exec.fence();
}

}  // namespace
}  // namespace riffle::test::bucket_shuffle_test
