#pragma once

// Common parts of rows that sort in place: the values are written before each sort, which is included in the time.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include "support/check_sorted.hpp"
#include "support/copy_limit.hpp"
#include "support/unsorted_values.hpp"

namespace perf {

class SortRow {
 public:
  using Answer = SortedAnswer;

  SortRow(Exec const& exec, std::uint64_t) : exec_(exec) {}

 protected:
  void copy(UnsortedValues const& values, UnsortedValues const& sorted) const {
    Kokkos::parallel_for("perf::copy", range(exec_, values.extent(0)),
                         CopyItem<double>{values, sorted});
  }

  Exec exec_;
};

}  // namespace perf
