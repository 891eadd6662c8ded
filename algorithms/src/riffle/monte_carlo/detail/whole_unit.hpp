#pragma once

// Finds a unit of which all data are multiples: for whole numbers, decimals, and binary fractions with few bits.
//
// Sums of such data are exact, and so are comparisons of their statistics: statistics tie if and only if they tie in
// exact arithmetic. A double stands for a decimal if it is the double closest to the decimal. There is at most one such
// decimal with up to 15 digits.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/numeric_views.hpp>
#include <riffle/primitives/loops.hpp>

namespace riffle::detail {

inline constexpr int no_decimals = 99;
inline constexpr int max_decimals = 22;  // 10^22 is the greatest power of ten that is a double

KOKKOS_INLINE_FUNCTION double power_of_ten(int k) {
  double power = 1;
  for (; k > 0; --k) power *= 10;
  return power;
}

/// Returns x 2^exponent. Requires: -1100 <= exponent <= 1100.
KOKKOS_INLINE_FUNCTION double times_power_of_two(double x, int exponent) {
  auto const power = [](int e) {
    return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(1023 + e) << 52);
  };
  return as_rounded(x * power(exponent / 2)) * power(exponent - exponent / 2);
}

/// Returns x * power, rounded to a whole number. `power` is a power of ten.
KOKKOS_INLINE_FUNCTION double whole_multiple(double x, double power) {
  return Kokkos::floor(Kokkos::fma(x, power, 0.5));
}

/// Returns the least k such that x stands for a decimal with k decimal places and at most 15 digits. Returns 0 for a
/// whole number, and no_decimals if there is no such k.
KOKKOS_INLINE_FUNCTION int decimals_of(double x) {
  constexpr double most_digits = 1e15;
  if (x == Kokkos::floor(x)) return 0;
  double power = 1;
  for (int k = 1; k <= max_decimals; ++k) {
    power *= 10;
    double const whole = whole_multiple(x, power);
    if (!(Kokkos::abs(whole) < most_digits)) return no_decimals;
    if (whole / power == x) return k;  // the quotient of exact numbers is the closest double
  }
  return no_decimals;
}

/// Returns the exponent of the lowest set bit of x. Requires: x is finite and not 0.
KOKKOS_INLINE_FUNCTION int last_exponent(double x) {
  constexpr std::uint64_t implicit = std::uint64_t{1} << 52;
  auto const bits = Kokkos::bit_cast<std::uint64_t>(x);
  auto const biased = static_cast<int>(bits >> 52 & 0x7FF);
  std::uint64_t significand = bits & (implicit - 1);
  if (biased > 0) significand |= implicit;
  int exponent = (biased > 0 ? biased : 1) - 1075;
  for (; (significand & 1) == 0; significand >>= 1) ++exponent;
  return exponent;
}

/// Converts numbers to multiples of a unit.
struct WholeUnit {
  enum class Kind { none, decimal, binary };

  Kind kind = Kind::none;
  int exponent = 0;  // the unit is 10^-exponent, or 2^exponent

  KOKKOS_FUNCTION bool exists() const { return kind != Kind::none; }

  /// Returns number / unit. An unsigned 64-bit integer is converted modulo 2^64, so that differences are correct.
  template <class T>
  KOKKOS_FUNCTION std::int64_t operator()(T number) const {
    std::int64_t whole = 0;
    int places = 0;
    if constexpr (std::is_integral_v<T>) {
      whole = static_cast<std::int64_t>(number);
    } else {
      auto const x = static_cast<double>(number);
      if (kind == Kind::binary) return x == 0 ? 0 : of_bits(x);
      places = decimals_of(x);
      whole = static_cast<std::int64_t>(places == 0 ? x : whole_multiple(x, power_of_ten(places)));
    }
    for (int k = places; k < exponent; ++k) whole *= 10;
    return whole;
  }

  KOKKOS_FUNCTION std::int64_t of_bits(double x) const {
    int const last = last_exponent(x);
    auto const significand = static_cast<std::int64_t>(times_power_of_two(x, -last));
    return significand * (std::int64_t{1} << (last - exponent));
  }

  /// factor() * cofactor() is 1 / unit. The product itself may overflow.
  double factor() const {
    return kind == Kind::binary ? std::ldexp(1.0, -exponent / 2) : power_of_ten(exponent);
  }
  double cofactor() const {
    return kind == Kind::binary ? std::ldexp(1.0, -exponent - -exponent / 2) : 1;
  }
};

template <class View>
struct FindDecimals {
  View x;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, int& decimals) const {
    decimals = Kokkos::max(decimals, decimals_of(static_cast<double>(x(i))));
  }
};

template <class View>
struct FindLastExponent {
  View x;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, int& exponent) const {
    auto const value = static_cast<double>(x(i));
    if (value != 0) exponent = Kokkos::min(exponent, last_exponent(value));
  }
};

/// Returns a unit of which all numbers in x and y are multiples, with factors below 2^62, or no unit. Requires: no
/// magnitude exceeds `largest`. If all numbers are integers, the unit is 1, whatever their size. A double that is not a
/// short decimal generally has 53 significant bits, so a binary unit is used only if all numbers are doubles and all
/// factors are below 2^44. Fences.
template <class Exec>
WholeUnit find_unit(Context<Exec> const& context, double largest,
                    Numbers<typename Exec::memory_space> const& x,
                    Numbers<typename Exec::memory_space> const& y) {
  constexpr double room = 0x1p62;
  constexpr double few_bits = 0x1p44;
  constexpr double all_whole = 0x1p53;  // a double cannot hold all bits of larger integers
  using Reals = typename Numbers<typename Exec::memory_space>::template Array<double>;
  std::vector<Reals> reals;
  bool has_integers = false;
  for (auto const* numbers : {&x, &y}) {
    if (numbers->extent(0) == 0) continue;
    if (auto const* own = std::get_if<Reals>(&numbers->values)) {
      reals.push_back(*own);
    } else {
      has_integers = true;
    }
  }
  if (reals.empty()) return {WholeUnit::Kind::decimal, 0};
  if (has_integers && largest >= all_whole) return {};
  int decimals = 0;
  for (auto const& own : reals) {
    if (decimals == no_decimals) break;
    int found = 0;
    Kokkos::parallel_reduce(context.label() + "::decimals", range(context.exec(), 0, own.extent(0)),
                            FindDecimals<Reals>{own}, Kokkos::Max<int>(found));
    decimals = std::max(decimals, found);
  }
  if (decimals != no_decimals && largest * power_of_ten(decimals) < room) {
    return {WholeUnit::Kind::decimal, decimals};
  }
  if (has_integers) return {};
  int exponent = 1024;
  for (auto const& own : reals) {
    int found = exponent;
    Kokkos::parallel_reduce(context.label() + "::last_bit", range(context.exec(), 0, own.extent(0)),
                            FindLastExponent<Reals>{own}, Kokkos::Min<int>(found));
    exponent = std::min(exponent, found);
  }
  return std::ldexp(largest, -exponent) < few_bits ? WholeUnit{WholeUnit::Kind::binary, exponent}
                                                   : WholeUnit{};
}

}  // namespace riffle::detail
