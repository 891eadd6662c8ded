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

/// Counts the indices that are not behind the one before them by value, and in a stable order, where the values have the
/// same bits, by index. (Zeros of either sign are equal to some sorts, and not to others.)
template <bool is_stable>
struct CountOrderErrors {
  UnsortedValues values;
  OrderIndices indices;

  KOKKOS_FUNCTION void operator()(std::uint64_t k, std::uint64_t& wrong) const {
    std::uint64_t const n = values.extent(0);
    if (indices(k) >= n) {
      ++wrong;
    } else if (k > 0 && indices(k - 1) < n && !is_behind(indices(k), indices(k - 1))) {
      ++wrong;
    }
  }

 private:
  KOKKOS_FUNCTION static std::uint64_t bits(double x) { return Kokkos::bit_cast<std::uint64_t>(x); }

  KOKKOS_FUNCTION bool is_behind(std::uint32_t i, std::uint32_t before) const {
    if (is_less(values(i), values(before))) return false;
    return !is_stable || i > before || is_less(values(before), values(i)) ||
           bits(values(i)) != bits(values(before));
  }
};

/// A permutation in ascending order: there is only one stable one.
template <bool is_stable>
struct OrderAnswer {
  using Item = std::uint32_t;

  /// What is wrong with `indices` as the order of the values; nothing where the text is empty.
  static std::string error(Exec const& exec, UnsortedValues const& values,
                           OrderIndices const& indices) {
    std::uint64_t wrong = 0;
    Kokkos::parallel_reduce("perf::count_order_errors", range(exec, values.extent(0)),
                            CountOrderErrors<is_stable>{values, indices}, wrong);
    if (wrong > 0) return "not in order: " + std::to_string(wrong) + " indices are wrong";
    wrong = count_wrong_keys(exec, indices);
    if (wrong > 0) return "no permutation: " + std::to_string(wrong) + " indices are twice there";
    return "";
  }
};

}  // namespace perf
