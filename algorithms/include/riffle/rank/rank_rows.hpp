#pragma once

// Ranks within the sorted rows, or columns, of a matrix. riffle/rank/rank_unsorted_rows.hpp ranks unsorted rows.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/rank/detail/checks.hpp>
#include <riffle/rank/detail/matrix_lines.hpp>
#include <riffle/rank/detail/rank_in_groups.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle {

namespace detail {

template <Along along, class Exec, class Sorted, class Ranks, class Rule, class Order>
void rank_lines(char const* function, Context<Exec> const& context, Sorted const& sorted,
                Ranks const& ranks, Rule const& rule, RankOptions<Order> const& options) {
  static_assert(rank::can_hold_ranks_of<Ranks, Rule>, "riffle: fractional ranks are no integers");
  std::uint64_t const length =
      rank::check_rank_lines<along>(function, "sorted", sorted, ranks, options);
  std::uint64_t const n = ranks.size();
  if (n == 0) return;
  rank::RankInGroups<Exec, typename Sorted::non_const_value_type, Rule, Order> const ranking(
      context, n, rule, options);
  ranking.run(rank::GroupsOfLength{length}, LinesSource<Sorted, along>(sorted),
              LinesSink<Ranks, along>(ranks));
}

}  // namespace detail

/// ranks(i, j) = the rank of sorted(i, j) among the elements of row i. `rule` determines the ranks of ties.
///
/// - exec: an execution space instance, or a Context of one.
/// - sorted: a rank-2 View of any layout.
/// - ranks: a rank-2 View of the same extents, of integers or floating-point numbers.
/// - rule, options: as for rank_groups(), with each row as a group.
///
/// Requires: each row is sorted by options.order.
///
/// Throws std::invalid_argument if extents differ, Views overlap, the ranks' type cannot hold the length of a row, or
/// options contradict the type; nothing is written then.
///
/// Complexity: one read of each element and one write of each rank; two rankings for Dense, or if NaNs are excluded.
/// Memory accesses are contiguous if the elements of a row are contiguous (LayoutRight). Memory of the workspace, for n
/// elements in all, in addition to the memory of rank(): n indices for Dense; n indices if NaNs are excluded, and n
/// more if ranks are relative, too. Does not fence. Reproducible.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Sorted,
          detail::WritableMatrixFrom<Exec> Ranks, detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_rows(Exec const& exec, Sorted const& sorted, Ranks const& ranks, Rule const& rule = {},
               Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_rows");
  auto const how = detail::rank_options(options);
  detail::rank_lines<detail::Along::rows>("rank_rows", context, sorted, ranks, rule, how);
}

/// Does the same as rank_rows(), for columns. Memory accesses are contiguous if the elements of a column are contiguous
/// (LayoutLeft).
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Sorted,
          detail::WritableMatrixFrom<Exec> Ranks, detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_columns(Exec const& exec, Sorted const& sorted, Ranks const& ranks, Rule const& rule = {},
                  Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_columns");
  auto const how = detail::rank_options(options);
  detail::rank_lines<detail::Along::columns>("rank_columns", context, sorted, ranks, rule, how);
}

RIFFLE_CALL_DIAGNOSTICS(rank_rows, sorted<Matrix>, ranks<WrittenMatrix>, rule<Optional<Rule>>)
RIFFLE_CALL_DIAGNOSTICS(rank_columns, sorted<Matrix>, ranks<WrittenMatrix>, rule<Optional<Rule>>)

}  // namespace riffle
