#pragma once

// Sums and prefix sums in the vector registers of a CPU. A part of riffle/lanes/lanes.hpp, which includes it.
// Host only.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/lanes/detail/vector_intrinsics.hpp>

namespace riffle::lanes {

/// The elements that prefix sums in registers are known for.
template <class T>
inline constexpr bool has_registers =
#if defined(__SSE2__)
    std::is_same_v<T, float> || std::is_same_v<T, double> ||
    (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8);
#else
    false;
#endif

#if defined(__SSE2__)

/// 16 bytes of integers of `size` bytes each; sums wrap around.
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

  /// Past the caches, to an address that is a multiple of 16.
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

  /// Each lane becomes the sum of itself and all lanes before.
  IntegerRegister prefix_sums() const {
    IntegerRegister x = *this;
    if constexpr (size <= 1) x = x + _mm_slli_si128(x.lanes_, 1);
    if constexpr (size <= 2) x = x + _mm_slli_si128(x.lanes_, 2);
    if constexpr (size <= 4) x = x + _mm_slli_si128(x.lanes_, 4);
    return x + _mm_slli_si128(x.lanes_, 8);
  }

  /// All lanes become the last one.
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

/// Four floats in their order.
class FloatQuad {
 public:
  static constexpr int rows = 1;

  FloatQuad() = default;

  static FloatQuad broadcast(float x) { return _mm_set1_ps(x); }
  static FloatQuad broadcast_rows(float const (&x)[rows]) { return broadcast(x[0]); }
  static FloatQuad load(float const* from, std::ptrdiff_t = 0) { return _mm_loadu_ps(from); }
  void store(float* to, std::ptrdiff_t = 0) const { _mm_storeu_ps(to, x_); }
  void stream(float* to, std::ptrdiff_t = 0) const { _mm_stream_ps(to, x_); }

  friend FloatQuad operator+(FloatQuad a, FloatQuad b) { return _mm_add_ps(a.x_, b.x_); }

  /// x0, x0 + x1, (x0 + x1) + x2, (x0 + x1) + (x2 + x3). Minus zero is what changes nothing.
  FloatQuad prefix_sums() const {
    __m128 const even = _mm_castsi128_ps(_mm_slli_epi64(_mm_castps_si128(x_), 32));
    __m128 const pairs = _mm_add_ps(x_, _mm_xor_ps(even, _mm_setr_ps(-0.0f, 0.0f, -0.0f, 0.0f)));
    __m128 const lower = _mm_shuffle_ps(_mm_set1_ps(-0.0f), pairs, _MM_SHUFFLE(1, 1, 0, 0));
    return _mm_add_ps(pairs, lower);
  }

  /// before, x0, x1, x2: each lane becomes the one before it.
  FloatQuad shifted_after(FloatQuad before) const {
    __m128 const shifted = _mm_shuffle_ps(x_, x_, _MM_SHUFFLE(2, 1, 0, 0));
    return _mm_move_ss(shifted, before.x_);
  }

  template <int lane>
  FloatQuad broadcast_lane() const {
    return _mm_shuffle_ps(x_, x_, _MM_SHUFFLE(lane, lane, lane, lane));
  }

  float last() const { return _mm_cvtss_f32(broadcast_lane<3>().x_); }

  /// The last lanes of four quads.
  static FloatQuad last_lanes(FloatQuad const (&x)[4]) {
    return _mm_movehl_ps(_mm_unpackhi_ps(x[2].x_, x[3].x_), _mm_unpackhi_ps(x[0].x_, x[1].x_));
  }

  /// a0 + a1, a2 + a3, b0 + b1, b2 + b3.
  static FloatQuad pair_sums(FloatQuad a, FloatQuad b) {
    return _mm_add_ps(_mm_shuffle_ps(a.x_, b.x_, _MM_SHUFFLE(2, 0, 2, 0)),
                      _mm_shuffle_ps(a.x_, b.x_, _MM_SHUFFLE(3, 1, 3, 1)));
  }

 private:
  FloatQuad(__m128 x) : x_(x) {}

  __m128 x_;
};

/// Four doubles in their order.
class DoubleQuad {
 public:
  static constexpr int rows = 1;

  DoubleQuad() = default;

  static DoubleQuad broadcast(double x) { return {_mm_set1_pd(x), _mm_set1_pd(x)}; }
  static DoubleQuad broadcast_rows(double const (&x)[rows]) { return broadcast(x[0]); }
  static DoubleQuad load(double const* from, std::ptrdiff_t = 0) {
    return {_mm_loadu_pd(from), _mm_loadu_pd(from + 2)};
  }
  void store(double* to, std::ptrdiff_t = 0) const {
    _mm_storeu_pd(to, lower_);
    _mm_storeu_pd(to + 2, upper_);
  }
  void stream(double* to, std::ptrdiff_t = 0) const {
    _mm_stream_pd(to, lower_);
    _mm_stream_pd(to + 2, upper_);
  }

  friend DoubleQuad operator+(DoubleQuad a, DoubleQuad b) {
    return {_mm_add_pd(a.lower_, b.lower_), _mm_add_pd(a.upper_, b.upper_)};
  }

  /// x0, x0 + x1, (x0 + x1) + x2, (x0 + x1) + (x2 + x3).
  DoubleQuad prefix_sums() const {
    __m128d const nothing = _mm_set1_pd(-0.0);
    __m128d const lower = _mm_add_pd(lower_, _mm_unpacklo_pd(nothing, lower_));
    __m128d const upper = _mm_add_pd(upper_, _mm_unpacklo_pd(nothing, upper_));
    return {lower, _mm_add_pd(_mm_unpackhi_pd(lower, lower), upper)};
  }

  DoubleQuad shifted_after(DoubleQuad before) const {
    return {_mm_unpacklo_pd(before.lower_, lower_), _mm_shuffle_pd(lower_, upper_, 1)};
  }

  template <int lane>
  DoubleQuad broadcast_lane() const {
    __m128d const half = lane < 2 ? lower_ : upper_;
    __m128d const x = lane % 2 == 0 ? _mm_unpacklo_pd(half, half) : _mm_unpackhi_pd(half, half);
    return {x, x};
  }

  double last() const { return _mm_cvtsd_f64(_mm_unpackhi_pd(upper_, upper_)); }

  static DoubleQuad last_lanes(DoubleQuad const (&x)[4]) {
    return {_mm_unpackhi_pd(x[0].upper_, x[1].upper_), _mm_unpackhi_pd(x[2].upper_, x[3].upper_)};
  }

  static DoubleQuad pair_sums(DoubleQuad a, DoubleQuad b) {
    return {pair_sums(a.lower_, a.upper_), pair_sums(b.lower_, b.upper_)};
  }

 private:
  DoubleQuad(__m128d lower, __m128d upper) : lower_(lower), upper_(upper) {}

  /// a0 + a1, b0 + b1.
  static __m128d pair_sums(__m128d a, __m128d b) {
    return _mm_add_pd(_mm_unpacklo_pd(a, b), _mm_unpackhi_pd(a, b));
  }

  __m128d lower_;
  __m128d upper_;
};

#if defined(__AVX__)

/// Four floats of each of two rows, in their order: all that follows goes on in each half by itself.
class FloatQuads {
 public:
  static constexpr int rows = 2;

  FloatQuads() = default;

  static FloatQuads broadcast(float x) { return _mm256_set1_ps(x); }
  static FloatQuads broadcast_rows(float const (&x)[rows]) {
    return both(_mm_set1_ps(x[0]), _mm_set1_ps(x[1]));
  }

  /// Of the row at `from` and the one `distance` behind.
  static FloatQuads load(float const* from, std::ptrdiff_t distance) {
    return both(_mm_loadu_ps(from), _mm_loadu_ps(from + distance));
  }
  void store(float* to, std::ptrdiff_t distance) const {
    _mm_storeu_ps(to, _mm256_castps256_ps128(x_));
    _mm_storeu_ps(to + distance, _mm256_extractf128_ps(x_, 1));
  }
  void stream(float* to, std::ptrdiff_t distance) const {
    _mm_stream_ps(to, _mm256_castps256_ps128(x_));
    _mm_stream_ps(to + distance, _mm256_extractf128_ps(x_, 1));
  }

  friend FloatQuads operator+(FloatQuads a, FloatQuads b) { return _mm256_add_ps(a.x_, b.x_); }

  /// x0, x0 + x1, (x0 + x1) + x2, (x0 + x1) + (x2 + x3). Minus zero is what changes nothing.
  FloatQuads prefix_sums() const {
    __m256 const none = _mm256_set1_ps(-0.0f);
    __m256 const even = _mm256_blend_ps(none, _mm256_moveldup_ps(x_), 0xAA);
    __m256 const pairs = _mm256_add_ps(x_, even);
    return _mm256_add_ps(pairs, _mm256_shuffle_ps(none, pairs, _MM_SHUFFLE(1, 1, 0, 0)));
  }

  /// before, x0, x1, x2: each lane becomes the one before it.
  FloatQuads shifted_after(FloatQuads before) const {
    __m256 const shifted = _mm256_shuffle_ps(x_, x_, _MM_SHUFFLE(2, 1, 0, 0));
    return _mm256_blend_ps(shifted, before.x_, 0x11);
  }

  template <int lane>
  FloatQuads broadcast_lane() const {
    return _mm256_shuffle_ps(x_, x_, _MM_SHUFFLE(lane, lane, lane, lane));
  }

  /// The last lanes of four quads.
  static FloatQuads last_lanes(FloatQuads const (&x)[4]) {
    __m256 const lower = _mm256_unpackhi_ps(x[0].x_, x[1].x_);
    __m256 const upper = _mm256_unpackhi_ps(x[2].x_, x[3].x_);
    return _mm256_shuffle_ps(lower, upper, _MM_SHUFFLE(3, 2, 3, 2));
  }

  /// a0 + a1, a2 + a3, b0 + b1, b2 + b3.
  static FloatQuads pair_sums(FloatQuads a, FloatQuads b) {
    return _mm256_add_ps(_mm256_shuffle_ps(a.x_, b.x_, _MM_SHUFFLE(2, 0, 2, 0)),
                         _mm256_shuffle_ps(a.x_, b.x_, _MM_SHUFFLE(3, 1, 3, 1)));
  }

 private:
  FloatQuads(__m256 x) : x_(x) {}

  static __m256 both(__m128 lower, __m128 upper) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(lower), upper, 1);
  }

  __m256 x_;
};

/// Four doubles of each of two rows, in the same way.
class DoubleQuads {
 public:
  static constexpr int rows = 2;

  DoubleQuads() = default;

  static DoubleQuads broadcast(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
  static DoubleQuads broadcast_rows(double const (&x)[rows]) {
    __m256d const each = both(_mm_set1_pd(x[0]), _mm_set1_pd(x[1]));
    return {each, each};
  }

  static DoubleQuads load(double const* from, std::ptrdiff_t distance) {
    return {both(_mm_loadu_pd(from), _mm_loadu_pd(from + distance)),
            both(_mm_loadu_pd(from + 2), _mm_loadu_pd(from + distance + 2))};
  }
  void store(double* to, std::ptrdiff_t distance) const {
    _mm_storeu_pd(to, _mm256_castpd256_pd128(lower_));
    _mm_storeu_pd(to + 2, _mm256_castpd256_pd128(upper_));
    _mm_storeu_pd(to + distance, _mm256_extractf128_pd(lower_, 1));
    _mm_storeu_pd(to + distance + 2, _mm256_extractf128_pd(upper_, 1));
  }
  void stream(double* to, std::ptrdiff_t distance) const {
    _mm_stream_pd(to, _mm256_castpd256_pd128(lower_));
    _mm_stream_pd(to + 2, _mm256_castpd256_pd128(upper_));
    _mm_stream_pd(to + distance, _mm256_extractf128_pd(lower_, 1));
    _mm_stream_pd(to + distance + 2, _mm256_extractf128_pd(upper_, 1));
  }

  friend DoubleQuads operator+(DoubleQuads a, DoubleQuads b) {
    return {_mm256_add_pd(a.lower_, b.lower_), _mm256_add_pd(a.upper_, b.upper_)};
  }

  DoubleQuads prefix_sums() const {
    __m256d const none = _mm256_set1_pd(-0.0);
    __m256d const lower = _mm256_add_pd(lower_, _mm256_unpacklo_pd(none, lower_));
    __m256d const upper = _mm256_add_pd(upper_, _mm256_unpacklo_pd(none, upper_));
    return {lower, _mm256_add_pd(_mm256_unpackhi_pd(lower, lower), upper)};
  }

  DoubleQuads shifted_after(DoubleQuads before) const {
    return {_mm256_unpacklo_pd(before.lower_, lower_), _mm256_shuffle_pd(lower_, upper_, 0x5)};
  }

  template <int lane>
  DoubleQuads broadcast_lane() const {
    __m256d const half = lane < 2 ? lower_ : upper_;
    __m256d const x =
        lane % 2 == 0 ? _mm256_unpacklo_pd(half, half) : _mm256_unpackhi_pd(half, half);
    return {x, x};
  }

  static DoubleQuads last_lanes(DoubleQuads const (&x)[4]) {
    return {_mm256_unpackhi_pd(x[0].upper_, x[1].upper_),
            _mm256_unpackhi_pd(x[2].upper_, x[3].upper_)};
  }

  static DoubleQuads pair_sums(DoubleQuads a, DoubleQuads b) {
    return {pair_sums(a.lower_, a.upper_), pair_sums(b.lower_, b.upper_)};
  }

 private:
  DoubleQuads(__m256d lower, __m256d upper) : lower_(lower), upper_(upper) {}

  static __m256d both(__m128d lower, __m128d upper) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(lower), upper, 1);
  }

  static __m256d pair_sums(__m256d a, __m256d b) {
    return _mm256_add_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
  }

  __m256d lower_;
  __m256d upper_;
};

#endif

/// Quads of T: of one row, and of as many rows as a register holds.
template <class T>
struct QuadOf {
  using type = void;
  using widest = void;
};
template <>
struct QuadOf<float> {
  using type = FloatQuad;
#if defined(__AVX__)
  using widest = FloatQuads;
#else
  using widest = FloatQuad;
#endif
};
template <>
struct QuadOf<double> {
  using type = DoubleQuad;
#if defined(__AVX__)
  using widest = DoubleQuads;
#else
  using widest = DoubleQuad;
#endif
};

/// Orders what this thread streamed before what it stores afterwards.
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

}  // namespace riffle::lanes
