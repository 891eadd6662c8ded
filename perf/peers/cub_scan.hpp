#pragma once

// Only with CUDA: CUB's scans, with temporary storage allocated in advance, and Thrust's, which allocate in every call.

#include <thrust/execution_policy.h>
#include <thrust/scan.h>
#include <cub/device/device_scan.cuh>

#include <cstdint>

#include "peers/cub_temporary.hpp"
#include "support/check_scan.hpp"

namespace perf {

/// A row: see scan.cpp.
template <class Problem, ScanKind scan_kind>
class CubSum {
 public:
  using Value = typename Problem::value_type;
  using Array = Kokkos::View<Value*, Exec>;
  static constexpr ScanKind kind = scan_kind;
  static constexpr char const* name =
      kind == ScanKind::inclusive ? "CubInclusiveSum" : "CubExclusiveSum";

  CubSum(Exec const& exec, std::uint64_t n)
      : exec_(exec),
        // CUB is faster with 32-bit sizes, and all sizes here permit them.
        n_(static_cast<std::uint32_t>(n)),
        temporary_(exec, [&](void* storage, std::size_t& bytes) {
          return scan(storage, bytes, nullptr, nullptr);
        }) {}

  void operator()(Array const& in, Array const& out) {
    temporary_.run([&](void* storage, std::size_t& bytes) {
      return scan(storage, bytes, in.data(), out.data());
    });
  }

 private:
  cudaError_t scan(void* storage, std::size_t& bytes, Value const* in, Value* out) const {
    if constexpr (kind == ScanKind::inclusive) {
      return cub::DeviceScan::InclusiveSum(storage, bytes, in, out, n_, exec_.cuda_stream());
    } else {
      return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, n_, exec_.cuda_stream());
    }
  }

  Exec exec_;
  std::uint32_t n_;
  CubTemporary temporary_;
};

template <class Problem>
using CubInclusiveSum = CubSum<Problem, ScanKind::inclusive>;
template <class Problem>
using CubExclusiveSum = CubSum<Problem, ScanKind::exclusive>;

/// A row: see scan.cpp.
template <class Problem>
class ThrustInclusiveScan {
 public:
  using Array = Kokkos::View<typename Problem::value_type*, Exec>;
  static constexpr char const* name = "ThrustInclusiveScan";
  static constexpr ScanKind kind = ScanKind::inclusive;

  ThrustInclusiveScan(Exec const& exec, std::uint64_t) : exec_(exec) {}

  void operator()(Array const& in, Array const& out) {
    thrust::inclusive_scan(thrust::cuda::par_nosync.on(exec_.cuda_stream()), in.data(),
                           in.data() + in.extent(0), out.data());
  }

 private:
  Exec exec_;
};

}  // namespace perf
