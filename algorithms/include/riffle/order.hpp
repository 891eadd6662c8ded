#pragma once

// In which order data are sorted, and what is a tie.

#include <Kokkos_Core.hpp>

#include <type_traits>

#include <riffle/lanes/floating_point.hpp>

namespace riffle {

/// a before b where a < b. Data in this order have their NaNs together, at one end.
struct Ascending {
  template <class T>
  KOKKOS_FUNCTION constexpr bool operator()(T const& a, T const& b) const {
    return a < b;
  }
};

/// a before b where b < a. Data in this order have their NaNs together, at one end.
struct Descending {
  template <class T>
  KOKKOS_FUNCTION constexpr bool operator()(T const& a, T const& b) const {
    return b < a;
  }
};

namespace detail {

template <class Order>
inline constexpr bool is_numerical_order =
    std::is_same_v<Order, Ascending> || std::is_same_v<Order, Descending>;

/// Whether `value` is a NaN.
template <class T>
KOKKOS_FUNCTION constexpr bool is_missing(T const& value) {
  if constexpr (is_floating_point<T>) {
    return value != value;
  } else {
    return false;
  }
}

/// Whether a is before b. In numerical orders NaNs are behind all numbers; without that they would be no orders.
template <class Order, class T>
KOKKOS_FUNCTION constexpr bool is_before(Order const& order, T const& a, T const& b) {
  if constexpr (is_numerical_order<Order>) {
    if (is_missing(a) != is_missing(b)) return is_missing(b);
  }
  return static_cast<bool>(order(a, b));
}

/// Whether sorted neighbours a, b are no tie. A NaN ties with NaNs alone, -0 with 0.
template <class Order, class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool differ(Order const& order, T const& a, T const& b) {
  if constexpr (is_numerical_order<Order> && is_floating_point<T>) {
    // Without branches: vectors evaluate both sides.
    return static_cast<bool>(static_cast<int>(a != b) &
                             (static_cast<int>(a == a) | static_cast<int>(b == b)));
  } else if constexpr (is_numerical_order<Order> && std::is_integral_v<T>) {
    return a != b;
  } else {
    return order(a, b);
  }
}

}  // namespace detail
}  // namespace riffle
