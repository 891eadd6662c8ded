#pragma once

// Ranks of a part of sorted data by one who has no other part: each element is read once, and its rank written once, as
// in rank(). Runs of ties may begin before the part, and end behind it.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/detail/count_missing.hpp>
#include <riffle/rank/detail/find_ends.hpp>
#include <riffle/rank/detail/methods.hpp>
#include <riffle/rank/detail/part_ranker.hpp>
#include <riffle/rank/detail/placed.hpp>
#include <riffle/rank/detail/run.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/scan/run.hpp>

namespace riffle::detail::rank {

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

/// Adds 1 for an element that begins a run, the first run not counted.
template <class Source, class Order>
struct CountBeginnings {
  BeginsRun<Source, Order> begins_run;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    count += begins_run(i) ? 1 : 0;
  }
};

/// How many runs begin behind the first of n sorted elements. Fences.
template <class Exec, class Source, class Order>
std::uint64_t count_runs(Context<Exec> const& context, std::uint64_t n, Source const& source,
                         Order const& order) {
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label(), range(context.exec(), 0, n),
                          CountBeginnings<Source, Order>{{source, order}}, count);
  return count;
}

/// Has the workspace hold what rank_part() takes for n elements, so that it allocates nothing.
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
      // The bounds of runs, in two indices for each tile of 1024 elements or more.
      Scope scope(context);
      scope.template take<std::uint64_t>(2 * (n / 1024 + 1));
    }
  }
}

/// Calls use(method, number), where the number is of a type that counts n elements and more. By default it is that of
/// the kernels' indices.
template <class Exec, class Method, class Use>
void with_number(std::uint64_t n, Method const& method, Use const& use) {
  if constexpr (std::is_same_v<Method, DefaultRanking>) {
    with_index<Exec>(n, [&]<class Index>(Index index) { use(RankingBy<Index>{}, index); });
  } else {
    use(method, std::conditional_t<backend::is_cpu<Exec>, std::int64_t, std::uint64_t>{});
  }
}

/// Ranks the `count` > 0 elements of a part. All else is as for rank_elements.
template <class Exec, class Source, class Order, class Sink, class Rule, class Method>
void rank_part(Context<Exec> const& context, std::uint64_t count, Source const& source,
               Order const& order, Sink const& sink, Rule const& rule, Scale const& scale,
               PlaceOfPart const& place, Method const& method) {
  using Rank = typename Sink::Element;
  if constexpr (is_dense<Rule>) {
    using Dense = DenseRankerOfPart<Rank>;
    rank_densely(context, count, source, order,
                 DenseRankSink<Rank, Sink, Dense>(sink, Dense(scale, place)));
  } else {
    with_number<Exec>(place.n, method, [&]<class Number>(auto const& ranking, Number) {
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

/// Writes the ranks of missing values that are kept out.
template <class Sink>
struct RankMissing {
  Sink sink;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    sink(i, missing_rank<typename Sink::Element>());
  }
};

}  // namespace riffle::detail::rank
