#pragma once

// Codes of numbers that are in a stable sort's order, and from which the numbers can be had again.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/primitives/radix_key.hpp>
#include <riffle/sort/block/number_code.hpp>

namespace riffle::detail::sort::by_splitters {

/// The most elements that have exact codes of numbers of type T.
template <class T>
inline constexpr std::uint64_t max_coded = std::uint64_t{1} << (sizeof(T) < 8 ? 22 : 32);

/// The code of a number and of its index. Numbers that tie have one code, so that no sort can confuse them, but for
/// those that have different bits: zeros, which tie with either sign, and NaNs. These have codes in the order of their
/// indices. There are so many bits of NaNs that there is room for both, even among 32 bits.
template <class T, class Order>
struct ExactCode {
  using Word = RadixWord<T>;

  KOKKOS_FUNCTION static Word encode(T const& value, std::uint64_t index) {
    Word const code = Code::encode(value);
    if constexpr (!std::is_floating_point_v<T>) return code;
    if (code > Code::greatest) return first_nan + static_cast<Word>(index);
    if (code < Code::first_zero) return code;
    Word const beyond = code - Code::first_zero;
    return beyond < 2 ? code + static_cast<Word>(2 * index) : code + shift;
  }

  /// The number; where is_nan(code), one with other bits.
  KOKKOS_FUNCTION static T decode(Word code) {
    if constexpr (std::is_floating_point_v<T>) {
      Word const beyond = code - Code::first_zero;
      if (code >= Code::first_zero && beyond < zeros) {
        code = Code::first_zero + (beyond & 1);
      } else if (code > Code::first_zero) {
        code -= shift;
      }
    }
    return Code::decode(code);
  }

  KOKKOS_FUNCTION static bool is_nan(Word code) {
    return std::is_floating_point_v<T> && code >= first_nan;
  }
  KOKKOS_FUNCTION static std::uint64_t index_of_nan(Word code) { return code - first_nan; }

 private:
  using Code = team_sort::NumberCode<T, Order>;

  static constexpr Word zeros = static_cast<Word>(2 * max_coded<T>);
  static constexpr Word shift = zeros - 2;
  static constexpr Word first_nan = Code::greatest + 1 + shift;
  static_assert(!std::is_floating_point_v<T> ||
                std::numeric_limits<Word>::max() - Code::greatest > shift + max_coded<T>);
};

}  // namespace riffle::detail::sort::by_splitters
