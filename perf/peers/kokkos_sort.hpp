#pragma once

// Kokkos's sort of values in place; on a CPU this is std::sort on one thread.

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>

#include <cstdint>

#include "support/sort_row.hpp"

namespace perf {

/// A row: see sort.cpp.
struct KokkosSort : SortRow {
  static constexpr char const* name = "KokkosSort";
  static constexpr std::uint64_t scratch_bytes_per_item = 2 * sizeof(double);
  using SortRow::SortRow;

  void operator()(UnsortedValues const& values, UnsortedValues const& sorted) const {
    copy(values, sorted);
    Kokkos::sort(exec_, sorted);
  }
};

}  // namespace perf
