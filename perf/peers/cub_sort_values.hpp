#pragma once

// Only with CUDA: CUB's sorts of values from one array to another, with temporary storage allocated in advance.

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <cstdint>

#include "peers/cub_temporary.hpp"
#include "support/check_sorted.hpp"
#include "support/own_comparison.hpp"

namespace perf {

/// A row: see sort.cpp. `Algorithm` calls CUB.
template <class Algorithm>
class CubSortValues {
 public:
  using Answer = SortedAnswer;
  static constexpr char const* name = Algorithm::name;
  // CUB's copy.
  static constexpr std::uint64_t scratch_bytes_per_item = sizeof(double);

  CubSortValues(Exec const& exec, std::uint64_t n)
      : exec_(exec), temporary_(exec, [&](void* storage, std::size_t& bytes) {
          return sort(storage, bytes, nullptr, nullptr, n);
        }) {}

  void operator()(UnsortedValues const& values, UnsortedValues const& sorted) {
    temporary_.run([&](void* storage, std::size_t& bytes) {
      return sort(storage, bytes, values.data(), sorted.data(), values.extent(0));
    });
  }

 private:
  cudaError_t sort(void* storage, std::size_t& bytes, double const* values, double* sorted,
                   std::uint64_t n) const {
    // CUB is faster with 32-bit sizes, and all sizes here permit them.
    return Algorithm::sort(storage, bytes, values, sorted, static_cast<std::uint32_t>(n),
                           exec_.cuda_stream());
  }

  Exec exec_;
  CubTemporary temporary_;
};

struct CubRadixSortOfKeys {
  static constexpr char const* name = "CubSortKeys";
  static cudaError_t sort(void* storage, std::size_t& bytes, double const* values, double* sorted,
                          std::uint32_t n, cudaStream_t stream) {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, values, sorted, n, 0, 64, stream);
  }
};
using CubSortKeys = CubSortValues<CubRadixSortOfKeys>;

/// Stable sort by a comparison.
struct CubMergeSortOfKeys {
  static constexpr char const* name = "CubMergeSort";
  static cudaError_t sort(void* storage, std::size_t& bytes, double const* values, double* sorted,
                          std::uint32_t n, cudaStream_t stream) {
    return cub::DeviceMergeSort::StableSortKeysCopy(storage, bytes, values, sorted, n,
                                                    OwnComparison(), stream);
  }
};
using CubMergeSort = CubSortValues<CubMergeSortOfKeys>;

}  // namespace perf
