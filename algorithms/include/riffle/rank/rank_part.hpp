#pragma once

// Ranks a part of sorted data that are distributed, for example over the ranks of MPI (riffle/mpi). A part is a range
// of consecutive elements. The elements of other parts are not accessible; what has to be known about them is in a
// PlaceOfPart. A run of ties may begin before the part and end after it:
//
//     elements   a a a b b b|b c c d d d|d d e e
//                      ^     ^ part          ^
//            start_of_first  first           end_of_last
//
// Each element is read once, and its rank is written once, as in rank().

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/detail/rank_elements.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/rank/detail/run_search.hpp>
#include <riffle/rank/detail/sources.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/scan/dispatch.hpp>

namespace riffle::detail::rank {

// --- rankers of a part ---

/// The position of a part among all elements that are ranked together.
struct PlaceOfPart {
  /// The number of all elements, and the number of elements before the part.
  std::uint64_t n;
  std::uint64_t first;
  /// Where the run of the part's first element begins, and where the run of the part's last element ends.
  std::uint64_t start_of_first;
  std::uint64_t end_of_last;
  /// The number of all runs, and the number of runs before the run that contains the part's first element. Only Dense
  /// needs these numbers.
  std::uint64_t runs;
  std::uint64_t runs_before;
};

/// Applies a rule for ties to an element of a part with `count` elements. The arguments are indices in the part; they
/// are first converted to indices among all elements. Only the first and the last run of the part may extend beyond the
/// part. Number is an integer type that can represent the number of all elements.
template <class Rule, class Number>
class RuleOfPart {
 public:
  static constexpr bool needs_start = Rule::needs_start;
  static constexpr bool needs_end = Rule::needs_end;

  RuleOfPart(Rule const& rule, PlaceOfPart const& place, std::uint64_t count)
      : rule_(rule),
        first_(static_cast<Number>(place.first)),
        count_(static_cast<Number>(count)),
        start_of_first_(static_cast<Number>(place.start_of_first)),
        end_of_last_(static_cast<Number>(place.end_of_last)) {}

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Index i, Index start, Index end) const {
    auto const own_start = static_cast<Number>(start);
    auto const own_end = static_cast<Number>(end);
    Number const whole_start = own_start == 0 ? start_of_first_ : own_start + first_;
    Number const whole_end = own_end == count_ ? end_of_last_ : own_end + first_;
    return rule_(static_cast<Number>(static_cast<Number>(i) + first_), whole_start, whole_end);
  }

 private:
  Rule rule_;
  Number first_;
  Number count_;
  Number start_of_first_;
  Number end_of_last_;
};

/// Dense ranks of a part. For each element, the argument `runs` is the number of runs that begin in the part at or
/// before the element, not counting the part's first run.
template <class Rank_>
class DenseRankerOfPart {
 public:
  using Rank = Rank_;

  DenseRankerOfPart(Scale const& scale, PlaceOfPart const& place)
      : scaling_({scale.first, false}), runs_before_(place.runs_before) {
    if (!scale.is_relative) return;
    // As in divide_by_last(), the divisor is computed from the rank of the last element after that rank is rounded to
    // Rank.
    auto const last = static_cast<double>(scaling_(place.runs - 1, 1));
    runs_ = last - static_cast<double>(scale.first) + 1.0;
  }

  KOKKOS_FUNCTION static constexpr bool excludes_missing() { return false; }

  KOKKOS_FORCEINLINE_FUNCTION Rank of_all(auto runs) const {
    Rank const rank = scaling_(static_cast<std::uint64_t>(runs) + runs_before_, 1);
    if constexpr (std::is_floating_point_v<Rank>) {
      if (runs_ > 0) return static_cast<Rank>(static_cast<double>(rank) / runs_);
    }
    return rank;
  }

  KOKKOS_FUNCTION Rank operator()(std::uint64_t, std::uint64_t runs) const { return of_all(runs); }

 private:
  Scaling<Rank> scaling_;
  std::uint64_t runs_before_;
  double runs_ = 0;  // the divisor of relative ranks, otherwise 0
};

// --- the runs at the ends of a part ---

struct EndRuns {
  std::uint64_t end_of_first;
  std::uint64_t start_of_last;
};

/// Finds the end of the first run and the start of the last run of n > 0 elements, and copies the first and the last
/// element to values[0] and values[1].
template <class Source, class Order>
struct FindEndRuns {
  Source source;
  Order order;
  std::uint64_t n;
  EndRuns* runs;
  typename Source::Item* values;

  template <class Search>
  KOKKOS_FUNCTION EndRuns operator()(Search const& search) const {
    std::uint64_t const last = n - 1;
    std::uint64_t const ties_after_first =
        search(last, [&](std::uint64_t k) { return !differ(order, source(0), source(k)); });
    std::uint64_t const ties_before_last = search(
        last, [&](std::uint64_t k) { return !differ(order, source(last - k), source(last)); });
    return {ties_after_first + 1, last - ties_before_last};
  }

  KOKKOS_FUNCTION void store(EndRuns const& found) const {
    *runs = found;
    values[0] = source(0);
    values[1] = source(n - 1);
  }
};

template <class Exec, class Source, class Order>
void find_end_runs(Context<Exec> const& context, std::uint64_t n, Source const& source,
                   Order const& order, EndRuns* runs, typename Source::Item* values) {
  search_once(context, FindEndRuns<Source, Order>{source, order, n, runs, values});
}

// --- the ranking ---

template <class Rule>
inline constexpr bool is_dense = std::is_same_v<Rule, ties::Dense>;

/// Whether ranks depend on where runs begin and end.
template <class Rule>
constexpr bool needs_runs() {
  if constexpr (is_dense<Rule>) {
    return true;
  } else {
    return Rule::needs_start || Rule::needs_end;
  }
}

/// Adds 1 to `count` if i > 0 and element i begins a run.
template <class Source, class Order>
struct CountRunStarts {
  BeginsRun<Source, Order> begins_run;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    count += begins_run(i) ? 1 : 0;
  }
};

/// Returns the number of runs that begin after the first of n sorted elements. Fences.
template <class Exec, class Source, class Order>
std::uint64_t count_runs(Context<Exec> const& context, std::uint64_t n, Source const& source,
                         Order const& order) {
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label(), range(context.exec(), 0, n),
                          CountRunStarts<Source, Order>{{source, order}}, count);
  return count;
}

/// Reserves the memory that rank_part() takes from the workspace for n elements, so that rank_part() allocates nothing.
template <class Rule, class Exec, class Method>
void reserve_for_part(Context<Exec> const& context, std::uint64_t n, Method const& method) {
  if constexpr (is_dense<Rule>) {
    if (n <= std::uint64_t{1} << 31) {
      scan::reserve_messages<Count<std::uint32_t>>(context, n);
    } else {
      scan::reserve_messages<Count<std::uint64_t>>(context, n);
    }
  } else if constexpr (needs_runs<Rule>()) {
    if constexpr (requires { method.reserve(context, n); }) {
      method.reserve(context, n);
    } else if constexpr (!backend::is_cpu<Exec>) {
      // Two indices, the boundaries of runs, for each tile; a tile has at least 1024 elements.
      Scope scope(context);
      scope.template take<std::uint64_t>(2 * (n / 1024 + 1));
    }
  }
}

/// Calls use(method, number), where the type of `number` can represent more than n. For the default method this is the
/// index type of the kernels.
template <class Exec, class Method, class Use>
void with_global_index(std::uint64_t n, Method const& method, Use const& use) {
  if constexpr (std::is_same_v<Method, DefaultRanking>) {
    with_index<Exec>(n, [&]<class Index>(Index index) { use(OnePassRanking<Index>{}, index); });
  } else {
    use(method, std::conditional_t<backend::is_cpu<Exec>, std::int64_t, std::uint64_t>{});
  }
}

/// Ranks the `count` > 0 elements of a part. The other parameters are as for rank_elements.
template <class Exec, class Source, class Order, class Sink, class Rule, class Method>
void rank_part(Context<Exec> const& context, std::uint64_t count, Source const& source,
               Order const& order, Sink const& sink, Rule const& rule, Scale const& scale,
               PlaceOfPart const& place, Method const& method) {
  using Rank = typename Sink::Element;
  if constexpr (is_dense<Rule>) {
    using Dense = DenseRankerOfPart<Rank>;
    rank_dense(context, count, source, order,
               DenseRankSink<Rank, Sink, Dense>(sink, Dense(scale, place)));
  } else {
    with_global_index<Exec>(place.n, method, [&]<class Number>(auto const& ranking, Number) {
      using Part = RuleOfPart<Rule, Number>;
      Ranker<Part, Rank> const ranker(Part(rule, place, count), scale, place.n, nullptr);
      if constexpr (!Part::needs_start && !Part::needs_end) {
        rank_places(context, count, ranker, sink);
      } else {
        ranking.rank(context, count, source, order, ranker, sink);
      }
    });
  }
}

/// Writes the ranks of excluded missing values.
template <class Sink>
struct RankMissing {
  Sink sink;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    sink(i, missing_rank<typename Sink::Element>());
  }
};

}  // namespace riffle::detail::rank
