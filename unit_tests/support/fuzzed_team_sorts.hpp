#pragma once

// A team's sorts with comparisons that are not strict weak orderings.

#include <Kokkos_Core.hpp>
#include <riffle/team/team_sort.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/fuzzed_comparisons.hpp"
#include "support/views.hpp"

namespace riffle::test {

/// Sorts `in` to `out`, then `keys` with `values`, then `in` in place.
template <class Space>
struct FuzzedTeamSorts {
  using Records = Kokkos::View<Record*, Space>;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    bool const is_copied = riffle::team_sort_copy(team, in, out, comparison);
    bool const is_moved = riffle::team_sort_by_key(team, keys, values, comparison);
    bool const is_sorted = riffle::team_sort(team, in, comparison);
    if (team.team_rank() == 0) done() = is_copied && is_moved && is_sorted ? 1 : 0;
  }

  Records in;
  Records out;
  Records keys;
  Kokkos::View<std::int32_t*, Space> values;
  Kokkos::View<int, Space> done;
  FuzzedComparison comparison;
};

inline std::size_t fuzzed_scratch_bytes(std::size_t n) {
  return team_sort_by_key_scratch_bytes<Record, std::int32_t, FuzzedComparison>(n);
}

/// Calls run(kernel, n) with Views in Exec's memory.
template <class Exec, class Run>
void expect_sorts_by_teams(std::vector<std::size_t> const& sizes, Run const& run) {
  using Space = typename Exec::memory_space;
  auto const check = [&](std::size_t n, FuzzedComparison const& comparison) {
    GuardedView<Exec, Record> const in(fuzzed_records(n));
    GuardedView<Exec, Record> const out(n);
    GuardedView<Exec, Record> const keys(fuzzed_records(n));
    GuardedView<Exec, std::int32_t> const values(iota<std::int32_t>(n));
    FuzzedTeamSorts<Space> const kernel{in.view(),
                                        out.view(),
                                        keys.view(),
                                        values.view(),
                                        decltype(FuzzedTeamSorts<Space>::done)("done"),
                                        comparison};
    run(kernel, n);
    int done = 0;
    Kokkos::deep_copy(done, kernel.done);
    EXPECT_EQ(done, 1);
    auto const in_order = in.values();
    auto const copied = out.values();
    auto const sorted = keys.values();
    auto const moved = values.values();
    if (comparison.rule == FuzzedRule::coin) return;
    EXPECT_TRUE(are_fuzzed_records(in_order));
    EXPECT_TRUE(are_fuzzed_records(copied));
    EXPECT_TRUE(are_fuzzed_records(sorted));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i].id, moved[i]) << i;
  };
  for_each_fuzzed(sizes, check);
  for_each_coin<Exec>(sizes, check);
}

}  // namespace riffle::test
