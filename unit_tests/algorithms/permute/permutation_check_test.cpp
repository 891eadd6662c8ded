// is_permutation() and first_violation().

#include <Kokkos_Core.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_types.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"
#include "support/watched_arena.hpp"

namespace riffle::test::permutation_check_test {
namespace {

/// The definition: looks at the indices in order.
template <class Index>
PermutationViolation<Index> oracle(std::vector<Index> const& p) {
  std::set<Index> seen;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (std::cmp_less(p[i], 0) || std::cmp_greater_equal(p[i], p.size())) {
      return {i, p[i], PermutationFault::out_of_range};
    }
    if (!seen.insert(p[i]).second) return {i, p[i], PermutationFault::repeated};
  }
  return {p.size(), 0, PermutationFault::none};
}

template <class Exec>
class PermutationCheckTest : public ::testing::Test {
 protected:
  template <class Index>
  void expect_found(std::vector<Index> const& values) {
    auto const p = to_view<Exec>(values);
    auto const expected = oracle(values);
    auto const found = riffle::first_violation(Context(exec, workspace), p);
    EXPECT_EQ(found.index, expected.index);
    EXPECT_EQ(found.value, expected.value);
    EXPECT_EQ(found.kind, expected.kind);
    bool const is = expected.kind == PermutationFault::none;
    EXPECT_EQ(riffle::is_permutation(exec, p), is);
    EXPECT_EQ(riffle::is_permutation(Context(exec, workspace), p), is);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(PermutationCheckTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermutationCheckTest, PermutationsOfAllSizes) {
  for (std::size_t const n : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 1009, 20'011}) {
    SCOPED_TRACE(n);
    this->expect_found(random_cycle<std::int32_t>(n));
    this->expect_found(iota<std::int32_t>(n));
  }
}

TYPED_TEST(PermutationCheckTest, FindsOneViolationAtAnyPlace) {
  std::size_t const n = 65;
  auto const sigma = random_cycle<std::int32_t>(n);
  for (std::size_t i = 0; i < n; ++i) {
    SCOPED_TRACE(i);
    for (std::int32_t const value : {sigma[(i + 1) % n], sigma[(i + n - 1) % n], -1, 65, 1 << 30}) {
      auto p = sigma;
      p[i] = value;
      this->expect_found(p);
    }
  }
}

TYPED_TEST(PermutationCheckTest, AllTypes) {
  for (std::size_t const n : {1, 100, 300}) {
    for_each_index_type(1, [&](auto index) {
      using Index = decltype(index);
      SCOPED_TRACE(n);
      // If n is larger than the number of values of the type, some values repeat.
      std::vector<Index> p(n);
      for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<Index>(i);
      this->expect_found(p);
      p[n - 1] = std::numeric_limits<Index>::min();
      this->expect_found(p);
      p[n / 2] = std::numeric_limits<Index>::max();
      this->expect_found(p);
    });
  }
}

// The first of many violations is found, in whatever order the threads run.
TYPED_TEST(PermutationCheckTest, ManyViolations) {
  std::mt19937_64 random(5);
  for (int repetition = 0; repetition < 20; ++repetition) {
    std::size_t const n = 1 + random() % 30'000;
    std::vector<std::int64_t> p(n);
    for (auto& value : p) value = static_cast<std::int64_t>(random() % n);
    this->expect_found(p);
    std::vector<std::int64_t> late = random_cycle<std::int64_t>(n);
    for (std::size_t i = n - n / 10; i < n; ++i) late[i] = late[random() % n];
    this->expect_found(late);
  }
  this->expect_found(std::vector<std::uint32_t>(10'000, 7));
}

TYPED_TEST(PermutationCheckTest, Memory) {
  UnwatchedArenas const unwatched;
  std::size_t const n = 1000;
  riffle::first_violation(Context(this->exec, this->workspace), to_view<TypeParam>(iota<int>(n)));
  EXPECT_EQ(this->workspace.bytes(), detail::aligned_bytes(n / 8));
  riffle::first_violation(Context(this->exec, this->workspace),
                          to_view<TypeParam>(std::vector<int>(n)));
  EXPECT_EQ(this->workspace.bytes(), detail::aligned_bytes(4 * n));
}

TYPED_TEST(PermutationCheckTest, KernelsRunOnTheCallersInstance) {
  auto const& exec = this->exec;
  auto const p = to_view<TypeParam>(std::vector<int>(1000, 3));
  expect_labels_and_instance(exec, [&](auto const& on) { riffle::is_permutation(on, p); });
  expect_labels_and_instance(exec, [&](auto const& on) { riffle::first_violation(on, p); });
  expect_fences_of_the_instance_only(exec, [&] { riffle::is_permutation(exec, p); });
}

}  // namespace
}  // namespace riffle::test::permutation_check_test
