#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include "support/exec.hpp"

namespace perf {

enum class ScanKind { inclusive, exclusive };

/// Counts the places that break the recurrence that defines a scan. If there is none and arithmetic is exact, the scan is right
/// everywhere, by induction.
template <class Problem, ScanKind kind>
struct CountScanErrors {
  using Value = typename Problem::value_type;
  Kokkos::View<Value*, Exec> in;
  Kokkos::View<Value*, Exec> out;

  KOKKOS_FUNCTION Value expected(std::uint64_t i) const {
    if constexpr (kind == ScanKind::inclusive) {
      return i == 0 ? in(0) : Problem::combine(out(i - 1), in(i));
    } else {
      return i == 0 ? Problem::identity() : Problem::combine(out(i - 1), in(i - 1));
    }
  }

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    if (!(out(i) == expected(i))) ++wrong;
  }
};

/// Checks `out` as the scan of `in`. Returns the error, or an empty text.
template <class Problem, ScanKind kind, class View>
std::string scan_error(Exec const& exec, View const& in, View const& out) {
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce("perf::count_scan_errors", range(exec, in.extent(0)),
                          CountScanErrors<Problem, kind>{in, out}, wrong);
  return wrong == 0 ? ""
                    : "not a scan: places that do not follow from the place before: " +
                          std::to_string(wrong);
}

}  // namespace perf
