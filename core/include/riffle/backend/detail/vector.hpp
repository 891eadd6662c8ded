#pragma once

// The vector registers of a CPU. Included by riffle/backend/backend.hpp only.

#include <cstdint>

#include <riffle/backend/detail/vector_intrinsics.hpp>

namespace riffle::backend {

/// A CPU vector of 64-bit lanes. The random number generator multiplies the lower 32 bits of lanes,
/// and needs the 64-bit products. Compilers do not generate the instructions for these products
/// from loops. Host only.
///
/// Each of the variants below has these members:
///   width             the number of lanes
///   broadcast(x)      x in each lane
///   iota(x)           x, x + 1, ...
///   +, ^, &           lane by lane
///   multiply_low(a, b)  the 64-bit product of the lower 32 bits of each lane
///   upper(a)          a >> 32
///   less(a, b)        all ones in lanes with a < b, otherwise 0. Requires values less than 2^31
///   any_negative(a)   whether the highest bit of any lane is set
///   store(to)         stores all lanes
#if defined(__AVX2__)
class Vector {
 public:
  static constexpr int width = 4;

  Vector() = default;
  static Vector broadcast(std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
  static Vector iota(std::uint64_t x) {
    return broadcast(x) + Vector(_mm256_set_epi64x(3, 2, 1, 0));
  }

  friend Vector operator+(Vector a, Vector b) { return _mm256_add_epi64(a.lanes_, b.lanes_); }
  friend Vector operator-(Vector a, Vector b) { return _mm256_sub_epi64(a.lanes_, b.lanes_); }
  friend Vector operator^(Vector a, Vector b) { return _mm256_xor_si256(a.lanes_, b.lanes_); }
  friend Vector operator&(Vector a, Vector b) { return _mm256_and_si256(a.lanes_, b.lanes_); }
  friend Vector operator|(Vector a, Vector b) { return _mm256_or_si256(a.lanes_, b.lanes_); }
  friend Vector multiply_low(Vector a, Vector b) { return _mm256_mul_epu32(a.lanes_, b.lanes_); }
  friend Vector upper(Vector a) { return _mm256_srli_epi64(a.lanes_, 32); }
  friend Vector less(Vector a, Vector b) { return _mm256_cmpgt_epi64(b.lanes_, a.lanes_); }
  friend bool any_negative(Vector a) {
    return _mm256_movemask_pd(_mm256_castsi256_pd(a.lanes_)) != 0;
  }

  void store(std::int64_t* to) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lanes_);
  }
  static Vector load(std::int64_t const* from) {
    return _mm256_loadu_si256(reinterpret_cast<__m256i const*>(from));
  }

 private:
  Vector(__m256i lanes) : lanes_(lanes) {}
  __m256i lanes_;
};
#elif defined(__SSE2__)
class Vector {
 public:
  static constexpr int width = 2;

  Vector() = default;
  static Vector broadcast(std::uint64_t x) { return _mm_set1_epi64x(static_cast<long long>(x)); }
  static Vector iota(std::uint64_t x) { return broadcast(x) + Vector(_mm_set_epi64x(1, 0)); }

  friend Vector operator+(Vector a, Vector b) { return _mm_add_epi64(a.lanes_, b.lanes_); }
  friend Vector operator-(Vector a, Vector b) { return _mm_sub_epi64(a.lanes_, b.lanes_); }
  friend Vector operator^(Vector a, Vector b) { return _mm_xor_si128(a.lanes_, b.lanes_); }
  friend Vector operator&(Vector a, Vector b) { return _mm_and_si128(a.lanes_, b.lanes_); }
  friend Vector operator|(Vector a, Vector b) { return _mm_or_si128(a.lanes_, b.lanes_); }
  friend Vector multiply_low(Vector a, Vector b) { return _mm_mul_epu32(a.lanes_, b.lanes_); }
  friend Vector upper(Vector a) { return _mm_srli_epi64(a.lanes_, 32); }
  friend Vector less(Vector a, Vector b) {
    // SSE2 compares only 32-bit values. Therefore the result for the lower half of a lane is copied
    // to its upper half.
    return _mm_shuffle_epi32(_mm_cmplt_epi32(a.lanes_, b.lanes_), _MM_SHUFFLE(2, 2, 0, 0));
  }
  friend bool any_negative(Vector a) { return _mm_movemask_pd(_mm_castsi128_pd(a.lanes_)) != 0; }

  void store(std::int64_t* to) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), lanes_); }
  static Vector load(std::int64_t const* from) {
    return _mm_loadu_si128(reinterpret_cast<__m128i const*>(from));
  }

 private:
  Vector(__m128i lanes) : lanes_(lanes) {}
  __m128i lanes_;
};
#else
class Vector {
 public:
  static constexpr int width = 2;

  Vector() = default;
  static Vector broadcast(std::uint64_t x) { return {x, x}; }
  static Vector iota(std::uint64_t x) { return {x, x + 1}; }

  friend Vector operator+(Vector a, Vector b) { return {a.x_ + b.x_, a.y_ + b.y_}; }
  friend Vector operator-(Vector a, Vector b) { return {a.x_ - b.x_, a.y_ - b.y_}; }
  friend Vector operator^(Vector a, Vector b) { return {a.x_ ^ b.x_, a.y_ ^ b.y_}; }
  friend Vector operator&(Vector a, Vector b) { return {a.x_ & b.x_, a.y_ & b.y_}; }
  friend Vector operator|(Vector a, Vector b) { return {a.x_ | b.x_, a.y_ | b.y_}; }
  friend Vector multiply_low(Vector a, Vector b) {
    return {(a.x_ & 0xFFFFFFFFu) * (b.x_ & 0xFFFFFFFFu),
            (a.y_ & 0xFFFFFFFFu) * (b.y_ & 0xFFFFFFFFu)};
  }
  friend Vector upper(Vector a) { return {a.x_ >> 32, a.y_ >> 32}; }
  friend Vector less(Vector a, Vector b) {
    return {a.x_ < b.x_ ? ~std::uint64_t{0} : 0, a.y_ < b.y_ ? ~std::uint64_t{0} : 0};
  }
  friend bool any_negative(Vector a) { return ((a.x_ | a.y_) >> 63) != 0; }

  void store(std::int64_t* to) const {
    to[0] = static_cast<std::int64_t>(x_);
    to[1] = static_cast<std::int64_t>(y_);
  }
  static Vector load(std::int64_t const* from) {
    return {static_cast<std::uint64_t>(from[0]), static_cast<std::uint64_t>(from[1])};
  }

 private:
  Vector(std::uint64_t x, std::uint64_t y) : x_(x), y_(y) {}
  std::uint64_t x_;
  std::uint64_t y_;
};
#endif

}  // namespace riffle::backend
