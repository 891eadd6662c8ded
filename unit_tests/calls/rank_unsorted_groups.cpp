// Ranks within groups, segments, rows and columns of unsorted data.

#include <Kokkos_Core.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_unsorted_groups.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>

#include "calls/case.hpp"
#include "calls/groups.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::rank_unsorted_groups_cases {
namespace {

struct GroupsOfDoubles {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const keys = to_array<Exec>(special_numbers<float>(n, 3));
    auto const data = to_array<Exec>(special_numbers<double>(n));
    auto const ranks = make_output<Exec, double>(n);
    for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
      RankOptions<> options;
      options.missing = missing;
      rank_unsorted_groups(exec, keys, data, ranks, ties::Fractional{}, options);
      results.add("ranks", ranks);
    }
  }
};

struct SegmentsOfCards {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const offsets = to_array<Exec>(group_offsets(n));
    auto const data = to_array<Exec>(cards(n));
    auto const ranks = make_output<Exec, std::int32_t>(n);
    rank_unsorted_segments(Context(exec, "cards", workspace), offsets, data, ranks, ties::Ordinal{},
                           RankOptions<BySuit>{});
    results.add("ranks", ranks);
  }
};

struct RowsOfInts {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::uint64_t const columns = 23;
    auto const data = to_matrix<Exec>(numbers_below<std::int32_t>(50, n - n % columns), columns);
    auto const ranks = make_output<Exec, std::int32_t>(n / columns, columns);
    rank_unsorted_rows(exec, data, ranks, ties::Competition{});
    results.add("ranks in rows", ranks);
    rank_unsorted_columns(Context(exec, "columns"), data, ranks, ties::Competition{});
    results.add("ranks in columns", ranks);
  }
};

Cases const cases{
    make_case<GroupsOfDoubles>("rank_unsorted_groups_of_doubles", sizes()),
    make_case<SegmentsOfCards>("rank_unsorted_segments_of_cards", sizes()),
    make_case<RowsOfInts>("rank_unsorted_rows_and_columns", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::rank_unsorted_groups_cases
