#pragma once

// Checks the arguments of rankings.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle::detail::rank {

/// Whether elements can be NaNs to which options.missing applies: only floating-point numbers in a
/// numerical order can.
template <class T, class Order>
inline constexpr bool can_be_missing = is_floating_point<T>&& is_numerical_order<Order>;

/// Throws unless `options` are valid for data and ranks of these types.
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
  constexpr bool may_be_missing = can_be_missing<typename Data::non_const_value_type, Order>;
  check(
      !is_excluded || !may_be_missing || std::is_signed_v<Rank>, function,
      "options.missing = excluded: ranks of NaNs are -1, which their unsigned type does not hold");
}

/// Throws unless the value type of `ranks` can represent the ranks of n elements of `Data` exactly.
template <class Data, class Ranks, class Order>
void check_can_rank(char const* function, Ranks const&, std::uint64_t n,
                    RankOptions<Order> const& options) {
  using Rank = typename Ranks::non_const_value_type;
  constexpr bool is_floating = std::is_floating_point_v<Rank>;
  static_assert(is_floating || std::is_integral_v<Rank>, "riffle: ranks are numbers");
  check_rank_options<Data, Ranks>(function, options);
  if (options.relative || n == 0) return;
  // Fractional ranks are multiples of 1/2. For them to be exact, ranks may use one significand bit
  // less than Rank has.
  constexpr int exact_bits = std::min(std::numeric_limits<Rank>::digits - 1, 63);
  auto const largest = is_floating ? std::uint64_t{1} << exact_bits
                                   : static_cast<std::uint64_t>(std::numeric_limits<Rank>::max());
  std::uint64_t const last = n - 1 + static_cast<std::uint64_t>(options.first);
  check(last <= largest, function, "n = ", n, ": the value type of ranks holds no rank above ",
        largest);
}

/// Throws unless `data` can be ranked into `ranks`; `name` is the name of `data` in messages.
/// Returns n.
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

/// Throws unless each element of `data` has a key; `name` is the name of `data` in messages.
template <class Keys, class Data, class Ranks>
void check_keys(char const* function, Keys const& keys, char const* name, Data const& data,
                Ranks const& ranks) {
  check(keys.extent(0) == data.extent(0), function, "keys.extent(0) = ", keys.extent(0), " and ",
        name, ".extent(0) = ", data.extent(0), ": must be equal");
  check_disjoint(function, "keys", keys, "ranks", ranks);
}

}  // namespace riffle::detail::rank
