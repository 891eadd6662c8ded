#pragma once

// Which types are numbers of floating point, and which of their values are NaNs or infinite.
//
// The standard's trait knows no half precision: neither Kokkos's types nor those of compilers before C++23. The
// standard's functions, and x != x, find no NaN where a compiler takes all values for finite (-ffinite-math-only, which
// -ffast-math implies). The functions here find it there, too, by its bits.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace riffle::detail {

/// Whether T is a floating-point type of a compiler's own.
template <class T>
inline constexpr bool is_extended_floating_point = false;

// nvcc before 13 has the host compiler's macros, not its types.
#if !defined(__NVCC__) || __CUDACC_VER_MAJOR__ >= 13
#if defined(__FLT16_MANT_DIG__)
__extension__ typedef _Float16 CompilersHalf;
template <>
inline constexpr bool is_extended_floating_point<CompilersHalf> = true;
#endif
#if defined(__BFLT16_MANT_DIG__)
__extension__ typedef __bf16 CompilersBfloat16;
template <>
inline constexpr bool is_extended_floating_point<CompilersBfloat16> = true;
#endif
#if defined(__SIZEOF_FLOAT128__) && !defined(__NVCC__)
__extension__ typedef __float128 CompilersQuadruple;
template <>
inline constexpr bool is_extended_floating_point<CompilersQuadruple> = true;
#endif
#endif

/// Whether T is Kokkos's type `Half`, or what that wraps. Where the back ends have no such type, it is float.
template <class T, class Half>
constexpr bool is_half_of_kokkos() {
  if constexpr (requires { typename Half::impl_type; }) {
    return std::is_same_v<T, Half> || std::is_same_v<T, typename Half::impl_type>;
  } else {
    return std::is_same_v<T, Half>;
  }
}

/// Whether values of T are numbers or NaNs.
template <class T>
inline constexpr bool is_floating_point = std::is_floating_point_v<T> ||
                                          is_extended_floating_point<T> ||
                                          is_half_of_kokkos<T, Kokkos::Experimental::half_t>() ||
                                          is_half_of_kokkos<T, Kokkos::Experimental::bhalf_t>();

/// Twice the bits of infinity, as an integer: those of finite numbers without their sign are below, those of NaNs above.
template <class Word>
inline constexpr Word twice_infinity = static_cast<Word>(sizeof(Word) == 4 ? 0xff000000
                                                                           : 0xffe0000000000000);

/// Twice the bits of a floating-point number without its sign, as a float's or a double's. Conversions keep NaNs.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto twice_magnitude(T const& value) {
  using Number = std::conditional_t<sizeof(T) <= sizeof(float), float, double>;
  using Word = std::conditional_t<sizeof(T) <= sizeof(float), std::uint32_t, std::uint64_t>;
  return static_cast<Word>(Kokkos::bit_cast<Word>(static_cast<Number>(value)) << 1);
}

/// Whether a value is a NaN, of any type: integers never are. Where the compiler knows NaNs, x != x is the quicker test.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_nan(T const& value) {
  if constexpr (is_floating_point<T>) {
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ == 0
    return value != value;
#else
    auto const twice = twice_magnitude(value);
    return twice > twice_infinity<std::remove_const_t<decltype(twice)>>;
#endif
  } else {
    return false;
  }
}

/// Whether a value is infinite: as a double, where its type is larger.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_infinite(T const& value) {
  if constexpr (is_floating_point<T>) {
    auto const twice = twice_magnitude(value);
    return twice == twice_infinity<std::remove_const_t<decltype(twice)>>;
  } else {
    return false;
  }
}

/// Whether a value is a number and finite: as a double, where its type is larger.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_finite(T const& value) {
  if constexpr (is_floating_point<T>) {
    auto const twice = twice_magnitude(value);
    return twice < twice_infinity<std::remove_const_t<decltype(twice)>>;
  } else {
    return true;
  }
}

/// The double of some bits, of which a compiler that takes all values for finite does not know that it is not: it may leave
/// out constants, and has 1 for `b ? NaN : 1.0`.
KOKKOS_INLINE_FUNCTION double hidden_double(std::uint64_t bits) {
#if !defined(__FINITE_MATH_ONLY__) || __FINITE_MATH_ONLY__ != 0
  KOKKOS_IF_ON_HOST((asm("" : "+r"(bits));))
#endif
  return Kokkos::bit_cast<double>(bits);
}
KOKKOS_INLINE_FUNCTION double hidden_nan() { return hidden_double(0x7ff8000000000000); }
KOKKOS_INLINE_FUNCTION double hidden_infinity() { return hidden_double(0x7ff0000000000000); }

/// x as it is rounded. A compiler that may reassociate (-ffast-math) does not look through: it would take (x + y) - y for
/// x, and x / 2 + y / 2 for (x + y) / 2.
KOKKOS_FORCEINLINE_FUNCTION double as_rounded(double x) {
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
  auto bits = Kokkos::bit_cast<std::uint64_t>(x);
  KOKKOS_IF_ON_HOST((asm("" : "+r"(bits));))
  return Kokkos::bit_cast<double>(bits);
#else
  return x;
#endif
}

/// The middle of two numbers, whose sum may overflow.
KOKKOS_FORCEINLINE_FUNCTION double middle_of(double x, double y) {
  return as_rounded(x / 2) + y / 2;
}

}  // namespace riffle::detail
