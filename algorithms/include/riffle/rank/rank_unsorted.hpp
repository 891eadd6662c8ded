#pragma once

// Ranks of data in any order. The data are sorted stably with their indices, the sorted data are ranked, and each rank
// is written to the index that its element had before the sort.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/rank/detail/checks.hpp>
#include <riffle/rank/detail/cpu/rank_buckets.hpp>
#include <riffle/rank/detail/rank_elements.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/sort/original_places.hpp>
#include <riffle/sort/sorter.hpp>

namespace riffle {

namespace detail {

template <class View>
struct CountNaNs {
  View view;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    if (detail::is_nan(view(i))) ++count;
  }
};

/// Returns the number of NaNs in a View. Fences.
template <class Exec, class View>
std::uint64_t count_nans(Context<Exec> const& context, View const& view) {
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label(), range(context.exec(), 0, view.extent(0)),
                          CountNaNs<View>{view}, count);
  return count;
}

/// Ranks n > 0 numbers on a CPU. The arguments have been checked. Each bucket is ranked as soon as it is sorted. Dense
/// ranks need the number of runs before a bucket, so they are computed after the sort.
template <class Exec, class Data, class Ranks, class Rule, class Order, class Ties>
void rank_unsorted_by_buckets(Context<Exec> const& context, Data const& data, Ranks const& ranks,
                              Rule const& rule, RankOptions<Order> const& options,
                              Ties const& ties) {
  using Sorter = sort::Sorter<Exec, Data, Order, sort::RankKeys>;
  Sorter const sorter(context, data, options.order, options.missing == Missing::first);
  Scope scope(context);
  rank::MissingCounts* missing = nullptr;
  if (rank::can_be_missing<typename Data::non_const_value_type, Order> &&
      options.missing == Missing::excluded) {
    missing = scope.template take<rank::MissingCounts>(1);
    // This sort puts NaNs after all numbers.
    *missing = {0, count_nans(context.named("missing"), data)};
  }
  std::uint64_t const n = ranks.extent(0);
  rank::Scale const scale{options.first, options.relative};
  sorter.run_by_buckets([&](auto& sort, auto const& source) {
    if constexpr (std::is_same_v<Rule, ties::Dense>) {
      auto* const entries = sort.spare_items();
      using Entry = std::remove_pointer_t<decltype(entries)>;
      sort.run(source, rank::StoreBucket<Entry>{entries});
      rank::rank_elements(context, n, rank::KeysOfEntries<Entry>{entries}, Ascending{},
                          rank::RanksOfEntries<Entry, Ranks>{entries, n, ranks}, rule, scale,
                          missing, DefaultRanking{}, ties);
    } else {
      using Rank = typename Ranks::non_const_value_type;
      rank::with_ranker<Rank>(context, n, rule, scale, missing, ties, [&](auto const& ranker) {
        sort.run(source, rank::RankBucket(ranker, ranks));
      });
    }
  });
}

/// Ranks n > 0 elements after all of them are sorted.
template <class Exec, class Data, class Ranks, class Rule, class Order, class Ties>
void rank_unsorted_by_sort(Context<Exec> const& context, Data const& data, Ranks const& ranks,
                           Rule const& rule, RankOptions<Order> const& options, Ties const& ties) {
  constexpr bool can_be_missing = rank::can_be_missing<typename Data::non_const_value_type, Order>;
  using Rank = typename Ranks::non_const_value_type;
  using Sorter = sort::Sorter<Exec, Data, Order, sort::RankKeys, Rank>;
  std::uint64_t const n = ranks.extent(0);
  Sorter const sorter(context, data, options.order, options.missing == Missing::first);
  sorter.run([&]<class Sorted>(Sorted const& sorted) {
    Scope scope(context);
    rank::MissingCounts* missing = nullptr;
    if (can_be_missing && options.missing == Missing::excluded) {
      missing = scope.template take<rank::MissingCounts>(1);
      rank::count_missing(context.named("missing"), n, sorted, missing);
    }
    auto const rank_to = [&](auto const& sink) {
      rank::rank_elements(context, n, sorted, sorter.order_of_sorted(), sink, rule,
                          {options.first, options.relative}, missing, DefaultRanking{}, ties);
    };
    if constexpr (sort::can_move_to_places<Sorted>) {
      if (n >= sort::min_by_windows) {
        using InOrder = Kokkos::View<Rank*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
        InOrder const in_order(sort::number_array<Rank>(sorted), n);
        rank_to(ViewSink<InOrder>(in_order));
        sort::move_to_places(context, sorted, ranks);
        return;
      }
    }
    rank_to(sort::UnsortedSink<Sorted, Ranks>{sorted, ranks});
  });
}

/// Ranks n > 0 elements. The arguments have been checked.
template <class Exec, class Data, class Ranks, class Rule, class Order,
          class Ties = rank::NoTieCounter>
void rank_unsorted_checked(Context<Exec> const& context, Data const& data, Ranks const& ranks,
                           Rule const& rule, RankOptions<Order> const& options,
                           Ties const& ties = {}) {
  if constexpr (sort::Sorter<Exec, Data, Order>::has_buckets) {
    rank_unsorted_by_buckets(context, data, ranks, rule, options, ties);
  } else {
    rank_unsorted_by_sort(context, data, ranks, rule, options, ties);
  }
}

}  // namespace detail

/// ranks(i) = the rank of data(i) among all elements of data; scipy.stats.rankdata. `rule` determines the ranks of
/// ties.
///
/// - exec: an execution space instance, or a Context of one.
/// - data: a rank-1 View of any type that options.order compares, in any order. -0 ties with 0.
/// - ranks, rule, options: as for rank(). Ordinal ranks are stable: tied elements are ranked in the order of their
///   indices. NaNs are ranked after all numbers, or before them (Missing::first), or are excluded (Missing::excluded).
///
/// Requires: if options.order is a comparison of the caller, it is a strict weak ordering of the data (a < b is not, if
/// the data contain NaNs), and always returns the same result for the same values. Otherwise the ranks are unspecified,
/// but no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument if extents differ, Views overlap, the ranks' type cannot hold n, or options contradict
/// the type; nothing is written then.
///
/// Complexity: one call of argsort, and one write of each rank to a random address. The sorted data are read once more
/// on a GPU, for Dense, and if options.order is a comparison of the caller. Memory of the workspace: as for argsort and
/// rank(). Blocking: on a GPU, fences as argsort does. Reproducible: ranks are bitwise identical on every back end.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Data,
          detail::WritableArrayFrom<Exec> Ranks, detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_unsorted(Exec const& exec, Data const& data, Ranks const& ranks, Rule const& rule = {},
                   Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_unsorted");
  auto const how = detail::rank_options(options);
  static_assert(detail::rank::can_hold_ranks_of<Ranks, Rule>,
                "riffle: fractional ranks are no integers");
  std::uint64_t const n = detail::rank::check_rank("rank_unsorted", "data", data, ranks, how);
  if (n == 0) return;
  detail::rank_unsorted_checked(context, data, ranks, rule, how);
}

RIFFLE_CALL_DIAGNOSTICS(rank_unsorted, data<Array>, ranks<WrittenArray>, rule<Optional<Rule>>)

}  // namespace riffle
