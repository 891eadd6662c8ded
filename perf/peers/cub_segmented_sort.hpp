#pragma once

// Only with CUDA: CUB's sort of segments, from one array to another, with temporary storage allocated in advance.

#include <cub/device/device_segmented_sort.cuh>

#include <cstddef>
#include <cstdint>

#include "peers/cub_temporary.hpp"
#include "support/segments_problem.hpp"

namespace perf {

/// A row: see segmented_sort.cpp.
template <class T>
class CubSegmentedSort {
 public:
  static constexpr char const* name = "CubSegmentedSort";

  explicit CubSegmentedSort(SegmentsProblem<T> const& data)
      : data_(data), temporary_(data.exec, [&](void* storage, std::size_t& bytes) {
          return run(storage, bytes, nullptr);
        }) {}

  void operator()(Kokkos::View<T*, Exec> const& values) {
    temporary_.run(
        [&](void* storage, std::size_t& bytes) { return run(storage, bytes, values.data()); });
  }

 private:
  cudaError_t run(void* storage, std::size_t& bytes, T* out) const {
    std::int32_t const* const offsets = data_.offsets.data();
    return cub::DeviceSegmentedSort::SortKeys(
        storage, bytes, static_cast<T const*>(data_.in.data()), out,
        static_cast<std::int32_t>(data_.in.extent(0)), static_cast<std::int32_t>(data_.segments()),
        offsets, offsets + 1, data_.exec.cuda_stream());
  }

  SegmentsProblem<T> data_;
  CubTemporary temporary_;
};

}  // namespace perf
