#pragma once

// Data and calls for tests that rankings with a workspace do not allocate.

#include <Kokkos_Core.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/tie_statistics.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/views.hpp"
#include "support/workspace_calls.hpp"

namespace riffle::test {

template <class Exec>
class WorkspaceCallsOfRankings : public ::testing::Test {
 protected:
  using Calls = WorkspaceCalls<Exec>;
  using Memory = riffle::Workspace<Exec>;
  using Space = typename Exec::memory_space;

  /// n elements; for n > 0 in rows of 3.
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

  template <class MakeCalls>
  void expect_none_allocates(MakeCalls const& calls) const {
    for (std::size_t const n : sizes_for_workspaces<Exec>()) {
      SCOPED_TRACE(n);
      expect_no_allocations(exec, calls(Data(n)), [] {});
    }
  }

  Exec exec;
};

}  // namespace riffle::test
