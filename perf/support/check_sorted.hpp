#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include "baselines/split_mix.hpp"
#include "support/exec.hpp"
#include "support/unsorted_values.hpp"

namespace perf {

/// Whether a comes before b: NaNs come last.
KOKKOS_INLINE_FUNCTION bool is_less(double a, double b) { return a < b || (a == a && b != b); }

/// Counts the values that are less than the one before.
struct CountDescents {
  UnsortedValues values;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    if (i > 0 && is_less(values(i), values(i - 1))) ++count;
  }
};

/// The sum of all values' hashes: other values would hardly have the same.
struct SumHashes {
  UnsortedValues values;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const {
    sum += mix(Kokkos::bit_cast<std::uint64_t>(values(i)));
  }
};

template <class Kernel>
std::uint64_t sum_of(Exec const& exec, std::uint64_t n, Kernel const& kernel) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("perf::sum_of", range(exec, n), kernel, sum);
  return sum;
}

/// The values themselves, ascending.
struct SortedAnswer {
  using Item = double;

  /// What is wrong with `sorted`; nothing where the text is empty.
  static std::string error(Exec const& exec, UnsortedValues const& values,
                           UnsortedValues const& sorted) {
    std::uint64_t const n = values.extent(0);
    std::uint64_t const wrong = sum_of(exec, n, CountDescents{sorted});
    if (wrong > 0) return "not in order: " + std::to_string(wrong) + " values are too late";
    if (sum_of(exec, n, SumHashes{values}) != sum_of(exec, n, SumHashes{sorted}))
      return "not the values that were there";
    return "";
  }
};

}  // namespace perf
