#pragma once

// Orders of data, and what ties in them.

#include <Kokkos_Core.hpp>

#include <type_traits>

#include <riffle/backend/floating_point.hpp>

namespace riffle {

namespace detail {

/// Whether values are compared by <. Where they are not, a compiler says so in a line.
template <class T>
KOKKOS_FUNCTION constexpr bool has_less() {
  constexpr bool has = requires(T const& a, T const& b) { static_cast<bool>(a < b); };
  static_assert(has,
                "riffle: the values have no operator <; another order is an argument, such as "
                "riffle::sort(exec, values, order), where order(a, b) says whether a is before b");
  return has;
}

}  // namespace detail

/// Puts a before b where a < b. Data in this order have their NaNs together, at one end.
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

/// Puts a before b where b < a. Data in this order have their NaNs together, at one end.
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

/// Whether a is before b. In numerical orders NaNs come after all numbers; else < would be no order for them.
template <class Order, class T>
KOKKOS_FUNCTION constexpr bool is_before(Order const& order, T const& a, T const& b) {
  if constexpr (is_numerical_order<Order>) {
    if (detail::is_nan(a) || detail::is_nan(b)) return detail::is_nan(b) && !detail::is_nan(a);
  }
  return static_cast<bool>(order(a, b));
}

/// Whether sorted neighbours a and b do not tie. A NaN ties only with NaNs, and -0 with 0.
template <class Order, class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool differ(Order const& order, T const& a, T const& b) {
  if constexpr (is_numerical_order<Order> && is_floating_point<T>) {
    // There are no branches, since vectors evaluate both sides. a != b says nothing of NaNs.
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
