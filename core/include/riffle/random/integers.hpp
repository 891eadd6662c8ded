#pragma once

// Integers: 128-bit types, division by invariant numbers, constants passed as arguments, and types
// that can be converted to std::uint64_t.

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace riffle::detail {

// 128-bit integers are an extension that g++, clang and nvcc support, the latter also on the
// device. __extension__ prevents warnings by -Wpedantic.
__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

KOKKOS_INLINE_FUNCTION constexpr std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}

KOKKOS_INLINE_FUNCTION constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<uint128>(a) * b) >> 64);
}

/// Returns the inverse of an odd number modulo 2^64, by Newton's method. The first value has 3
/// correct low bits, and each step doubles their number.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t inverse_of_odd(std::uint64_t a) {
  std::uint64_t x = a;
  for (int i = 0; i < 5; ++i) x *= 2 - a * x;
  return x;
}

/// Returns the number of bits needed to represent x; 0 for x = 0.
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

// Seeds, counts and sizes are of type std::uint64_t, to which C++ converts floating-point numbers
// without a warning.

/// Whether a T can be passed as a std::uint64_t: T is an integer or enumeration of at most 64 bits,
/// or a class that converts to one of them. Negative integers are converted modulo 2^64; functions
/// that take a count check its range.
template <class T>
inline constexpr bool is_whole_number = std::is_convertible_v<T const&, std::uint64_t> &&
                                        (std::numeric_limits<T>::is_integer ||
                                         !std::numeric_limits<T>::is_specialized) &&
                                        (!std::is_integral_v<T> ||
                                         sizeof(T) <= sizeof(std::uint64_t));

/// Whether one of the arguments is a floating-point number, whose fraction would be lost by
/// conversion to std::uint64_t. Overloads for such arguments are deleted.
template <class... T>
concept LoseAFraction = (std::is_floating_point_v<T> || ...);

/// A constant that is passed as an argument. In contrast to std::integral_constant, its conversion
/// to int can be called from a kernel.
template <int value>
struct Constant {
  KOKKOS_FORCEINLINE_FUNCTION constexpr operator int() const { return value; }
};

// Division by an invariant number, by a multiplication and a shift (T. Granlund, P. L. Montgomery,
// "Division by invariant integers using multiplication", PLDI 1994).

/// Computes i / divisor. Requires that i and the divisor are less than half of Word's range, and
/// that divisor > 0. Word is std::uint32_t or std::uint64_t.
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

  /// Returns the largest multiple of the divisor that is not greater than i.
  KOKKOS_FUNCTION Word multiple(Word i) const { return quotient(i) * divisor_; }

 private:
  static constexpr int bits = 8 * sizeof(Word);

  Word divisor_;
  int shift_;
  Word factor_;
};

}  // namespace riffle::detail
