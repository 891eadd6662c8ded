#pragma once

// The vector registers of a CPU: sums and prefix sums in registers, and stores that bypass the
// caches. Included by riffle/backend/backend.hpp only. Host only.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/backend/detail/vector_intrinsics.hpp>

namespace riffle::backend {

/// Whether prefix sums in registers are implemented for T.
template <class T>
inline constexpr bool has_registers =
#if defined(__SSE2__)
    std::is_same_v<T, float> || std::is_same_v<T, double> ||
    (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8);
#else
    false;
#endif

#if defined(__SSE2__)

/// A register of 16 bytes with integers of `size` bytes each. Sums wrap around.
template <int size>
class IntegerRegister {
 public:
  static constexpr int width = 16 / size;

  IntegerRegister() = default;

  static IntegerRegister zero() { return _mm_setzero_si128(); }

  static IntegerRegister broadcast(std::uint64_t x) {
    if constexpr (size == 1) return _mm_set1_epi8(static_cast<char>(x));
    if constexpr (size == 2) return _mm_set1_epi16(static_cast<short>(x));
    if constexpr (size == 4) return _mm_set1_epi32(static_cast<int>(x));
    if constexpr (size == 8) return _mm_set1_epi64x(static_cast<long long>(x));
  }

  static IntegerRegister load(void const* from) {
    return _mm_loadu_si128(static_cast<__m128i const*>(from));
  }

  void store(void* to) const { _mm_storeu_si128(static_cast<__m128i*>(to), lanes_); }

  /// Stores to memory, bypassing the caches. `to` must be a multiple of 16.
  void stream(void* to) const { _mm_stream_si128(static_cast<__m128i*>(to), lanes_); }

  friend IntegerRegister operator+(IntegerRegister a, IntegerRegister b) {
    if constexpr (size == 1) return _mm_add_epi8(a.lanes_, b.lanes_);
    if constexpr (size == 2) return _mm_add_epi16(a.lanes_, b.lanes_);
    if constexpr (size == 4) return _mm_add_epi32(a.lanes_, b.lanes_);
    if constexpr (size == 8) return _mm_add_epi64(a.lanes_, b.lanes_);
  }

  friend IntegerRegister operator-(IntegerRegister a, IntegerRegister b) {
    if constexpr (size == 1) return _mm_sub_epi8(a.lanes_, b.lanes_);
    if constexpr (size == 2) return _mm_sub_epi16(a.lanes_, b.lanes_);
    if constexpr (size == 4) return _mm_sub_epi32(a.lanes_, b.lanes_);
    if constexpr (size == 8) return _mm_sub_epi64(a.lanes_, b.lanes_);
  }

  /// Inclusive prefix sums: lane l of the result is the sum of lanes 0, ..., l.
  IntegerRegister prefix_sums() const {
    IntegerRegister x = *this;
    if constexpr (size <= 1) x = x + _mm_slli_si128(x.lanes_, 1);
    if constexpr (size <= 2) x = x + _mm_slli_si128(x.lanes_, 2);
    if constexpr (size <= 4) x = x + _mm_slli_si128(x.lanes_, 4);
    return x + _mm_slli_si128(x.lanes_, 8);
  }

  /// Returns a register in which all lanes have the value of the last lane.
  IntegerRegister last() const {
    if constexpr (size == 8) return _mm_unpackhi_epi64(lanes_, lanes_);
    if constexpr (size == 4) return _mm_shuffle_epi32(lanes_, 0xFF);
#if defined(__SSSE3__)
    if constexpr (size == 2) return _mm_shuffle_epi8(lanes_, _mm_set1_epi16(0x0F0E));
    if constexpr (size == 1) return _mm_shuffle_epi8(lanes_, _mm_set1_epi8(15));
#else
    if constexpr (size == 2) return of_last_word(lanes_);
    if constexpr (size == 1) return of_last_word(_mm_unpackhi_epi8(lanes_, lanes_));
#endif
  }

 private:
  IntegerRegister(__m128i lanes) : lanes_(lanes) {}

  static __m128i of_last_word(__m128i x) {
    __m128i const upper = _mm_shufflehi_epi16(x, 0xFF);
    return _mm_unpackhi_epi64(upper, upper);
  }

  __m128i lanes_;
};

namespace detail {

/// Operations on a register that contains `rows` rows; each row has 16 bytes, which are floats or
/// doubles. Shuffles move lanes only within a row. Below, a0, a1, ... are the lanes of the argument
/// a.
template <class T, int rows>
struct RowRegister;

template <>
struct RowRegister<float, 1> {
  using Lanes = __m128;

  static Lanes load(float const* from) { return _mm_loadu_ps(from); }
  static void store(float* to, Lanes x) { _mm_storeu_ps(to, x); }
  static void stream(float* to, Lanes x) { _mm_stream_ps(to, x); }
  static float first(Lanes x) { return _mm_cvtss_f32(x); }

  static Lanes broadcast(float x) { return _mm_set1_ps(x); }
  static Lanes add(Lanes a, Lanes b) { return _mm_add_ps(a, b); }
  /// Returns {a[a0], a[a1], b[b0], b[b1]}.
  template <int a0, int a1, int b0, int b1>
  static Lanes shuffle(Lanes a, Lanes b) {
    return _mm_shuffle_ps(a, b, _MM_SHUFFLE(b1, b0, a1, a0));
  }
  static Lanes even(Lanes a, Lanes b) { return shuffle<0, 2, 0, 2>(a, b); }
  static Lanes odd(Lanes a, Lanes b) { return shuffle<1, 3, 1, 3>(a, b); }
  /// Returns {a2, b2, a3, b3}.
  static Lanes interleave_upper(Lanes a, Lanes b) { return _mm_unpackhi_ps(a, b); }
  /// Returns {a2, a3, b2, b3}.
  static Lanes join_upper(Lanes a, Lanes b) { return _mm_movehl_ps(b, a); }
  /// Returns {a0, b1, b2, b3}.
  static Lanes replace_first(Lanes a, Lanes b) { return _mm_move_ss(b, a); }
  /// Returns {-0, x0, -0, x2}.
  static Lanes shift_in_pairs(Lanes x) {
    __m128 const even = _mm_castsi128_ps(_mm_slli_epi64(_mm_castps_si128(x), 32));
    return _mm_xor_ps(even, _mm_setr_ps(-0.0f, 0.0f, -0.0f, 0.0f));
  }
};

template <>
struct RowRegister<double, 1> {
  using Lanes = __m128d;

  static Lanes load(double const* from) { return _mm_loadu_pd(from); }
  static void store(double* to, Lanes x) { _mm_storeu_pd(to, x); }
  static void stream(double* to, Lanes x) { _mm_stream_pd(to, x); }
  static double first(Lanes x) { return _mm_cvtsd_f64(x); }

  static Lanes broadcast(double x) { return _mm_set1_pd(x); }
  static Lanes add(Lanes a, Lanes b) { return _mm_add_pd(a, b); }
  /// Returns {a0, b0}.
  static Lanes even(Lanes a, Lanes b) { return _mm_unpacklo_pd(a, b); }
  /// Returns {a1, b1}.
  static Lanes odd(Lanes a, Lanes b) { return _mm_unpackhi_pd(a, b); }
  /// Returns {a1, b0}.
  static Lanes middle(Lanes a, Lanes b) { return _mm_shuffle_pd(a, b, 1); }
};

#if defined(__AVX__)

template <>
struct RowRegister<float, 2> {
  using Lanes = __m256;

  static Lanes join(__m128 first, __m128 second) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(first), second, 1);
  }
  static __m128 first_row(Lanes x) { return _mm256_castps256_ps128(x); }
  static __m128 second_row(Lanes x) { return _mm256_extractf128_ps(x, 1); }

  static Lanes broadcast(float x) { return _mm256_set1_ps(x); }
  static Lanes add(Lanes a, Lanes b) { return _mm256_add_ps(a, b); }
  template <int a0, int a1, int b0, int b1>
  static Lanes shuffle(Lanes a, Lanes b) {
    return _mm256_shuffle_ps(a, b, _MM_SHUFFLE(b1, b0, a1, a0));
  }
  static Lanes even(Lanes a, Lanes b) { return shuffle<0, 2, 0, 2>(a, b); }
  static Lanes odd(Lanes a, Lanes b) { return shuffle<1, 3, 1, 3>(a, b); }
  static Lanes interleave_upper(Lanes a, Lanes b) { return _mm256_unpackhi_ps(a, b); }
  static Lanes join_upper(Lanes a, Lanes b) { return shuffle<2, 3, 2, 3>(a, b); }
  static Lanes replace_first(Lanes a, Lanes b) { return _mm256_blend_ps(b, a, 0x11); }
  static Lanes shift_in_pairs(Lanes x) {
    return _mm256_blend_ps(broadcast(-0.0f), _mm256_moveldup_ps(x), 0xAA);
  }
};

template <>
struct RowRegister<double, 2> {
  using Lanes = __m256d;

  static Lanes join(__m128d first, __m128d second) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(first), second, 1);
  }
  static __m128d first_row(Lanes x) { return _mm256_castpd256_pd128(x); }
  static __m128d second_row(Lanes x) { return _mm256_extractf128_pd(x, 1); }

  static Lanes broadcast(double x) { return _mm256_set1_pd(x); }
  static Lanes add(Lanes a, Lanes b) { return _mm256_add_pd(a, b); }
  static Lanes even(Lanes a, Lanes b) { return _mm256_unpacklo_pd(a, b); }
  static Lanes odd(Lanes a, Lanes b) { return _mm256_unpackhi_pd(a, b); }
  static Lanes middle(Lanes a, Lanes b) { return _mm256_shuffle_pd(a, b, 0x5); }
};

#endif

}  // namespace detail

/// Four consecutive floats or doubles x0, ..., x3 in each of `Rows` independent rows. In memory,
/// the second row starts `distance` elements after the first.
template <class T, int Rows>
class Quads {
  static constexpr int registers = sizeof(T) / sizeof(float);
  static constexpr int lanes_of_row = 4 / registers;  // in each register
  using Row = detail::RowRegister<T, 1>;
  using Register = detail::RowRegister<T, Rows>;
  using Lanes = typename Register::Lanes;

 public:
  static constexpr int rows = Rows;

  Quads() = default;

  static Quads broadcast(T x) { return all(Register::broadcast(x)); }

  static Quads broadcast_rows(T const (&x)[rows]) {
    if constexpr (rows == 1) {
      return broadcast(x[0]);
    } else {
      return all(Register::join(Row::broadcast(x[0]), Row::broadcast(x[1])));
    }
  }

  static Quads load(T const* from, std::ptrdiff_t distance = 0) {
    Quads quads;
    for (int r = 0; r < registers; ++r) {
      if constexpr (rows == 1) {
        quads.x_[r] = Row::load(from + r * lanes_of_row);
      } else {
        quads.x_[r] = Register::join(Row::load(from + r * lanes_of_row),
                                     Row::load(from + r * lanes_of_row + distance));
      }
    }
    return quads;
  }

  void store(T* to, std::ptrdiff_t distance = 0) const { put<false>(to, distance); }
  void stream(T* to, std::ptrdiff_t distance = 0) const { put<true>(to, distance); }

  friend Quads operator+(Quads const& a, Quads const& b) {
    Quads sums;
    for (int r = 0; r < registers; ++r) sums.x_[r] = Register::add(a.x_[r], b.x_[r]);
    return sums;
  }

  /// Returns x0, x0 + x1, (x0 + x1) + x2, (x0 + x1) + (x2 + x3) in each row. Adding -0 does not
  /// change any number.
  Quads prefix_sums() const {
    Lanes const none = Register::broadcast(T(-0.0));
    if constexpr (registers == 1) {
      Lanes const pairs = Register::add(x_[0], Register::shift_in_pairs(x_[0]));
      return {Register::add(pairs, Register::template shuffle<0, 0, 1, 1>(none, pairs))};
    } else {
      Lanes const lower = Register::add(x_[0], Register::even(none, x_[0]));
      Lanes const upper = Register::add(x_[1], Register::even(none, x_[1]));
      return {lower, Register::add(Register::odd(lower, lower), upper)};
    }
  }

  /// Returns `before`, x0, x1, x2 in each row.
  Quads shifted_after(Quads const& before) const {
    if constexpr (registers == 1) {
      Lanes const shifted = Register::template shuffle<0, 0, 1, 2>(x_[0], x_[0]);
      return {Register::replace_first(before.x_[0], shifted)};
    } else {
      return {Register::even(before.x_[0], x_[0]), Register::middle(x_[0], x_[1])};
    }
  }

  template <int lane>
  Quads broadcast_lane() const {
    Lanes const x = x_[lane / lanes_of_row];
    if constexpr (registers == 1) {
      return {Register::template shuffle<lane, lane, lane, lane>(x, x)};
    } else {
      return all(lane % lanes_of_row == 0 ? Register::even(x, x) : Register::odd(x, x));
    }
  }

  /// Returns the last lane. Requires Rows = 1.
  T last() const { return Row::first(broadcast_lane<3>().x_[0]); }

  /// Returns the last lanes of four quads, as one quad.
  static Quads last_lanes(Quads const (&q)[4]) {
    if constexpr (registers == 1) {
      return {Register::join_upper(Register::interleave_upper(q[0].x_[0], q[1].x_[0]),
                                   Register::interleave_upper(q[2].x_[0], q[3].x_[0]))};
    } else {
      return {Register::odd(q[0].x_[1], q[1].x_[1]), Register::odd(q[2].x_[1], q[3].x_[1])};
    }
  }

  /// Returns a0 + a1, a2 + a3, b0 + b1, b2 + b3.
  static Quads pair_sums(Quads const& a, Quads const& b) {
    if constexpr (registers == 1) {
      return {pair_sums(a.x_[0], b.x_[0])};
    } else {
      return {pair_sums(a.x_[0], a.x_[1]), pair_sums(b.x_[0], b.x_[1])};
    }
  }

 private:
  template <class... Each>
  Quads(Lanes first, Each... others) : x_{first, others...} {}

  static Quads all(Lanes x) {
    Quads quads;
    for (Lanes& each : quads.x_) each = x;
    return quads;
  }

  static Lanes pair_sums(Lanes a, Lanes b) {
    return Register::add(Register::even(a, b), Register::odd(a, b));
  }

  template <bool Streams>
  void put(T* to, std::ptrdiff_t distance) const {
    if constexpr (rows == 1) {
      for (int r = 0; r < registers; ++r) put_row<Streams>(to + r * lanes_of_row, x_[r]);
    } else {
      for (int r = 0; r < registers; ++r) {
        put_row<Streams>(to + r * lanes_of_row, Register::first_row(x_[r]));
      }
      for (int r = 0; r < registers; ++r) {
        put_row<Streams>(to + distance + r * lanes_of_row, Register::second_row(x_[r]));
      }
    }
  }

  template <bool Streams>
  static void put_row(T* to, typename Row::Lanes x) {
    if constexpr (Streams) {
      Row::stream(to, x);
    } else {
      Row::store(to, x);
    }
  }

  Lanes x_[registers];
};

/// The types of quads of T: `type` has one row, `widest` the number of rows that a register holds.
template <class T>
struct QuadOf {
  using type = void;
  using widest = void;
};
#if defined(__AVX__)
inline constexpr int rows_of_register = 2;
#else
inline constexpr int rows_of_register = 1;
#endif
template <>
struct QuadOf<float> {
  using type = Quads<float, 1>;
  using widest = Quads<float, rows_of_register>;
};
template <>
struct QuadOf<double> {
  using type = Quads<double, 1>;
  using widest = Quads<double, rows_of_register>;
};

/// Orders this thread's streaming stores before the stores that follow.
inline void finish_streams() { _mm_sfence(); }

#else

template <int size>
class IntegerRegister;

template <class T>
struct QuadOf {
  using type = void;
  using widest = void;
};

inline void finish_streams() {}

#endif

/// The alignment that an address needs so that stream_copy() can bypass the caches.
inline constexpr std::size_t stream_alignment = 16;

/// Whether stream_copy() to `to` can bypass the caches.
inline bool can_stream_to([[maybe_unused]] void const* to) {
#if defined(__SSE2__)
  return reinterpret_cast<std::uintptr_t>(to) % stream_alignment == 0;
#else
  return false;
#endif
}

/// Copies data from a cache to memory that will not be read soon; the stores bypass the caches.
/// Requires can_stream_to(to). After its last call of stream_copy(), a thread must call
/// finish_streams().
inline void stream_copy(void* to, void const* from, std::size_t bytes) {
#if defined(__SSE2__)
  using Register = IntegerRegister<4>;
  auto* const out = static_cast<char*>(to);
  auto const* const in = static_cast<char const*>(from);
  std::size_t const whole = bytes / 16 * 16;
  for (std::size_t k = 0; k < whole; k += 16) Register::load(in + k).stream(out + k);
  std::memcpy(out + whole, in + whole, bytes - whole);
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace riffle::backend
