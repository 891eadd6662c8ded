#pragma once

// Ranks within groups of sorted data. Groups are given by keys, or are segments that are given by offsets.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/rank/detail/checks.hpp>
#include <riffle/rank/detail/rank_in_groups.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle {

namespace detail {

template <class Exec, class Groups, class Sorted, class Ranks, class Rule, class Order>
void rank_in_groups(char const* function, Context<Exec> const& context, Groups const& groups,
                    Sorted const& sorted, Ranks const& ranks, Rule const& rule,
                    RankOptions<Order> const& options) {
  static_assert(rank::can_hold_ranks_of<Ranks, Rule>, "riffle: fractional ranks are no integers");
  std::uint64_t const n = rank::check_rank(function, "sorted", sorted, ranks, options);
  if (n == 0) return;
  rank::RankInGroups<Exec, typename Sorted::non_const_value_type, Rule, Order> const ranking(
      context, n, rule, options);
  ranking.run(groups, ViewSource<Sorted>(sorted), ViewSink<Ranks>(ranks));
}

}  // namespace detail

/// ranks(i) = the rank of sorted(i) among the elements of its group. `rule` determines the ranks of ties.
///
/// - exec: an execution space instance, or a Context of one.
/// - keys: a rank-1 View with the same extent as sorted, of any type with an operator !=. The elements with equal keys
///   are a group.
/// - sorted: a rank-1 View.
/// - ranks, rule, options: as for rank(). Relative ranks are divided by the number of elements of the group, relative
///   dense ranks by the number of its distinct values. If NaNs are excluded, the other elements are ranked and counted
///   as if the NaNs were not there.
///
/// Requires: equal keys are consecutive; each group is sorted by options.order, with its NaNs at one end.
///
/// Throws std::invalid_argument if extents differ, Views overlap, the ranks' type cannot hold n, or options contradict
/// the type; nothing is written then.
///
/// Complexity and memory of the workspace:
/// - on a GPU, if the rule is not Dense, ranks are not relative and NaNs are not excluded: one ranking, which also
///   reads the keys, and up to 32 bytes for each 1024 elements;
/// - otherwise two rankings, for groups of any size, and n indices; n more indices for relative ranks, and n more for
///   Dense.
///
/// Does not fence. Reproducible.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Keys,
          detail::ArrayFrom<Exec> Sorted, detail::WritableArrayFrom<Exec> Ranks,
          detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_groups(Exec const& exec, Keys const& keys, Sorted const& sorted, Ranks const& ranks,
                 Rule const& rule = {}, Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_groups");
  auto const how = detail::rank_options(options);
  detail::rank::check_keys("rank_groups", keys, "sorted", sorted, ranks);
  using Source = detail::ViewSource<Keys>;
  detail::rank_in_groups("rank_groups", context, detail::rank::GroupsByKey<Source>{Source(keys)},
                         sorted, ranks, rule, how);
}

/// Does the same as rank_groups(), with segments as groups: segment s is the elements offsets(s), ..., offsets(s + 1) -
/// 1.
///
/// - offsets: a rank-1 View of integers. Its extent is the number of segments plus 1.
///
/// Requires: 0 = offsets(0) <= offsets(1) <= ... <= offsets(last) = n. This is not checked. If it does not hold, the
/// ranks are unspecified, but no memory outside of the Views is accessed.
///
/// Throws as rank_groups() does, and std::invalid_argument if `offsets` is empty but n > 0. All else is as for
/// rank_groups().
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Offsets,
          detail::ArrayFrom<Exec> Sorted, detail::WritableArrayFrom<Exec> Ranks,
          detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_segments(Exec const& exec, Offsets const& offsets, Sorted const& sorted,
                   Ranks const& ranks, Rule const& rule = {}, Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_segments");
  auto const how = detail::rank_options(options);
  detail::check_offsets("rank_segments", offsets, sorted.extent(0), "ranks", ranks);
  detail::rank_in_groups("rank_segments", context, detail::rank::GroupsByOffset<Offsets>{offsets},
                         sorted, ranks, rule, how);
}

RIFFLE_CALL_DIAGNOSTICS(rank_groups, keys<Array>, sorted<Array>, ranks<WrittenArray>,
                        rule<Optional<Rule>>)
RIFFLE_CALL_DIAGNOSTICS(rank_segments, offsets<Indices>, sorted<Array>, ranks<WrittenArray>,
                        rule<Optional<Rule>>)

}  // namespace riffle
