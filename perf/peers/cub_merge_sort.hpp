#pragma once

// Only where Kokkos has CUDA: CUB's stable merge sort by a comparison, from one array to another, with temporary storage
// made beforehand.

#include <cub/device/device_merge_sort.cuh>

#include <cstdint>

#include "peers/cub_temporary.hpp"
#include "support/check_sorted.hpp"
#include "support/own_comparison.hpp"

namespace perf {

/// A row: see sort.cpp.
class CubMergeSort {
 public:
  using Answer = SortedAnswer;
  static constexpr char const* name = "CubMergeSort";
  // CUB's own copy.
  static constexpr std::uint64_t scratch_bytes_per_item = sizeof(double);

  CubMergeSort(Exec const& exec, std::uint64_t n)
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
    return cub::DeviceMergeSort::StableSortKeysCopy(storage, bytes, values, sorted,
                                                    static_cast<std::uint32_t>(n), OwnComparison(),
                                                    exec_.cuda_stream());
  }

  Exec exec_;
  CubTemporary temporary_;
};

}  // namespace perf
