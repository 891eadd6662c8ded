#pragma once

// The number of ties in sorted data, for the tie corrections of rank tests (W. H. Kruskal, W. A. Wallis, "Use of ranks in
// one-criterion variance analysis", Journal of the American Statistical Association 47, 1952).

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/rank/detail/run_search.hpp>

namespace riffle {

/// The groups of tied elements among n elements. An element that ties with no other is a group of 1.
struct TieStatistics {
  /// The number of elements, n.
  std::uint64_t elements = 0;
  std::uint64_t groups = 0;
  /// The sum of t^3 - t over all groups, where t is the number of elements of a group, is exactly
  /// 2^64 tie_sum_high + tie_sum_low. tie_sum_high is 0 up to n = 2642245, as n^3 - n then fits in 64 bits.
  std::uint64_t tie_sum_low = 0;
  std::uint64_t tie_sum_high = 0;
  /// The number of elements of the largest group.
  std::uint64_t largest = 0;

  /// The sum of t^3 - t over all groups, rounded to double once.
  double tie_sum() const { return static_cast<double>(wide_tie_sum()); }

  /// Returns 1 - (sum of t^3 - t) / (n^3 - n), by which Kruskal and Wallis's H is divided; scipy.stats.tiecorrect. It
  /// is 1 without ties or if n < 2, and 0 if all elements tie. The difference between n^3 - n and the sum is computed
  /// exactly, and rounded once.
  double tie_correction() const {
    if (elements < 2) return 1;
    auto const most = term(elements);
    return static_cast<double>(most - wide_tie_sum()) / static_cast<double>(most);
  }

  /// Adds the groups of other elements. Requires: no group has elements in both.
  KOKKOS_FUNCTION void add(TieStatistics const& other) {
    elements += other.elements;
    groups += other.groups;
    tie_sum_low += other.tie_sum_low;
    tie_sum_high += other.tie_sum_high + (tie_sum_low < other.tie_sum_low ? 1 : 0);
    largest = Kokkos::max(largest, other.largest);
  }

  /// The statistics of one group of t elements, t < 2^42.
  static KOKKOS_FUNCTION TieStatistics of_group(std::uint64_t t) {
    auto const sum = term(t);
    return {t, 1, static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(sum >> 64), t};
  }

 private:
  static KOKKOS_FUNCTION detail::uint128 term(std::uint64_t t) {
    return static_cast<detail::uint128>(t - 1) * t * (t + 1);
  }
  detail::uint128 wide_tie_sum() const {
    return (static_cast<detail::uint128>(tie_sum_high) << 64) + tie_sum_low;
  }
};

namespace detail {

/// Counts each run at its last element. If a run has two or more elements, a search finds the first one. To save work,
/// a run of one element only adds 1 to `groups`. Therefore final() sets `elements`, and sets `largest` to 1 if no run
/// has two elements. Sums are integers, so the order of the reduction does not matter.
template <class Sorted, class Order>
struct CountTies {
  using value_type = TieStatistics;

  Sorted sorted;
  Order order;
  std::uint64_t n;
  /// The number of excluded missing values, in memory of the device; null if none are excluded.
  rank::MissingCounts const* missing = nullptr;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, TieStatistics& found) const {
    if (missing != nullptr && !missing->has_rank(i, n)) return;
    if (i + 1 < n && !differ(order, sorted(i), sorted(i + 1))) return;
    if (i == 0 || differ(order, sorted(i - 1), sorted(i))) {
      ++found.groups;
    } else {
      auto const before = rank::run_length(
          i, [&](std::uint64_t k) { return !differ(order, sorted(i - k), sorted(i)); });
      found.add(TieStatistics::of_group(before + 1));
    }
  }
  KOKKOS_FUNCTION void init(TieStatistics& found) const { found = TieStatistics(); }
  KOKKOS_FUNCTION void join(TieStatistics& found, TieStatistics const& other) const {
    found.add(other);
  }
  KOKKOS_FUNCTION void final(TieStatistics& found) const {
    found.elements = missing == nullptr ? n : n - missing->before - missing->after;
    if (found.elements > 0 && found.largest == 0) found.largest = 1;
  }
};

}  // namespace detail

/// Counts the ties of sorted data.
///
/// - sorted: a rank-1 View of any type that `order` compares.
/// - order: order(a, b) returns whether a comes before b. Neighbours are tied if neither comes before the other. NaNs,
///   which are consecutive at either end, tie with each other.
///
/// Requires: `sorted` is sorted by `order`. This is not checked (see is_sorted_for in riffle/rank.hpp). If it does not
/// hold, the result is unspecified, but no memory outside of the View is accessed.
///
/// Throws std::invalid_argument if n >= 2^42.
///
/// Complexity: one read of each element, and O(log t) reads for each group of t elements. Memory: none. Blocking:
/// returns a value. Reproducible: the counts and sums are integers, and the same on every back end.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Sorted,
          detail::NotAView Order = Ascending>
TieStatistics tie_statistics(Exec const& exec, Sorted const& sorted, Order const& order = {}) {
  detail::Call const context(exec, "riffle::tie_statistics");
  std::uint64_t const n = sorted.extent(0);
  detail::check(n < std::uint64_t{1} << 42, "tie_statistics", "sorted.extent(0) = ", n,
                ": must be less than 2^42");
  TieStatistics found;
  Kokkos::parallel_reduce(context.label(), detail::range(context.exec(), 0, n),
                          detail::CountTies<Sorted, Order>{sorted, order, n}, found);
  return found;
}

RIFFLE_CALL_DIAGNOSTICS(tie_statistics, sorted<Array>, order<Optional<NoView>>)

}  // namespace riffle
