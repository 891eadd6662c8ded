#pragma once

// Orders of sorted data, and which values tie under each order.

#include <Kokkos_Core.hpp>

#include <type_traits>

#include <riffle/backend/floating_point.hpp>

namespace riffle {

namespace detail {

/// Whether T has operator<. If not, one static_assert says so.
template <class T>
KOKKOS_FUNCTION constexpr bool has_less() {
  constexpr bool has = requires(T const& a, T const& b) { static_cast<bool>(a < b); };
  static_assert(has,
                "riffle: the values have no operator <; another order is an argument, such as "
                "riffle::sort(exec, values, order), where order(a, b) says whether a is before b");
  return has;
}

}  // namespace detail

/// Puts a before b if a < b. In sorted data all NaNs are together at one end.
struct Ascending {
  template <class T>
  KOKKOS_FUNCTION constexpr bool operator()(T const& a, T const& b) const {
    if constexpr (detail::has_less<T>()) {
      return a < b;
    } else {
      return false;
    }
  }
};

/// Puts a before b if b < a. In sorted data all NaNs are together at one end.
struct Descending {
  template <class T>
  KOKKOS_FUNCTION constexpr bool operator()(T const& a, T const& b) const {
    if constexpr (detail::has_less<T>()) {
      return b < a;
    } else {
      return false;
    }
  }
};

namespace detail {

template <class Order>
inline constexpr bool is_numerical_order =
    std::is_same_v<Order, Ascending> || std::is_same_v<Order, Descending>;

/// Whether a is before b. In numerical orders, NaNs are placed after all numbers, since < alone is
/// not a strict weak ordering of numbers and NaNs.
template <class Order, class T>
KOKKOS_FUNCTION constexpr bool is_before(Order const& order, T const& a, T const& b) {
  if constexpr (is_numerical_order<Order>) {
    if (detail::is_nan(a) || detail::is_nan(b)) return detail::is_nan(b) && !detail::is_nan(a);
  }
  return static_cast<bool>(order(a, b));
}

/// Whether two neighbours a and b of sorted data do not tie. A NaN ties with NaNs only; -0 ties
/// with 0.
template <class Order, class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool differ(Order const& order, T const& a, T const& b) {
  if constexpr (is_numerical_order<Order> && is_floating_point<T>) {
    // No branches, so that loops are vectorised. a != b would be true for two NaNs.
    bool const a_is_nan = detail::is_nan(a);
    bool const b_is_nan = detail::is_nan(b);
    return static_cast<bool>(static_cast<int>(a_is_nan != b_is_nan) |
                             (static_cast<int>(a != b) & static_cast<int>(!a_is_nan)));
  } else if constexpr (is_numerical_order<Order> && std::is_integral_v<T>) {
    return a != b;
  } else {
    return order(a, b);
  }
}

}  // namespace detail
}  // namespace riffle
