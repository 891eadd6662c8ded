#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include "support/exec.hpp"

namespace perf {

enum class ScanKind { inclusive, exclusive };

/// Counts the places that break the recurrence which defines a scan. Where the arithmetic is exact,
/// a scan without such a place is right everywhere, by induction, and however long it is.
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

/// What is wrong with `out` as the scan of `in`; nothing where the text is empty.
template <class Problem, ScanKind kind, class View>
std::string scan_error(Exec const& exec, View const& in, View const& out) {
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce("perf::count_scan_errors", range(exec, in.extent(0)),
                          CountScanErrors<Problem, kind>{in, out}, wrong);
  return wrong == 0 ? ""
                    : "no scan: " + std::to_string(wrong) + " places do not follow from the last";
}

}  // namespace perf
