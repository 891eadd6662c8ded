#pragma once

// Part of riffle/lanes.hpp, which includes it.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// Before a loop of a few iterations that the compiler shall write out. Of nvcc, the pass for the host
/// knows no such pragma.
#if defined(__CUDA_ARCH__) || defined(__clang__)
#define RIFFLE_UNROLL _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__CUDACC__)
#define RIFFLE_UNROLL _Pragma("GCC unroll 32")
#else
#define RIFFLE_UNROLL
#endif

// Vectors of these compilers have arithmetic for every processor; only the upper half of a product
// is written below by name. nvcc has no vectors in functions that are for a GPU too.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define RIFFLE_VECTORS_OF_WORDS
#endif

// A header cannot ask for AVX2 as a build can: its functions are compiled for the oldest processor of
// the build. One function compiled for AVX2, into which all that it calls is inlined, is called where
// the processor has it.
#if defined(__x86_64__) && defined(__GNUC__)
#define RIFFLE_AVX2 __attribute__((target("avx2")))
#endif

namespace riffle::lanes {

#if defined(RIFFLE_VECTORS_OF_WORDS)

namespace detail {

// The types, and what g++ needs to be told by name, where Clang finds the instruction by itself:
// multiply_lower, the products of b with the lower half of each pair of lanes; shift_right by one
// distance, which is slower than by one for each lane; join_upper, the upper halves of the products of
// even and of odd lanes in their places. A result by reference has no ABI that would depend on the
// processor. signs, the sign bits of all lanes, the first the lowest.
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

// The instruction's result is a vector of AVX2 in a function that is itself for any processor.
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
#pragma GCC diagnostic pop

}  // namespace detail

/// A vector of `Width` 32-bit lanes of a CPU, with the operators of std::uint32_t lane by lane; so a
/// template over its words serves one lane and many. Host only.
template <int Width>
class Words {
 public:
  static constexpr int width = Width;

  Words() = default;

  KOKKOS_FORCEINLINE_FUNCTION static Words load(std::uint32_t const* from) {
    Words a;
    std::memcpy(&a.lanes_, from, sizeof(Lanes));
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::uint32_t* to) const {
    std::memcpy(to, &lanes_, sizeof(Lanes));
  }
  KOKKOS_FORCEINLINE_FUNCTION static Words broadcast(std::uint32_t x) { return Words(Lanes{} + x); }
  /// x, x + 1, ...
  KOKKOS_FORCEINLINE_FUNCTION static Words iota(std::uint32_t x) {
    std::uint32_t values[Width];
    for (int lane = 0; lane < Width; ++lane) values[lane] = static_cast<std::uint32_t>(lane);
    return load(values) + x;
  }

  KOKKOS_FORCEINLINE_FUNCTION friend Words operator+(Words const& a, Words const& b) {
    return Words(a.lanes_ + b.lanes_);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator+(Words const& a, std::uint32_t b) {
    return Words(a.lanes_ + b);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator-(Words const& a, std::uint32_t b) {
    return Words(a.lanes_ - b);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator^(Words const& a, Words const& b) {
    return Words(a.lanes_ ^ b.lanes_);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator^(Words const& a, std::uint32_t b) {
    return Words(a.lanes_ ^ b);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator&(Words const& a, std::uint32_t b) {
    return Words(a.lanes_ & b);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator|(Words const& a, Words const& b) {
    return Words(a.lanes_ | b.lanes_);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator*(Words const& a, std::uint32_t b) {
    return Words(a.lanes_ * b);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator<<(Words const& a, int bits) {
    return Words(a.lanes_ << bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator>>(Words const& a, int bits) {
    Words shifted;
    detail::WordVector<Width>::shift_right(a.lanes_, bits, shifted.lanes_);
    return shifted;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words min(Words const& a, Words const& b) {
    return Words(a.lanes_ < b.lanes_ ? a.lanes_ : b.lanes_);
  }
  /// The upper half of each 64-bit product.
  KOKKOS_FORCEINLINE_FUNCTION friend Words multiply_high(Words const& a, std::uint32_t b) {
    Pairs even;
    Pairs odd;
    detail::WordVector<Width>::multiply_lower((Pairs)a.lanes_, b, even);
    detail::WordVector<Width>::multiply_lower((Pairs)a.lanes_ >> 32, b, odd);
    Words high;
    detail::WordVector<Width>::join_upper(even, odd, high.lanes_);
    return high;
  }
  /// Whether any lane is larger than b.
  KOKKOS_FORCEINLINE_FUNCTION friend bool any_above(Words const& a, std::uint32_t b) {
    auto const above = a.lanes_ > b;
    std::uint64_t halves[Width / 2];
    std::memcpy(halves, &above, sizeof(Lanes));
    std::uint64_t any = 0;
    for (std::uint64_t const half : halves) any |= half;
    return any != 0;
  }
  /// Which lanes are larger than b: a bit for each, the first the lowest.
  KOKKOS_FORCEINLINE_FUNCTION friend std::uint32_t lanes_above(Words const& a, std::uint32_t b) {
    auto const above = a.lanes_ > b;
    return detail::WordVector<Width>::signs((Lanes)above);
  }

 private:
  using Lanes = typename detail::WordVector<Width>::Lanes;
  using Pairs = typename detail::WordVector<Width>::Pairs;

  KOKKOS_FORCEINLINE_FUNCTION explicit Words(Lanes const& lanes) : lanes_(lanes) {}

  Lanes lanes_;
};

#else

template <int Width>
class Words {
 public:
  static constexpr int width = Width;

  Words() = default;

  KOKKOS_FORCEINLINE_FUNCTION static Words load(std::uint32_t const* from) {
    return each([=](int lane) { return from[lane]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::uint32_t* to) const {
    for (int lane = 0; lane < Width; ++lane) to[lane] = lanes_[lane];
  }
  KOKKOS_FORCEINLINE_FUNCTION static Words broadcast(std::uint32_t x) {
    return each([=](int) { return x; });
  }
  KOKKOS_FORCEINLINE_FUNCTION static Words iota(std::uint32_t x) {
    return each([=](int lane) { return x + static_cast<std::uint32_t>(lane); });
  }

  KOKKOS_FORCEINLINE_FUNCTION friend Words operator+(Words const& a, Words const& b) {
    return each([&](int lane) { return a.lanes_[lane] + b.lanes_[lane]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator^(Words const& a, Words const& b) {
    return each([&](int lane) { return a.lanes_[lane] ^ b.lanes_[lane]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator|(Words const& a, Words const& b) {
    return each([&](int lane) { return a.lanes_[lane] | b.lanes_[lane]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator+(Words const& a, std::uint32_t b) {
    return each([&](int lane) { return a.lanes_[lane] + b; });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator-(Words const& a, std::uint32_t b) {
    return each([&](int lane) { return a.lanes_[lane] - b; });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator^(Words const& a, std::uint32_t b) {
    return each([&](int lane) { return a.lanes_[lane] ^ b; });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator&(Words const& a, std::uint32_t b) {
    return each([&](int lane) { return a.lanes_[lane] & b; });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator*(Words const& a, std::uint32_t b) {
    return each([&](int lane) { return a.lanes_[lane] * b; });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator<<(Words const& a, int bits) {
    return each([&](int lane) { return a.lanes_[lane] << bits; });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator>>(Words const& a, int bits) {
    return each([&](int lane) { return a.lanes_[lane] >> bits; });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words min(Words const& a, Words const& b) {
    return each([&](int lane) { return Kokkos::min(a.lanes_[lane], b.lanes_[lane]); });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words multiply_high(Words const& a, std::uint32_t b) {
    return each([&](int lane) {
      return static_cast<std::uint32_t>(std::uint64_t{a.lanes_[lane]} * b >> 32);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend bool any_above(Words const& a, std::uint32_t b) {
    bool any = false;
    for (int lane = 0; lane < Width; ++lane) any |= a.lanes_[lane] > b;
    return any;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend std::uint32_t lanes_above(Words const& a, std::uint32_t b) {
    std::uint32_t bits = 0;
    for (int lane = 0; lane < Width; ++lane) bits |= (a.lanes_[lane] > b ? 1u : 0u) << lane;
    return bits;
  }

 private:
  template <class Lane>
  KOKKOS_FORCEINLINE_FUNCTION static Words each(Lane const& lane_of) {
    Words result;
    RIFFLE_UNROLL
    for (int lane = 0; lane < Width; ++lane) result.lanes_[lane] = lane_of(lane);
    return result;
  }

  std::uint32_t lanes_[Width];
};

#endif

namespace detail {

#if defined(RIFFLE_AVX2)
template <class Body>
RIFFLE_AVX2 void call_with_avx2(Body const& body) {
  body.template call<Words<8>>();
}
#endif

}  // namespace detail

/// Whether this processor's vectors are wider than those of every processor that the build is for.
inline bool has_wide_words() {
#if defined(RIFFLE_AVX2)
  static bool const has_avx2 = __builtin_cpu_supports("avx2") != 0;
  return has_avx2;
#else
  return false;
#endif
}

/// Calls body.call<Words>() with the Words that any processor of the build has.
template <class Body>
void call_with_narrow_words(Body const& body) {
  body.template call<Words<4>>();
}

/// Calls body.call<Words>() with the widest Words of this processor. All of `call`, with what it calls
/// in its turn, is to be inlined: KOKKOS_FORCEINLINE_FUNCTION. Host only.
template <class Body>
void call_with_words(Body const& body) {
#if defined(RIFFLE_AVX2)
  if (has_wide_words()) return detail::call_with_avx2(body);
#endif
  call_with_narrow_words(body);
}

}  // namespace riffle::lanes
