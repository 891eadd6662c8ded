#pragma once

// Ranks along the rows, or down the columns, of a matrix in any order. (Of sorted ones: riffle/rank_rows.hpp.)

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include <riffle/detail/rank/lines.hpp>
#include <riffle/detail/rank/run.hpp>
#include <riffle/detail/rank/unsorted_groups.hpp>
#include <riffle/detail/views.hpp>
#include <riffle/detail/workspaces.hpp>
#include <riffle/order.hpp>
#include <riffle/rank_options.hpp>
#include <riffle/ties.hpp>
#include <riffle/workspace.hpp>

namespace riffle {

namespace detail {

template <rank::Along along, class Exec, class Data, class Ranks, class Rule, class Order,
          class Memory>
void rank_unsorted_lines(char const* function, std::string const& label, Exec const& exec,
                         Data const& data, Ranks const& ranks, Rule const& rule,
                         RankOptions<Order> const& options, Memory&& memory) {
  static_assert(rank::can_hold_ranks_of<Ranks, Rule>, "fractional ranks are no integers");
  std::uint64_t const length =
      rank::check_rank_lines<along>(function, "data", data, ranks, options);
  check_workspace(function, exec, memory);
  std::uint64_t const n = ranks.size();
  if (n == 0) return;
  using Source = rank::LinesSource<Data, along>;
  using Sink = rank::LinesSink<Ranks, along>;
  with_workspace(exec, memory, [&](Workspace<Exec>& workspace) {
    rank::RankUnsortedInGroups<Exec, rank::UnsortedLines, Source, Sink, Rule, Order> const ranking(
        label, exec, n, {length}, Source(data), Sink(ranks), rule, options, workspace);
    ranking.run();
  });
}

}  // namespace detail

/// ranks(i, j) = the rank of data(i, j) among the elements of row i, ties by a rule; scipy.stats.rankdata(axis=1).
///
/// - data: a rank-2 View of any layout, of any trivially copyable type that options.order compares, in any order.
/// - ranks: a rank-2 View of the same extents, of integers or floating-point numbers that hold the length of a
///   row; it shares no element with data.
/// - rule, options: as for rank_unsorted_groups(), each row being a group.
/// - memory: a Workspace of exec's device, of which as many values or indices as there are elements are taken, twice
///   as many indices more, and what argsort or rank_rows() takes.
///
/// Throws std::invalid_argument where extents differ, Views overlap, the ranks' type cannot hold the length of a
/// row, options contradict the type, or the workspace is on another device; nothing is written then. Enqueued on
/// `exec`; on a GPU fences as argsort does. Reproducible. Work: two argsorts of all elements and rank_rows(), at random
/// places.
template <detail::ExecutionSpace Exec, detail::AccessibleFrom<Exec> Data,
          detail::WritableFrom<Exec> Ranks, class Rule = ties::Competition, class Order = Ascending,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
requires(detail::has_rank<Data, 2>&& detail::has_rank<Ranks, 2>) void rank_unsorted_rows(
    std::string const& label, Exec const& exec, Data const& data, Ranks const& ranks,
    Rule const& rule = {}, RankOptions<Order> const& options = {}, Memory&& memory = {}) {
  detail::rank_unsorted_lines<detail::rank::Along::rows>("rank_unsorted_rows", label, exec, data,
                                                         ranks, rule, options, memory);
}

template <detail::ExecutionSpace Exec, detail::AccessibleFrom<Exec> Data,
          detail::WritableFrom<Exec> Ranks, class Rule = ties::Competition, class Order = Ascending,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
requires(detail::has_rank<Data, 2>&& detail::has_rank<Ranks, 2>) void rank_unsorted_rows(
    Exec const& exec, Data const& data, Ranks const& ranks, Rule const& rule = {},
    RankOptions<Order> const& options = {}, Memory&& memory = {}) {
  rank_unsorted_rows("riffle::rank_unsorted_rows", exec, data, ranks, rule, options, memory);
}

/// The same of each column; scipy.stats.rankdata(axis=0).
template <detail::ExecutionSpace Exec, detail::AccessibleFrom<Exec> Data,
          detail::WritableFrom<Exec> Ranks, class Rule = ties::Competition, class Order = Ascending,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
requires(detail::has_rank<Data, 2>&& detail::has_rank<Ranks, 2>) void rank_unsorted_columns(
    std::string const& label, Exec const& exec, Data const& data, Ranks const& ranks,
    Rule const& rule = {}, RankOptions<Order> const& options = {}, Memory&& memory = {}) {
  detail::rank_unsorted_lines<detail::rank::Along::columns>("rank_unsorted_columns", label, exec,
                                                            data, ranks, rule, options, memory);
}

template <detail::ExecutionSpace Exec, detail::AccessibleFrom<Exec> Data,
          detail::WritableFrom<Exec> Ranks, class Rule = ties::Competition, class Order = Ascending,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
requires(detail::has_rank<Data, 2>&& detail::has_rank<Ranks, 2>) void rank_unsorted_columns(
    Exec const& exec, Data const& data, Ranks const& ranks, Rule const& rule = {},
    RankOptions<Order> const& options = {}, Memory&& memory = {}) {
  rank_unsorted_columns("riffle::rank_unsorted_columns", exec, data, ranks, rule, options, memory);
}

}  // namespace riffle
