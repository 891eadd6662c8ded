#pragma once

// Radix keys: unsigned integers that have the same order and the same ties as the numbers from which they are computed.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/order.hpp>

namespace riffle::detail {

/// Whether RadixKey<T, Order> supports T and Order. It does not support the extended floating-point types of C++23.
template <class T, class Order>
inline constexpr bool has_radix_key = (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                       std::is_integral_v<T>)&&sizeof(T) <= 8 &&
                                      is_numerical_order<Order>;

/// The unsigned integer type of `bytes` bytes: 1, 2, 4 or 8.
template <std::size_t bytes>
using UnsignedOf = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t,
                       std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
using RadixWord = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

/// Maps numbers to keys. All NaNs have the same key, which is either less or greater than the keys of all numbers. 0
/// and -0 have the same key.
template <class T, class Order>
class RadixKey {
 public:
  using Word = RadixWord<T>;
  static constexpr int bits = 8 * sizeof(T);

  explicit RadixKey(bool has_nans_first = false) : nan_(has_nans_first ? 0 : all_ones) {}

  KOKKOS_FORCEINLINE_FUNCTION Word operator()(T const& value) const {
    if constexpr (std::is_floating_point_v<T>) {
      // Only operations on integers, because sorts compute these keys repeatedly.
      auto const stored = Kokkos::bit_cast<Word>(value);
      Word const x = stored == sign ? 0 : stored;
      // The bits of negative numbers are inverted.
      Word const mask = static_cast<Word>(static_cast<std::make_signed_t<Word>>(x) >> (bits - 1));
      bool const is_nan = static_cast<Word>(x << 1) > twice_infinity;
      return is_nan ? nan_ : directed(x ^ (mask | sign));
    } else if constexpr (std::is_same_v<T, bool>) {
      return directed(value ? 1 : 0);
    } else {
      auto const x = static_cast<Word>(static_cast<std::make_unsigned_t<T>>(value));
      return directed(std::is_signed_v<T> ? x ^ sign : x);
    }
  }

  /// Whether `key` is the key of NaNs, which is all ones or all zeros. No number has this key: every bit pattern that
  /// would be mapped to it is a NaN.
  KOKKOS_FORCEINLINE_FUNCTION bool is_nan_key(Word key) const {
    return std::is_floating_point_v<T> && key == nan_;
  }

 private:
  static constexpr Word all_ones = ~Word{0} >> (8 * sizeof(Word) - bits);
  static constexpr Word sign = Word{1} << (bits - 1);
  // The bits of infinity, shifted left by one, so that the sign bit drops out: all bits of the exponent are set, and
  // the fraction (23 or 52 bits) is 0.
  static constexpr Word twice_infinity = all_ones << (bits == 32 ? 24 : 53) & all_ones;

  KOKKOS_FORCEINLINE_FUNCTION static Word directed(Word ascending) {
    return std::is_same_v<Order, Descending> ? ascending ^ all_ones : ascending;
  }

  Word nan_;
};

}  // namespace riffle::detail
