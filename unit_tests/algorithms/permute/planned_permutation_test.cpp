// The indices that a PlannedPermutation is made from and holds, its lifetime, and its inverse. The choice of the
// method, errors and fences are in permute_test.cpp.

#include <Kokkos_Core.hpp>
#include <riffle/context.hpp>
#include <riffle/permute.hpp>
#include <riffle/permute/planned_permutation.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_types.hpp"
#include "support/permutation_method.hpp"
#include "support/permutations.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::planned_permutation_test {
namespace {

template <class Exec>
class PlannedPermutationTest : public ::testing::Test {
 protected:
  using Plan = PlannedPermutation<Exec>;

  /// Expects that the plan moves element i to p[i], and its inverse moves it back.
  void expect_moves(Plan const& plan, std::vector<std::uint32_t> const& p) {
    auto const in = to_view<Exec>(iota<std::uint32_t>(p.size()));
    auto const out = zeros<Exec, std::uint32_t>(p.size());
    auto const back = zeros<Exec, std::uint32_t>(p.size());
    plan(exec, in, out);
    plan.inverse()(exec, out, back);
    exec.fence();
    EXPECT_TRUE(is_gather(iota<std::uint32_t>(p.size()), to_vector(out), inverse_of(p)))
        << p.size();
    EXPECT_EQ(to_vector(back), iota<std::uint32_t>(p.size()));
  }

  /// Expects that the plan moves row i, of three numbers, to row p[i].
  void expect_moves_rows(Plan const& plan, std::vector<std::uint32_t> const& p) {
    std::size_t const n = p.size();
    Kokkos::View<int**, typename Exec::memory_space> const in("in", n, 3);
    Kokkos::View<int**, typename Exec::memory_space> const out("out", n, 3);
    auto const host = HostElements(in);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < 3; ++k) host(i, k) = static_cast<int>(10 * i + k);
    }
    host.store();
    riffle::permute(exec, in, plan, out);
    auto const moved = HostElements(out);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < 3; ++k) wrong += moved(p[i], k) != static_cast<int>(10 * i + k);
    }
    EXPECT_EQ(wrong, 0u) << n;
  }

  Exec exec;
};
TYPED_TEST_SUITE(PlannedPermutationTest, ExecutionSpaces, SpaceNames);

// The plan holds 4 bytes an element whatever the type of the indices: here indices of one byte at a stride of two,
// up to the largest value of the type.
TYPED_TEST(PlannedPermutationTest, StridedIndicesOfOneByte) {
  using Bytes = Kokkos::View<std::int8_t*, Kokkos::LayoutStride, typename TypeParam::memory_space>;
  for (std::size_t const n : {0, 1, 2, 3, 127, 128}) {
    auto const p = random_cycle<std::uint32_t>(n);
    std::vector<std::int8_t> bytes(2 * n, -1);
    for (std::size_t i = 0; i < n; ++i) bytes[2 * i] = static_cast<std::int8_t>(p[i]);
    auto const stored = to_view<TypeParam>(bytes);
    PlannedPermutation<TypeParam> const plan(this->exec,
                                             Bytes(stored.data(), Kokkos::LayoutStride(n, 2)));
    EXPECT_EQ(plan.size(), n);
    EXPECT_EQ(plan.bytes(), 4 * n);
    this->expect_moves(plan, p);
  }
}

// A plan does not refer to p, which is overwritten here, and its memory lives as long as any copy.
TYPED_TEST(PlannedPermutationTest, OutlivesItsIndices) {
  auto const p = random_cycle<std::uint32_t>(300);
  auto const stored = to_view<TypeParam>(p);
  std::optional<PlannedPermutation<TypeParam>> original;
  original.emplace(this->exec, stored);
  (*original)(this->exec, zeros<TypeParam, std::uint32_t>(300), stored);
  auto const copy = *original;
  auto const inverse = original->inverse();
  original.reset();
  this->expect_moves(copy, p);
  this->expect_moves(inverse, inverse_of(p));
  EXPECT_EQ(copy.bytes(), inverse.bytes());
}

// The inverse of a gather is a scatter by the same indices, and vice versa.
TYPED_TEST(PlannedPermutationTest, InverseOfGatherIsScatter) {
  PlannedPermutation<TypeParam> const gather(
      this->exec, to_view<TypeParam>(random_cycle<std::uint32_t>(10'000)), {.bytes = 4});
  EXPECT_EQ(gather.method(), PermutationMethod::gather);
  EXPECT_EQ(gather.inverse().method(), PermutationMethod::scatter);
  EXPECT_EQ(gather.inverse().inverse().method(), PermutationMethod::gather);
}

TYPED_TEST(PlannedPermutationTest, RowsMoveAsOne) {
  auto const p = random_cycle<std::uint32_t>(10'000);
  PlannedPermutation<TypeParam> const plan(this->exec, to_view<TypeParam>(p));
  this->expect_moves_rows(plan, p);
  this->expect_moves_rows(plan.inverse(), inverse_of(p));
}

// The largest size_t is printed as -1.
TYPED_TEST(PlannedPermutationTest, RejectsNegativeElementSizes) {
  auto const p = to_view<TypeParam>(iota<std::uint32_t>(5));
  EXPECT_EQ(thrown_message([&] {
              PlannedPermutation<TypeParam>(this->exec, p,
                                            {.bytes = std::numeric_limits<std::size_t>::max()});
            }),
            "riffle::PlannedPermutation: use.bytes = -1: must be at least 1");
}

}  // namespace
}  // namespace riffle::test::planned_permutation_test
