#pragma once

// Inputs of cases: functions of n only, the same for every execution space.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/random/philox.hpp>
#include <riffle/random/random_permutation.hpp>

#include "calls/case.hpp"

namespace riffle::test::calls {

template <class Exec, class T>
using Array = Kokkos::View<T*, typename Exec::memory_space>;
template <class Exec, class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;

/// A View in the memory of a space with these values.
template <class Exec, class T>
Array<Exec, T> to_array(std::vector<T> const& values) {
  Array<Exec, T> const array(Kokkos::view_alloc(Kokkos::WithoutInitializing, "array"),
                             values.size());
  copy_from_host<typename Exec::memory_space>(array.data(), values.data(),
                                              values.size() * sizeof(T));
  return array;
}

/// A matrix with these values in row-major order.
template <class Exec, class T>
Matrix<Exec, T> to_matrix(std::vector<T> const& values, std::size_t columns) {
  std::size_t const rows = columns == 0 ? 0 : values.size() / columns;
  Matrix<Exec, T> const matrix(Kokkos::view_alloc(Kokkos::WithoutInitializing, "matrix"), rows,
                               columns);
  copy_from_host<typename Exec::memory_space>(matrix.data(), values.data(),
                                              rows * columns * sizeof(T));
  return matrix;
}

/// An array of n values, filled so that values that a call does not write are visible.
template <class Exec, class T>
Array<Exec, T> make_output(std::size_t n) {
  std::vector<T> values(n);
  if (n > 0) std::memset(static_cast<void*>(values.data()), 0x5A, n * sizeof(T));
  return to_array<Exec>(values);
}

template <class Exec, class T>
Matrix<Exec, T> make_output(std::size_t rows, std::size_t columns) {
  std::vector<T> values(rows * columns);
  if (!values.empty()) {
    std::memset(static_cast<void*>(values.data()), 0x5A, values.size() * sizeof(T));
  }
  return to_matrix<Exec>(values, columns);
}

/// A random word of index i.
inline std::uint64_t word(std::uint64_t i, std::uint64_t seed = 1) {
  auto const block =
      Philox4x32(seed)({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), 0, 0});
  return std::uint64_t{block[1]} << 32 | block[0];
}

/// Integers with random bits; finite floating-point numbers of both signs and many magnitudes, with few ties.
template <class T>
T plain_number(std::uint64_t bits) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    auto const magnitude = static_cast<T>(bits >> 24);
    T const number = (bits >> 1 & 1) == 0 ? magnitude : 1 / (1 + magnitude);
    return (bits & 1) == 0 ? number : -number;
  }
}

/// NaNs of both signs with two payloads, zeros of both signs, infinities, the smallest and the largest numbers, ties, and other
/// numbers.
template <class T>
T special_number(std::uint64_t bits) {
  using Limits = std::numeric_limits<T>;
  switch (bits >> 56 & 31) {
    case 0: return T(0);
    case 1: return Limits::max();
    case 2: return Limits::lowest();
    case 3: return Limits::min();
    case 4:
    case 5:
    case 6:
    case 7: return static_cast<T>(bits % 8);
    default: break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int mantissa = Limits::digits - 1;
    constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
    constexpr Bits infinity = static_cast<Bits>(~Bits{0} >> (mantissa + 1)) << mantissa;
    constexpr Bits quiet = infinity | Bits{1} << (mantissa - 1);
    auto const number_of = [](Bits code) {
      T number;
      std::memcpy(&number, &code, sizeof(T));
      return number;
    };
    switch (bits >> 56 & 31) {
      case 8: return number_of(sign);
      case 9: return number_of(infinity);
      case 10: return number_of(infinity | sign);
      case 11: return number_of(quiet);
      case 12: return number_of(quiet | sign);
      case 13: return number_of(quiet | 1);
      case 14: return Limits::denorm_min();
      default: break;
    }
  }
  return plain_number<T>(bits);
}

template <class T>
std::vector<T> plain_numbers(std::uint64_t n, std::uint64_t seed = 1) {
  std::vector<T> values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = plain_number<T>(word(i, seed));
  return values;
}

template <class T>
std::vector<T> special_numbers(std::uint64_t n, std::uint64_t seed = 1) {
  std::vector<T> values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = special_number<T>(word(i, seed));
  return values;
}

/// Random numbers 0, ..., below - 1.
template <class T>
std::vector<T> numbers_below(std::uint64_t below, std::uint64_t n, std::uint64_t seed = 1) {
  std::vector<T> values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = static_cast<T>(word(i, seed) % below);
  return values;
}

/// Ascending, with NaNs after all numbers.
template <class T>
bool precedes(T const& a, T const& b) {
  bool const a_is_nan = a != a;
  bool const b_is_nan = b != b;
  return a_is_nan || b_is_nan ? !a_is_nan && b_is_nan : a < b;
}

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::stable_sort(values.begin(), values.end(),
                   [](T const& a, T const& b) { return precedes(a, b); });
  return values;
}

/// A random permutation of 0, ..., n - 1.
template <class Index>
std::vector<Index> permutation_of(std::uint64_t n, std::uint64_t seed = 1) {
  RandomPermutation const sigma(n, seed);
  std::vector<Index> values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = static_cast<Index>(sigma(i));
  return values;
}

// --- user-defined types and operations ---

/// A user-defined type without padding: many cards have one suit, and all have different numbers.
struct Card {
  std::int32_t suit;
  std::uint32_t number;

  KOKKOS_FUNCTION friend bool operator==(Card const& a, Card const& b) {
    return a.suit == b.suit && a.number == b.number;
  }
  KOKKOS_FUNCTION friend bool operator!=(Card const& a, Card const& b) { return !(a == b); }
};

/// A user-defined comparison.
struct BySuit {
  KOKKOS_FUNCTION bool operator()(Card const& a, Card const& b) const { return a.suit > b.suit; }
};

/// A user-defined predicate.
struct HasOddSuit {
  KOKKOS_FUNCTION bool operator()(Card const& card) const { return card.suit % 2 != 0; }
};

inline std::vector<Card> cards(std::uint64_t n) {
  std::vector<Card> values(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    values[i] = {static_cast<std::int32_t>(word(i) % 53) - 26, static_cast<std::uint32_t>(i)};
  }
  return values;
}

inline std::vector<Card> sorted_cards(std::uint64_t n) {
  auto values = cards(n);
  std::stable_sort(values.begin(), values.end(), BySuit{});
  return values;
}

}  // namespace riffle::test::calls
