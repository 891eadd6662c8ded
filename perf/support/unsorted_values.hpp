#pragma once

// What is ranked or sorted where nothing is sorted beforehand: doubles in [0, 1), of some kinds.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include "baselines/split_mix.hpp"
#include "support/exec.hpp"

namespace perf {

using UnsortedValues = Kokkos::View<double*, Exec>;

enum class ValueKind {
  uniform,  ///< Multiples of 2^-53: hardly two are equal.
  ties,     ///< Only 1000 different ones.
  sorted    ///< Ascending already.
};

struct WriteUnsorted {
  UnsortedValues values;
  ValueKind kind;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    constexpr std::uint64_t different_values = 1000;
    std::uint64_t const random = mix(i);
    if (kind == ValueKind::uniform) {
      values(i) = static_cast<double>(random >> 11) * 0x1p-53;
    } else if (kind == ValueKind::ties) {
      values(i) = static_cast<double>(random % different_values) / different_values;
    } else {
      values(i) = static_cast<double>(i) * 0x1p-53;
    }
  }
};

/// n values, the same for the same n and kind.
inline UnsortedValues unsorted_values(Exec const& exec, std::uint64_t n, ValueKind kind) {
  UnsortedValues const values = allocate<double>(exec, "perf::values", n);
  Kokkos::parallel_for("perf::unsorted", range(exec, n), WriteUnsorted{values, kind});
  return values;
}

}  // namespace perf
