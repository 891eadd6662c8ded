#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

#include "baselines/split_mix.hpp"
#include "support/exec.hpp"
#include "support/unsorted_values.hpp"

namespace perf {

/// Whether a comes before b; NaNs come last.
template <class T>
KOKKOS_INLINE_FUNCTION bool is_less(T a, T b) {
  return a < b || (a == a && b != b);
}

/// Counts the values that are less than the value before them.
template <class View>
struct CountDescents {
  View values;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    if (i > 0 && is_less(values(i), values(i - 1))) ++count;
  }
};

/// The sum of the hashes of all values; other values almost never have the same sum. Values have 4 or 8 bytes.
template <class View>
struct SumHashes {
  using Bits =
      std::conditional_t<sizeof(typename View::value_type) == 4, std::uint32_t, std::uint64_t>;

  View values;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const {
    sum += mix(Kokkos::bit_cast<Bits>(values(i)));
  }
};

template <class Kernel>
std::uint64_t sum_of(Exec const& exec, std::uint64_t n, Kernel const& kernel) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("perf::sum_of", range(exec, n), kernel, sum);
  return sum;
}

/// Checks `sorted` as the values in ascending order. Returns the error, or an empty text.
template <class View>
std::string error_of_sorted(Exec const& exec, View const& values, View const& sorted) {
  std::uint64_t const n = values.extent(0);
  std::uint64_t const wrong = sum_of(exec, n, CountDescents<View>{sorted});
  if (wrong > 0) return "not in order: values less than the value before: " + std::to_string(wrong);
  if (sum_of(exec, n, SumHashes<View>{values}) != sum_of(exec, n, SumHashes<View>{sorted}))
    return "the values differ from the input";
  return "";
}

/// The sorted values themselves.
struct SortedAnswer {
  using Item = double;

  /// Checks `sorted`. Returns the error, or an empty text.
  static std::string error(Exec const& exec, UnsortedValues const& values,
                           UnsortedValues const& sorted) {
    return error_of_sorted(exec, values, sorted);
  }
};

}  // namespace perf
