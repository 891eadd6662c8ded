#pragma once

// Part of riffle/backend/backend.hpp, which includes it by lane_words.hpp.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/detail/vector_intrinsics.hpp>

// Vectors of these compilers have arithmetic for every processor; only the upper half of a product needs the builtins
// below. nvcc has no vectors in functions that are compiled for a GPU too.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define RIFFLE_VECTORS_OF_WORDS
#endif

// A header cannot ask for AVX2 or AVX-512 as a build can: its functions are compiled for the oldest
// processor of the build. One function compiled for them, into which all that it calls is inlined, is
// called where the processor has them.
#if defined(__x86_64__) && defined(__GNUC__)
#define RIFFLE_AVX2 __attribute__((target("avx2")))
#define RIFFLE_AVX512 __attribute__((target("avx512f,avx512dq")))
#endif

#if defined(RIFFLE_VECTORS_OF_WORDS) && defined(RIFFLE_AVX512) && !defined(__clang__)
// From here on g++ knows the instructions of these processors by name. (immintrin.h does no more about it.)
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512dq")
#pragma GCC pop_options
#endif

#if defined(RIFFLE_VECTORS_OF_WORDS)

namespace riffle::backend::detail {

// The vector types, and builtins where Clang finds the instruction by itself and g++ does not: multiply_lower, the
// products of b with the lower half of each pair of lanes; shift_right by one distance, done as a shift by a distance
// for each lane, which is faster; join_upper, the upper halves of the products of even and of odd lanes in their
// places; and signs, the sign bits of all lanes, the first lane's lowest. Results are returned by reference, so that no
// ABI depends on the processor.
template <int Width>
struct WordVector;

/// signs() of WordVector, lane by lane.
template <int Width, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t each_sign(Lanes const& a) {
  std::uint32_t signs = 0;
  for (int lane = 0; lane < Width; ++lane) signs |= a[lane] >> 31 << lane;
  return signs;
}

template <>
struct WordVector<4> {
  typedef std::uint32_t Lanes __attribute__((vector_size(16)));
  typedef unsigned long long Pairs __attribute__((vector_size(16)));

  KOKKOS_FORCEINLINE_FUNCTION static void multiply_lower(Pairs const& a, std::uint32_t b,
                                                         Pairs& product) {
#if defined(__SSE2__) && !defined(__clang__)
    typedef int Ints __attribute__((vector_size(16)));
    product = (Pairs)__builtin_ia32_pmuludq128((Ints)a, (Ints)(Lanes{} + b));
#else
    product = (a & 0xFFFFFFFFu) * b;
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION static void shift_right(Lanes const& a, int bits, Lanes& shifted) {
    shifted = a >> bits;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void join_upper(Pairs const& even, Pairs const& odd,
                                                     Lanes& joined) {
    joined = (Lanes)(even >> 32 | (odd & 0xFFFFFFFF00000000u));
  }

  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t signs(Lanes const& a) {
#if defined(__SSE2__) && !defined(__clang__)
    typedef float Floats __attribute__((vector_size(16)));
    return static_cast<std::uint32_t>(__builtin_ia32_movmskps((Floats)a));
#else
    return each_sign<4>(a);
#endif
  }
};

// The builtins return AVX2 vectors in functions that are themselves for any processor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
template <>
struct WordVector<8> {
  typedef std::uint32_t Lanes __attribute__((vector_size(32)));
  typedef unsigned long long Pairs __attribute__((vector_size(32)));

  KOKKOS_FORCEINLINE_FUNCTION static void multiply_lower(Pairs const& a, std::uint32_t b,
                                                         Pairs& product) {
#if defined(RIFFLE_AVX2) && !defined(__clang__)
    typedef int Ints __attribute__((vector_size(32)));
    product = (Pairs)__builtin_ia32_pmuludq256((Ints)a, (Ints)(Lanes{} + b));
#else
    product = (a & 0xFFFFFFFFu) * b;
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION static void shift_right(Lanes const& a, int bits, Lanes& shifted) {
#if defined(RIFFLE_AVX2) && !defined(__clang__)
    typedef int Ints __attribute__((vector_size(32)));
    if (!__builtin_constant_p(bits)) {
      shifted = (Lanes)__builtin_ia32_psrlv8si((Ints)a, Ints{} + bits);
      return;
    }
#endif
    shifted = a >> bits;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void join_upper(Pairs const& even, Pairs const& odd,
                                                     Lanes& joined) {
#if defined(RIFFLE_AVX2) && !defined(__clang__)
    typedef int Ints __attribute__((vector_size(32)));
    joined = (Lanes)__builtin_ia32_pblendd256((Ints)(even >> 32), (Ints)odd, 0xAA);
#else
    joined = (Lanes)(even >> 32 | (odd & 0xFFFFFFFF00000000u));
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t signs(Lanes const& a) {
#if defined(RIFFLE_AVX2) && !defined(__clang__)
    typedef float Floats __attribute__((vector_size(32)));
    return static_cast<std::uint32_t>(__builtin_ia32_movmskps256((Floats)a));
#else
    return each_sign<8>(a);
#endif
  }
};

template <>
struct WordVector<16> {
  typedef std::uint32_t Lanes __attribute__((vector_size(64)));
  typedef unsigned long long Pairs __attribute__((vector_size(64)));

  KOKKOS_FORCEINLINE_FUNCTION static void multiply_lower(Pairs const& a, std::uint32_t b,
                                                         Pairs& product) {
#if defined(RIFFLE_AVX512) && !defined(__clang__)
    typedef int Ints __attribute__((vector_size(64)));
    typedef long long Longs __attribute__((vector_size(64)));
    product = (Pairs)__builtin_ia32_pmuludq512_mask((Ints)a, (Ints)(Lanes{} + b), Longs{}, 0xFF);
#else
    product = (a & 0xFFFFFFFFu) * b;
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION static void shift_right(Lanes const& a, int bits, Lanes& shifted) {
#if defined(RIFFLE_AVX512) && !defined(__clang__)
    typedef int Ints __attribute__((vector_size(64)));
    if (!__builtin_constant_p(bits)) {
      shifted = (Lanes)__builtin_ia32_psrlv16si_mask((Ints)a, Ints{} + bits, Ints{}, 0xFFFF);
      return;
    }
#endif
    shifted = a >> bits;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void join_upper(Pairs const& even, Pairs const& odd,
                                                     Lanes& joined) {
#if defined(RIFFLE_AVX512) && !defined(__clang__)
    typedef int Ints __attribute__((vector_size(64)));
    joined = (Lanes)__builtin_ia32_blendmd_512_mask((Ints)(even >> 32), (Ints)odd, 0xAAAA);
#else
    joined = (Lanes)(even >> 32 | (odd & 0xFFFFFFFF00000000u));
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t signs(Lanes const& a) {
#if defined(RIFFLE_AVX512) && !defined(__clang__)
    typedef int Ints __attribute__((vector_size(64)));
    return static_cast<std::uint32_t>(__builtin_ia32_cvtd2mask512((Ints)a));
#else
    return each_sign<16>(a);
#endif
  }
};
#pragma GCC diagnostic pop

}  // namespace riffle::backend::detail

#endif
