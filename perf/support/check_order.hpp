#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include "support/check_shuffle.hpp"
#include "support/check_sorted.hpp"
#include "support/exec.hpp"
#include "support/unsorted_values.hpp"

namespace perf {

using OrderIndices = Kokkos::View<std::uint32_t*, Exec>;

/// Counts the indices whose value is not after the value of the index before them. In a stable order, equal bits must have
/// ascending indices. (Some sorts treat zeros of different signs as equal, others do not.)
template <bool is_stable>
struct CountOrderErrors {
  UnsortedValues values;
  OrderIndices indices;

  KOKKOS_FUNCTION void operator()(std::uint64_t k, std::uint64_t& wrong) const {
    std::uint64_t const n = values.extent(0);
    if (indices(k) >= n) {
      ++wrong;
    } else if (k > 0 && indices(k - 1) < n && !follows(indices(k), indices(k - 1))) {
      ++wrong;
    }
  }

 private:
  KOKKOS_FUNCTION static std::uint64_t bits(double x) { return Kokkos::bit_cast<std::uint64_t>(x); }

  KOKKOS_FUNCTION bool follows(std::uint32_t i, std::uint32_t before) const {
    if (is_less(values(i), values(before))) return false;
    return !is_stable || i > before || is_less(values(before), values(i)) ||
           bits(values(i)) != bits(values(before));
  }
};

/// Checks that the indices are a permutation in ascending order; the stable order is unique.
template <bool is_stable>
struct OrderAnswer {
  using Item = std::uint32_t;

  /// Checks `indices` as the order of the values. Returns the error, or an empty text.
  static std::string error(Exec const& exec, UnsortedValues const& values,
                           OrderIndices const& indices) {
    std::uint64_t wrong = 0;
    Kokkos::parallel_reduce("perf::count_order_errors", range(exec, values.extent(0)),
                            CountOrderErrors<is_stable>{values, indices}, wrong);
    if (wrong > 0) return "not in order: wrong indices: " + std::to_string(wrong);
    wrong = count_wrong_keys(exec, indices);
    if (wrong > 0) return "not a permutation: repeated indices: " + std::to_string(wrong);
    return "";
  }
};

}  // namespace perf
