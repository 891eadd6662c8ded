#pragma once

// Ranks of sorted data, by each of the common rules for ties.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/rank/detail/checks.hpp>
#include <riffle/rank/detail/rank_elements.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle {

namespace detail {

namespace rank {

/// The functor of a minimum reduction that finds the smallest i >= 1 such that element i is out of order.
template <class Sorted, class Order>
struct FirstUnsorted {
  Sorted sorted;
  Order order;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& first) const {
    if (i < first && is_out_of_order(i)) first = i;
  }

 private:
  KOKKOS_FUNCTION bool is_out_of_order(std::uint64_t i) const {
    if (detail::is_nan(sorted(i)) != detail::is_nan(sorted(i - 1))) {
      // At a boundary of NaNs and numbers: if element 0 is a NaN, NaNs come first, and a NaN after a number is out of
      // order; otherwise a number after a NaN is out of order.
      return detail::is_nan(sorted(i)) == detail::is_nan(sorted(0));
    }
    if (detail::is_nan(sorted(i))) return false;
    return order(sorted(i), sorted(i - 1));
  }
};

}  // namespace rank

/// Ranks n > 0 elements of a View. The arguments have been checked.
template <class Exec, class Sorted, class Ranks, class Rule, class Order, class Method,
          class Ties = rank::NoTieCounter>
void rank_checked(Context<Exec> const& context, Sorted const& sorted, Ranks const& ranks,
                  Rule const& rule, RankOptions<Order> const& options, Method const& method,
                  Ties const& ties = {}) {
  std::uint64_t const n = ranks.extent(0);
  ViewSource<Sorted> const source(sorted);
  Scope scope(context);
  rank::MissingCounts* missing = nullptr;
  if constexpr (rank::can_be_missing<typename Sorted::non_const_value_type, Order>) {
    if (options.missing == Missing::excluded) {
      missing = scope.template take<rank::MissingCounts>(1);
      rank::count_missing(context.named("missing"), n, source, missing);
    }
  }
  rank::rank_elements(context, n, source, options.order, ViewSink<Ranks>(ranks), rule,
                      {options.first, options.relative}, missing, method, ties);
}

}  // namespace detail

/// ranks(i) = the rank of sorted(i) among all elements of sorted. `rule` determines the ranks of ties.
///
/// - exec: an execution space instance, or a Context of one.
/// - sorted: a rank-1 View of any type that options.order compares.
/// - ranks: a rank-1 View of integers, or of floating-point numbers.
/// - rule: ties::Competition, ModifiedCompetition, Dense, Ordinal, Fractional (for floating-point ranks) or Random.
/// - options: order of the data, treatment of NaNs, rank of the first element, relative ranks; see RankOptions.
/// - method: DefaultRanking, or an algorithm of riffle/published/competition_ranking/. Dense and Ordinal ignore it.
///
/// Requires: `sorted` is sorted by options.order. This is not checked (see is_sorted_for and rank_if_sorted). If it
/// does not hold, or if the caller's comparison returns different results for the same values, the ranks are
/// unspecified, but no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument if extents differ, Views overlap, the ranks' type cannot hold n, or options contradict
/// the type; nothing is written then.
///
/// Complexity: one read of each element and one write of each rank. Random evaluates a RandomPermutation for each tied
/// element. Does not fence. Reproducible: ranks are bitwise identical on every back end.
///
/// Memory of the workspace:
/// - DefaultRanking on a GPU: up to 16 bytes for each 1024 elements;
/// - NaivePrefixRanking: 2 n indices;
/// - Dense: the memory of a scan, and 256 bytes more if ranks are relative;
/// - if NaNs are excluded, 256 bytes in addition.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Sorted,
          detail::WritableArrayFrom<Exec> Ranks, detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>, class Method = DefaultRanking>
void rank(Exec const& exec, Sorted const& sorted, Ranks const& ranks, Rule const& rule = {},
          Options const& options = {}, Method const& method = {}) {
  detail::Call const context(exec, "riffle::rank");
  auto const how = detail::rank_options(options);
  static_assert(detail::rank::can_hold_ranks_of<Ranks, Rule>,
                "riffle: fractional ranks are no integers");
  std::uint64_t const n = detail::rank::check_rank("rank", "sorted", sorted, ranks, how);
  if (n == 0) return;
  detail::rank_checked(context, sorted, ranks, rule, how, method);
}

/// Returns the smallest i >= 1 such that sorted(i) is out of order, that is, comes before sorted(i - 1), or n if there
/// is none. If sorted(0) is a NaN, NaNs come before all numbers, and a NaN after a number is out of order. Otherwise
/// NaNs come after all numbers, and a number after a NaN is out of order.
///
/// Complexity: one read of each element. Blocking.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Sorted,
          detail::NotAView Order = Ascending>
std::uint64_t first_unsorted(Exec const& exec, Sorted const& sorted, Order const& order = {}) {
  detail::Call const context(exec, "riffle::first_unsorted");
  std::uint64_t const n = sorted.extent(0);
  std::uint64_t first = n;
  if (n > 1) {
    detail::rank::FirstUnsorted<Sorted, Order> const find{sorted, order, n};
    Kokkos::parallel_reduce(context.label(), detail::range(context.exec(), 1, n), find,
                            Kokkos::Min<std::uint64_t>(first));
    first = std::min(first, n);
  }
  return first;
}

/// Returns whether `sorted` is sorted as rank() requires. Blocking.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Sorted,
          detail::NotAView Order = Ascending>
bool is_sorted_for(Exec const& exec, Sorted const& sorted, Order const& order = {}) {
  return first_unsorted(exec, sorted, order) == sorted.extent(0);
}

/// Does the same as rank(), after checking that `sorted` is sorted.
///
/// Throws as rank() does. If `sorted` is not sorted, throws std::invalid_argument, whose message contains the first
/// index that is out of order; nothing is written then.
///
/// Complexity: two reads of each element and one write of each rank. Blocking: waits for the check.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Sorted,
          detail::WritableArrayFrom<Exec> Ranks, detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>, class Method = DefaultRanking>
void rank_if_sorted(Exec const& exec, Sorted const& sorted, Ranks const& ranks,
                    Rule const& rule = {}, Options const& options = {}, Method const& method = {}) {
  detail::Call const context(exec, "riffle::rank_if_sorted");
  auto const how = detail::rank_options(options);
  detail::rank::check_rank("rank_if_sorted", "sorted", sorted, ranks, how);
  std::uint64_t const first = first_unsorted(context.exec(), sorted, how.order);
  detail::check(first == sorted.extent(0), "rank_if_sorted", "sorted(", first,
                ") is before sorted(", first - 1, "): must be sorted by options.order");
  rank(context, sorted, ranks, rule, how, method);
}

RIFFLE_CALL_DIAGNOSTICS(rank, sorted<Array>, ranks<WrittenArray>, rule<Optional<Rule>>)
RIFFLE_CALL_DIAGNOSTICS(first_unsorted, sorted<Array>, order<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(is_sorted_for, sorted<Array>, order<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(rank_if_sorted, sorted<Array>, ranks<WrittenArray>, rule<Optional<Rule>>)

}  // namespace riffle
