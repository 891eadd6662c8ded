#pragma once

// Options of rankings: the order of the data, the treatment of NaNs, and how ranks are written.

#include <Kokkos_Core.hpp>

#include <riffle/order.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/is_instance_of.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// The treatment of NaNs, which are consecutive at one end of sorted data. NaNs never tie with numbers.
enum class Missing {
  /// NaNs tie with each other. In sorted data they are ranked where they are, in unsorted data after all numbers.
  ranked,
  /// The same as `ranked`, except that NaNs in unsorted data are ranked before all numbers.
  first,
  /// Ranks of NaNs are NaN (-1 for integers, which must be signed). The other elements are ranked as if the NaNs were
  /// absent.
  excluded
};

/// Options of rankings. Rankings also accept Ascending{} or Descending{} in place of options; these stand for options
/// with that order and otherwise default values.
template <class Order = Ascending>
struct RankOptions {
  /// order(a, b) returns whether a comes before b. Neighbours are tied if neither comes before the other.
  Order order{};
  Missing missing = Missing::ranked;
  /// The rank of the first element: 1 or 0.
  int first = 1;
  /// Whether ranks are divided by the number of ranked elements, or dense ranks by the number of distinct values.
  /// Requires ranks of a floating-point type.
  bool relative = false;
};

namespace detail {

/// Options of rankings: RankOptions, or Ascending or Descending alone.
template <class T>
concept RankOptionsOrOrder = is_instance_of<T, RankOptions> || is_numerical_order<T>;

template <RankOptionsOrOrder Options>
auto rank_options(Options const& options) {
  if constexpr (is_instance_of<Options, RankOptions>) {
    return options;
  } else {
    return RankOptions<Options>();
  }
}

/// A rule by which ties are ranked.
template <class T>
concept TieRule = NotAView<T> && !RankOptionsOrOrder<T>;

namespace role {

/// The argument `rule` in diagnostics of wrong calls. If options or an order are passed in its place, the rule was left
/// out.
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
