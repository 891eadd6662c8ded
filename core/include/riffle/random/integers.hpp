#pragma once

// Integers: 128-bit integers, division by invariant numbers, constants as arguments, and types that
// can be passed as a std::uint64_t.

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace riffle::detail {

// 128-bit integers are an extension of g++, clang and nvcc, also on the device; __extension__
// prevents warnings of -Wpedantic.
__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

KOKKOS_INLINE_FUNCTION constexpr std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}

KOKKOS_INLINE_FUNCTION constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<uint128>(a) * b) >> 64);
}

/// The inverse of an odd number modulo 2^64 (Newton: each step doubles the number of correct low
/// bits, from 3 on).
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t inverse_of_odd(std::uint64_t a) {
  std::uint64_t x = a;
  for (int i = 0; i < 5; ++i) x *= 2 - a * x;
  return x;
}

/// The number of bits needed to write x: 0 for 0.
KOKKOS_INLINE_FUNCTION constexpr int bit_width(std::uint64_t x) {
  int width = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (x >> step) {
      width += step;
      x >>= step;
    }
  }
  return width + static_cast<int>(x);
}

// Seeds, counts and sizes are std::uint64_t, to which C++ converts floating-point numbers without a
// warning.

/// Whether a T can be passed as a std::uint64_t: an integer or an enumerator of at most 64 bits, or
/// an object that converts to one. Negative integers are converted modulo 2^64; a count is checked
/// where it is used.
template <class T>
inline constexpr bool is_whole_number = std::is_convertible_v<T const&, std::uint64_t> &&
                                        (std::numeric_limits<T>::is_integer ||
                                         !std::numeric_limits<T>::is_specialized) &&
                                        (!std::is_integral_v<T> ||
                                         sizeof(T) <= sizeof(std::uint64_t));

/// Whether one of the arguments would lose its fraction as a std::uint64_t. Overloads with such
/// arguments are deleted.
template <class... T>
concept LoseAFraction = (std::is_floating_point_v<T> || ...);

/// A constant as an argument. Unlike std::integral_constant's, its conversion can be called from a
/// kernel.
template <int value>
struct Constant {
  KOKKOS_FORCEINLINE_FUNCTION constexpr operator int() const { return value; }
};

// Division by an invariant number, by a multiplication and a shift (T. Granlund, P. L. Montgomery,
// "Division by invariant integers using multiplication", PLDI 1994).

/// i / divisor, for i and a divisor > 0 that are less than half of Word's range. Word is
/// std::uint32_t or std::uint64_t.
template <class Word>
class Divider {
 public:
  explicit Divider(Word divisor)
      : divisor_(divisor),
        shift_(divisor == 1 ? 0 : std::bit_width(static_cast<Word>(divisor - 1))),
        factor_(static_cast<Word>((uint128{1} << (bits - 1 + shift_)) / divisor + 1)) {}

  KOKKOS_FUNCTION Word divisor() const { return divisor_; }

  KOKKOS_FUNCTION Word quotient(Word i) const {
    return multiply_high(static_cast<Word>(i << 1), factor_) >> shift_;
  }

  /// The largest multiple of the divisor that is not greater than i.
  KOKKOS_FUNCTION Word multiple(Word i) const { return quotient(i) * divisor_; }

 private:
  static constexpr int bits = 8 * sizeof(Word);

  Word divisor_;
  int shift_;
  Word factor_;
};

}  // namespace riffle::detail
