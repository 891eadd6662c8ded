#pragma once

// Element types and operations of scans. All are exact, also floating point, so a result is either right or wrong.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

#include <riffle/monoid.hpp>

#include "baselines/split_mix.hpp"

namespace perf {

template <class T>
std::string type_name() {
  std::string const bits = std::to_string(8 * sizeof(T));
  return (std::is_floating_point_v<T> ? "float" : std::is_signed_v<T> ? "int" : "uint") + bits;
}

/// Sums of -1, 0 and 1: a random walk near zero, where float is exact.
template <class T>
struct SumProblem {
  using value_type = T;
  using Monoid = riffle::Sum<T>;

  static std::string name() { return type_name<T>(); }
  KOKKOS_FUNCTION static T element(std::uint64_t i) {
    return static_cast<T>(static_cast<int>(mix(i) % 3) - 1);
  }
  KOKKOS_FUNCTION static T identity() { return T(0); }
  KOKKOS_FUNCTION static T combine(T left, T right) { return static_cast<T>(left + right); }
};

/// A user's struct of 16 bytes.
struct CountAndSum {
  std::uint64_t count;
  double sum;

  friend KOKKOS_FUNCTION bool operator==(CountAndSum const& a, CountAndSum const& b) {
    return a.count == b.count && a.sum == b.sum;
  }
};

struct CountAndSumProblem {
  using value_type = CountAndSum;

  struct Monoid {
    using value_type = CountAndSum;
    KOKKOS_FUNCTION static CountAndSum identity() { return {0, 0}; }
    KOKKOS_FUNCTION CountAndSum operator()(CountAndSum const& left,
                                           CountAndSum const& right) const {
      return combine(left, right);
    }
  };

  static std::string name() { return "struct128"; }
  KOKKOS_FUNCTION static CountAndSum element(std::uint64_t i) {
    return {1, SumProblem<double>::element(i)};
  }
  KOKKOS_FUNCTION static CountAndSum identity() { return {0, 0}; }
  KOKKOS_FUNCTION static CountAndSum combine(CountAndSum const& left, CountAndSum const& right) {
    return {left.count + right.count, left.sum + right.sum};
  }
};

/// x -> scale x + shift.
struct AffineMap {
  std::uint32_t scale;
  std::uint32_t shift;

  friend KOKKOS_FUNCTION bool operator==(AffineMap const& a, AffineMap const& b) {
    return a.scale == b.scale && a.shift == b.shift;
  }
};

/// Composition, left first: it does not commute.
struct AffineProblem {
  using value_type = AffineMap;

  struct Monoid {
    using value_type = AffineMap;
    KOKKOS_FUNCTION static AffineMap identity() { return {1, 0}; }
    KOKKOS_FUNCTION AffineMap operator()(AffineMap const& left, AffineMap const& right) const {
      return combine(left, right);
    }
  };

  static std::string name() { return "affine64"; }
  KOKKOS_FUNCTION static AffineMap element(std::uint64_t i) {
    std::uint64_t const random = mix(i + 1);
    return {static_cast<std::uint32_t>(random) | 1, static_cast<std::uint32_t>(random >> 32)};
  }
  KOKKOS_FUNCTION static AffineMap identity() { return {1, 0}; }
  KOKKOS_FUNCTION static AffineMap combine(AffineMap const& left, AffineMap const& right) {
    return {left.scale * right.scale, right.scale * left.shift + right.shift};
  }
};

}  // namespace perf
