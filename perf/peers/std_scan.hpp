#pragma once

// The standard library's scans on a CPU: on one thread and, with TBB, in parallel.

#include <cstdint>
#include <numeric>

#ifdef RIFFLE_PERF_HAS_TBB
#include <tbb/global_control.h>

#include <execution>
#endif

#include "support/check_scan.hpp"

namespace perf {

/// A row: see scan.cpp.
template <class Problem>
class StdSequential {
 public:
  using Array = Kokkos::View<typename Problem::value_type*, Exec>;
  static constexpr char const* name = "StdSequential";
  static constexpr ScanKind kind = ScanKind::inclusive;

  StdSequential(Exec const&, std::uint64_t) {}

  void operator()(Array const& in, Array const& out) {
    std::inclusive_scan(in.data(), in.data() + in.extent(0), out.data());
  }
};

#ifdef RIFFLE_PERF_HAS_TBB
/// A row: see scan.cpp. Uses the same number of threads as Kokkos.
template <class Problem>
class StdInclusiveScan {
 public:
  using Array = Kokkos::View<typename Problem::value_type*, Exec>;
  static constexpr char const* name = "StdInclusiveScan";
  static constexpr ScanKind kind = ScanKind::inclusive;

  StdInclusiveScan(Exec const& exec, std::uint64_t)
      : threads_(tbb::global_control::max_allowed_parallelism,
                 static_cast<std::size_t>(exec.concurrency())) {}

  void operator()(Array const& in, Array const& out) {
    std::inclusive_scan(std::execution::par_unseq, in.data(), in.data() + in.extent(0), out.data());
  }

 private:
  tbb::global_control threads_;
};
#endif

}  // namespace perf
