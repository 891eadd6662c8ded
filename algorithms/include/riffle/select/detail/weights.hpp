#pragma once

// Weighted samples. The code of an element ascends with e / w, an exponential random number divided by the element's weight, and has
// the same bits on every back end: all arithmetic is on integers, except one division of two doubles, which IEEE 754 rounds
// correctly. (may_be_below() may round differently on different back ends, but decides only which codes are computed.)
//
// The random number v has 64 random bits, and e = -ln(1 - v) is exponential. Neighbouring values of v differ by 2^-64. So two of n
// elements with equal weights, among the k smallest, have the same v with a probability below k n 2^-64, and the same e after rounding
// to 53 bits with a probability below k^2 2^-52: together 3 * 10^-4 for k = 10^6 and n = 2^30. (If they have, the element with the
// smaller index comes first.)

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/integers.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/select/detail/smallest.hpp>

namespace riffle::detail::select {

/// Returns -ln(1 - d / 2^64) in units of 2^-64, for 0 < d < 2^63. The result is at least d, and its error is below 8.
///
/// With j / 8 <= d < (j + 1) / 8 and 1 - d = (1 - j / 8) (1 - t), t is below 1/5, and
///   -ln(1 - d) = -ln(1 - j / 8) + t + t^2 / 2 + ... + t^27 / 27.
/// The next terms are below 2^-67, and each step has an error of at most 2^-64, which later steps reduce.
KOKKOS_INLINE_FUNCTION std::uint64_t minus_log(std::uint64_t d) {
  // -ln(1 - j / 8) in units of 2^-64.
  constexpr std::uint64_t logarithms[4] = {0, 0x222f1d044fc8f7bc, 0x49a58844d36e49e1,
                                           0x785228689c9b3653};
  std::uint64_t const j = d >> 61;
  std::uint64_t const t = (d << 3) / (8 - j);
  std::uint64_t sum = 0;
  for (unsigned k = 27; k > 1; --k) sum = ~std::uint64_t{0} / k + multiply_high(t, sum);
  return logarithms[j] + t + multiply_high(t, multiply_high(t, sum));
}

/// Returns the exponential random number of a random word.
///
/// Let z be the number of leading ones of the word. Then 1 - v = 2^-z (1 - d) with 0 < d < 1/2, and e = z ln 2 - ln(1 - d). Small v
/// have z = 0 and d = v, so that e, which is about v, keeps all bits of v.
KOKKOS_INLINE_FUNCTION double exponential_of(std::uint64_t word) {
  int const ones = 64 - bit_width(~word | 1);
  // The bits after the first zero, and a one after them, which is the middle of the numbers with these bits.
  std::uint64_t const middle = std::uint64_t{1} << (ones < 62 ? ones : 62);
  std::uint64_t const e = minus_log((word << ones & ~std::uint64_t{0} >> 1) | middle);
  if (ones == 0) return static_cast<double>(e) * 0x1p-64;
  // The number is ln 2 in units of 2^-58.
  return static_cast<double>(static_cast<std::uint64_t>(ones) * 0x2c5c85fdf473de6 + (e >> 6)) *
         0x1p-58;
}

/// The codes of weighted elements. A code is the bits of e / w, if a double had no sign but an exponent of 12 bits, with 1024 added to
/// the exponent. So no quotient overflows or underflows. Weights are examined by their bits, so -ffast-math changes no code.
template <class Weights>
struct WeightCodes {
  using Word = std::uint64_t;

  /// The code of weights below 2^-1022. It is greater than all other codes.
  static constexpr std::uint64_t of_zero = ~std::uint64_t{0};

  static constexpr std::uint64_t one = std::uint64_t{1} << 52;  // 1 in the exponent of a double

  Weights weights;
  std::uint64_t seed;
  std::uint64_t stream;
  double bound = 0;  // 1 / (e / w) for a code that stands for e / w

  KOKKOS_FUNCTION double value(std::uint64_t i) const { return static_cast<double>(weights(i)); }

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    auto const bits = Kokkos::bit_cast<std::uint64_t>(value(i));
    if ((bits << 1) < 2 * one) return of_zero;
    if (bits >= 0x7ff * one) return bits >> 4;
    auto const words = random_block(seed, stream, Purpose::weights, i);
    double const e = exponential_of(std::uint64_t{words[0]} << 32 | words[1]);
    auto const scaled = Kokkos::bit_cast<double>(bits % one + 1023 * one);  // in [1, 2)
    return Kokkos::bit_cast<std::uint64_t>(e / scaled) + (1024 + 1023 - bits / one) * one;
  }

  /// The code is above the code of the bound if e / w > 1 / bound. e is at least v + v^2 / 2 + v^3 / 3.
  KOKKOS_FUNCTION bool may_be_below(CodedIndex<Word> const& threshold, double weight,
                                    std::uint64_t i) const {
    auto const bits = Kokkos::bit_cast<std::uint64_t>(weight);
    if ((bits << 1) < 2 * one) return CodedIndex<Word>(Word{of_zero}, i) < threshold;
    if (bits >= 0x7ff * one) return true;
    double const v = random_block(seed, stream, Purpose::weights, i)[0] * 0x1p-32;
    return v * (1 + v * (0.5 + v * 0.333)) * bound <= weight;
  }

  /// The codes of invalid weights are the upper 60 bits of the weights. They are less than all other codes.
  static bool is_invalid(std::uint64_t code) { return code >> 60 == 0; }
  static double invalid(std::uint64_t code) { return Kokkos::bit_cast<double>(code << 4); }

  /// The bound is 0 if the quotient that the code stands for is near the limits of a double. 1 - 2^-30 exceeds all rounding errors.
  WeightCodes up_to(std::uint64_t code) const {
    std::uint64_t const bits = code - 1024 * one;
    bool const is_normal = bits / one > 100 && bits / one < 1900;
    double const limit = is_normal ? (1 - 0x1p-30) / Kokkos::bit_cast<double>(bits) : 0;
    return {weights, seed, stream, limit};
  }
};

}  // namespace riffle::detail::select
