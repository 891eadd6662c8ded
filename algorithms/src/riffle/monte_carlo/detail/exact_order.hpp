#pragma once

// Exact comparison of fractions whose numerators and denominators have up to 126 bits.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/random/integers.hpp>

namespace riffle::detail {

/// The maximum number of bits in a numerator or denominator.
inline constexpr int exact_order_bits = 126;

KOKKOS_INLINE_FUNCTION int order_of(int128 a, int128 b) { return a < b ? -1 : a > b ? 1 : 0; }

struct Product256 {
  uint128 high;
  uint128 low;

  KOKKOS_FUNCTION static Product256 of(uint128 a, uint128 b) {
    auto const lower = [](uint128 x) {
      return static_cast<uint128>(static_cast<std::uint64_t>(x));
    };
    uint128 const low = lower(a) * lower(b);
    uint128 const first = lower(a) * (b >> 64) + (low >> 64);
    uint128 const second = (a >> 64) * lower(b) + lower(first);
    return {(a >> 64) * (b >> 64) + (first >> 64) + (second >> 64), second << 64 | lower(low)};
  }
};

/// Returns -1, 0 or 1 if the product a b is less than, equal to or greater than the product c d.
KOKKOS_INLINE_FUNCTION int order_of_products(uint128 a, uint128 b, uint128 c, uint128 d) {
  auto const first = Product256::of(a, b);
  auto const second = Product256::of(c, d);
  if (first.high != second.high) return first.high < second.high ? -1 : 1;
  return first.low < second.low ? -1 : first.low > second.low ? 1 : 0;
}

/// The number x / sqrt(y) for whole x and y, stored as its sign and its square, the fraction square / divisor. It is
/// infinite if y = 0.
struct SignedSquare {
  int sign;
  uint128 square;
  uint128 divisor;

  KOKKOS_FUNCTION static SignedSquare of(int128 x, int128 y) {
    int const sign = x < 0 ? -1 : x > 0 ? 1 : 0;
    return {sign, static_cast<uint128>(x) * static_cast<uint128>(x), static_cast<uint128>(y)};
  }
  KOKKOS_FUNCTION SignedSquare magnitude() const { return {sign != 0 ? 1 : 0, square, divisor}; }
};

KOKKOS_INLINE_FUNCTION int order_of(SignedSquare const& a, SignedSquare const& b) {
  if (a.sign != b.sign) return a.sign < b.sign ? -1 : 1;
  return a.sign * order_of_products(a.square, b.divisor, b.square, a.divisor);
}

/// Welch's t of whole numbers. Up to the constant factor sqrt((n_1 - 1) (n_2 - 1)), t = x / sqrt(y) with
///   x = n S_1 - n_1 S,
///   y = (n_1 Q_1 - S_1^2) n_2^2 (n_2 - 1) + (n_2 Q_2 - S_2^2) n_1^2 (n_1 - 1),
/// where S_g and Q_g are the sum and the sum of squares of sample g, and S = S_1 + S_2.
struct WholeWelch {
  int128 n_1;
  int128 n_2;
  int128 total;
  int128 total_of_squares;

  KOKKOS_FUNCTION SignedSquare operator()(int128 sum, int128 squares) const {
    int128 const others = total - sum;
    int128 const within_1 = n_1 * squares - sum * sum;
    int128 const within_2 = n_2 * (total_of_squares - squares) - others * others;
    return SignedSquare::of(n_2 * sum - n_1 * others, within_1 * (n_2 * n_2 * (n_2 - 1)) +
                                                          within_2 * (n_1 * n_1 * (n_1 - 1)));
  }

  /// Returns whether all intermediate results fit in exact_order_bits bits; `largest` is the greatest |value|.
  static bool fits(double n_1, double n_2, double largest) {
    double const n = n_1 + n_2;
    return n * n * n * n * n * largest * largest < std::ldexp(1.0, exact_order_bits);
  }
};

}  // namespace riffle::detail
