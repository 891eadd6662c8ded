#pragma once

// The standard library's sort of values in place on a CPU: on one thread and, with TBB, in parallel.

#include <algorithm>
#include <cstdint>

#ifdef RIFFLE_PERF_HAS_TBB
#include <tbb/global_control.h>

#include <execution>
#endif

#include "support/sort_row.hpp"

namespace perf {

/// A row: see sort.cpp.
struct StdSort : SortRow {
  static constexpr char const* name = "StdSort";
  static constexpr std::uint64_t scratch_bytes_per_item = 0;
  using SortRow::SortRow;

  void operator()(UnsortedValues const& values, UnsortedValues const& sorted) const {
    copy(values, sorted);
    std::sort(sorted.data(), sorted.data() + sorted.extent(0));
  }
};

#ifdef RIFFLE_PERF_HAS_TBB
/// A row: see sort.cpp. Uses the same number of threads as Kokkos.
class StdSortPar : public SortRow {
 public:
  static constexpr char const* name = "StdSortPar";
  static constexpr std::uint64_t scratch_bytes_per_item = 0;

  StdSortPar(Exec const& exec, std::uint64_t n)
      : SortRow(exec, n),
        threads_(tbb::global_control::max_allowed_parallelism,
                 static_cast<std::size_t>(exec.concurrency())) {}

  void operator()(UnsortedValues const& values, UnsortedValues const& sorted) const {
    copy(values, sorted);
    std::sort(std::execution::par, sorted.data(), sorted.data() + sorted.extent(0));
  }

 private:
  tbb::global_control threads_;
};
#endif

}  // namespace perf
