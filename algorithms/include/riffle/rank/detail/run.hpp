#pragma once

// The parts that rankings of sorted and of unsorted data share: checks, and the choice of a kernel by the rule.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/rank/detail/count_missing.hpp>
#include <riffle/rank/detail/divide_by_last.hpp>
#include <riffle/rank/detail/methods.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/rank/detail/tie_counter.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle::detail::rank {

template <class T, class Order>
inline constexpr bool may_miss = is_floating_point<T>&& is_numerical_order<Order>;

/// Throws unless data and ranks of these types allow `options`.
template <class Data, class Ranks, class Order>
void check_rank_options(char const* function, RankOptions<Order> const& options) {
  using Rank = typename Ranks::non_const_value_type;
  int const first = options.first;
  check(first == 0 || first == 1, function, "options.first = ", first, ": must be 0 or 1");
  check(std::is_floating_point_v<Rank> || !options.relative, function,
        "options.relative = true: relative ranks are no integers; ranks must be of floating point");
  bool const is_excluded = options.missing == Missing::excluded;
  check(is_excluded || options.missing == Missing::ranked || options.missing == Missing::first,
        function, "options.missing = ", static_cast<int>(options.missing),
        ": must be ranked, first or excluded");
  constexpr bool may_be_missing = may_miss<typename Data::non_const_value_type, Order>;
  check(
      !is_excluded || !may_be_missing || std::is_signed_v<Rank>, function,
      "options.missing = excluded: ranks of NaNs are -1, which their unsigned type does not hold");
}

/// Throws unless ranks of n elements of `Data` can be written to `ranks`.
template <class Data, class Ranks, class Order>
void check_can_rank(char const* function, Ranks const&, std::uint64_t n,
                    RankOptions<Order> const& options) {
  using Rank = typename Ranks::non_const_value_type;
  constexpr bool is_floating = std::is_floating_point_v<Rank>;
  static_assert(is_floating || std::is_integral_v<Rank>, "riffle: ranks are numbers");
  check_rank_options<Data, Ranks>(function, options);
  if (options.relative || n == 0) return;
  // Floating-point types keep one digit for halves, which must be exact, too.
  constexpr int exact_bits = std::min(std::numeric_limits<Rank>::digits - 1, 63);
  auto const largest = is_floating ? std::uint64_t{1} << exact_bits
                                   : static_cast<std::uint64_t>(std::numeric_limits<Rank>::max());
  std::uint64_t const last = n - 1 + static_cast<std::uint64_t>(options.first);
  check(last <= largest, function, "n = ", n, ": the value type of ranks holds no rank above ",
        largest);
}

/// Throws unless `data`, which the caller calls `name`, can be ranked into `ranks`; returns n.
template <class Data, class Ranks, class Order>
std::uint64_t check_rank(char const* function, char const* name, Data const& data,
                         Ranks const& ranks, RankOptions<Order> const& options) {
  check(data.extent(0) == ranks.extent(0), function, name, ".extent(0) = ", data.extent(0),
        " and ranks.extent(0) = ", ranks.extent(0), ": must be equal");
  check_disjoint(function, name, data, "ranks", ranks);
  check_can_rank<Data>(function, ranks, ranks.extent(0), options);
  return ranks.extent(0);
}

template <class Ranks, class Rule>
inline constexpr bool can_hold_ranks_of =
    std::is_floating_point_v<typename Ranks::non_const_value_type> ||
    !std::is_same_v<Rule, ties::Fractional>;

/// Ranks n > 0 elements in order, once all arguments have been checked. `missing`: as for a Ranker. `ties`: counts ties
/// (tie_counter.hpp).
template <class Exec, class Source, class Order, class Sink, class Rule, class Method,
          class Ties = NoTies>
void rank_elements(Context<Exec> const& context, std::uint64_t n, Source const& source,
                   Order const& order, Sink const& sink, Rule const& rule, Scale const& scale,
                   MissingCounts const* missing, Method const& method, Ties const& ties = {}) {
  using Rank = typename Sink::Element;
  if constexpr (std::is_same_v<Rule, ties::Dense>) {
    DenseRankSink<Rank, Sink> const dense(sink, DenseRanker<Rank>(scale.first, n, missing));
    rank_densely(context, n, source, order, dense);
    if constexpr (std::is_floating_point_v<Rank>) {
      if (scale.is_relative) divide_by_last(context, n, sink, scale.first, missing);
    }
    ties.count(context, n, source, order, missing);
  } else {
    Scope scope(context);
    void* const memory_of_ties = scope.template take<std::byte>(std::size_t{Ties::bytes});
    ties.begin(context, memory_of_ties);
    auto const ranker = ties.counting(Ranker<Rule, Rank>(rule, scale, n, missing), memory_of_ties);
    if constexpr (!ranker.needs_start && !ranker.needs_end) {
      rank_places(context, n, ranker, sink);
    } else {
      method.rank(context, n, source, order, ranker, sink);
    }
    ties.end(context, n, missing, memory_of_ties);
  }
}

}  // namespace riffle::detail::rank
