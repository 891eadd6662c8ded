#pragma once

// parlaylib's sort and scan, if parlaylib is found: G. Blelloch, D. Anderson, L. Dhulipala, "ParlayLib -
// a toolkit for parallel algorithms on shared-memory multicore machines", SPAA 2020, doi 10.1145/3350755.3400254.

#include <parlay/parallel.h>
#include <parlay/primitives.h>
#include <parlay/slice.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/check_scan.hpp"
#include "support/sort_row.hpp"

namespace perf {

/// Sets the number of threads to Kokkos's. parlaylib reads it when its first loop begins.
inline void choose_parlay_threads(Exec const& exec) {
  setenv("PARLAY_NUM_THREADS", std::to_string(exec.concurrency()).c_str(), 1);
}

template <class View>
auto parlay_range(View const& view) {
  return parlay::make_slice(view.data(), view.data() + view.extent(0));
}

/// A row: see sort.cpp.
struct ParlaySort : SortRow {
  static constexpr char const* name = "ParlaySort";
  static constexpr std::uint64_t scratch_bytes_per_item = 8;

  ParlaySort(Exec const& exec, std::uint64_t n) : SortRow(exec, n) { choose_parlay_threads(exec); }

  void operator()(UnsortedValues const& values, UnsortedValues const& sorted) const {
    copy(values, sorted);
    parlay::sort_inplace(parlay_range(sorted));
  }
};

/// A row: see scan.cpp. In place, because parlaylib's other scans allocate their output.
template <class Problem>
class ParlayInPlaceScan {
 public:
  using Array = Kokkos::View<typename Problem::value_type*, Exec>;
  static constexpr char const* name = "ParlayInPlaceScan";
  static constexpr ScanKind kind = ScanKind::inclusive;

  ParlayInPlaceScan(Exec const& exec, std::uint64_t) { choose_parlay_threads(exec); }

  void operator()(Array const&, Array const& data) const {
    parlay::scan_inclusive_inplace(parlay_range(data));
  }
};

}  // namespace perf
