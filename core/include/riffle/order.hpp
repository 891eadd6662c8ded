#pragma once

// Orders of sorted data, and which values tie in them.

#include <Kokkos_Core.hpp>

#include <type_traits>

#include <riffle/backend/floating_point.hpp>

namespace riffle {

namespace detail {

/// Whether T has operator<. If not, the compiler reports it in one line.
template <class T>
KOKKOS_FUNCTION constexpr bool has_less() {
  constexpr bool has = requires(T const& a, T const& b) { static_cast<bool>(a < b); };
  static_assert(has,
                "riffle: the values have no operator <; another order is an argument, such as "
                "riffle::sort(exec, values, order), where order(a, b) says whether a is before b");
  return has;
}

}  // namespace detail

/// Puts a before b if a < b. Sorted data have their NaNs together, at one end.
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

/// Puts a before b if b < a. Sorted data have their NaNs together, at one end.
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

/// Whether a is before b. In numerical orders NaNs are after all numbers, since < alone is not a
/// strict weak ordering of them.
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
    // Without branches, so that loops are vectorised. a != b cannot be used for NaNs.
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
