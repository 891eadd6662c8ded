#pragma once

// The two scans of Kokkos.

#include <Kokkos_Core.hpp>
#include <Kokkos_StdAlgorithms.hpp>

#include <cstdint>

#include "support/check_scan.hpp"

namespace perf {

/// A row: see scan.cpp.
template <class Problem>
class KokkosInclusiveScan {
 public:
  using Array = Kokkos::View<typename Problem::value_type*, Exec>;
  static constexpr char const* name = "KokkosInclusiveScan";
  static constexpr ScanKind kind = ScanKind::inclusive;

  KokkosInclusiveScan(Exec const& exec, std::uint64_t) : exec_(exec) {}

  void operator()(Array const& in, Array const& out) {
    Kokkos::Experimental::inclusive_scan("perf::kokkos_inclusive_scan", exec_, in, out);
  }

 private:
  Exec exec_;
};

template <class T>
struct AddUp {
  using value_type = T;
  Kokkos::View<T*, Exec> in;
  Kokkos::View<T*, Exec> out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, T& sum, bool is_final) const {
    sum += in(i);
    if (is_final) out(i) = sum;
  }
};

/// A row: see scan.cpp.
template <class Problem>
class KokkosParallelScan {
 public:
  using Array = Kokkos::View<typename Problem::value_type*, Exec>;
  static constexpr char const* name = "KokkosParallelScan";
  static constexpr ScanKind kind = ScanKind::inclusive;

  KokkosParallelScan(Exec const& exec, std::uint64_t) : exec_(exec) {}

  void operator()(Array const& in, Array const& out) {
    Kokkos::parallel_scan("perf::kokkos_parallel_scan", range(exec_, in.extent(0)),
                          AddUp<typename Problem::value_type>{in, out});
  }

 private:
  Exec exec_;
};

}  // namespace perf
