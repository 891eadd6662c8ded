#pragma once

// Numbers as unsigned integers of the same order, from which they can be had again.

#include <Kokkos_Core.hpp>

#include <bit>
#include <limits>
#include <type_traits>

#include <riffle/order.hpp>
#include <riffle/primitives/radix_key.hpp>

namespace riffle::detail::team_sort {

/// Unlike a RadixKey a code keeps every bit: -0 comes before 0, and NaNs, of either sign, come last in both
/// orders and tie only where their bits are the same.
template <class T, class Order>
struct NumberCode {
  using Value = T;
  using Word = RadixWord<T>;

  KOKKOS_FORCEINLINE_FUNCTION static Word encode(T const& value) {
    return directed(ascending(value));
  }

  KOKKOS_FORCEINLINE_FUNCTION static T decode(Word code) {
    Word const x = directed(code);
    if constexpr (std::is_floating_point_v<T>) {
      Word const turned = x + lowest;
      // The sign bit is set where the number is positive.
      return Kokkos::bit_cast<T>(turned ^ (((turned >> (bits - 1)) - 1) | sign));
    } else if constexpr (std::is_same_v<T, bool>) {
      return x != 0;
    } else {
      return static_cast<T>(std::is_signed_v<T> ? x ^ sign : x);
    }
  }

 private:
  static constexpr int bits = 8 * sizeof(T);
  static constexpr Word sign = Word{1} << (bits - 1);

  // Turns integers of sign and magnitude into unsigned ones that count from below.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Word turn(Word x) {
    return x ^ ((Word{0} - (x >> (bits - 1))) | sign);
  }

  // This runs in the compiler: kernels see its constant results alone.
  static consteval Word turned_infinity(bool is_negative) {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T infinity = std::numeric_limits<T>::infinity();
      return turn(std::bit_cast<Word>(is_negative ? -infinity : infinity));
    } else {
      return 0;
    }
  }

  // NaNs with a negative sign are below all else; counted from -infinity on, they are above all else.
  static constexpr Word lowest = turned_infinity(true);

 public:
  /// The code of the greatest number; in Descending order it is the least one's. Codes above it are those of NaNs.
  static constexpr Word greatest = std::is_floating_point_v<T> ? turned_infinity(false) - lowest
                                   : std::is_same_v<T, bool>
                                       ? Word{1}
                                       : ~Word{0} >> (8 * sizeof(Word) - bits);
  /// The first of the two codes that floating-point zeros have.
  static constexpr Word first_zero =
      std::is_same_v<Order, Descending> ? greatest - (sign - lowest) : sign - 1 - lowest;

 private:
  KOKKOS_FORCEINLINE_FUNCTION static Word ascending(T const& value) {
    if constexpr (std::is_floating_point_v<T>) {
      return turn(Kokkos::bit_cast<Word>(value)) - lowest;
    } else if constexpr (std::is_same_v<T, bool>) {
      return value ? 1 : 0;
    } else {
      auto const x = static_cast<Word>(static_cast<std::make_unsigned_t<T>>(value));
      return std::is_signed_v<T> ? x ^ sign : x;
    }
  }

  // Floating-point codes above the greatest number, those of NaNs, stay above it.
  KOKKOS_FORCEINLINE_FUNCTION static Word directed(Word code) {
    return std::is_same_v<Order, Descending> ? greatest - code : code;
  }
};

}  // namespace riffle::detail::team_sort
