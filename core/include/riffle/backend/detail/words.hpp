#pragma once

// Vectors of 32-bit words of a CPU. Part of riffle/backend/backend.hpp, which includes it.
//
// Words are vectors of GNU's extension, not std::experimental::simd or Kokkos::simd: those know their widths when they
// are included, from the flags of the compiler, while a kernel of Riffle has wide vectors in a build without flags, too,
// and chooses among them when it runs. The registers of registers.hpp are intrinsics, since nvcc has no such extension,
// and the 64-bit lanes of vector.hpp since no compiler finds the product of their halves.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

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

/// Stands before a loop of a few iterations that the compiler shall unroll. nvcc's pass for the host has no such
/// pragma.
#if defined(__CUDA_ARCH__) || defined(__clang__)
#define RIFFLE_UNROLL _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__CUDACC__)
#define RIFFLE_UNROLL _Pragma("GCC unroll 32")
#else
#define RIFFLE_UNROLL
#endif

namespace riffle::backend {

#if defined(RIFFLE_VECTORS_OF_WORDS)

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
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator&(Words const& a, Words const& b) {
    return Words(a.lanes_ & b.lanes_);
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
  KOKKOS_FORCEINLINE_FUNCTION friend Words max(Words const& a, Words const& b) {
    return Words(a.lanes_ > b.lanes_ ? a.lanes_ : b.lanes_);
  }
  /// The lanes where `bits` are not 0, and 0 elsewhere.
  KOKKOS_FORCEINLINE_FUNCTION Words where(Words const& bits) const {
    // There is no comparison, since g++ makes one for each lane.
    return *this & ((min(bits, broadcast(1)) - 1) ^ ~std::uint32_t{0});
  }
  /// Each lane takes the value of the lane `Distance` below; the lowest lanes take 0.
  template <int Distance>
  KOKKOS_FORCEINLINE_FUNCTION Words shifted_up() const {
    return shifted_up_by(std::integral_constant<int, Distance>(),
                         std::make_integer_sequence<int, Width>());
  }
  /// Each lane takes the value of the lane `Distance` above; the highest lanes take 0.
  template <int Distance>
  KOKKOS_FORCEINLINE_FUNCTION Words shifted_down() const {
    return shifted_down_by(std::integral_constant<int, Distance>(),
                           std::make_integer_sequence<int, Width>());
  }
  /// All lanes take the value of the first lane, or of the last.
  KOKKOS_FORCEINLINE_FUNCTION Words of_first_lane() const {
    return of_lane<0>(std::make_integer_sequence<int, Width>());
  }
  KOKKOS_FORCEINLINE_FUNCTION Words of_last_lane() const {
    return of_lane<Width - 1>(std::make_integer_sequence<int, Width>());
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
  /// A bit for each lane that is larger than b, the first lane's lowest.
  KOKKOS_FORCEINLINE_FUNCTION friend std::uint32_t lanes_above(Words const& a, std::uint32_t b) {
    auto const above = a.lanes_ > b;
    return detail::WordVector<Width>::signs((Lanes)above);
  }

 private:
  using Lanes = typename detail::WordVector<Width>::Lanes;
  using Pairs = typename detail::WordVector<Width>::Pairs;

  KOKKOS_FORCEINLINE_FUNCTION explicit Words(Lanes const& lanes) : lanes_(lanes) {}

  template <int Distance, int... Lane>
  KOKKOS_FORCEINLINE_FUNCTION Words shifted_up_by(std::integral_constant<int, Distance>,
                                                  std::integer_sequence<int, Lane...>) const {
    return Words(__builtin_shufflevector(Lanes{}, lanes_,
                                         (Lane < Distance ? Lane : Width + Lane - Distance)...));
  }
  template <int Distance, int... Lane>
  KOKKOS_FORCEINLINE_FUNCTION Words shifted_down_by(std::integral_constant<int, Distance>,
                                                    std::integer_sequence<int, Lane...>) const {
    // Lanes from Width on are zeros.
    return Words(__builtin_shufflevector(lanes_, Lanes{},
                                         (Lane + Distance < Width ? Lane + Distance : Width)...));
  }

  template <int Source, int... Lane>
  KOKKOS_FORCEINLINE_FUNCTION Words of_lane(std::integer_sequence<int, Lane...>) const {
    return Words(__builtin_shufflevector(lanes_, lanes_, (Lane * 0 + Source)...));
  }

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
  KOKKOS_FORCEINLINE_FUNCTION friend Words operator&(Words const& a, Words const& b) {
    return each([&](int lane) { return a.lanes_[lane] & b.lanes_[lane]; });
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
  KOKKOS_FORCEINLINE_FUNCTION friend Words max(Words const& a, Words const& b) {
    return each([&](int lane) { return Kokkos::max(a.lanes_[lane], b.lanes_[lane]); });
  }
  KOKKOS_FORCEINLINE_FUNCTION Words where(Words const& bits) const {
    return each([&](int lane) { return bits.lanes_[lane] != 0 ? lanes_[lane] : 0u; });
  }
  template <int Distance>
  KOKKOS_FORCEINLINE_FUNCTION Words shifted_up() const {
    return each([&](int lane) { return lane < Distance ? 0u : lanes_[lane - Distance]; });
  }
  template <int Distance>
  KOKKOS_FORCEINLINE_FUNCTION Words shifted_down() const {
    return each([&](int lane) { return lane + Distance < Width ? lanes_[lane + Distance] : 0u; });
  }
  KOKKOS_FORCEINLINE_FUNCTION Words of_first_lane() const { return broadcast(lanes_[0]); }
  KOKKOS_FORCEINLINE_FUNCTION Words of_last_lane() const { return broadcast(lanes_[Width - 1]); }
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

template <class Body>
RIFFLE_AVX512 void call_with_avx512(Body const& body) {
  body.template call<Words<16>>();
}
#endif

}  // namespace detail

/// The lanes of the widest Words of this processor.
inline int widest_words() {
#if defined(RIFFLE_AVX2)
  static int const widest = [] {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return 16;
    return __builtin_cpu_supports("avx2") ? 8 : 4;
  }();
  return widest;
#else
  return 4;
#endif
}

/// Calls body.call<Words>() with Words that every processor of the build has.
template <class Body>
void call_with_narrow_words(Body const& body) {
  body.template call<Words<4>>();
}

/// Calls body.call<Words>() with the widest Words of this processor. `call` and everything that it calls must be
/// inlined: KOKKOS_FORCEINLINE_FUNCTION. Host only.
template <class Body>
void call_with_words(Body const& body) {
#if defined(RIFFLE_AVX2)
  if (widest_words() == 16) return detail::call_with_avx512(body);
  if (widest_words() == 8) return detail::call_with_avx2(body);
#endif
  call_with_narrow_words(body);
}

}  // namespace riffle::backend
