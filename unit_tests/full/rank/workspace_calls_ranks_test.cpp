// With a workspace, rankings do not allocate.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/published/competition_ranking/hybrid_ranking.hpp>
#include <riffle/published/competition_ranking/naive_prefix_ranking.hpp>
#include <riffle/published/competition_ranking/packed_scan_ranking.hpp>
#include <riffle/published/competition_ranking/segment_search_ranking.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_and_count_ties.hpp>
#include <riffle/rank/rank_groups.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_rows.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/rank_unsorted_groups.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/rank/tie_statistics.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/workspace_rank_calls.hpp"

namespace riffle::test::workspace_calls_ranks_test {
namespace {

template <class Exec>
class WorkspaceCallsOfRanks : public WorkspaceCallsOfRankings<Exec> {
 protected:
  using Base = WorkspaceCallsOfRankings<Exec>;
  using Base::exec;
  using typename Base::Calls;
  using typename Base::Data;
  using typename Base::Memory;

  template <class Method>
  void add_method(Calls& calls, std::string const& name, Method method, Data const& d) const {
    calls.push_back({"rank, " + name, [=, this](Memory& memory) {
                       rank(Context(exec, memory), d.sorted, d.ranks, riffle::ties::Competition{},
                            riffle::RankOptions<>{}, method);
                     }});
  }

  /// The default method, and each named method.
  Calls of_sorted(Data const& d) const {
    Calls calls;
    add_method(calls, "NaivePrefixRanking", riffle::NaivePrefixRanking{}, d);
    add_method(calls, "PackedScanRanking", riffle::PackedScanRanking{}, d);
    add_method(calls, "HybridRanking", riffle::HybridRanking{}, d);
    if constexpr (backend::is_cpu<Exec>) {
      add_method(calls, "SegmentSearchRanking", riffle::SegmentSearchRanking{}, d);
    }
    return calls;
  }

  Calls of_others(Data const& d) const {
    return {
        {"rank_if_sorted",
         [=, this](Memory& memory) { rank_if_sorted(Context(exec, memory), d.sorted, d.ranks); }},
        {"rank_and_count_ties",
         [=, this](Memory& memory) {
           rank_and_count_ties(Context(exec, memory), d.sorted, d.ranks, d.ties);
         }},
        {"rank_unsorted_and_count_ties",
         [=, this](Memory& memory) {
           rank_unsorted_and_count_ties(Context(exec, memory), d.unsorted, d.ranks, d.ties);
         }},
        {"rank_segments",
         [=, this](Memory& memory) {
           rank_segments(Context(exec, memory), d.offsets, d.sorted, d.ranks);
         }},
        {"rank_unsorted_segments",
         [=, this](Memory& memory) {
           rank_unsorted_segments(Context(exec, memory), d.offsets, d.unsorted, d.ranks);
         }},
        {"rank_columns",
         [=, this](Memory& memory) { rank_columns(Context(exec, memory), d.rows, d.rank_rows); }},
        {"rank_unsorted_rows",
         [=, this](Memory& memory) {
           rank_unsorted_rows(Context(exec, memory), d.rows, d.rank_rows);
         }},
        {"rank_unsorted_columns",
         [=, this](Memory& memory) {
           rank_unsorted_columns(Context(exec, memory), d.rows, d.rank_rows);
         }},
    };
  }
};
TYPED_TEST_SUITE(WorkspaceCallsOfRanks, ExecutionSpaces, SpaceNames);

TYPED_TEST(WorkspaceCallsOfRanks, MethodsDoNotAllocate) {
  this->expect_none_allocates([&](auto const& data) { return this->of_sorted(data); });
}

TYPED_TEST(WorkspaceCallsOfRanks, OtherRankingsDoNotAllocate) {
  this->expect_none_allocates([&](auto const& data) { return this->of_others(data); });
}

}  // namespace
}  // namespace riffle::test::workspace_calls_ranks_test
