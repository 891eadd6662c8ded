#pragma once

// Options of rankings: the order of the data, the treatment of NaNs, and how ranks are written.

#include <Kokkos_Core.hpp>

#include <riffle/order.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// The treatment of NaNs, which are consecutive at one end of sorted data. NaNs never tie with numbers.
enum class Missing {
  ranked,  ///< They tie with each other, and are ranked where they are; in unsorted data, after all numbers.
  first,  ///< As ranked, but of unsorted data before all numbers.
  /// Ranks of NaNs are NaN (-1 for integers, which must be signed). The other elements are ranked as if the NaNs were
  /// absent.
  excluded
};

/// Options of rankings. In place of options with the order Ascending or Descending and default values, rankings accept
/// Ascending{} or Descending{}.
template <class Order = Ascending>
struct RankOptions {
  /// order(a, b): whether a comes before b. Neighbours are tied if neither comes before the other.
  Order order{};
  Missing missing = Missing::ranked;
  /// The rank of the first element: 1 or 0.
  int first = 1;
  /// Whether ranks, of a floating-point type, are divided by the number of ranked elements; dense ranks by the number of
  /// distinct values.
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

/// The argument `rule` in diagnostics of wrong calls. Calls with options or an order only leave it out.
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
