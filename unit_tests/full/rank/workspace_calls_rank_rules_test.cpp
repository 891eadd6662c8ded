// With a workspace, rankings by rules other than the default do not allocate.

#include <Kokkos_Core.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_groups.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_rows.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/rank_unsorted_groups.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/rank/ties.hpp>

#include <gtest/gtest.h>

#include <string>

#include "support/execution_spaces.hpp"
#include "support/workspace_rank_calls.hpp"

namespace riffle::test::workspace_calls_rank_rules_test {
namespace {

template <class Exec>
class WorkspaceCallsOfRankRules : public WorkspaceCallsOfRankings<Exec> {
 protected:
  using Base = WorkspaceCallsOfRankings<Exec>;
  using Base::excluding;
  using Base::exec;
  using typename Base::Calls;
  using typename Base::Data;
  using typename Base::Memory;

  template <class Rule>
  void add_rules(Calls& calls, std::string const& name, Rule rule, Data const& d) const {
    riffle::RankOptions<> const others = excluding();
    calls.push_back({"rank, " + name, [=, this](Memory& memory) {
                       rank(Context(exec, memory), d.sorted, d.ranks, rule, others);
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
                                            rule);
                     }});
  }

  Calls of_rules(Data const& d) const {
    Calls calls;
    add_rules(calls, "Fractional", riffle::ties::Fractional{}, d);
    add_rules(calls, "Dense", riffle::ties::Dense{}, d);
    return calls;
  }
};
TYPED_TEST_SUITE(WorkspaceCallsOfRankRules, ExecutionSpaces, SpaceNames);

TYPED_TEST(WorkspaceCallsOfRankRules, RulesDoNotAllocate) {
  this->expect_none_allocates([&](auto const& data) { return this->of_rules(data); });
}

}  // namespace
}  // namespace riffle::test::workspace_calls_rank_rules_test
