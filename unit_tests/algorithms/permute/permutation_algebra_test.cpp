// Inverses and compositions of stored permutations.

#include <Kokkos_Core.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/permute/permutation_algebra.hpp>
#include <riffle/permute/scatter.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_types.hpp"
#include "support/permutations.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_algebra_test {
namespace {

template <class Exec>
class PermutationAlgebraTest : public ::testing::Test {
 protected:
  template <class Out, class Index>
  std::vector<Out> inverse(std::vector<Index> const& p) {
    auto const out = zeros<Exec, Out>(p.size());
    auto const checked = zeros<Exec, Out>(p.size());
    riffle::inverse(exec, to_view<Exec>(p), out);
    riffle::inverse_if_permutation(exec, to_view<Exec>(p), checked);
    exec.fence();
    EXPECT_EQ(to_vector(checked), to_vector(out));
    return to_vector(out);
  }

  Exec exec;
};
TYPED_TEST_SUITE(PermutationAlgebraTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermutationAlgebraTest, Inverse) {
  for (std::size_t const n : {0, 1, 2, 3, 31, 32, 33, 511, 512, 513, 1009, 20'011}) {
    SCOPED_TRACE(n);
    auto const p = random_cycle<std::uint16_t>(n);
    auto const inverse = this->template inverse<std::int64_t>(p);
    EXPECT_EQ(inverse, converted<std::int64_t>(inverse_of(p)));
    if (n > 2) {
      EXPECT_NE(inverse, converted<std::int64_t>(p));
    }
  }
}

TYPED_TEST(PermutationAlgebraTest, InverseOfAllTypes) {
  for (std::size_t const n : {128, 256}) {
    for_each_index_type(n, [&](auto index) {
      auto const p = random_cycle<decltype(index)>(n);
      EXPECT_EQ(this->template inverse<decltype(index)>(p), inverse_of(p));
    });
  }
}

TYPED_TEST(PermutationAlgebraTest, ComposeAppliesTheSecondFirst) {
  for (std::size_t const n : {0, 1, 2, 3, 32, 513, 1009, 20'011}) {
    SCOPED_TRACE(n);
    auto const p = random_cycle<std::int32_t>(n, 1);
    auto const q = random_cycle<std::uint64_t>(n, 2);
    std::vector<std::uint16_t> expected;
    for (auto const image : q) {
      expected.push_back(static_cast<std::uint16_t>(p[static_cast<std::size_t>(image)]));
    }
    auto const out = zeros<TypeParam, std::uint16_t>(n);
    riffle::compose(this->exec, to_view<TypeParam>(p), to_view<TypeParam>(q), out);
    this->exec.fence();
    EXPECT_EQ(to_vector(out), expected);
  }
}

// A scatter along p o q equals a scatter along q and then along p; a gather equals a gather along p and then along q.
TYPED_TEST(PermutationAlgebraTest, MovesAlongACompositionAreTwoMoves) {
  std::size_t const n = 101;
  auto const& exec = this->exec;
  auto const p = to_view<TypeParam>(random_cycle<int>(n, 1));
  auto const q = to_view<TypeParam>(random_cycle<int>(n, 2));
  auto const both = zeros<TypeParam, int>(n);
  auto const data = to_view<TypeParam>(random_cycle<int>(n, 3));
  auto const between = zeros<TypeParam, int>(n);
  auto const twice = zeros<TypeParam, int>(n);
  auto const once = zeros<TypeParam, int>(n);
  riffle::compose(exec, p, q, both);
  riffle::scatter(exec, data, q, between);
  riffle::scatter(exec, between, p, twice);
  riffle::scatter(exec, data, both, once);
  exec.fence();
  EXPECT_EQ(to_vector(once), to_vector(twice));
  riffle::gather(exec, data, p, between);
  riffle::gather(exec, between, q, twice);
  riffle::gather(exec, data, both, once);
  exec.fence();
  EXPECT_EQ(to_vector(once), to_vector(twice));
}

TYPED_TEST(PermutationAlgebraTest, ComposeIfPermutations) {
  auto const& exec = this->exec;
  auto const p = to_view<TypeParam>(std::vector<int>{2, 0, 1});
  auto const q = to_view<TypeParam>(std::vector<std::int8_t>{1, 0, 2});
  auto const out = to_view<TypeParam>(std::vector<int>(3, 77));
  auto const message_of = [&](auto const& first, auto const& second) {
    return thrown_message([&] { riffle::compose_if_permutations(exec, first, second, out); });
  };
  auto const beyond = to_view<TypeParam>(std::vector<int>{2, 3, 1});
  auto const twice = to_view<TypeParam>(std::vector<int>{1, 2, 1});
  EXPECT_EQ(message_of(beyond, q),
            "riffle::compose_if_permutations: p(1) = 3: must be at least 0 and less than n = 3");
  EXPECT_EQ(message_of(p, twice),
            "riffle::compose_if_permutations: q(2) = 1 is there before: must be a permutation, "
            "each value once");
  exec.fence();
  EXPECT_EQ(to_vector(out), std::vector<int>(3, 77));
  riffle::compose_if_permutations(exec, p, q, out);
  exec.fence();
  EXPECT_EQ(to_vector(out), (std::vector<int>{0, 2, 1}));
}

TYPED_TEST(PermutationAlgebraTest, KernelsRunOnTheCallersInstanceWithoutFence) {
  auto const& exec = this->exec;
  auto const p = to_view<TypeParam>(random_cycle<int>(20'000));
  auto const out = zeros<TypeParam, int>(20'000);
  expect_labels_and_instance(exec, [&](auto const& on) { riffle::inverse(on, p, out); });
  expect_labels_and_instance(exec, [&](auto const& on) { riffle::compose(on, p, p, out); });
  expect_labels_and_instance(exec,
                             [&](auto const& on) { riffle::inverse_if_permutation(on, p, out); });
  expect_labels_and_instance(
      exec, [&](auto const& on) { riffle::compose_if_permutations(on, p, p, out); });
  expect_no_fence(exec, [&] { riffle::inverse(exec, p, out); });
  expect_no_fence(exec, [&] { riffle::compose(exec, p, p, out); });
}

}  // namespace
}  // namespace riffle::test::permutation_algebra_test
