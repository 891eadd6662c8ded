#pragma once

// Ranks within groups of sorted data, given by keys, or as segments between offsets.

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
#include <riffle/rank/detail/groups.hpp>
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

/// ranks(i) = the rank of sorted(i) among the elements of its group, with ties ranked by a rule.
///
/// - exec: an execution space instance, or a Context of one. n indices are taken from its workspace, n more for
///   relative ranks, and n more for Dense ones. A GPU takes none of them, but at most 32 bytes for each 1024 elements,
///   where the rule is not Dense, ranks are not relative, and no NaNs are kept out.
/// - keys: a rank-1 View, of as many elements as sorted, of any type with !=. A group is a run of equal keys, which
///   occur nowhere else.
/// - sorted: a rank-1 View, sorted by options.order within each group.
/// - ranks, rule, options: as for rank(). Relative ranks are divided by the number of elements of the group (dense ones
///   by the number of its different values). The NaNs of a group lie together at either end of it; where they are kept
///   out (Missing::excluded), others are ranked and counted as if they were not there.
///
/// Throws std::invalid_argument where extents differ, Views overlap, the ranks' type cannot hold n, or options
/// contradict the type; nothing is written then. Enqueued on `exec`, does not fence. Cost: two rankings, whatever the
/// sizes of the groups; one, which also reads the keys, where a GPU takes no indices. Reproducible.
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

/// rank_groups() for segments: segment s has the elements offsets(s), ..., offsets(s + 1) - 1.
///
/// - offsets: a rank-1 View of integers, 0 = offsets(0) <= offsets(1) <= ... <= n, one more than there are segments.
///   That they ascend from 0 to n is the caller's promise: where they do not, ranks may be wrong, but nothing outside
///   the Views is read or written but offsets itself.
///
/// All else as for rank_groups; throws where there is no offset but n > 0.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Offsets,
          detail::ArrayFrom<Exec> Sorted, detail::WritableArrayFrom<Exec> Ranks,
          detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_segments(Exec const& exec, Offsets const& offsets, Sorted const& sorted,
                   Ranks const& ranks, Rule const& rule = {}, Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_segments");
  auto const how = detail::rank_options(options);
  detail::rank::check_offsets("rank_segments", offsets, "sorted", sorted, ranks);
  detail::rank_in_groups("rank_segments", context, detail::rank::GroupsByOffset<Offsets>{offsets},
                         sorted, ranks, rule, how);
}

RIFFLE_CALL_DIAGNOSTICS(rank_groups, keys<Array>, sorted<Array>, ranks<WrittenArray>,
                        rule<Optional<Rule>>)
RIFFLE_CALL_DIAGNOSTICS(rank_segments, offsets<Indices>, sorted<Array>, ranks<WrittenArray>,
                        rule<Optional<Rule>>)

}  // namespace riffle
