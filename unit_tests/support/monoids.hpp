#pragma once

// User-defined monoids that are not commutative, each with random values.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace riffle::test {

/// Compares bits; the types below have no padding.
template <class T>
struct SameBits {
  KOKKOS_FUNCTION friend bool operator==(T const& a, T const& b) {
    auto const* const bytes_of_a = reinterpret_cast<unsigned char const*>(&a);
    auto const* const bytes_of_b = reinterpret_cast<unsigned char const*>(&b);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      if (bytes_of_a[i] != bytes_of_b[i]) return false;
    }
    return true;
  }
};

/// A permutation of 5 points; image[i] is the image of point i.
struct FivePoints : SameBits<FivePoints> {
  std::uint8_t image[5];
};

/// The left permutation is applied first.
struct Compose {
  using value_type = FivePoints;
  KOKKOS_FUNCTION static FivePoints identity() {
    FivePoints result;
    for (int i = 0; i < 5; ++i) result.image[i] = static_cast<std::uint8_t>(i);
    return result;
  }
  KOKKOS_FUNCTION FivePoints operator()(FivePoints const& left, FivePoints const& right) const {
    FivePoints result;
    for (int i = 0; i < 5; ++i) result.image[i] = right.image[left.image[i]];
    return result;
  }
  static FivePoints random(std::mt19937_64& generator) {
    FivePoints result = identity();
    std::shuffle(result.image, result.image + 5, generator);
    return result;
  }
};

/// x -> slope * x + offset, modulo 2^32.
struct AffineMap : SameBits<AffineMap> {
  std::uint32_t slope;
  std::uint32_t offset;
};

/// The left map is applied first.
struct ComposeAffine {
  using value_type = AffineMap;
  KOKKOS_FUNCTION static AffineMap make(std::uint32_t slope, std::uint32_t offset) {
    AffineMap map;
    map.slope = slope;
    map.offset = offset;
    return map;
  }
  KOKKOS_FUNCTION static AffineMap identity() { return make(1, 0); }
  KOKKOS_FUNCTION AffineMap operator()(AffineMap const& left, AffineMap const& right) const {
    return make(right.slope * left.slope, right.slope * left.offset + right.offset);
  }
  static AffineMap random(std::mt19937_64& generator) {
    // The slope is odd, so that the map has an inverse and products depend on all factors.
    return make(static_cast<std::uint32_t>(generator()) | 1u,
                static_cast<std::uint32_t>(generator()));
  }
};

/// The last characters of a text, at most 12; the operation concatenates.
struct Tail : SameBits<Tail> {
  char text[12];
  std::uint32_t length;
};

struct KeepTail {
  using value_type = Tail;
  KOKKOS_FUNCTION static Tail identity() { return {}; }
  KOKKOS_FUNCTION Tail operator()(Tail const& left, Tail const& right) const {
    std::uint32_t const room = 12 - right.length;
    std::uint32_t const kept = left.length < room ? left.length : room;
    Tail result{};
    for (std::uint32_t i = 0; i < kept; ++i) result.text[i] = left.text[left.length - kept + i];
    for (std::uint32_t i = 0; i < right.length; ++i) result.text[kept + i] = right.text[i];
    result.length = kept + right.length;
    return result;
  }
  /// Often empty and rarely long, so that a result usually comes from several values.
  static Tail random(std::mt19937_64& generator) {
    Tail result{};
    result.length = generator() % 16 == 0 ? 12 : static_cast<std::uint32_t>(generator() % 3);
    for (std::uint32_t i = 0; i < result.length; ++i) {
      result.text[i] = static_cast<char>('a' + generator() % 26);
    }
    return result;
  }
};

/// A matrix of 2 by 2, modulo 2^32, in rows.
struct Matrix2 : SameBits<Matrix2> {
  std::uint32_t entry[4];
};

struct MultiplyMatrices {
  using value_type = Matrix2;
  KOKKOS_FUNCTION static Matrix2 identity() {
    Matrix2 result{};
    result.entry[0] = result.entry[3] = 1;
    return result;
  }
  KOKKOS_FUNCTION Matrix2 operator()(Matrix2 const& left, Matrix2 const& right) const {
    Matrix2 result;
    for (int row = 0; row < 2; ++row) {
      for (int column = 0; column < 2; ++column) {
        result.entry[2 * row + column] = left.entry[2 * row] * right.entry[column] +
                                         left.entry[2 * row + 1] * right.entry[2 + column];
      }
    }
    return result;
  }
  static Matrix2 random(std::mt19937_64& generator) {
    // The determinant is 1, so that products do not become zero.
    auto const a = static_cast<std::uint32_t>(generator());
    auto const b = static_cast<std::uint32_t>(generator());
    Matrix2 result;
    result.entry[0] = 1 + a * b;
    result.entry[1] = a;
    result.entry[2] = b;
    result.entry[3] = 1;
    return result;
  }
};

/// The polynomial hash of a text: the sum of character(i) * base^(count - 1 - i), modulo 2^64.
struct Hash : SameBits<Hash> {
  std::uint64_t sum;
  std::uint64_t power;  // base^count
  std::uint64_t count;
};

struct Concatenate {
  using value_type = Hash;
  KOKKOS_FUNCTION static Hash make(std::uint64_t sum, std::uint64_t power, std::uint64_t count) {
    Hash hash;
    hash.sum = sum;
    hash.power = power;
    hash.count = count;
    return hash;
  }
  KOKKOS_FUNCTION static Hash identity() { return make(0, 1, 0); }
  KOKKOS_FUNCTION Hash operator()(Hash const& left, Hash const& right) const {
    return make(left.sum * right.power + right.sum, left.power * right.power,
                left.count + right.count);
  }
  static Hash random(std::mt19937_64& generator) {
    return make(generator(), 0x9E3779B97F4A7C15u, 1);
  }
};

static_assert(sizeof(FivePoints) == 5 && sizeof(AffineMap) == 8 && sizeof(Tail) == 16 &&
              sizeof(Matrix2) == 16 && sizeof(Hash) == 24);

/// Operations that do not satisfy the concept Monoid: without an identity, and with values that are not trivially copyable.
struct WithoutIdentity {
  using value_type = int;
  KOKKOS_FUNCTION int operator()(int left, int right) const { return left + right; }
};
struct OfStrings {
  using value_type = std::string;
  static std::string identity() { return {}; }
  std::string operator()(std::string const& left, std::string const& right) const {
    return left + right;
  }
};

template <class Op>
std::vector<typename Op::value_type> random_values(Op const&, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<typename Op::value_type> values(n);
  for (auto& value : values) value = Op::random(generator);
  return values;
}

/// Random values: of the full range for integers, small integers, whose sums are exact, for floating point.
template <class T>
std::vector<T> random_numbers(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> values(n);
  for (auto& value : values) {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(generator());
    } else {
      value = static_cast<T>(static_cast<int>(generator() % 17) - 8);
    }
  }
  return values;
}

}  // namespace riffle::test
