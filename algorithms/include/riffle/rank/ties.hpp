#pragma once

// The rules for the ranks of ties. A rule is called with the index i of an element of sorted data and its run of tied
// elements start, ..., end - 1, and returns the rank of element i, counted from 0. The examples in the comments are the
// ranks, counted from 1, of three elements of which the first two tie.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/random_permutation.hpp>

namespace riffle::ties {

/// 1 1 3: one more than the number of elements that come before. Standard competition ranking; scipy's "min".
struct Competition {
  static constexpr bool needs_start = true;
  static constexpr bool needs_end = false;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Index operator()(Index, Index start, Index) const {
    return start;
  }
};

/// 2 2 3: the number of elements that come before or tie, including the element. scipy's "max".
struct ModifiedCompetition {
  static constexpr bool needs_start = false;
  static constexpr bool needs_end = true;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Index operator()(Index, Index, Index end) const {
    return end - 1;
  }
};

/// 1 1 2: one more than the number of distinct values that come before.
struct Dense {};

/// 1 2 3: tied elements are ranked in the order of their indices, also in unsorted data (stable ranks).
struct Ordinal {
  static constexpr bool needs_start = false;
  static constexpr bool needs_end = false;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Index operator()(Index i, Index, Index) const {
    return i;
  }
};

/// 1.5 1.5 3: the mean of the ranks that Ordinal gives to the ties. scipy's "average"; for floating-point ranks.
struct Fractional {
  static constexpr bool needs_start = true;
  static constexpr bool needs_end = true;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(Index, Index start, Index end) const {
    // Exact for ranks below 2^52. The indices are added as integers, because converting both to double would cost a
    // second conversion.
    return 0.5 * static_cast<double>(start + (end - 1));
  }
};

/// 2 1 3: the ranks of Ordinal, in a random order among ties. They depend only on n, the ties in the data and the seed.
struct Random {
  static constexpr bool needs_start = true;
  static constexpr bool needs_end = true;

  std::uint64_t seed = 0;

  template <class Index>
  KOKKOS_FUNCTION Index operator()(Index i, Index start, Index end) const {
    if (end - start == 1) return i;
    return start + static_cast<Index>(place_among(end - start, start, i - start));
  }

 private:
  // Not inlined: a kernel ranks many elements per thread in unrolled loops, which would each contain the whole cipher.
  // nvcc would take minutes to compile them.
  __attribute__((noinline)) KOKKOS_FUNCTION std::uint64_t place_among(std::uint64_t ties,
                                                                      std::uint64_t start,
                                                                      std::uint64_t place) const {
    return RandomPermutation(ties, seed, start)(place);
  }
};

}  // namespace riffle::ties
