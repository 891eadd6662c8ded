#include <Kokkos_Core.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/shuffle/fisher_yates_shuffle.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/fisher_yates_oracle.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"
#include "support/watched_arena.hpp"

namespace riffle::test::fisher_yates_shuffle_test {
namespace {

using Images = std::vector<std::uint64_t>;

constexpr riffle::FisherYates by_fisher_yates;

Images sigma_of(std::size_t n, std::uint64_t seed) { return FisherYatesOracle(seed, 0).sigma(n); }

template <class T>
std::vector<T> gathered(std::vector<T> const& in, Images const& sigma) {
  std::vector<T> out;
  for (auto const i : sigma) out.push_back(in[i]);
  return out;
}

template <class Exec>
class FisherYatesShuffleTest : public ::testing::Test {
 protected:
  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(FisherYatesShuffleTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(FisherYatesShuffleTest, PermutesValues) {
  for (auto const n : edge_sizes()) {
    Images const sigma = sigma_of(n, n + 1);
    auto const values = iota<int>(n);
    auto const in = to_view<TypeParam>(values);
    auto const out = zeros<TypeParam, double>(n);
    riffle::shuffle_copy(this->exec, in, out, n + 1, by_fisher_yates);
    EXPECT_EQ(to_vector(out), gathered(iota<double>(n), sigma)) << n;
    EXPECT_EQ(to_vector(in), values);
    riffle::shuffle(this->exec, in, n + 1, by_fisher_yates);
    EXPECT_EQ(to_vector(in), gathered(values, sigma)) << n;
    auto const images = zeros<TypeParam, std::uint64_t>(n);
    riffle::random_permutation(this->exec, images, n + 1, by_fisher_yates);
    EXPECT_EQ(to_vector(images), sigma) << n;
  }
  EXPECT_EQ(this->workspace.bytes(), 0u);
}

TYPED_TEST(FisherYatesShuffleTest, TakesAStream) {
  Images const sigma = FisherYatesOracle(4, 9).sigma(300);
  auto const images = to_view<TypeParam>(iota<std::uint64_t>(300));
  riffle::shuffle(this->exec, images, 4, 9, by_fisher_yates);
  EXPECT_EQ(to_vector(images), sigma);
  riffle::random_permutation(this->exec, images, 4, 9, by_fisher_yates);
  EXPECT_EQ(to_vector(images), sigma);
}

TYPED_TEST(FisherYatesShuffleTest, PermutesStridedValues) {
  auto const values = iota<std::int16_t>(300);
  auto const data = make_strided<TypeParam, std::int16_t>(300);
  fill(data, values);
  riffle::shuffle(this->exec, data, 4, by_fisher_yates);
  EXPECT_EQ(to_vector(data), gathered(values, sigma_of(300, 4)));
}

template <class Exec, class Layout>
void check_rows(Exec const& exec) {
  std::size_t const n = 130;
  riffle::Workspace<Exec> workspace(exec);
  auto const in = make_matrix<Exec, int, Layout>(n, 7);
  auto const out = make_matrix<Exec, int, Layout>(n, 7);
  fill(in, iota<int>(7 * n));
  auto const expected = gathered(to_rows(in), sigma_of(n, 9));
  riffle::shuffle_copy(Context(exec, workspace), in, out, 9, by_fisher_yates);
  EXPECT_EQ(to_rows(out), expected);
  riffle::shuffle(Context(exec, workspace), in, 9, by_fisher_yates);
  EXPECT_EQ(to_rows(in), expected);
}

TYPED_TEST(FisherYatesShuffleTest, PermutesRows) {
  check_rows<TypeParam, Kokkos::LayoutLeft>(this->exec);
  check_rows<TypeParam, Kokkos::LayoutRight>(this->exec);
  check_rows<TypeParam, Kokkos::LayoutStride>(this->exec);
}

// The workspace has the permutation and, in place, the copied rows.
TYPED_TEST(FisherYatesShuffleTest, MemoryOfRows) {
  UnwatchedArenas const unwatched;
  std::size_t const n = 130;
  riffle::Workspace<TypeParam> workspace(this->exec);
  auto const in = make_matrix<TypeParam, int, Kokkos::LayoutRight>(n, 7);
  auto const out = make_matrix<TypeParam, int, Kokkos::LayoutRight>(n, 7);
  riffle::shuffle_copy(Context(this->exec, workspace), in, out, 9, by_fisher_yates);
  EXPECT_EQ(workspace.bytes(), detail::aligned_bytes(n * sizeof(std::uint32_t)));
  riffle::shuffle(Context(this->exec, workspace), in, 9, by_fisher_yates);
  EXPECT_GE(workspace.bytes(), n * (sizeof(std::uint32_t) + 7 * sizeof(int)));
}

TYPED_TEST(FisherYatesShuffleTest, PermutesPacksByOnePermutation) {
  std::size_t const n = 77;
  auto const keys = to_view<TypeParam>(iota<double>(n));
  auto const rows = make_matrix<TypeParam, int, Kokkos::LayoutRight>(n, 3);
  fill(rows, iota<int>(3 * n));
  auto const expected_rows = gathered(to_rows(rows), sigma_of(n, 2));
  riffle::shuffle(Context(this->exec, this->workspace), riffle::pack(keys, rows), 2,
                  by_fisher_yates);
  EXPECT_EQ(to_vector(keys), gathered(iota<double>(n), sigma_of(n, 2)));
  EXPECT_EQ(to_rows(rows), expected_rows);
}

TYPED_TEST(FisherYatesShuffleTest, RejectsInvalidArguments) {
  auto const in = to_view<TypeParam>(iota<int>(10));
  auto const out = to_view<TypeParam>(iota<int>(11));
  EXPECT_NE(thrown_message([&] {
              riffle::shuffle_copy(this->exec, in, out, 1, by_fisher_yates);
            }).find("riffle::shuffle_copy"),
            std::string::npos);
  EXPECT_EQ(to_vector(out), iota<int>(11));
}

}  // namespace
}  // namespace riffle::test::fisher_yates_shuffle_test
