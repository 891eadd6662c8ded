#pragma once

// Which types are floating-point types, and which of their values are NaNs or infinite.
//
// std::is_floating_point is false for Kokkos's half-precision types, and before C++23 also for the compilers'
// half-precision types. std::isnan and x != x do not detect NaNs if the compiler assumes that all values are finite
// (-ffinite-math-only, which -ffast-math implies). The functions here examine the bits, and so detect NaNs even then.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace riffle::detail {

/// Whether T is a floating-point type that is a language extension of the compiler.
template <class T>
inline constexpr bool is_extended_floating_point = false;

// nvcc before version 13 defines the host compiler's macros, but does not have its types.
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

/// Whether T is Kokkos's type `Half`, or the type that `Half` wraps. If the back ends have no half-precision type,
/// `Half` is float.
template <class T, class Half>
constexpr bool is_half_of_kokkos() {
  if constexpr (requires { typename Half::impl_type; }) {
    return std::is_same_v<T, Half> || std::is_same_v<T, typename Half::impl_type>;
  } else {
    return std::is_same_v<T, Half>;
  }
}

/// Whether T is a floating-point type.
template <class T>
inline constexpr bool is_floating_point = std::is_floating_point_v<T> ||
                                          is_extended_floating_point<T> ||
                                          is_half_of_kokkos<T, Kokkos::Experimental::half_t>() ||
                                          is_half_of_kokkos<T, Kokkos::Experimental::bhalf_t>();

/// The bits of infinity, shifted left by one, so that the sign bit drops out. If the bits of any other number are
/// shifted in the same way, the result is less than this for a finite number, and greater for a NaN.
template <class Word>
inline constexpr Word twice_infinity = static_cast<Word>(sizeof(Word) == 4 ? 0xff000000
                                                                           : 0xffe0000000000000);

/// Returns the bits of `value`, shifted left by one, so that the sign bit drops out. Types no larger than float are
/// converted to float first, all others to double; NaNs remain NaNs.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto twice_magnitude(T const& value) {
  using Number = std::conditional_t<sizeof(T) <= sizeof(float), float, double>;
  using Word = std::conditional_t<sizeof(T) <= sizeof(float), std::uint32_t, std::uint64_t>;
  return static_cast<Word>(Kokkos::bit_cast<Word>(static_cast<Number>(value)) << 1);
}

/// Whether a value is a NaN; false for every integer. Uses the faster test x != x if the compiler supports NaNs.
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

/// Whether a value is infinite. Types larger than double are converted to double.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_infinite(T const& value) {
  if constexpr (is_floating_point<T>) {
    auto const twice = twice_magnitude(value);
    return twice == twice_infinity<std::remove_const_t<decltype(twice)>>;
  } else {
    return false;
  }
}

/// Whether a value is finite and not a NaN. Types larger than double are converted to double.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_finite(T const& value) {
  if constexpr (is_floating_point<T>) {
    auto const twice = twice_magnitude(value);
    return twice < twice_infinity<std::remove_const_t<decltype(twice)>>;
  } else {
    return true;
  }
}

/// Returns the double with these bits, such that the compiler does not know the value. A compiler that assumes finite
/// values may drop constants that are not finite; it computes 1 for `b ? NaN : 1.0`.
KOKKOS_INLINE_FUNCTION double hidden_double(std::uint64_t bits) {
#if !defined(__FINITE_MATH_ONLY__) || __FINITE_MATH_ONLY__ != 0
  KOKKOS_IF_ON_HOST((asm("" : "+r"(bits));))
#endif
  return Kokkos::bit_cast<double>(bits);
}
KOKKOS_INLINE_FUNCTION double hidden_nan() { return hidden_double(0x7ff8000000000000); }
KOKKOS_INLINE_FUNCTION double hidden_infinity() { return hidden_double(0x7ff0000000000000); }

/// Returns x. A compiler that may reassociate (-ffast-math) cannot move operations across this function, so it does not
/// replace (x + y) - y by x, or x / 2 + y / 2 by (x + y) / 2.
KOKKOS_FORCEINLINE_FUNCTION double as_rounded(double x) {
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
  auto bits = Kokkos::bit_cast<std::uint64_t>(x);
  KOKKOS_IF_ON_HOST((asm("" : "+r"(bits));))
  return Kokkos::bit_cast<double>(bits);
#else
  return x;
#endif
}

/// Returns the mean of x and y, even if x + y overflows.
KOKKOS_FORCEINLINE_FUNCTION double middle_of(double x, double y) {
  return as_rounded(x / 2) + y / 2;
}

}  // namespace riffle::detail
