// With a workspace, rankings allocate nothing.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/published/naive_prefix_ranking.hpp>
#include <riffle/rank/published/packed_scan_ranking.hpp>
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

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"
#include "support/workspace_calls.hpp"

namespace riffle::test::workspace_calls_ranks_test {
namespace {

template <class Exec>
class WorkspaceCallsOfRanks : public ::testing::Test {
 protected:
  using Calls = WorkspaceCalls<Exec>;
  using Memory = riffle::Workspace<Exec>;
  using Space = typename Exec::memory_space;

  /// Of n elements each, where n > 0 in rows of 3.
  struct Data {
    explicit Data(std::size_t n)
        : ranks("ranks", n),
          offsets(to_view<Exec>(std::vector<std::uint64_t>{0, n / 3, n})),
          ties("ties"),
          rows("rows", n / 3, 3),
          rank_rows("rank_rows", n / 3, 3) {
      std::vector<double> ascending, mixed;
      std::vector<int> tens;
      for (std::size_t i = 0; i < n; ++i) {
        ascending.push_back(static_cast<double>(i / 3));
        mixed.push_back(static_cast<double>(i * 7919 % 1013));
        tens.push_back(static_cast<int>(i / 10));
      }
      sorted = to_view<Exec>(ascending);
      unsorted = to_view<Exec>(mixed);
      keys = to_view<Exec>(tens);
    }

    Kokkos::View<double*, Space> sorted, unsorted, ranks;
    Kokkos::View<int*, Space> keys;
    Kokkos::View<std::uint64_t*, Space> offsets;
    Kokkos::View<riffle::TieStatistics, Space> ties;
    Kokkos::View<double**, Kokkos::LayoutRight, Space> rows, rank_rows;
  };

  static riffle::RankOptions<> excluding() {
    riffle::RankOptions<> options;
    options.missing = riffle::Missing::excluded;
    options.relative = true;
    return options;
  }

  template <class Rule>
  void add_rules(Calls& calls, std::string const& name, Rule rule, Data const& d) const {
    riffle::RankOptions<> const plain;
    riffle::RankOptions<> const others = excluding();
    calls.push_back({"rank, " + name, [=, this](Memory& memory) {
                       rank(Context(exec, memory), d.sorted, d.ranks, rule, others,
                            riffle::DefaultRanking{});
                     }});
    calls.push_back({"rank_groups, " + name, [=, this](Memory& memory) {
                       rank_groups(Context(exec, memory), d.keys, d.sorted, d.ranks, rule, others);
                     }});
    calls.push_back({"rank_rows, " + name, [=, this](Memory& memory) {
                       rank_rows(Context(exec, memory), d.rows, d.rank_rows, rule, others);
                     }});
    calls.push_back({"rank_unsorted, " + name, [=, this](Memory& memory) {
                       rank_unsorted(Context(exec, memory), d.unsorted, d.ranks, rule, others);
                     }});
    calls.push_back({"rank_unsorted_groups, " + name, [=, this](Memory& memory) {
                       rank_unsorted_groups(Context(exec, memory), d.keys, d.unsorted, d.ranks,
                                            rule, plain);
                     }});
  }

  template <class Method>
  void add_method(Calls& calls, std::string const& name, Method method, Data const& d) const {
    calls.push_back({"rank, " + name, [=, this](Memory& memory) {
                       rank(Context(exec, memory), d.sorted, d.ranks, riffle::ties::Competition{},
                            riffle::RankOptions<>{}, method);
                     }});
  }

  /// By the default method, and by each by name.
  Calls of_sorted(Data const& d) const {
    Calls calls;
    add_method(calls, "NaivePrefixRanking", riffle::NaivePrefixRanking{}, d);
    add_method(calls, "PackedScanRanking", riffle::PackedScanRanking{}, d);
    add_method(calls, "HybridRanking", riffle::HybridRanking{}, d);
    if constexpr (lanes::is_cpu<Exec>) {
      add_method(calls, "SegmentSearchRanking", riffle::SegmentSearchRanking{}, d);
    }
    return calls;
  }

  Calls of_rules(Data const& d) const {
    Calls calls;
    add_rules(calls, "Fractional", riffle::ties::Fractional{}, d);
    add_rules(calls, "Dense", riffle::ties::Dense{}, d);
    return calls;
  }

  Calls of_others(Data const& d) const {
    riffle::ties::Competition const rule;
    riffle::RankOptions<> const plain;
    return {
        {"rank_if_sorted",
         [=, this](Memory& memory) {
           rank_if_sorted(Context(exec, memory), d.sorted, d.ranks, rule, plain,
                          riffle::DefaultRanking{});
         }},
        {"rank_and_count_ties",
         [=, this](Memory& memory) {
           rank_and_count_ties(Context(exec, memory), d.sorted, d.ranks, d.ties, rule, plain);
         }},
        {"rank_unsorted_and_count_ties",
         [=, this](Memory& memory) {
           rank_unsorted_and_count_ties(Context(exec, memory), d.unsorted, d.ranks, d.ties, rule,
                                        plain);
         }},
        {"rank_segments",
         [=, this](Memory& memory) {
           rank_segments(Context(exec, memory), d.offsets, d.sorted, d.ranks, rule, plain);
         }},
        {"rank_unsorted_segments",
         [=, this](Memory& memory) {
           rank_unsorted_segments(Context(exec, memory), d.offsets, d.unsorted, d.ranks, rule,
                                  plain);
         }},
        {"rank_columns",
         [=, this](Memory& memory) {
           rank_columns(Context(exec, memory), d.rows, d.rank_rows, rule, plain);
         }},
        {"rank_unsorted_rows",
         [=, this](Memory& memory) {
           rank_unsorted_rows(Context(exec, memory), d.rows, d.rank_rows, rule, plain);
         }},
        {"rank_unsorted_columns",
         [=, this](Memory& memory) {
           rank_unsorted_columns(Context(exec, memory), d.rows, d.rank_rows, rule, plain);
         }},
    };
  }

  template <class Calls>
  void expect_none_allocates(Calls const& calls) const {
    for (std::size_t const n : sizes_for_workspaces<Exec>()) {
      SCOPED_TRACE(n);
      expect_no_allocations(exec, calls(Data(n)), [] {});
    }
  }

  Exec exec;
};
TYPED_TEST_SUITE(WorkspaceCallsOfRanks, ExecutionSpaces, SpaceNames);

TYPED_TEST(WorkspaceCallsOfRanks, MethodsAllocateNothing) {
  this->expect_none_allocates([&](auto const& data) { return this->of_sorted(data); });
}

TYPED_TEST(WorkspaceCallsOfRanks, RulesAllocateNothing) {
  this->expect_none_allocates([&](auto const& data) { return this->of_rules(data); });
}

TYPED_TEST(WorkspaceCallsOfRanks, OtherRankingsAllocateNothing) {
  this->expect_none_allocates([&](auto const& data) { return this->of_others(data); });
}

}  // namespace
}  // namespace riffle::test::workspace_calls_ranks_test
