#pragma once

// The total order in which sorts put numbers; values compare equal only if all bits are equal.

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <riffle/order.hpp>

namespace riffle::test {

/// Ascending: numbers, with -0 before 0; then NaNs with a clear sign bit, by their bits; then NaNs with a set sign bit, by
/// decreasing bits. Descending: numbers in reverse order, then NaNs in reverse order.
template <class Order, class T>
bool is_sorted_before(T a, T b) {
  if constexpr (!std::is_same_v<Order, Ascending>) {
    static_assert(std::is_same_v<Order, Descending>);
    if ((a != a) != (b != b)) return b != b;
    return is_sorted_before<Ascending>(b, a);
  } else if constexpr (!std::is_floating_point_v<T>) {
    return a < b;
  } else {
    bool const a_is_nan = a != a;
    if (a_is_nan != (b != b)) return !a_is_nan;
    bool const a_has_sign = std::signbit(a);
    if (a_has_sign != std::signbit(b)) return a_is_nan ? !a_has_sign : a_has_sign;
    if (!a_is_nan) return a < b;
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    auto const a_bits = std::bit_cast<Bits>(a);
    auto const b_bits = std::bit_cast<Bits>(b);
    return a_has_sign ? b_bits < a_bits : a_bits < b_bits;
  }
}

}  // namespace riffle::test
