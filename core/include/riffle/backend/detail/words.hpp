#pragma once

// CPU vectors of 32-bit words. Included by riffle/backend/backend.hpp only.
//
// Words are vectors of the GNU vector extension, not std::experimental::simd or Kokkos::simd. The
// width of those types is determined by the compiler's flags, whereas Riffle's kernels choose wide
// vectors at run time, also in a build without flags. registers.hpp uses intrinsics because nvcc
// does not have the extension, and vector.hpp because no compiler recognises products of 32-bit
// halves.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <riffle/backend/detail/vector_intrinsics.hpp>

// With the GNU vector extension, g++ and clang support arithmetic on vectors for every processor.
// Only the upper half of a product needs the builtins below. nvcc does not support such vectors in
// functions that are also compiled for a GPU.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define RIFFLE_VECTORS_OF_WORDS
#endif

// The functions of a header are compiled for the oldest processor that the build supports. To use
// AVX2 or AVX-512, one function is compiled for these instructions, with every function that it
// calls inlined. It is called only if the processor supports them.
#if defined(__x86_64__) && defined(__GNUC__)
#define RIFFLE_AVX2 __attribute__((target("avx2")))
#define RIFFLE_AVX512 __attribute__((target("avx512f,avx512dq")))
#endif

#if defined(RIFFLE_VECTORS_OF_WORDS) && defined(RIFFLE_AVX512) && !defined(__clang__)
#define RIFFLE_WORD_BUILTINS
// With this option g++ knows the builtins of these processors. immintrin.h sets the option in the
// same way.
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512dq")
#pragma GCC pop_options
#endif

/// Placed before a loop of a few iterations that the compiler must unroll. nvcc has no pragma for
/// this when it compiles for the host.
#if defined(__CUDA_ARCH__) || defined(__clang__)
#define RIFFLE_UNROLL _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__CUDACC__)
#define RIFFLE_UNROLL _Pragma("GCC unroll 32")
#else
#define RIFFLE_UNROLL
#endif

/// Placed before such a loop if it may end early. Clang does not unroll a loop that may end early, unless it has at most eight
/// iterations, and would warn.
#if defined(__CUDA_ARCH__)
#define RIFFLE_UNROLL_UNTIL_BREAK _Pragma("unroll")
#else
#define RIFFLE_UNROLL_UNTIL_BREAK
#endif

namespace riffle::backend {

namespace detail {

// WordVector<Width> defines the type `Lanes` of a vector of `Width` lanes, and the operations for
// which this type has no operator, or only a slow one:
//
//   shift_right      shifts all lanes by one distance
//   min, max         lane by lane
//   move<Distance>   each lane takes the value of lane + Distance, or 0 if there is no such lane
//   fill<Source>     all lanes take the value of lane Source
//   multiply_high    the upper halves of the 64-bit products with b
//   lanes_above      a mask in which bit l is set if lane l is larger than b
//
// Results are returned through reference parameters, so that the ABI does not depend on the
// processor. `Places` is std::make_integer_sequence<int, Width>.
#if defined(RIFFLE_VECTORS_OF_WORDS)
// -Wpsabi would warn about functions that are compiled for any processor, but call builtins that
// return AVX2 vectors.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
template <int Width>
struct VectorTypes;

// g++ does not accept a template parameter as the size of a vector.
#define RIFFLE_VECTOR_TYPES(WIDTH)                                            \
  template <>                                                                 \
  struct VectorTypes<WIDTH> {                                                 \
    typedef std::uint32_t Lanes __attribute__((vector_size(4 * WIDTH)));      \
    typedef unsigned long long Pairs __attribute__((vector_size(4 * WIDTH))); \
    typedef int Ints __attribute__((vector_size(4 * WIDTH)));                 \
    typedef long long Longs __attribute__((vector_size(4 * WIDTH)));          \
    typedef float Floats __attribute__((vector_size(4 * WIDTH)));             \
  };
RIFFLE_VECTOR_TYPES(4)
RIFFLE_VECTOR_TYPES(8)
RIFFLE_VECTOR_TYPES(16)
#undef RIFFLE_VECTOR_TYPES

template <int Width>
struct WordVector {
  using Lanes = typename VectorTypes<Width>::Lanes;

  KOKKOS_FORCEINLINE_FUNCTION static void shift_right(Lanes const& a, int bits, Lanes& shifted) {
#if defined(RIFFLE_WORD_BUILTINS)
    // The instruction that takes a distance per lane is faster than the one that takes one distance
    // for all lanes. Clang chooses the former by itself.
    if (Width > 4 && !__builtin_constant_p(bits)) {
      if constexpr (Width == 8) {
        shifted = (Lanes)__builtin_ia32_psrlv8si((Ints)a, Ints{} + bits);
        return;
      } else if constexpr (Width == 16) {
        shifted = (Lanes)__builtin_ia32_psrlv16si_mask((Ints)a, Ints{} + bits, Ints{}, 0xFFFF);
        return;
      }
    }
#endif
    shifted = a >> bits;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void min(Lanes const& a, Lanes const& b, Lanes& least) {
    least = a < b ? a : b;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void max(Lanes const& a, Lanes const& b, Lanes& most) {
    most = a > b ? a : b;
  }

  template <int Distance, int... Lane>
  KOKKOS_FORCEINLINE_FUNCTION static void move(Lanes const& a, Lanes& moved,
                                               std::integer_sequence<int, Lane...>) {
    // Indices of Width or more select zeros, because they refer to the second vector.
    moved = __builtin_shufflevector(a, Lanes{},
                                    (has_lane(Lane + Distance) ? Lane + Distance : Width)...);
  }
  template <int Source, int... Lane>
  KOKKOS_FORCEINLINE_FUNCTION static void fill(Lanes const& a, Lanes& filled,
                                               std::integer_sequence<int, Lane...>) {
    filled = __builtin_shufflevector(a, a, (Lane * 0 + Source)...);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void multiply_high(Lanes const& a, std::uint32_t b,
                                                        Lanes& high) {
    Pairs even;
    Pairs odd;
    multiply_lower((Pairs)a, b, even);
    multiply_lower((Pairs)a >> 32, b, odd);
#if defined(RIFFLE_WORD_BUILTINS)
    if constexpr (Width == 8) {
      high = (Lanes)__builtin_ia32_pblendd256((Ints)(even >> 32), (Ints)odd, 0xAA);
      return;
    } else if constexpr (Width == 16) {
      high = (Lanes)__builtin_ia32_blendmd_512_mask((Ints)(even >> 32), (Ints)odd, 0xAAAA);
      return;
    }
#endif
    high = (Lanes)(even >> 32 | (odd & 0xFFFFFFFF00000000u));
  }

  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t lanes_above(Lanes const& a, std::uint32_t b) {
    auto const above = a > b;
#if defined(RIFFLE_WORD_BUILTINS)
    if constexpr (Width == 4) {
      return static_cast<std::uint32_t>(__builtin_ia32_movmskps((Floats)above));
    } else if constexpr (Width == 8) {
      return static_cast<std::uint32_t>(__builtin_ia32_movmskps256((Floats)above));
    } else if constexpr (Width == 16) {
      return static_cast<std::uint32_t>(__builtin_ia32_cvtd2mask512((Ints)above));
    }
#endif
    std::uint32_t bits = 0;
    for (int lane = 0; lane < Width; ++lane) bits |= (above[lane] != 0 ? 1u : 0u) << lane;
    return bits;
  }

 private:
  using Pairs = typename VectorTypes<Width>::Pairs;
  using Ints = typename VectorTypes<Width>::Ints;
  using Longs = typename VectorTypes<Width>::Longs;
  using Floats = typename VectorTypes<Width>::Floats;

  static constexpr bool has_lane(int lane) { return 0 <= lane && lane < Width; }

  // Multiplies the lower 32 bits of each 64-bit lane of a by b.
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_lower(Pairs const& a, std::uint32_t b,
                                                         Pairs& product) {
#if defined(RIFFLE_WORD_BUILTINS)
    Ints const words = (Ints)(Lanes{} + b);
    if constexpr (Width == 4) {
      product = (Pairs)__builtin_ia32_pmuludq128((Ints)a, words);
      return;
    } else if constexpr (Width == 8) {
      product = (Pairs)__builtin_ia32_pmuludq256((Ints)a, words);
      return;
    } else if constexpr (Width == 16) {
      product = (Pairs)__builtin_ia32_pmuludq512_mask((Ints)a, words, Longs{}, 0xFF);
      return;
    }
#endif
    product = (a & 0xFFFFFFFFu) * b;
  }
};
#pragma GCC diagnostic pop

#else

/// An array of lanes that has a vector's operators, for compilers without the extension.
template <int Width>
struct LaneArray {
  std::uint32_t x[Width];

  /// Returns f(l) in each lane l.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static LaneArray each(F const& f) {
    LaneArray result;
    RIFFLE_UNROLL
    for (int lane = 0; lane < Width; ++lane) result.x[lane] = f(lane);
    return result;
  }

#define RIFFLE_LANES_OPERATOR(OPERATOR)                                                \
  KOKKOS_FORCEINLINE_FUNCTION friend LaneArray operator OPERATOR(LaneArray const& a,   \
                                                                 LaneArray const& b) { \
    return each([&](int lane) { return a.x[lane] OPERATOR b.x[lane]; });               \
  }                                                                                    \
  KOKKOS_FORCEINLINE_FUNCTION friend LaneArray operator OPERATOR(LaneArray const& a,   \
                                                                 std::uint32_t b) {    \
    return each([&](int lane) { return a.x[lane] OPERATOR b; });                       \
  }
  RIFFLE_LANES_OPERATOR(+)
  RIFFLE_LANES_OPERATOR(-)
  RIFFLE_LANES_OPERATOR(*)
  RIFFLE_LANES_OPERATOR(&)
  RIFFLE_LANES_OPERATOR(|)
  RIFFLE_LANES_OPERATOR(^)
  RIFFLE_LANES_OPERATOR(<<)
#undef RIFFLE_LANES_OPERATOR
};

template <int Width>
struct WordVector {
  using Lanes = LaneArray<Width>;

  KOKKOS_FORCEINLINE_FUNCTION static void shift_right(Lanes const& a, int bits, Lanes& shifted) {
    shifted = Lanes::each([&](int lane) { return a.x[lane] >> bits; });
  }
  KOKKOS_FORCEINLINE_FUNCTION static void min(Lanes const& a, Lanes const& b, Lanes& least) {
    least = Lanes::each([&](int lane) { return Kokkos::min(a.x[lane], b.x[lane]); });
  }
  KOKKOS_FORCEINLINE_FUNCTION static void max(Lanes const& a, Lanes const& b, Lanes& most) {
    most = Lanes::each([&](int lane) { return Kokkos::max(a.x[lane], b.x[lane]); });
  }
  template <int Distance, class Places>
  KOKKOS_FORCEINLINE_FUNCTION static void move(Lanes const& a, Lanes& moved, Places) {
    moved = Lanes::each([&](int lane) {
      return 0 <= lane + Distance && lane + Distance < Width ? a.x[lane + Distance] : 0u;
    });
  }
  template <int Source, class Places>
  KOKKOS_FORCEINLINE_FUNCTION static void fill(Lanes const& a, Lanes& filled, Places) {
    filled = Lanes::each([&](int) { return a.x[Source]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_high(Lanes const& a, std::uint32_t b,
                                                        Lanes& high) {
    high = Lanes::each(
        [&](int lane) { return static_cast<std::uint32_t>(std::uint64_t{a.x[lane]} * b >> 32); });
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t lanes_above(Lanes const& a, std::uint32_t b) {
    std::uint32_t bits = 0;
    for (int lane = 0; lane < Width; ++lane) bits |= (a.x[lane] > b ? 1u : 0u) << lane;
    return bits;
  }
};

#endif

}  // namespace detail

/// A CPU vector with `Width` 32-bit lanes. It has the operators of std::uint32_t, which work lane
/// by lane, so that templates work for one lane and for many. Host only.
template <int Width>
class Words {
  using Vector = detail::WordVector<Width>;
  using Lanes = typename Vector::Lanes;
  using Places = std::make_integer_sequence<int, Width>;

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
  /// Returns x, x + 1, ....
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
    Vector::shift_right(a.lanes_, bits, shifted.lanes_);
    return shifted;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words min(Words const& a, Words const& b) {
    Words least;
    Vector::min(a.lanes_, b.lanes_, least.lanes_);
    return least;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Words max(Words const& a, Words const& b) {
    Words most;
    Vector::max(a.lanes_, b.lanes_, most.lanes_);
    return most;
  }
  /// Returns the lanes of this vector where `bits` is not 0, and 0 in all other lanes.
  KOKKOS_FORCEINLINE_FUNCTION Words where(Words const& bits) const {
    // Without a comparison, because g++ emits scalar code for each lane of a comparison.
    return *this & ((min(bits, broadcast(1)) - 1) ^ ~std::uint32_t{0});
  }
  /// Each lane takes the value of the lane `Distance` below; the lowest lanes become 0.
  template <int Distance>
  KOKKOS_FORCEINLINE_FUNCTION Words shifted_up() const {
    Words moved;
    Vector::template move<-Distance>(lanes_, moved.lanes_, Places());
    return moved;
  }
  /// Each lane takes the value of the lane `Distance` above; the highest lanes become 0.
  template <int Distance>
  KOKKOS_FORCEINLINE_FUNCTION Words shifted_down() const {
    Words moved;
    Vector::template move<Distance>(lanes_, moved.lanes_, Places());
    return moved;
  }
  /// Returns a vector in which all lanes have the value of the first (last) lane.
  KOKKOS_FORCEINLINE_FUNCTION Words of_first_lane() const { return of_lane<0>(); }
  KOKKOS_FORCEINLINE_FUNCTION Words of_last_lane() const { return of_lane<Width - 1>(); }
  /// The upper half of each lane's 64-bit product with b.
  KOKKOS_FORCEINLINE_FUNCTION friend Words multiply_high(Words const& a, std::uint32_t b) {
    Words high;
    Vector::multiply_high(a.lanes_, b, high.lanes_);
    return high;
  }
  /// Whether any lane is larger than b.
  KOKKOS_FORCEINLINE_FUNCTION friend bool any_above(Words const& a, std::uint32_t b) {
    return lanes_above(a, b) != 0;
  }
  /// A mask in which bit l is set if lane l is larger than b.
  KOKKOS_FORCEINLINE_FUNCTION friend std::uint32_t lanes_above(Words const& a, std::uint32_t b) {
    return Vector::lanes_above(a.lanes_, b);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION explicit Words(Lanes const& lanes) : lanes_(lanes) {}

  template <int Source>
  KOKKOS_FORCEINLINE_FUNCTION Words of_lane() const {
    Words filled;
    Vector::template fill<Source>(lanes_, filled.lanes_, Places());
    return filled;
  }

  Lanes lanes_;
};

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

/// The number of lanes of the widest Words that this processor supports.
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

/// Calls body.call<Words>() with Words of 4 lanes, which every processor supports.
template <class Body>
void call_with_narrow_words(Body const& body) {
  body.template call<Words<4>>();
}

/// Calls body.call<Words>() with the widest Words that this processor supports. `call` and all
/// functions that it calls must be inlined: KOKKOS_FORCEINLINE_FUNCTION. Host only.
template <class Body>
void call_with_words(Body const& body) {
#if defined(RIFFLE_AVX2)
  if (widest_words() == 16) return detail::call_with_avx512(body);
  if (widest_words() == 8) return detail::call_with_avx2(body);
#endif
  call_with_narrow_words(body);
}

}  // namespace riffle::backend
