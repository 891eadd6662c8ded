// Sorts and partitions by comparisons that are not strict weak orderings: nothing outside of the Views is written, and the
// elements remain the same. (Sanitizers detect reads outside of the Views.)

#include <Kokkos_Core.hpp>
#include <riffle/partition.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/argsort.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/fuzzed_comparisons.hpp"
#include "support/views.hpp"

namespace riffle::test::sort_fuzz_test {
namespace {

/// Sizes around the limits of insertion, of one thread or team, and of merges in parts.
std::vector<std::size_t> sizes() {
  return {1, 2, 15, 16, 17, 33, 1023, 1025, 4095, 4097, 8193, 20'000, 65'537, 70'001};
}

template <class Exec>
class SortFuzz : public ::testing::Test {
 protected:
  using Records = GuardedView<Exec, Record>;
  using Indices = GuardedView<Exec, std::int32_t>;

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(SortFuzz, ExecutionSpaces, SpaceNames);

TYPED_TEST(SortFuzz, Sort) {
  for_each_fuzzed(sizes(), [&](std::size_t n, FuzzedComparison const& comparison) {
    typename TestFixture::Records const records(fuzzed_records(n));
    riffle::sort(Context(this->exec, this->workspace), records.view(), comparison);
    this->exec.fence();
    EXPECT_TRUE(are_fuzzed_records(records.values()));
  });
}

TYPED_TEST(SortFuzz, SortCopy) {
  for_each_fuzzed({1025, 20'000}, [&](std::size_t n, FuzzedComparison const& comparison) {
    typename TestFixture::Records const in(fuzzed_records(n));
    typename TestFixture::Records const out(n);
    riffle::sort_copy(Context(this->exec, this->workspace), in.view(), out.view(), comparison);
    this->exec.fence();
    EXPECT_TRUE(are_fuzzed_records(in.values()));
    EXPECT_TRUE(are_fuzzed_records(out.values()));
  });
}

TYPED_TEST(SortFuzz, SortByKey) {
  for_each_fuzzed(sizes(), [&](std::size_t n, FuzzedComparison const& comparison) {
    typename TestFixture::Records const keys(fuzzed_records(n));
    typename TestFixture::Indices const values(iota<std::int32_t>(n));
    riffle::sort_by_key(Context(this->exec, this->workspace), keys.view(), values.view(),
                        comparison);
    this->exec.fence();
    auto const sorted = keys.values();
    EXPECT_TRUE(are_fuzzed_records(sorted));
    auto const moved = values.values();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i].id, moved[i]) << i;
  });
}

TYPED_TEST(SortFuzz, Argsort) {
  for_each_fuzzed(sizes(), [&](std::size_t n, FuzzedComparison const& comparison) {
    typename TestFixture::Records const data(fuzzed_records(n));
    typename TestFixture::Indices const indices(n);
    riffle::argsort(Context(this->exec, this->workspace), data.view(), indices.view(), comparison);
    this->exec.fence();
    EXPECT_TRUE(is_permutation_of_iota(indices.values()));
  });
}

TYPED_TEST(SortFuzz, Partition) {
  for_each_fuzzed({17, 4097, 70'001}, [&](std::size_t n, FuzzedComparison const& predicate) {
    typename TestFixture::Records const values(fuzzed_records(n));
    auto const count =
        riffle::partition(Context(this->exec, this->workspace), values.view(), predicate);
    this->exec.fence();
    auto const parted = values.values();
    EXPECT_TRUE(are_fuzzed_records(parted));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(predicate(parted[i]), i < count) << i;
  });
}

// --- comparisons whose answers change: values are unspecified, but nothing outside of the Views is written ---

TYPED_TEST(SortFuzz, RandomComparisonsStayInTheirViews) {
  for_each_coin<TypeParam>({17, 1025, 4097, 20'000},
                           [&](std::size_t n, FuzzedComparison const& coin) {
                             Context const context(this->exec, this->workspace);
                             typename TestFixture::Records const values(fuzzed_records(n));
                             typename TestFixture::Records const in(fuzzed_records(n));
                             typename TestFixture::Records const keys(fuzzed_records(n));
                             typename TestFixture::Indices const moved(iota<std::int32_t>(n));
                             typename TestFixture::Indices const indices(n);
                             riffle::argsort(context, in.view(), indices.view(), coin);
                             riffle::sort_copy(context, in.view(), values.view(), coin);
                             riffle::sort(context, values.view(), coin);
                             riffle::sort_by_key(context, keys.view(), moved.view(), coin);
                             this->exec.fence();
                             EXPECT_TRUE(are_fuzzed_records(in.values()));
                             for (auto const index : indices.values()) {
                               ASSERT_GE(index, 0);
                               ASSERT_LT(index, static_cast<std::int64_t>(n));
                             }
                             values.values();
                             keys.values();
                             moved.values();
                           });
}

TYPED_TEST(SortFuzz, RandomPredicatesStayInTheirViews) {
  for_each_coin<TypeParam>({1, 17, 4097, 70'001}, [&](std::size_t n, FuzzedComparison const& coin) {
    Context const context(this->exec, this->workspace);
    typename TestFixture::Records const values(fuzzed_records(n));
    typename TestFixture::Records const out(n);
    EXPECT_LE(riffle::partition_copy(context, values.view(), out.view(), coin), n);
    EXPECT_LE(riffle::partition(context, values.view(), coin), n);
    this->exec.fence();
    values.values();
    out.values();
  });
}

}  // namespace
}  // namespace riffle::test::sort_fuzz_test
