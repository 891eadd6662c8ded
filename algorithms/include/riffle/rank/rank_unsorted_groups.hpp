#pragma once

// Ranks within groups of data in any order. Groups are given by keys in any order, or are segments that are given by
// offsets. riffle/rank/rank_groups.hpp ranks sorted groups.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/rank/detail/checks.hpp>
#include <riffle/rank/detail/rank_unsorted_in_groups.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle {

namespace detail {

template <class Exec, class Grouping, class Data, class Ranks, class Rule, class Order>
void rank_unsorted_in_groups(char const* function, Context<Exec> const& context,
                             Grouping const& grouping, Data const& data, Ranks const& ranks,
                             Rule const& rule, RankOptions<Order> const& options) {
  static_assert(rank::can_hold_ranks_of<Ranks, Rule>, "riffle: fractional ranks are no integers");
  std::uint64_t const n = rank::check_rank(function, "data", data, ranks, options);
  if (n == 0) return;
  using Source = ViewSource<Data>;
  using Sink = ViewSink<Ranks>;
  rank::RankUnsortedInGroups<Exec, Grouping, Source, Sink, Rule, Order> const ranking(
      context, n, grouping, Source(data), Sink(ranks), rule, options);
  ranking.run();
}

}  // namespace detail

/// ranks(i) = the rank of data(i) among the elements with the same key; pandas' groupby(keys).rank(). `rule` determines
/// the ranks of ties.
///
/// - exec: an execution space instance, or a Context of one.
/// - keys: a rank-1 View of numbers, with the same extent as data, in any order. The elements with equal keys are a
///   group. All NaNs count as one key, and -0 is equal to 0.
/// - data: a rank-1 View of any trivially copyable type that options.order compares, in any order.
/// - ranks, rule, options: as for rank_groups(). Ordinal ranks are stable: tied elements are ranked in the order of their
///   indices. NaNs are ranked after all numbers of their group, or before them (Missing::first), or are excluded
///   (Missing::excluded).
///
/// Requires: if options.order is a comparison of the caller, it is a strict weak ordering of the data (a < b is not, if
/// the data contain NaNs), and always returns the same result for the same values. Otherwise the ranks are unspecified,
/// but no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument if extents differ, Views overlap, the ranks' type cannot hold n, or options contradict
/// the type; nothing is written then.
///
/// Complexity: two calls of argsort, and rank_groups() with accesses to random addresses. Memory of the workspace: 2 n
/// indices, n values or keys (of the larger type), and the memory of argsort or rank_groups(). Blocking: on a GPU,
/// fences as argsort does. Reproducible.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Keys,
          detail::ArrayFrom<Exec> Data, detail::WritableArrayFrom<Exec> Ranks,
          detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_unsorted_groups(Exec const& exec, Keys const& keys, Data const& data, Ranks const& ranks,
                          Rule const& rule = {}, Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_unsorted_groups");
  auto const how = detail::rank_options(options);
  static_assert(detail::has_radix_key<typename Keys::non_const_value_type, Ascending>,
                "riffle: keys are numbers of up to 8 bytes");
  detail::rank::check_keys("rank_unsorted_groups", keys, "data", data, ranks);
  detail::rank_unsorted_in_groups("rank_unsorted_groups", context,
                                  detail::rank::GroupingByKey<Keys>{keys}, data, ranks, rule, how);
}

/// Does the same as rank_unsorted_groups(), with segments as groups: segment s is the elements offsets(s), ...,
/// offsets(s + 1) - 1.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Offsets,
          detail::ArrayFrom<Exec> Data, detail::WritableArrayFrom<Exec> Ranks,
          detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_unsorted_segments(Exec const& exec, Offsets const& offsets, Data const& data,
                            Ranks const& ranks, Rule const& rule = {},
                            Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_unsorted_segments");
  auto const how = detail::rank_options(options);
  detail::check_offsets("rank_unsorted_segments", offsets, data.extent(0), "ranks", ranks);
  detail::rank_unsorted_in_groups("rank_unsorted_segments", context,
                                  detail::rank::GroupingByOffset<Offsets>{offsets}, data, ranks,
                                  rule, how);
}

RIFFLE_CALL_DIAGNOSTICS(rank_unsorted_groups, keys<Array>, data<Array>, ranks<WrittenArray>,
                        rule<Optional<Rule>>)
RIFFLE_CALL_DIAGNOSTICS(rank_unsorted_segments, offsets<Indices>, data<Array>, ranks<WrittenArray>,
                        rule<Optional<Rule>>)

}  // namespace riffle
