#pragma once

// Codes: unsigned integers that compare as the encoded numbers do, and from which the numbers can
// be decoded.

#include <Kokkos_Core.hpp>

#include <bit>
#include <limits>
#include <type_traits>

#include <riffle/order.hpp>
#include <riffle/primitives/radix_key.hpp>

namespace riffle::detail::sort {

/// A bijection from the bit patterns of numbers to their codes. With a WordCode as a parameter, one
/// instance of a kernel sorts all number types that have the same size, in ascending or descending
/// order. A default-constructed WordCode is the identity.
template <class Word>
struct WordCode {
  Word flipped{};  // bits that are always inverted
  // Bits that are also inverted if the highest bit of the number is set. The highest bit is not
  // among them.
  Word flipped_if_negative{};
  Word added{};

  KOKKOS_FORCEINLINE_FUNCTION constexpr Word encode(Word bits) const {
    return static_cast<Word>((bits ^ flipped ^ (if_negative(bits))) + added);
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr Word decode(Word code) const {
    auto const bits = static_cast<Word>(static_cast<Word>(code - added) ^ flipped);
    return static_cast<Word>(bits ^ if_negative(bits));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION constexpr Word if_negative(Word bits) const {
    return static_cast<Word>((Word{0} - (bits >> (8 * sizeof(Word) - 1))) & flipped_if_negative);
  }
};

/// Whether NumberCode<T, Order> supports T and Order, which it does if RadixKey does.
template <class T, class Order>
inline constexpr bool has_number_code = has_radix_key<T, Order>;

/// The code by which all sorts order numbers. A code keeps all bits of its number, so only numbers
/// with the same bits tie. In Ascending order -0 precedes 0, in Descending order 0 precedes -0. In
/// both orders NaNs of either sign come last, ordered by their codes. (Ranks use RadixKey instead,
/// in which numbers tie if neither is less than the other.)
template <class T, class Order>
struct NumberCode {
  using Value = T;
  using Word = RadixWord<T>;
  static constexpr int bits = 8 * sizeof(T);

  KOKKOS_FORCEINLINE_FUNCTION Word operator()(T const& value) const { return encode(value); }

  KOKKOS_FORCEINLINE_FUNCTION static Word encode(T const& value) {
    constexpr WordCode<Word> code = of_words();
    return code.encode(to_bits(value));
  }

  KOKKOS_FORCEINLINE_FUNCTION static T decode(Word code_of_value) {
    constexpr WordCode<Word> code = of_words();
    Word const x = code.decode(code_of_value);
    if constexpr (std::is_floating_point_v<T>) {
      return Kokkos::bit_cast<T>(x);
    } else if constexpr (std::is_same_v<T, bool>) {
      return x != 0;
    } else {
      return static_cast<T>(x);
    }
  }

  /// Returns this code as a WordCode. Evaluated at compile time only.
  static consteval WordCode<Word> of_words() {
    constexpr Word sign = Word{1} << (bits - 1);
    WordCode<Word> code;
    Word greatest = all_ones;  // the code of the greatest number
    if constexpr (std::is_floating_point_v<T>) {
      // Converts sign and magnitude to an integer that ascends with the number. This leaves NaNs
      // with a sign below all other numbers. Subtracting the code of -infinity wraps them around to
      // values above all others.
      constexpr T infinity = std::numeric_limits<T>::infinity();
      code = {sign, sign - 1, 0};
      code.added = Word{0} - code.encode(std::bit_cast<Word>(-infinity));
      greatest = code.encode(std::bit_cast<Word>(infinity));
    } else if constexpr (std::is_same_v<T, bool>) {
      greatest = 1;
    } else if constexpr (std::is_signed_v<T>) {
      code.flipped = sign;
    }
    if constexpr (std::is_same_v<Order, Descending>) {
      // The code becomes greatest - code. Codes of NaNs are above `greatest`, and stay above it
      // since the subtraction wraps around.
      code = {static_cast<Word>(~code.flipped), code.flipped_if_negative,
              static_cast<Word>(greatest + 1 - code.added)};
    }
    return code;
  }

 private:
  static constexpr Word all_ones = ~Word{0} >> (8 * sizeof(Word) - bits);

  KOKKOS_FORCEINLINE_FUNCTION static Word to_bits(T const& value) {
    if constexpr (std::is_floating_point_v<T>) {
      return Kokkos::bit_cast<Word>(value);
    } else if constexpr (std::is_same_v<T, bool>) {
      return value ? 1 : 0;
    } else {
      return static_cast<Word>(static_cast<std::make_unsigned_t<T>>(value));
    }
  }
};

}  // namespace riffle::detail::sort
