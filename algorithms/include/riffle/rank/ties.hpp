#pragma once

// The rules by which statisticians rank ties. For tied elements start, ..., end - 1 of sorted data, where `start`
// elements are before them and `end` not after them, a rule gives the rank of each, counted from 0.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/random_permutation.hpp>

namespace riffle::ties {

/// 1 1 3: one more than there are elements before. Standard competition ranking; scipy's "min".
struct Competition {
  static constexpr bool needs_start = true;
  static constexpr bool needs_end = false;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Index operator()(Index, Index start, Index) const {
    return start;
  }
};

/// 2 2 3: as many as there are elements not after. scipy's "max".
struct ModifiedCompetition {
  static constexpr bool needs_start = false;
  static constexpr bool needs_end = true;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Index operator()(Index, Index, Index end) const {
    return end - 1;
  }
};

/// 1 1 2: one more than there are different values before.
struct Dense {};

/// 1 2 3: tied elements are ranked in the order in which they lie. The ranks of unsorted data are stable.
struct Ordinal {
  static constexpr bool needs_start = false;
  static constexpr bool needs_end = false;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Index operator()(Index i, Index, Index) const {
    return i;
  }
};

/// 1.5 1.5 3: the mean of the ranks that Ordinal gives. scipy's "average"; for ranks of floating point.
struct Fractional {
  static constexpr bool needs_start = true;
  static constexpr bool needs_end = true;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(Index, Index start, Index end) const {
    // Exact below 2^52. The sum is one of indices: converting costs more than adding.
    return 0.5 * static_cast<double>(start + (end - 1));
  }
};

/// 2 1 3: Ordinal's ranks in random order among ties. They are a function of n, the data's ties and the seed.
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
  // Not inlined: a kernel ranks many elements a thread, and would contain the cipher as many times, for which nvcc took
  // minutes.
  __attribute__((noinline)) KOKKOS_FUNCTION std::uint64_t place_among(std::uint64_t ties,
                                                                      std::uint64_t start,
                                                                      std::uint64_t place) const {
    return RandomPermutation(ties, seed, start)(place);
  }
};

}  // namespace riffle::ties
