// Scans by operations that are not commutative, of values of 5 to 24 bytes.

#include <Kokkos_Core.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/monoids.hpp"
#include "support/scans.hpp"

namespace riffle::test::scan_user_operations_test {
namespace {

/// The right value, unless it is zero: a functor without an identity of its own.
struct RightUnlessZero {
  KOKKOS_FUNCTION std::int32_t operator()(std::int32_t left, std::int32_t right) const {
    return right == 0 ? left : right;
  }
};

template <class Exec>
class ScanUserOperationsTest : public ::testing::Test {
 protected:
  /// Tests both scans of every size; the exclusive scan has an initial value that does not commute with the others.
  template <class Op>
  void expect_scans(Op const& op, std::vector<std::size_t> const& sizes = scan_edge_sizes()) {
    auto const init = random_values(op, 1, 99)[0];
    for (std::size_t const n : sizes) {
      auto const values = random_values(op, n, n);
      expect_inclusive_scan(exec, op, op, values);
      expect_exclusive_scan(exec, op, op, values, init);
    }
  }

  Exec exec;
};
TYPED_TEST_SUITE(ScanUserOperationsTest, ExecutionSpaces, SpaceNames);

// The tests below rely on this: a scan that exchanged left and right would give another result.
TEST(ScanUserOperations, DoNotCommute) {
  auto const expect = [](auto const& op) {
    auto const values = random_values(op, 2, 5);
    EXPECT_FALSE(op(values[0], values[1]) == op(values[1], values[0]));
    EXPECT_TRUE(op(op.identity(), values[0]) == values[0]);
    EXPECT_TRUE(op(values[0], op.identity()) == values[0]);
    auto const init = random_values(op, 1, 99)[0];
    auto const next = random_values(op, 1, 4096)[0];
    EXPECT_FALSE(op(init, next) == op(next, init));
  };
  expect(Compose{});
  expect(ComposeAffine{});
  expect(MultiplyMatrices{});
  expect(Concatenate{});
}

TYPED_TEST(ScanUserOperationsTest, PermutationsOf5Points) { this->expect_scans(Compose{}); }

TYPED_TEST(ScanUserOperationsTest, AffineMaps) { this->expect_scans(ComposeAffine{}); }

TYPED_TEST(ScanUserOperationsTest, TailsOfTexts) { this->expect_scans(KeepTail{}); }

TYPED_TEST(ScanUserOperationsTest, Matrices) { this->expect_scans(MultiplyMatrices{}); }

TYPED_TEST(ScanUserOperationsTest, HashesOf24Bytes) { this->expect_scans(Concatenate{}); }

TYPED_TEST(ScanUserOperationsTest, RandomSizes) {
  std::mt19937 generator(2);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 40; ++i) sizes.push_back(generator() % (std::size_t{1} << (1 + i % 18)));
  this->expect_scans(ComposeAffine{}, sizes);
}

TYPED_TEST(ScanUserOperationsTest, MoreBundlesThanALookBackReads) {
  std::vector<AffineMap> const values = random_values(ComposeAffine{}, 33 * bundle_elements + 5, 7);
  expect_inclusive_scan(this->exec, ComposeAffine{}, ComposeAffine{}, values);
}

TYPED_TEST(ScanUserOperationsTest, AFunctorAndItsIdentity) {
  riffle::CustomMonoid const op{RightUnlessZero{}, 0};
  for (std::size_t const n : scan_edge_sizes()) {
    auto values = random_numbers<std::int32_t>(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      if (values[i] % 64 != 0) values[i] = 0;
    }
    expect_inclusive_scan(this->exec, op, RightUnlessZero{}, values);
    expect_exclusive_scan(this->exec, op, RightUnlessZero{}, values, 12345);
  }
}

TYPED_TEST(ScanUserOperationsTest, InitStaysOnTheLeft) {
  auto const text = [](char const* characters) {
    Tail tail{};
    while (*characters) tail.text[tail.length++] = *characters++;
    return tail;
  };
  auto const in = to_view<TypeParam>(std::vector<Tail>{text("b"), text("c"), text("d")});
  Kokkos::View<Tail*, typename TypeParam::memory_space> const out("out", 3);
  riffle::exclusive_scan(this->exec, in, out, KeepTail{}, text("a"));
  this->exec.fence();
  EXPECT_EQ(to_vector(out), (std::vector<Tail>{text("a"), text("ab"), text("abc")}));
}

}  // namespace
}  // namespace riffle::test::scan_user_operations_test
