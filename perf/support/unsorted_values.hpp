#pragma once

// Unsorted input of rankings and sorts: doubles in [0, 1) of several kinds, and NaNs.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include "baselines/split_mix.hpp"
#include "support/exec.hpp"

namespace perf {

using UnsortedValues = Kokkos::View<double*, Exec>;

enum class ValueKind {
  uniform,   ///< Multiples of 2^-53, almost all distinct.
  ties,      ///< Only 1000 different values.
  sorted,    ///< In ascending order.
  reversed,  ///< Descending.
  equal,     ///< All the same.
  nans,      ///< Uniform, with one NaN in ten.
  zeros      ///< Uniform, with half of them zeros of either sign.
};

struct WriteUnsorted {
  UnsortedValues values;
  ValueKind kind;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { values(i) = value(i, mix(i)); }

 private:
  KOKKOS_FUNCTION double value(std::uint64_t i, std::uint64_t random) const {
    constexpr std::uint64_t different_values = 1000;
    double const uniform = static_cast<double>(random >> 11) * 0x1p-53;
    switch (kind) {
      case ValueKind::ties:
        return static_cast<double>(random % different_values) / different_values;
      case ValueKind::sorted: return static_cast<double>(i) * 0x1p-53;
      case ValueKind::reversed: return static_cast<double>(values.extent(0) - i) * 0x1p-53;
      case ValueKind::equal: return 0.5;
      case ValueKind::nans:
        return random % 10 == 0 ? Kokkos::Experimental::quiet_NaN_v<double> : uniform;
      case ValueKind::zeros: return random % 4 == 0 ? 0.0 : random % 4 == 1 ? -0.0 : uniform;
      default: return uniform;
    }
  }
};

/// n values, which depend only on n and the kind.
inline UnsortedValues unsorted_values(Exec const& exec, std::uint64_t n, ValueKind kind) {
  UnsortedValues const values = allocate<double>(exec, "perf::values", n);
  Kokkos::parallel_for("perf::unsorted", range(exec, n), WriteUnsorted{values, kind});
  return values;
}

}  // namespace perf
