#pragma once

// Numbers in slices of few bits, so that products of matrices are exact whoever adds them, in whatever order. From
//   [1] K. Ozaki, T. Ogita, S. Oishi, S. M. Rump, "Error-free transformations of matrix multiplication by using fast
//       routines of matrix multiplication and its applications", Numerical Algorithms 59 (2012).
//
// The numbers x of a vector are below a power of two, their unit:
//   x = unit (x_1 2^-b + x_2 2^-2b + ...) with whole numbers |x_1| <= 2^b and, being rounded to the nearest,
//   |x_2|, |x_3|, ... <= 2^(b - 1).
// A product of two vectors is the sum over s of 2^-(s + 1)b times
//   P_s = x_s y_1 + x_(s - 1) y_2 + ... + x_1 y_s,
// and no sum of parts of P_s is larger than n 2^2b (s + 2) / 4. With that at most 2^53, doubles hold each of them exactly.
//
// Of `count` slices P_1, ..., P_count are taken. What is left out, the later P_s and what the slices leave of x and y, is at most
// n (count + 4) / 4 2^-(count b), that is some 2^-52 of the product of the units (as count b >= 53 + log2 n).

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>

namespace riffle::detail::variables {

struct Slicing {
  int bits;
  int count;

  /// For vectors of n numbers.
  static Slicing of(std::uint64_t n) {
    int log_n = 0;
    while ((std::uint64_t{1} << log_n) < n) ++log_n;
    for (int spare = 0;; ++spare) {
      int const bits = (53 - log_n - spare) / 2;
      int const count = (53 + log_n + bits - 1) / bits;
      if (count + 2 <= 4 << spare) return {bits, count};
    }
  }

  /// How much a slice weighs more than the next.
  double step() const { return std::ldexp(1.0, bits); }
};

/// The least power of two above a positive number; 0 for 0, for numbers so small that they are not normal, and for NaN.
KOKKOS_INLINE_FUNCTION double unit_above(double x) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000;
  if (detail::is_nan(x) || x <= 0) return 0;
  return 2 * Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x) & exponent);
}

/// The largest of |values(i)|, i < n, or NaN where one is.
template <class Values>
KOKKOS_FUNCTION double largest_of(Values const& values, std::uint64_t n) {
  double largest = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    double const x = values(i);
    if (detail::is_nan(x)) return x;
    largest = Kokkos::max(largest, Kokkos::abs(x));
  }
  return largest;
}

/// Calls to(a, slice) for the slices a = 0, 1, ... of a number below `unit`; where the unit is 0, they are 0.
template <class To>
KOKKOS_FUNCTION void slice(double x, double unit, int count, double step, To const& to) {
  constexpr double rounds = 0x1.8p52;  // numbers beside it are whole
  double left = unit > 0 ? x / unit : 0;
  for (int a = 0; a < count; ++a) {
    left *= step;
    double const whole = as_rounded(as_rounded(left + rounds) - rounds);
    to(a, whole);
    left -= whole;
  }
}

/// The sum of parts(first), parts(first + 1), ..., each weighing 1 / step of the one before it; the first weighs 1. Added
/// from the least on: multiplications by powers of two leave a compiler nothing to contract.
template <class Parts>
KOKKOS_FUNCTION double sum_of_parts(Parts const& parts, int first, int count, double step) {
  double const weight = 1 / step;
  double sum = 0;
  for (int s = count; s-- > first;) sum = sum * weight + parts(s);
  return sum;
}

}  // namespace riffle::detail::variables
