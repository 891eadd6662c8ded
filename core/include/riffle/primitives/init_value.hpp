#pragma once

// The value that a scan begins with, as the type in which the scan combines: what that type cannot hold is refused.

#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail {

/// Whether a scan in T can begin with an Init. Where it cannot, a compiler says so in a line.
template <class T, class Init>
constexpr bool can_begin_with() {
  constexpr bool can = !(std::is_integral_v<T> && std::is_floating_point_v<Init>);
  static_assert(can,
                "riffle: argument init: an integer belongs here, since the scan combines integers: "
                "it would lose a fraction; an operation on other values is named, as in "
                "riffle::Sum<double>{}");
  return can;
}

template <class T>
constexpr bool is_negative([[maybe_unused]] T number) {
  if constexpr (std::is_signed_v<T>) {
    return number < 0;
  } else {
    return false;
  }
}

/// Whether T holds a number: an integer as it is, one of floating point to within rounding.
template <class T, class Init>
bool holds_number(Init init) {
  if constexpr (std::is_floating_point_v<Init>) {
    // Infinities and NaNs are in every type.
    return !is_finite(init) || is_finite(static_cast<T>(init));
  } else if constexpr (std::is_floating_point_v<T>) {
    auto magnitude = static_cast<std::uint64_t>(init);
    if (is_negative(init)) magnitude = ~magnitude + 1;
    while (magnitude != 0 && magnitude % 2 == 0) magnitude /= 2;
    return std::numeric_limits<T>::digits >= 64 || magnitude >> std::numeric_limits<T>::digits == 0;
  } else {
    auto const value = static_cast<T>(init);
    return static_cast<Init>(value) == init && is_negative(value) == is_negative(init);
  }
}

/// init as a T. Throws std::invalid_argument where T does not hold it.
template <class T, class Init>
T init_value(char const* function, Init const& init) {
  if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<Init> &&
                !converts_without_loss<Init, T>) {
    check(holds_number<T>(init), function, "init = ", +init,
          ": must be a number that the type of the scan's values holds");
  }
  return static_cast<T>(init);
}

}  // namespace riffle::detail
