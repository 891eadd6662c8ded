#pragma once

// How data are ordered, and ranks written.

#include <Kokkos_Core.hpp>

#include <riffle/order.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// The treatment of NaNs, which lie together at one end of sorted data. They never tie with a number.
enum class Missing {
  ranked,  ///< They tie with each other, and are ranked where they are; in unsorted data, after all numbers.
  first,  ///< As ranked, but of unsorted data before all numbers.
  /// Their ranks are NaN (-1 for integers, which must be signed), and others are ranked as if they were not there.
  excluded
};

/// How data are sorted and ranks are written. Rankings take Ascending{} or Descending{} in place of options with that
/// order.
template <class Order = Ascending>
struct RankOptions {
  /// order(a, b): a is before b. Neighbours that are not before one another are tied.
  Order order{};
  Missing missing = Missing::ranked;
  /// The rank of the first element: 1 or 0.
  int first = 1;
  /// Whether ranks, of a floating-point type, are divided by the number of ranked elements (dense ranks by the number
  /// of different values).
  bool relative = false;
};

namespace detail {

template <class T>
inline constexpr bool is_rank_options = false;
template <class Order>
inline constexpr bool is_rank_options<RankOptions<Order>> = true;

/// Options of rankings: RankOptions, or Ascending or Descending alone.
template <class T>
concept RankOptionsOrOrder = is_rank_options<T> || is_numerical_order<T>;

template <RankOptionsOrOrder Options>
auto rank_options(Options const& options) {
  if constexpr (is_rank_options<Options>) {
    return options;
  } else {
    return RankOptions<Options>();
  }
}

/// A rule by which ties are ranked.
template <class T>
concept TieRule = NotAView<T> && !RankOptionsOrOrder<T>;

namespace role {

/// The rule, which a call that only names options or an order leaves out.
struct Rule {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    return RankOptionsOrOrder<T> ? Mistake::of_role : NoView::mistake<T, Exec>();
  }

  template <class Type>
  struct Mistaken {
    static_assert(!RankOptionsOrOrder<Type>,
                  "riffle: a rule for ties belongs after ranks, such as "
                  "riffle::ties::Competition{}, and options or an order after that");
  };
};

}  // namespace role

}  // namespace detail

}  // namespace riffle
