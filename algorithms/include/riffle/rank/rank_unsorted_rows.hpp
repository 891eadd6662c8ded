#pragma once

// Ranks within the rows, or columns, of a matrix whose elements are in any order. riffle/rank/rank_rows.hpp ranks
// sorted rows.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/rank/detail/checks.hpp>
#include <riffle/rank/detail/matrix_lines.hpp>
#include <riffle/rank/detail/rank_unsorted_in_groups.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle {

namespace detail {

template <Along along, class Exec, class Data, class Ranks, class Rule, class Order>
void rank_unsorted_lines(char const* function, Context<Exec> const& context, Data const& data,
                         Ranks const& ranks, Rule const& rule, RankOptions<Order> const& options) {
  static_assert(rank::can_hold_ranks_of<Ranks, Rule>, "riffle: fractional ranks are no integers");
  std::uint64_t const length =
      rank::check_rank_lines<along>(function, "data", data, ranks, options);
  std::uint64_t const n = ranks.size();
  if (n == 0) return;
  using Source = LinesSource<Data, along>;
  using Sink = LinesSink<Ranks, along>;
  rank::RankUnsortedInGroups<Exec, rank::GroupingByLine, Source, Sink, Rule, Order> const ranking(
      context, n, {length}, Source(data), Sink(ranks), rule, options);
  ranking.run();
}

}  // namespace detail

/// ranks(i, j) = the rank of data(i, j) among the elements of row i; scipy.stats.rankdata(axis=1). `rule` determines
/// the ranks of ties.
///
/// - exec: an execution space instance, or a Context of one.
/// - data: a rank-2 View of any layout, of any trivially copyable type that options.order compares, in any order.
/// - ranks: a rank-2 View of the same extents, of integers or floating-point numbers.
/// - rule, options: as for rank_unsorted_groups(), with each row as a group.
///
/// Requires: as for rank_unsorted_groups().
///
/// Throws std::invalid_argument if extents differ, Views overlap, the ranks' type cannot hold the length of a row, or
/// options contradict the type; nothing is written then.
///
/// Complexity: two calls of argsort for all elements, and rank_rows() with accesses to random addresses. Memory of the
/// workspace, for n elements in all: 2 n indices, n values or indices (of the larger type), and the memory of argsort
/// or rank_rows(). Blocking: on a GPU, fences as argsort does. Reproducible.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Data,
          detail::WritableMatrixFrom<Exec> Ranks, detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_unsorted_rows(Exec const& exec, Data const& data, Ranks const& ranks,
                        Rule const& rule = {}, Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_unsorted_rows");
  auto const how = detail::rank_options(options);
  detail::rank_unsorted_lines<detail::Along::rows>("rank_unsorted_rows", context, data, ranks, rule,
                                                   how);
}

/// Does the same as rank_unsorted_rows(), for columns; scipy.stats.rankdata(axis=0).
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Data,
          detail::WritableMatrixFrom<Exec> Ranks, detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_unsorted_columns(Exec const& exec, Data const& data, Ranks const& ranks,
                           Rule const& rule = {}, Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_unsorted_columns");
  auto const how = detail::rank_options(options);
  detail::rank_unsorted_lines<detail::Along::columns>("rank_unsorted_columns", context, data, ranks,
                                                      rule, how);
}

RIFFLE_CALL_DIAGNOSTICS(rank_unsorted_rows, data<Matrix>, ranks<WrittenMatrix>,
                        rule<Optional<Rule>>)
RIFFLE_CALL_DIAGNOSTICS(rank_unsorted_columns, data<Matrix>, ranks<WrittenMatrix>,
                        rule<Optional<Rule>>)

}  // namespace riffle
