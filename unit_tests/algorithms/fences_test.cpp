// Which calls fence, as docs/promises.md says: with a workspace of sufficient size, only calls that read data on the host.
// fences_of_sorts_test.cpp has the calls that sort.

#include <Kokkos_Core.hpp>
#include <riffle/partition.hpp>
#include <riffle/permute.hpp>
#include <riffle/permute/address_groups.hpp>
#include <riffle/permute/bit_permutation.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/permute/named_permutations.hpp>
#include <riffle/permute/permutation_algebra.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/permute/transpose.hpp>
#include <riffle/permute/transpose_in_place.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_and_count_ties.hpp>
#include <riffle/rank/rank_groups.hpp>
#include <riffle/rank/rank_rows.hpp>
#include <riffle/rank/tie_statistics.hpp>
#include <riffle/scan.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/shuffle/fisher_yates_shuffle.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>

#include "support/execution_spaces.hpp"
#include "support/fences.hpp"

namespace riffle::test::fences_test {
namespace {

/// Keeps all elements.
struct Always {
  template <class T>
  KOKKOS_FUNCTION bool operator()(T const&) const {
    return true;
  }
};

template <class Exec>
class FencesTest : public FencesBase<Exec> {};
TYPED_TEST_SUITE(FencesTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(FencesTest, ShufflesAndScansDoNotFence) {
  auto const& exec = this->exec;
  auto& memory = this->workspace;
  auto const& x = this->x;
  auto const& y = this->y;
  auto const& q = this->q;
  this->expect_none("shuffle_copy", [&] { riffle::shuffle_copy(exec, x, y, 1); });
  this->expect_none("shuffle_copy by BucketShuffle", [&] {
    riffle::shuffle_copy(Context(exec, memory), x, y, 1, riffle::BucketShuffle{});
  });
  this->expect_none("shuffle_copy by FisherYates",
                    [&] { riffle::shuffle_copy(exec, x, y, 1, riffle::FisherYates{}); });
  this->expect_none("random_permutation",
                    [&] { riffle::random_permutation(exec, q, 1, riffle::PermutationGather{}); });
  this->expect_none("sample", [&] { riffle::sample(exec, 100000, q, 1); });
  this->expect_none("inclusive_scan", [&] {
    riffle::inclusive_scan(Context(exec, memory), x, y, riffle::Sum<double>{});
  });
  this->expect_none("exclusive_scan", [&] {
    riffle::exclusive_scan(Context(exec, memory), x, y, riffle::Sum<double>{}, 0);
  });
}

TYPED_TEST(FencesTest, RanksOfSortedDataDoNotFence) {
  auto const& exec = this->exec;
  auto& memory = this->workspace;
  auto const& x = this->x;
  auto const& q = this->q;
  RankOptions<> const excluding{.missing = Missing::excluded};
  ties::Competition const competition;
  this->expect_none("rank",
                    [&] { riffle::rank(Context(exec, memory), x, q, competition, excluding); });
  this->expect_none("rank by Dense",
                    [&] { riffle::rank(Context(exec, memory), this->zeros, q, ties::Dense{}); });
  this->expect_none("rank_groups", [&] {
    riffle::rank_groups(Context(exec, memory), this->zeros, x, q, competition, excluding);
  });
  this->expect_none("rank_rows", [&] {
    riffle::rank_rows(Context(exec, memory), this->a, this->b, competition, excluding);
  });
  Kokkos::View<riffle::TieStatistics, typename TypeParam::memory_space> const ties("ties");
  this->expect_none("rank_and_count_ties", [&] {
    riffle::rank_and_count_ties(Context(exec, memory), this->zeros, q, ties);
  });
}

// With integers: moves depend on the size of elements only.
TYPED_TEST(FencesTest, MovesAlongKnownPermutationsDoNotFence) {
  auto const& exec = this->exec;
  auto& memory = this->workspace;
  auto const& x = this->zeros;
  auto const& p = this->p;
  auto const& q = this->q;
  this->expect_none("gather", [&] { riffle::gather(exec, x, p, q); });
  this->expect_none("scatter", [&] { riffle::scatter(exec, x, p, q); });
  this->expect_none("permute", [&] { riffle::permute(Context(exec, memory), x, p, q); });
  this->expect_none("inverse", [&] { riffle::inverse(exec, p, q); });
  this->expect_none("compose", [&] { riffle::compose(exec, p, p, q); });
  this->expect_none("fill_permutation",
                    [&] { riffle::fill_permutation(exec, riffle::PerfectShuffle(this->n), q); });
  this->expect_none("sort_by_cell", [&] {
    riffle::sort_by_cell(Context(exec, memory), x, this->zeros,
                         Kokkos::subview(q, Kokkos::pair<std::size_t, std::size_t>(0, 5)));
  });
  riffle::ScheduledPermutation<TypeParam> const schedule(exec, p);
  this->expect_none("ScheduledPermutation", [&] { schedule(Context(exec, memory), x, q); });
  this->expect_none("destinations", [&] { schedule.destinations(Context(exec, memory), q); });
  riffle::PlannedPermutation<TypeParam> const plan(exec, p);
  this->expect_none("PlannedPermutation", [&] { plan(Context(exec, memory), x, q); });
  this->expect_none("transpose", [&] { riffle::transpose(exec, this->a, this->b); });
  this->expect_none("transpose_in_place",
                    [&] { riffle::transpose_in_place(Context(exec, memory), x, 64, 256); });
  this->expect_none("permute_bits", [&] {
    riffle::permute_bits(exec, x, q, riffle::BitPermutation::bit_reversal(14));
  });
}

// Calls that return a value, that check indices or labels, and that make plans.
TYPED_TEST(FencesTest, CallsThatReadDataOnTheHostFence) {
  auto const& exec = this->exec;
  auto& memory = this->workspace;
  auto const& x = this->x;
  auto const& y = this->y;
  auto const& p = this->p;
  auto const& q = this->q;
  this->expect_some("is_permutation", [&] { riffle::is_permutation(Context(exec, memory), p); });
  this->expect_some("count_address_groups",
                    [&] { riffle::count_address_groups(Context(exec, memory), p, 32); });
  this->expect_some("tie_statistics", [&] { riffle::tie_statistics(exec, x); });
  this->expect_some("first_unsorted", [&] { riffle::first_unsorted(exec, x); });
  this->expect_some("rank_if_sorted", [&] { riffle::rank_if_sorted(exec, x, q); });
  this->expect_some("partition", [&] { riffle::partition(Context(exec, memory), x, Always{}); });
  this->expect_some("partition_by_label", [&] {
    auto const offsets = Kokkos::subview(q, Kokkos::pair<std::size_t, std::size_t>(0, 5));
    riffle::partition_by_label(Context(exec, memory), x, this->zeros, y, offsets);
  });
  this->expect_some("gather_if_valid", [&] { riffle::gather_if_valid(exec, this->zeros, p, q); });
  this->expect_some("scatter_if_permutation", [&] {
    riffle::scatter_if_permutation(Context(exec, memory), this->zeros, p, q);
  });
  this->expect_some("inverse_if_permutation",
                    [&] { riffle::inverse_if_permutation(Context(exec, memory), p, q); });
  this->expect_some("compose_if_permutations",
                    [&] { riffle::compose_if_permutations(Context(exec, memory), p, p, q); });
  this->expect_some("ScheduledPermutation",
                    [&] { riffle::ScheduledPermutation<TypeParam>(Context(exec, memory), p); });
  this->expect_some("PlannedPermutation",
                    [&] { riffle::PlannedPermutation<TypeParam>(Context(exec, memory), p); });
}

}  // namespace
}  // namespace riffle::test::fences_test
