// Ranks within groups, segments, rows and columns of sorted data.

#include <Kokkos_Core.hpp>
#include <riffle/rank/rank_groups.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_rows.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>
#include <vector>

#include "calls/case.hpp"
#include "calls/groups.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::rank_groups_cases {
namespace {

struct GroupsOfDoubles {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const keys = to_array<Exec>(group_numbers(n));
    auto const data =
        to_array<Exec>(sorted_in_groups(special_numbers<double>(n), precedes<double>));
    auto const ranks = make_output<Exec, double>(n);
    RankOptions<> options;
    options.missing = Missing::excluded;
    rank_groups(exec, keys, data, ranks, ties::Fractional{}, options);
    results.add("ranks", ranks);
  }
};

struct SegmentsOfCards {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const offsets = to_array<Exec>(group_offsets(n));
    auto const data = to_array<Exec>(sorted_in_groups(cards(n), BySuit{}));
    auto const ranks = make_output<Exec, std::int32_t>(n);
    rank_segments(Context(exec, "cards", workspace), offsets, data, ranks, ties::Competition{},
                  RankOptions<BySuit>{});
    results.add("ranks", ranks);
  }
};

struct RowsOfDoubles {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::uint64_t const columns = 23;
    auto const values = sorted(special_numbers<double>(n - n % columns));
    auto const ranks = make_output<Exec, std::int32_t>(n / columns, columns);
    // If all values are sorted, so is each row and each column.
    auto const data = to_matrix<Exec>(values, columns);
    rank_rows(exec, data, ranks, ties::Dense{});
    results.add("ranks in rows", ranks);
    rank_columns(Context(exec, "columns"), data, ranks, ties::Competition{});
    results.add("ranks in columns", ranks);
  }
};

Cases const cases{
    make_case<GroupsOfDoubles>("rank_groups_of_doubles", sizes()),
    make_case<SegmentsOfCards>("rank_segments_of_cards", sizes()),
    make_case<RowsOfDoubles>("rank_rows_and_columns", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::rank_groups_cases
